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


def modes(name: str, paths: Sequence[str]) -> Finding:
    """Whether only this user can get at these of mailstop's own files and folders; those that are missing are fine."""
    there = [path for path in paths if os.path.lexists(path)]
    foreign = [path for path in there if os.lstat(path).st_uid != os.geteuid()]
    if foreign:
        owner = os.lstat(foreign[0]).st_uid
        mend = f"sudo chown {os.geteuid()} {shlex.join(foreign)}"
        return Finding(name, FAILED, f"{', '.join(foreign)}: belongs to another user (uid {owner})", mend)
    loose = [path for path in there if _is_loose(path)]
    if loose:
        told = ", ".join(f"{path} has {stat.S_IMODE(os.lstat(path).st_mode):04o}" for path in loose)
        return Finding(name, FAILED, f"others may get at it: {told}", f"{DOCTOR} --mend")
    return Finding(name, OK, "0700 and 0600, of this user alone")


def tighten(paths: Sequence[str]) -> str:
    """Take every right from others; return what was done, empty when there was nothing to do."""
    loose = [path for path in paths if os.path.lexists(path) and _is_loose(path)]
    mine = [path for path in loose if os.lstat(path).st_uid == os.geteuid()]
    for path in mine:
        os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode) & ~_OTHERS)
    return f"took {', '.join(mine)} from others" if mine else ""


def open_to_others(folder: str) -> bool:
    """Whether others may put another file in the place of one in this folder."""
    mode = os.stat(folder).st_mode
    return bool(mode & 0o022) and not mode & stat.S_ISVTX


def _is_loose(path: str) -> bool:
    facts = os.lstat(path)
    return not stat.S_ISLNK(facts.st_mode) and bool(facts.st_mode & _OTHERS)
