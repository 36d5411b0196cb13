"""Modes: folders 0700 and files 0600, of what is mailstop's own."""

from __future__ import annotations

import os
import shlex
import stat

from mailstop.checkup.finding import DOCTOR, FAILED, OK, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OTHERS = 0o077
_OWN_OF_FILES, _OWN_OF_FOLDERS = 0o600, 0o700


def modes(name: str, paths: Sequence[str], *, command: str = DOCTOR) -> Finding:
    """Whether this user, and nobody else, can use these of mailstop's own files and folders.

    Those that are missing are fine. command: the doctor's that looks at them.
    """
    there = [path for path in paths if os.path.lexists(path)]
    foreign = [path for path in there if os.lstat(path).st_uid != os.geteuid()]
    if foreign:
        owner = os.lstat(foreign[0]).st_uid
        mend = f"sudo chown {os.geteuid()} {shlex.join(foreign)}"
        return Finding(name, FAILED, f"{', '.join(foreign)}: belongs to another user (uid {owner})", mend)
    loose = [path for path in there if _is_loose(path)]
    if loose:
        told = ", ".join(f"{path} has {stat.S_IMODE(os.lstat(path).st_mode):04o}" for path in loose)
        return Finding(name, FAILED, f"others may get at it: {told}", f"{command} --mend")
    if locked := [path for path in there if _is_locked(path)]:
        told = ", ".join(f"{path} has {stat.S_IMODE(os.lstat(path).st_mode):04o}" for path in locked)
        return Finding(name, FAILED, f"this user may not read and write it: {told}", f"{command} --mend")
    return Finding(name, OK, "0700 and 0600, of this user alone")


def tighten(paths: Sequence[str]) -> list[str]:
    """Give this user every right, and take it from others; return what was done.

    paths: a folder before what is in it.
    """
    taken, given = [], []
    for path in paths:
        if not os.path.lexists(path) or os.lstat(path).st_uid != os.geteuid():
            continue
        loose, locked = _is_loose(path), _is_locked(path)
        if loose or locked:
            os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode) & ~_OTHERS | _own_rights(path))
        taken += [path] if loose else []
        given += [path] if locked else []
    done = [f"took {', '.join(taken)} from others"] if taken else []
    return [*done, f"gave you the right to read and write {', '.join(given)}"] if given else done


def open_to_others(folder: str) -> bool:
    """Whether others may put another file in the place of one in this folder."""
    mode = os.stat(folder).st_mode
    return bool(mode & 0o022) and not mode & stat.S_ISVTX


def _is_locked(path: str) -> bool:
    """Whether the mode keeps its own owner from using it; that of a link counts for nothing."""
    facts = os.lstat(path)
    return not stat.S_ISLNK(facts.st_mode) and facts.st_mode & (wanted := _own_rights(path)) != wanted


def _own_rights(path: str) -> int:
    return _OWN_OF_FOLDERS if stat.S_ISDIR(os.lstat(path).st_mode) else _OWN_OF_FILES


def _is_loose(path: str) -> bool:
    facts = os.lstat(path)
    return not stat.S_ISLNK(facts.st_mode) and bool(facts.st_mode & _OTHERS)
