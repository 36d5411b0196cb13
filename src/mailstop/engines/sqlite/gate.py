"""Gate: one writer at a time, in the order they came.

SQLite's own waiting sleeps up to 100 ms between tries, so that sixteen writers see tails of a second on a disk that
can do thousands of commits in it. An `flock` on a file beside the database queues them fairly, needs no daemon, and
is freed by the kernel when its holder dies.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys

from mailstop import errors

LONGEST_WAIT_S = 10.0
_NOTE_BYTES = 96


class Gate:
    """The lock of one store file; a context manager. Not reentrant: engines take it once around a transaction."""

    def __init__(self, path: str, *, longest_wait_s: float = LONGEST_WAIT_S) -> None:
        self._path = path
        self.longest_wait_s = longest_wait_s
        self._file = -1

    def __enter__(self) -> None:
        if self._file < 0:
            self._file = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            self._queue()
        self._sign()

    def __exit__(self, *_exception: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def holder(self) -> str:
        """Who wrote its name into the lock last, for people."""
        return os.pread(self._file, _NOTE_BYTES, 0).decode(errors="replace").strip() or "an unknown process"

    def _sign(self) -> None:
        """Leave a note of who holds it; on a full disk it is held without one."""
        note = f"process {os.getpid()} ({os.path.basename(sys.argv[0]) if sys.argv else 'python'})"
        try:
            os.pwrite(self._file, note.encode(errors="replace")[:_NOTE_BYTES].ljust(_NOTE_BYTES), 0)
        except OSError:
            pass

    def _queue(self) -> None:
        """Wait in the kernel's queue, at most the longest wait.

        flock knows no time-out, and a signal would be the whole program's; so a thread waits, on a description of
        its own, because closing that is what gives up a lock that comes too late.
        """
        import _thread

        waiting = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        arrived, decision = _thread.allocate_lock(), _thread.allocate_lock()
        arrived.acquire()
        state = {"abandoned": False, "ended": False, "locked": False}

        def wait() -> None:
            try:
                fcntl.flock(waiting, fcntl.LOCK_EX)
                locked = True
            except OSError:  # no memory for one more lock, say
                locked = False
            with decision:
                state["ended"], state["locked"] = True, locked
                if state["abandoned"]:
                    os.close(waiting)
            arrived.release()

        _thread.start_new_thread(wait, ())
        mine = False
        try:
            arrived.acquire(timeout=self.longest_wait_s)
            mine = True
        finally:  # also when the handler of a signal raises: the lock must not come to nobody
            with decision:
                mine = mine and state["locked"]
                state["abandoned"] = not mine
                if not mine and state["ended"]:
                    os.close(waiting)
        if not mine:
            note = self.holder()
            holder = _process(note)
            raise errors.StoreBusy(
                path=self._path, seconds=self.longest_wait_s, busy=f"it is held by {note}", holder=holder
            )
        os.close(self._file)
        self._file = waiting


def _process(note: str) -> dict[str, object] | None:
    """The process of a note, for programs; None where it is none of ours."""
    word, _, rest = note.partition(" ")
    pid, _, program = rest.partition(" ")
    return {"pid": int(pid), "program": program.strip("()")} if word == "process" and pid.isdecimal() else None
