"""The built distribution, and folders in which installers find it without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import mailstop

ROOT = Path(__file__).parents[2]
UV = str(ROOT / ".tools/bin/uv")
UVX = str(ROOT / ".tools/bin/uvx")
# As many characters as this version has, so that no file differs in size alone: what is kept of an older version has
# to be told from the newer one all the same.
NEWER = mailstop.__version__[:-1] + ("9" if mailstop.__version__[-1] != "9" else "8")
NAMING_THE_VERSION = (
    "src/mailstop/__init__.py",
    "src/mailstop/plugin/.claude-plugin/marketplace.json",
    "src/mailstop/plugin/mailstop/.claude-plugin/plugin.json",
)


@dataclass(frozen=True)
class Built:
    """What `uv build` makes of a folder: the source distribution, and the wheel built from that."""

    sdist: Path
    wheel: Path


def build(source: Path, *words: str, to: Path) -> Path:
    """Run `uv build` on a folder or a source distribution; return the folder with what it made."""
    environment = {**os.environ, "UV_PYTHON": sys.executable}
    subprocess.run([UV, "build", "--quiet", *words, "--out-dir", str(to), str(source)], env=environment, check=True)
    return to


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Give what `make wheel` makes of this checkout."""
    folder = build(ROOT, to=tmp_path_factory.mktemp("built"))
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Built(sdist, wheel)


@pytest.fixture(scope="session")
def newer(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel of a version that differs in its number alone."""
    folder = tmp_path_factory.mktemp("newer")
    with tarfile.open(built.sdist) as sdist:
        sdist.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    (source / "PKG-INFO").unlink()  # it says the version too, and the builder believes it
    for name in NAMING_THE_VERSION:
        text = (source / name).read_text()
        assert text.count(f'"{mailstop.__version__}"') == 1
        (source / name).write_text(text.replace(f'"{mailstop.__version__}"', f'"{NEWER}"'))
    (wheel,) = build(source, "--wheel", to=folder / "built").glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the wheels that mailstop and pipx need, each as `uv.lock` has it."""
    folder = tmp_path_factory.mktemp("dependencies")
    needed = folder / "needed.txt"
    wanted = ["--no-default-groups", "--group", "for-pipx", "--no-emit-project"]
    asked = [UV, "export", "--quiet", "--frozen", *wanted, "--output-file", str(needed)]
    subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    pip = [str(Path(sys.base_prefix) / "bin/python3"), "-m", "pip"]
    fetched = [*pip, "download", "--quiet", "--no-deps", "--require-hashes", "--requirement", str(needed)]
    subprocess.run([*fetched, "--only-binary=:all:", "--dest", str(folder)], check=True)
    return folder


def put_on_a_shelf(built: Built, dependencies: Path, folder: Path) -> Path:
    """Fill a folder that stands for the package index: installers find what is on it, and nothing elsewhere."""
    folder.mkdir()
    for wheel in (built.wheel, *dependencies.glob("*.whl")):
        shutil.copy(wheel, folder)
    return folder


@pytest.fixture(scope="session")
def shelf(built: Built, dependencies: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give such a folder for all tests."""
    return put_on_a_shelf(built, dependencies, tmp_path_factory.mktemp("index") / "shelf")


@pytest.fixture
def own_shelf(built: Built, dependencies: Path, tmp_path: Path) -> Path:
    """Give one to which a test may add."""
    return put_on_a_shelf(built, dependencies, tmp_path / "shelf")
