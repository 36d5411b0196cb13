"""mailstop lane doctor DIR: look through a lane, and say what waits, what is odd and what is wrong. Changes nothing.

Exit code 0: nothing is wrong, though there may be notes; 1: something is.
"""

from __future__ import annotations

import os
import stat
import time

from mailstop import lanes
from mailstop.cleaning import one_line
from mailstop.cli.lanes.place import existing, failing
from mailstop.cli.result import Result
from mailstop.cli.table import table, terminal_width
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.cli.arguments import Arguments

WRONG, NOTE = "wrong", "note"
STALE_S = 3600  # a temporary file of a cursor lives for milliseconds
MOST_WAITING = 1_000  # letters that are counted for one role
_LONGEST_NAME = 60  # characters


class Seen(Record):
    """One lane file. unparsable: lines that are no letters. drifted: letters that name other roles than the file."""

    name: str
    letters: int = 0
    unparsable: int = 0
    drifted: int = 0
    torn: bool = False
    last: str = ""


class Finding(Record):
    """Something to know. level: WRONG where letters are not read or written; NOTE otherwise."""

    level: str
    about: str
    text: str


def run(args: Arguments) -> Result:
    """Look at every file of the lane."""
    lane = existing(args.lane)
    folder = os.path.join(lane, "_sync")
    with failing(lane, "Nothing was changed."):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        found = list(_of_folder(folder, names)) if names else []
        files = []
        for name in names:
            if lanes.roles_of(name):
                seen, more = _looked_at(lane, name)
                files += [seen] if seen else []
                found += more
        waiting, more = _waiting(lane, names)
        found += more
    data = {
        "files": [one.as_dict() for one in files],
        "waiting": waiting,
        "findings": [one.as_dict() for one in found],
    }
    return Result(data, _text(files, waiting, found), exit_code=int(any(one.level == WRONG for one in found)))


def _of_folder(folder: str, names: list[str]) -> Iterator[Finding]:
    mode = stat.S_IMODE(os.stat(folder).st_mode)
    if mode & 0o077:
        yield Finding(NOTE, "_sync", f"its mode is {mode:04o}, so other users may look in; mailstop makes it 0700")
    by_case: dict[str, list[str]] = {}
    for name in names:
        if lanes.roles_of(name):
            by_case.setdefault(name.casefold(), []).append(name)
    for alike in by_case.values():
        if len(alike) > 1:
            text = f"differs only in case from {_shown(alike[1])}; on some file systems they are one file"
            yield Finding(NOTE, alike[0], text)
    for name in names:
        if name.startswith("..cursor-") and name.endswith(".tmp"):
            try:
                age_s = time.time() - os.lstat(os.path.join(folder, name)).st_mtime
            except FileNotFoundError:
                continue
            if age_s > STALE_S:
                yield Finding(NOTE, name, "left behind by a reader that was killed; it may be deleted")


def _looked_at(lane: str, name: str) -> tuple[Seen | None, list[Finding]]:
    """What a file holds."""
    path = os.path.join(lane, "_sync", name)
    pairs = lanes.roles_of(name)
    letters = unparsable = drifted = 0
    last = ""
    try:
        for letter in lanes.history(lane, name):
            if letter.get("_parse_error"):
                unparsable += 1
                continue
            letters += 1
            drifted += (letter.get("from"), letter.get("to")) not in pairs
            last = letter["ts"] if isinstance(letter.get("ts"), str) else last
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            file.seek(max(0, status.st_size - 1))
            torn = status.st_size > 0 and file.read(1) not in (b"\n", b"\r")
    except OSError as error:
        reason = f"cannot be read, so its letters reach nobody: {error.strerror or error}"
        return None, [Finding(WRONG, name, reason)]
    return Seen(name, letters, unparsable, drifted, torn, last), list(_odd(name, pairs, torn, unparsable, drifted))


def _odd(name: str, pairs: list[tuple[str, str]], torn: bool, unparsable: int, drifted: int) -> Iterator[Finding]:
    if len(pairs) > 1:
        readings = " or ".join(f"from {_shown(sender)} to {_shown(receiver)}" for sender, receiver in pairs)
        yield Finding(NOTE, name, f"can be read in {len(pairs)} ways ({readings}): a line goes to the role it names")
    if torn:
        yield Finding(NOTE, name, "its last line has no end yet: it is being written, or its writer died")
    if unparsable:
        yield Finding(NOTE, name, f"lines in it that are no letters: {unparsable}; readers are shown them")
    if drifted and len(pairs) == 1:
        yield Finding(NOTE, name, f"letters in it that name other roles: {drifted}; the file's name counts")


def _waiting(lane: str, names: list[str]) -> tuple[dict[str, dict[str, Any]], list[Finding]]:
    """For each role how many letters wait, and what is wrong with its cursor."""
    roles = [pairs[-1][1] for name in names if (pairs := lanes.roles_of(name))]
    roles += [name[len(".cursor-") : -len(".json")] for name in names if _is_cursor(name)]
    waiting: dict[str, dict[str, Any]] = {}
    found: list[Finding] = []
    for role in sorted(set(roles)):
        try:
            look = lanes.look(lane, role=role, limit=MOST_WAITING)
        except lanes.Refused as error:
            found.append(Finding(WRONG, role, f"{error}; mailstop reads no letters for it"))
            continue
        waiting[role] = {"letters": len(look.letters), "more": look.more}
        found += [Finding(WRONG, role, notice) for notice in look.notices]
    return waiting, found


def _is_cursor(name: str) -> bool:
    return name.startswith(".cursor-") and name.endswith(".json")


def _text(files: list[Seen], waiting: dict[str, dict[str, Any]], found: list[Finding]) -> str:
    parts: list[str] = []
    if files:
        heading = ("file", "letters", "no letters", "last")
        rows = [
            (_shown(one.name), str(one.letters), str(one.unparsable), one_line(one.last, _LONGEST_NAME))
            for one in files
        ]
        parts.append(table(heading, rows, terminal_width()))
    else:
        parts.append("no letters yet")
    for role, count in waiting.items():
        number = f"{count['letters']} or more" if count["more"] else str(count["letters"])
        parts.append(f"waiting for {_shown(role)}: {number}")
    parts += [f"{one.level}: {_shown(one.about)}: {one_line(one.text, 400)}" for one in found]
    parts += [] if found else ["nothing is wrong"]
    return "\n".join(parts)


def _shown(name: str) -> str:
    return one_line(name, _LONGEST_NAME)
