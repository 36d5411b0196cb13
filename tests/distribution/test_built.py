"""What is in the wheel and in the source distribution."""

from __future__ import annotations

import email
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest

import mailstop
from tests.distribution.conftest import ROOT, Built, build

pytestmark = pytest.mark.timeout(240)  # the first one builds

SOURCE = ROOT / "src"
BESIDE_PYTHON = Path(sys.executable).parent


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def tracked(folder: Path) -> set[str]:
    """The files of a folder that are in the repository, or will be with the next commit."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."]
    found = subprocess.run(listed, cwd=folder, capture_output=True, text=True, check=True).stdout.split("\0")
    return {name for name in found if name and (folder / name).exists()}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return email.message_from_string(archive.read(f"mailstop-{mailstop.__version__}.dist-info/METADATA").decode())


def test_the_source_distribution_makes_the_same_wheel_as_the_checkout(built: Built, tmp_path: Path) -> None:
    (wheel,) = build(ROOT, "--wheel", to=tmp_path).glob("*.whl")

    assert wheel.name == built.wheel.name
    assert wheel.read_bytes() == built.wheel.read_bytes()


def test_the_wheel_holds_each_file_of_the_package_and_nothing_else(built: Built) -> None:
    info = f"mailstop-{mailstop.__version__}.dist-info"
    described = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}

    assert names(built.wheel) == tracked(SOURCE) | {f"{info}/{name}" for name in described}


def test_what_is_no_module_is_in_the_wheel_too(built: Built) -> None:
    held = names(built.wheel)

    for folder, suffix in (
        ("plugin/mailstop/skills", ".md"),
        ("plugin/mailstop/hooks", ".json"),
        ("plugin/mailstop/.claude-plugin", ".json"),
        ("plugin/.claude-plugin", ".json"),
        ("engines/sqlite/migrations", ".sql"),
        ("engines/sqlite/subjects", ".sql"),
        ("cli/topics", ".txt"),
        ("cli/shells", ".bash"),
        ("setup/formats", ".json"),
    ):
        assert any(name.startswith(f"mailstop/{folder}/") and name.endswith(suffix) for name in held), folder
    assert {"mailstop/lanes.py", "mailstop/py.typed", "mailstop/plugin/mailstop/.mcp.json"} <= held


def test_the_source_distribution_holds_what_is_tracked(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}

    assert held == tracked(ROOT) | {"PKG-INFO"}


def test_the_metadata_says_what_there_is_to_say(built: Built) -> None:
    told = metadata(built.wheel)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert told["Version"] == mailstop.__version__
    assert told["Summary"] == project["description"]
    assert (told["License-Expression"], told["License-File"]) == ("MIT", "LICENSE")
    assert told["Requires-Python"] == ">=3.11"
    assert told["Description-Content-Type"] == "text/markdown"
    assert told.get_payload() == (ROOT / "README.md").read_text()
    assert set(told.get_all("Classifier", [])) == set(project["classifiers"])
    assert f"Programming Language :: Python :: 3.{sys.version_info[1]}" in project["classifiers"]


def test_the_package_index_takes_both_and_renders_the_readme(built: Built) -> None:
    checked = subprocess.run(
        [str(BESIDE_PYTHON / "twine"), "check", "--strict", str(built.wheel), str(built.sdist)],
        capture_output=True,
        text=True,
    )

    assert (checked.returncode, checked.stdout.count("PASSED")) == (0, 2), checked.stdout


def test_the_entry_for_the_registry_of_servers_is_one_that_it_takes(tmp_path: Path) -> None:
    shutil.copy(ROOT / "server.json", tmp_path)

    looked = skillsaw(tmp_path)

    assert looked.returncode == 0, looked.stdout
    assert "mcp-registry" in looked.stdout


def test_an_entry_that_it_would_refuse_is_found(tmp_path: Path) -> None:
    entry = (ROOT / "server.json").read_text()
    (tmp_path / "server.json").write_text(entry.replace('"registryType"', '"registry_type"'))

    assert skillsaw(tmp_path).returncode != 0


def skillsaw(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the entry in a folder against the schema that it names and the rules of the registry."""
    return subprocess.run(
        [str(BESIDE_PYTHON / "skillsaw"), "lint", "--strict", str(folder)], capture_output=True, text=True
    )
