"""Bells: files whose existence means "there may be something new".

They lie in one folder per user, whatever the store, so that a hook's `sh` guard needs no more than `[ -e
... ]`. A bell is a hint: it is rung after the letter is committed, and whoever hears it asks the index. A
reader silences the bell *before* it looks: a ring that comes later is then a new one, and a ring that came
earlier is covered by the look.
"""

from __future__ import annotations

import errno
import os
import time

from mailstop.config import PROMPT_BELL, state_folder
from mailstop.names import checked_name, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def prompt_bell(name: str) -> str:
    """The name of the bell beside this one that only the hook of a prompt hears.

    It rings while the person's next prompt is to be noticed, which may be for days: tools go on without Python.
    """
    return f"{name}{PROMPT_BELL}"


def folder() -> str:
    """Where the bells lie; it may not exist yet."""
    return f"{state_folder()}/bells"


def path_of(name: str) -> str:
    """The file of a bell. Raises InvalidName."""
    return f"{folder()}/{checked_name(name, 'bell')}"


def ring(name: str) -> bool:
    """Ring a bell: create or touch its file, which wakes whoever watches it. Never blocks, and never raises.

    False: it could not be rung (full disk, read-only folder, a folder or file that is not this user's own).
    It does not raise, not even for a bad name, because the letter is stored by then and stays so.
    """
    if not is_name(name):
        return False
    # O_NONBLOCK: a FIFO in this place must not stop the sender.
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        place = opened_folder()
        try:
            bell = os.open(name, flags, 0o600, dir_fd=place)
            try:
                # Explicit nanoseconds: the kernel's own clock for files stands still for up to 4 ms, and
                # two rings within one tick would look like one to a watcher that compares times.
                now = time.time_ns()
                os.utime(bell, ns=(now, now))
            finally:
                os.close(bell)  # inotify's IN_CLOSE_WRITE: one event for each ring, new file or old
        finally:
            os.close(place)
    except OSError:
        return False
    return True


def silence(name: str) -> bool:
    """Remove a bell, before looking for what it announced. True when it was ringing. Never raises."""
    if not is_name(name):
        return False
    try:
        os.unlink(path_of(name))
    except OSError:
        return False
    return True


def is_ringing(name: str) -> bool:
    """Whether the bell was rung and not silenced since. Never raises."""
    if not is_name(name):
        return False
    try:
        os.lstat(path_of(name))
    except OSError:
        return False
    return True


def ringing() -> list[str]:
    """The names of all bells that ring, sorted; those that only hooks of prompts hear say nothing of mail."""
    try:
        return sorted(name for name in os.listdir(folder()) if is_name(name) and not name.endswith(PROMPT_BELL))
    except OSError:
        return []


def sweep(dead: Iterable[str]) -> int:
    """Remove the bells of sessions that ended, and say how many there were."""
    names = list(dead)
    for name in names:
        silence(prompt_bell(name))
    return sum(silence(name) for name in names)


def opened_folder() -> int:
    """A descriptor of the folder of bells, made if missing. Raises OSError, also for another user's."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        place = os.open(folder(), flags)
    except FileNotFoundError:
        make_folder()
        place = os.open(folder(), flags)
    if os.fstat(place).st_uid != os.geteuid():
        os.close(place)
        raise PermissionError(errno.EPERM, "another user's folder", folder())
    return place


def make_folder() -> None:
    """Make the folder of bells where it is missing. Raises OSError."""
    for each in (state_folder(), folder()):
        os.makedirs(each, mode=0o700, exist_ok=True)
