"""Store file: making the file, and a look at who owns it before SQLite opens it.

SQLite changes what it opens: it deletes the log beside an empty file, and its last close plays a log back. So another
program's file, a damaged one, and one that was cut to nothing are refused here, and keep every byte.
"""

from __future__ import annotations

import _thread
import os
import stat

from mailstop import errors, faults
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.errors import StoreUnavailable

APPLICATION = 0x6D737470  # "mstp": tells our files from another program's
BUSY_S = 10.0  # SQLite's own waiting, a backstop behind the gate

# https://sqlite.org/fileformat2.html, section 1.3
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_APPLICATION_AT = 68

# POSIX takes all locks that a process has on a file as soon as it closes any descriptor of it, those of its other
# connections too (https://sqlite.org/howtocorrupt.html, section 2.2). So a file that is open here already, and was
# looked at by then, is not looked at again.
_open_files: dict[tuple[int, int], int] = {}
_one_at_a_time = _thread.allocate_lock()


class StoreFile:
    """A store's file, opened by SQLite. synchronous: what its commits wait for; empty until that was set."""

    synchronous = ""

    def __init__(self, path: str) -> None:
        """Open the file. Raises StoreUnavailable or StoreDamaged for one that is not ours, sqlite3.Error, OSError."""
        with _one_at_a_time:
            while True:
                self._identity = _identity(path)
                if not _open_files.get(self._identity):
                    refuse_other(path)
                self.sqlite = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
                if self.is_in_place(path):
                    break
                self.sqlite.close()  # a repair has put another file there meanwhile
            _open_files[self._identity] = _open_files.get(self._identity, 0) + 1

    def is_in_place(self, path: str) -> bool:
        """Whether this is still the file that the path leads to."""
        try:
            return _identity(path) == self._identity
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        self.sqlite.close()
        with _one_at_a_time:
            _open_files[self._identity] -= 1


def real_path(path: str) -> str:
    """Where the file itself lies: all who use one store have to meet at one lock. Raises StoreUnavailable."""
    if not os.path.islink(path):
        return path
    real = os.path.realpath(path)
    if not os.path.exists(real):  # a disk that is not mounted, perhaps: a new store there would show an empty inbox
        raise StoreUnavailable(path=path, reason=f"it is a link to {real}, which is not there")
    return real


def make_folder(path: str) -> None:
    """Make the folders of a store (0700) where there are none; those that exist keep their mode. Raises OSError."""
    missing = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for folder in reversed(missing):  # os.makedirs gives the mode to the last one only
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:  # somebody was faster, or it is no folder, which opening the file then says
            continue
        os.chmod(folder, 0o700)


def is_unmade(path: str) -> bool:
    """Whether there is no file, or an empty one. Raises StoreUnavailable for what is no file, OSError."""
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return True
    if not stat.S_ISREG(facts.st_mode):
        raise StoreUnavailable(path=path, reason="it is no file")
    return facts.st_size == 0


def refuse_lost(path: str) -> None:
    """Raise StoreDamaged when there is a log beside no file, or an empty one: the letters were here.

    Ask behind the gate: whoever makes a store has both after a moment.
    """
    log = f"{path}-wal"
    if is_unmade(path) and os.path.exists(log) and os.path.getsize(log) > 0:
        raise errors.StoreDamaged(path=path, reason=f"it is empty or gone, but its log {log} is not")


def make_file(path: str) -> None:
    """Make the empty file (0600), unless somebody was faster. Raises OSError."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        return
    faults.reach("store file made")


def _identity(path: str) -> tuple[int, int]:
    facts = os.stat(path)
    return facts.st_dev, facts.st_ino


def refuse_other(path: str) -> None:
    """Raise StoreDamaged or StoreUnavailable unless the file begins as ours do, or is empty. Raises OSError.

    Only while this process has the file not open.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        header = os.pread(descriptor, _HEADER_BYTES, 0)
    finally:
        os.close(descriptor)
    if not header:
        return
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise errors.StoreDamaged(path=path, reason="it is no SQLite database")
    if int.from_bytes(header[_APPLICATION_AT : _APPLICATION_AT + 4], "big") != APPLICATION:
        raise StoreUnavailable(path=path, reason="it is the database of another program")
