"""What a release needs beside the distribution: its notes, and a look at whether all is ready for it."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Stands where the name of the account belongs under which the project is published, as long as that is not settled. No
# account can be called this.
OWNER_NOT_SET = "OWNER.NOT.SET"


def package_version(root: Path = ROOT) -> str:
    """The version of the package, as its source names it."""
    for line in (root / "src/mailstop/__init__.py").read_text().splitlines():
        if line.startswith("__version__ = "):
            return line.split('"')[1]
    raise ValueError("src/mailstop/__init__.py names no version")


def owner(root: Path = ROOT) -> str:
    """The account under which the project is published; empty while that is not settled."""
    name = str(json.loads((root / "server.json").read_text())["name"])
    account = name.removeprefix("io.github.").partition("/")[0]
    return "" if account == OWNER_NOT_SET else account
