"""What tests of lanes have in common: two roles, where their files lie, and lines that anybody may append."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mailstop.lanes import Digest

ROLES: dict[str, Any] = {"from_role": "builder", "to_role": "reviewer"}


def file_of(lane: Path, sender: str = "builder", receiver: str = "reviewer") -> Path:
    """The file of a pair."""
    return lane / "_sync" / f"{sender}-to-{receiver}.jsonl"


def cursor_file(lane: Path, role: str = "reviewer") -> Path:
    """The cursor of a role."""
    return lane / "_sync" / f".cursor-{role}.json"


def put(lane: Path, *lines: str | bytes, sender: str = "builder", receiver: str = "reviewer") -> None:
    """Append bytes to a file of a lane, as anybody may."""
    file = file_of(lane, sender, receiver)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab") as opened:
        opened.write(b"".join(line if isinstance(line, bytes) else line.encode() for line in lines))


def messages(found: Digest) -> list[str]:
    """The texts of what a check gave."""
    return [letter["msg"] for letter in found["unread"]]
