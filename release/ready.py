"""`python -m release.ready`: say what is in the way of releasing the version that the source names; exit 1 if anything.

It looks at files only. That they work, CI shows.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from release import OWNER_NOT_SET, ROOT, package_version
from release.changelog import UNRELEASED, sections

_FROM_A_CHECKOUT = re.compile(r"\binstall (?:--compile-bytecode )?'?\.(?:\[\w+\])?'?(?=\s)")

# Where the name of the account belongs. What else names it, says how to put it here.
_OF_THE_OWNER = ("server.json", "README.md", "pyproject.toml")


def obstacles(root: Path = ROOT) -> Iterator[str]:
    """What is in the way, a sentence each."""
    yield from _owner(root)
    yield from _versions(root)
    yield from _changes(root)
    yield from _installs(root)


def _owner(root: Path) -> Iterator[str]:
    for name in _OF_THE_OWNER:
        if OWNER_NOT_SET in (root / name).read_text():
            yield f"{name}: put the name of the account in the place of {OWNER_NOT_SET}"
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    if "urls" not in project:
        yield "pyproject.toml: [project.urls] is not there; it waits behind comment signs"
    name = json.loads((root / "server.json").read_text())["name"]
    if f"mcp-name: {name} " not in (root / "README.md").read_text():
        yield f"README.md: its mark mcp-name is not {name}, the name in server.json"


def _versions(root: Path) -> Iterator[str]:
    version = package_version(root)
    entry = json.loads((root / "server.json").read_text())
    plugin = root / "src/mailstop/plugin"
    named = {
        "server.json": {entry["version"], *(package["version"] for package in entry["packages"])},
        "marketplace.json": {
            each["version"] for each in json.loads((plugin / ".claude-plugin/marketplace.json").read_text())["plugins"]
        },
        "plugin.json": {json.loads((plugin / "mailstop/.claude-plugin/plugin.json").read_text())["version"]},
    }
    for name, versions in named.items():
        for other in sorted(versions - {version}):
            yield f"{name}: names version {other}, the package is {version}"


def _changes(root: Path) -> Iterator[str]:
    version = package_version(root)
    there = {section.version: section for section in sections((root / "CHANGELOG.md").read_text())}
    if version not in there:
        yield f"CHANGELOG.md: no section [{version}]"
    elif not there[version].date:
        yield f"CHANGELOG.md: the section [{version}] has no date"
    if UNRELEASED in there and there[UNRELEASED].text:
        yield "CHANGELOG.md: what stands under Unreleased belongs into the section of the version"


def _installs(root: Path) -> Iterator[str]:
    """Pages tell to install from a checkout for as long as there is nothing else to install from."""
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        if _FROM_A_CHECKOUT.search(page.read_text()):
            yield f"{page.relative_to(root)}: installs from a checkout; the release is called mailstop"


def main() -> int:
    """Print them."""
    found = list(obstacles())
    for each in found:
        print(each)
    if not found:
        print(f"mailstop {package_version()} can be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
