"""The monitor of our Claude Code plugin: it sleeps on the session's bell and ends with its client.

It holds a kernel lock as long as it lives, so a sender can tell a session that listens from one that does
not, and nothing is left to clean up after kill -9.
"""

from __future__ import annotations

import fcntl
import os
import time

from mailstop import errors
from mailstop.config import state_folder
from mailstop.names import checked_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

TESTERS_S = 0.25  # a sender that tests the lock holds it shared for microseconds; a monitor outlasts that


def lock_path(bell: str) -> str:
    """The file that the monitor of this bell holds locked. Raises InvalidName."""
    return f"{state_folder()}/monitors/{checked_name(bell, 'bell')}"


def listening(bell: str) -> bool:
    """Whether a monitor sleeps on this bell now. Only reads, so it works from a sandbox; creates nothing."""
    try:
        lock = os.open(lock_path(bell), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # by itself: to name the other here would load it each time that there is no monitor
        return False
    except errors.InvalidName:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(lock)  # gives the lock back
    return False


def sweep(dead: Iterable[str]) -> int:
    """Remove the lock files left by monitors of ended sessions, not those still held; says how many."""
    removed = 0
    for bell in dead:
        try:
            with Listening(bell, create=False) as listening_again:
                removed += not listening_again.already
        except (OSError, errors.InvalidName):
            continue
    return removed


class Listening:
    """Held by a monitor while it sleeps on its bell.

    `already` is True inside when another monitor of the session holds it: clients fire *session start*
    again at compaction, so a second start is nothing to do. Entering raises OSError when the lock cannot be
    made.
    """

    def __init__(self, bell: str, *, create: bool = True) -> None:
        self._path = lock_path(bell)
        self._flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        self._lock: int | None = None

    @property
    def already(self) -> bool:
        """Whether another process listens, so that this one has nothing to do."""
        return self._lock is None

    def __enter__(self) -> Self:
        if self._flags & os.O_CREAT:
            for folder in (state_folder(), os.path.dirname(self._path)):
                os.makedirs(folder, mode=0o700, exist_ok=True)
        deadline = time.monotonic() + TESTERS_S
        while self._lock is None:
            lock = os.open(self._path, self._flags, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                if time.monotonic() > deadline:
                    break
                time.sleep(0.005)
                continue
            except OSError:
                os.close(lock)
                raise
            if _is_still(self._path, lock):
                self._lock = lock
            else:
                os.close(lock)  # the one that held it removed the file; the next round makes a new one
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._lock is None:
            return
        # Removed before it is given back: whoever opened it meanwhile finds that it is no longer the one in
        # its place.
        if _is_still(self._path, self._lock):
            try:
                os.unlink(self._path)
            except OSError:
                pass
        os.close(self._lock)
        self._lock = None


def _is_still(path: str, opened: int) -> bool:
    try:
        there = os.lstat(path)
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(opened))
