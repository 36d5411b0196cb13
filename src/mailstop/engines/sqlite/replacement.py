"""Replacement: putting a repaired file in the place of a damaged one, which is kept, so that no moment loses a letter.

The new file is complete under the name `<store>.rescued-<time>` before the old one and its log are set aside as
`<store>.damaged-<time>`; only then does it get the store's name. Whoever comes in between, or after a process that was
killed in between, finds no store, or an empty one, beside a rescued file, and finishes the replacement.
All of this happens behind the gate. A process that has the old file open notices that at its next step.
"""

from __future__ import annotations

import os

from mailstop import faults

_BESIDE = ("-wal", "-shm")  # what SQLite keeps beside a file, found by the file's name
_PART = ".part"


def names(path: str, stamp: str) -> tuple[str, str]:
    """Under which names a rescued file and the damaged one are kept: of a time, and used by no file yet."""
    number = 1
    while True:
        suffix = stamp if number == 1 else f"{stamp}-{number}"
        rescued, damaged = f"{path}.rescued-{suffix}", f"{path}.damaged-{suffix}"
        if not os.path.lexists(rescued) and not os.path.lexists(damaged):
            return rescued, damaged
        number += 1


def replace(path: str, rescued: str) -> str:
    """Set the store's file aside and put the rescued one in its place; return where the old one is. Raises OSError."""
    damaged = _damaged_of(path, rescued)
    faults.reach("before the damaged store is set aside")
    if os.path.lexists(path):  # else the log alone is left
        os.rename(path, damaged)
    faults.reach("damaged store set aside")
    _put_in_place(path, rescued)
    return damaged


def is_unfinished(path: str) -> bool:
    """Whether the store is missing, or empty, because its replacement was interrupted."""
    return (not os.path.exists(path) or os.path.getsize(path) == 0) and bool(_finished_rescues(path))


def finish(path: str) -> str:
    """Finish a replacement that was interrupted; return where the old file is, empty when there is none to finish.

    Call it behind the gate. Raises OSError.
    """
    if not is_unfinished(path):
        return ""
    rescued = _finished_rescues(path)[-1]
    _put_in_place(path, rescued)
    return _damaged_of(path, rescued)


def sweep(path: str) -> None:
    """Remove what an earlier rescue left that was killed before it replaced anything. Call it behind the gate."""
    folder = os.path.dirname(path)
    for name in os.listdir(folder):
        if name.startswith(f"{os.path.basename(path)}.rescued-"):
            os.unlink(os.path.join(folder, name))


def part_of(rescued: str) -> str:
    """Under which name a rescued file is built."""
    return rescued + _PART


def complete(rescued: str) -> None:
    """The file that was built is whole: sync it to the disk and give it its name. Raises OSError."""
    part = part_of(rescued)
    _sync(part)
    faults.reach("before the rescued store is named")
    os.rename(part, rescued)
    _sync(os.path.dirname(rescued))
    faults.reach("rescued store named")


def _put_in_place(path: str, rescued: str) -> None:
    for suffix in _BESIDE:  # the old log would be played back over the new file
        if os.path.lexists(path + suffix):
            os.rename(path + suffix, _damaged_of(path, rescued) + suffix)
            faults.reach("damaged log set aside")
    _sync(os.path.dirname(path))
    faults.reach("before the rescued store is put in place")
    os.rename(rescued, path)
    _sync(os.path.dirname(path))
    faults.reach("rescued store put in place")


def _finished_rescues(path: str) -> list[str]:
    folder, beginning = os.path.dirname(path), f"{os.path.basename(path)}.rescued-"
    if not os.path.isdir(folder):
        return []
    found = (name for name in os.listdir(folder) if name.startswith(beginning))
    return sorted(os.path.join(folder, name) for name in found if not name.endswith((_PART, *_BESIDE, "-journal")))


def _damaged_of(path: str, rescued: str) -> str:
    return f"{path}.damaged-{rescued.removeprefix(f'{path}.rescued-')}"


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
