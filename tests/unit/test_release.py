"""What a release is made of beside the code: one version everywhere, notes, and a look at whether all is ready."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from release import OWNER_NOT_SET, ROOT, owner, package_version
from release.changelog import sections
from release.notes import main, notes, unwrapped
from release.ready import obstacles

CHANGELOG = """\
# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-24

### Added

- A door for letters that are
  wide ([doors](docs/doors.md), [theirs](https://example.org/doors)).

```sh
first
second
```

## [0.1.0] - 2026-12-01

### Added

- Letters.

[0.1.0]: https://example.org/0.1.0
"""
OF_A_RELEASE = (
    "CHANGELOG.md",
    "README.md",
    "pyproject.toml",
    "server.json",
    "src/mailstop/__init__.py",
    "src/mailstop/plugin/.claude-plugin/marketplace.json",
    "src/mailstop/plugin/mailstop/.claude-plugin/plugin.json",
)


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """Give a copy of what is released in which nothing is in the way."""
    for name in OF_A_RELEASE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        text = (tmp_path / name).read_text().replace(OWNER_NOT_SET, "somebody")
        (tmp_path / name).write_text(text)
    edit(tmp_path, "README.md", "install --compile-bytecode . ", "install --compile-bytecode mailstop ")
    edit(tmp_path, "README.md", "pipx install . ", "pipx install mailstop ")
    edit(tmp_path, "pyproject.toml", "# [project.urls]", "[project.urls]")
    heading = f"## [Unreleased]\n\n## [{package_version()}] - 2026-12-24"
    edit(tmp_path, "CHANGELOG.md", "## [Unreleased]", heading)
    return tmp_path


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new, 1))


def test_the_registry_is_told_the_version_of_the_package() -> None:
    entry = json.loads((ROOT / "server.json").read_text())

    assert {entry["version"], *(package["version"] for package in entry["packages"])} == {package_version()}


def test_the_readme_names_the_server_as_the_registry_looks_for_it() -> None:
    entry = json.loads((ROOT / "server.json").read_text())
    found = re.search(r"mcp-name: ([\w./-]+)", (ROOT / "README.md").read_text())

    assert found and found[1] == entry["name"]
    assert entry["name"].endswith("/mailstop")


def test_the_place_of_the_account_holds_what_no_account_can_be_called() -> None:
    assert not re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", OWNER_NOT_SET)


def test_notes_are_the_section_of_one_version_without_its_heading() -> None:
    assert notes(CHANGELOG, "0.1.0") == "### Added\n\n- Letters."


def test_notes_have_a_paragraph_on_one_line_and_code_as_it_is() -> None:
    told = notes(CHANGELOG, "0.2.0")

    assert "- A door for letters that are wide ([doors]" in told
    assert "```sh\nfirst\nsecond\n```" in told


def test_notes_link_to_the_pages_of_their_version_where_those_are_published() -> None:
    told = notes(CHANGELOG, "0.2.0", "somebody")

    assert "[doors](https://github.com/somebody/mailstop/blob/v0.2.0/docs/doors.md)" in told
    assert "[theirs](https://example.org/doors)" in told


def test_unwrapping_joins_nothing_that_starts_anew() -> None:
    text = "One\ntwo\n\n- three\n  four\n- five\n\n| a | b |\n|---|---|\n> six"

    assert unwrapped(text) == "One two\n\n- three four\n- five\n\n| a | b |\n|---|---|\n> six"


def test_notes_of_a_version_that_is_not_there_name_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["9.9.9"]) == 1

    told = capsys.readouterr()
    assert told.out == ""
    assert "no section 9.9.9; it has: Unreleased" in told.err


def test_the_projects_own_changelog_has_sections_with_text() -> None:
    found = sections((ROOT / "CHANGELOG.md").read_text())

    assert len({section.version for section in found}) == len(found) > 0
    assert any(section.text for section in found)
    assert [section.version for section in found if section.version != "Unreleased" and not section.date] == []


def test_nothing_is_in_the_way_of_a_release_that_is_ready(ready: Path) -> None:
    assert list(obstacles(ready)) == []
    assert owner(ready) == "somebody"


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("server.json", "somebody", OWNER_NOT_SET, "server.json: put the name of the account in"),
        ("README.md", "somebody", "somebody-else", "README.md: its mark mcp-name is not io.github.somebody/mailstop"),
        ("pyproject.toml", "[project.urls]", "# [project.urls]", "pyproject.toml: [project.urls] is not there"),
        ("server.json", '"0.1.0"', '"0.0.9"', "server.json: names version 0.0.9"),
        ("src/mailstop/plugin/mailstop/.claude-plugin/plugin.json", '"0.1.0"', '"9"', "plugin.json: names version 9"),
        ("CHANGELOG.md", " - 2026-12-24", "", "has no date"),
        ("CHANGELOG.md", "## [0.1.0] - 2026-12-24", "", "CHANGELOG.md: no section [0.1.0]"),
        ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n- More.\n", "what stands under Unreleased"),
    ],
)
def test_what_is_in_the_way_is_said(ready: Path, name: str, old: str, new: str, told: str) -> None:
    edit(ready, name, old.replace("0.1.0", package_version()), new)

    assert told.replace("0.1.0", package_version()) in "\n".join(obstacles(ready))


@pytest.mark.parametrize("how", ["pipx install .", "pip install '.[serve]'", "uv tool install --compile-bytecode ."])
def test_a_page_that_installs_from_a_checkout_is_in_the_way(ready: Path, how: str) -> None:
    (ready / "docs").mkdir(exist_ok=True)
    (ready / "docs/machines.md").write_text(f"```sh\n{how}\n```\n")

    assert list(obstacles(ready)) == ["docs/machines.md: installs from a checkout; the release is called mailstop"]
