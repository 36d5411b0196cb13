"""Watcher: sleeps until one of some bells is rung, without using the processor meanwhile."""

from __future__ import annotations

import errno
import os
import select
import sys
import time
from contextlib import contextmanager

from mailstop import bells, config
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol, Self

    class Notices(Protocol):
        """What the kernel tells about the folder of bells."""

        fd: int  # readable when there is something to drain

        def drain(self) -> tuple[bool, bool]:
            """Whether the bell was heard for sure, and whether the folder is no longer watched."""

        def close(self) -> None:
            """Give back what the kernel lent."""


GLANCE_S = 1.0  # how often a watcher looks at the file where the kernel cannot tell it


class Woken(Record):
    """Why a watcher stopped waiting. False as a condition when its time was simply over. rung: whether any bell was."""

    rung: bool
    ready: tuple[int, ...] = ()  # those of the other descriptors that became readable, or were hung up

    def __bool__(self) -> bool:
        return self.rung or bool(self.ready)


class Watcher:
    """Sleeps until a bell is rung, the one of that name or one of `more`. A context manager, for one thread of one
    process.

    Linux: inotify. macOS: kqueue (untried). Elsewhere, and where the kernel's limit of watches is reached,
    it looks at the file each second. A bell that rang before the watcher came counts once. The folder of
    bells may be removed and come back meanwhile; a *parent* that is moved away is noticed only at the next
    wake or time-out.
    """

    def __init__(self, name: str, *more: str) -> None:
        self.names = (name, *more)
        self._paths = tuple(bells.path_of(each) for each in self.names)
        self._notices: Notices | None = None
        self._watched: tuple[int, int] | None = None
        self._last: dict[str, int] = {}  # the time of the last ring that was reported, as the files tell it

    def __enter__(self) -> Self:
        self._arm()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def is_told(self) -> bool:
        """Whether the kernel tells this watcher; False while it has to look each second."""
        return self._notices is not None

    def close(self) -> None:
        """Stop watching; a later `wait` starts anew."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def wait(self, timeout_s: float | None = None, also: Sequence[int] = ()) -> Woken:
        """Sleep until the bell is rung anew, or one of the `also` descriptors is readable or hung up.

        timeout_s: seconds; None is for ever, 0 only looks. A bell left ringing does not wake twice; another
        ring does.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            rung = self._was_rung()
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = self._sleep(0.0 if rung else left, also)
            if rung or ready or left == 0.0:
                return Woken(rung, ready)

    def _was_rung(self) -> bool:
        """Whether the bell was rung since this was last asked."""
        heard, lost = self._notices.drain() if self._notices else (False, True)
        if lost or self._watched != _identity(bells.folder()):
            self._arm()
        # After arming and after draining: a ring that came before is in the file, one that comes later is
        # an event.
        return any([self._is_fresh(path) for path in self._paths]) or heard

    def _is_fresh(self, path: str) -> bool:
        """Whether the file of a bell tells of a ring that was not reported yet."""
        try:
            last = os.lstat(path).st_mtime_ns
        except OSError:
            self._last.pop(path, None)
            return False
        fresh = last != self._last.get(path)
        self._last[path] = last
        return fresh

    def _sleep(self, seconds: float | None, also: Sequence[int]) -> tuple[int, ...]:
        poll = select.poll()
        for descriptor in also:
            poll.register(descriptor, select.POLLIN)
        if self._notices is not None:
            poll.register(self._notices.fd, select.POLLIN)
        else:
            seconds = GLANCE_S if seconds is None else min(seconds, GLANCE_S)
        found = poll.poll(None if seconds is None else seconds * 1000)
        return tuple(descriptor for descriptor, _events in found if descriptor in also)

    def _arm(self) -> None:
        self.close()
        try:
            os.close(bells.opened_folder())
            self._watched = _identity(bells.folder())
            if sys.platform == "linux":
                self._notices = _Inotify(bells.folder(), self.names)
            elif sys.platform == "darwin":
                self._notices = _Kqueue(bells.folder(), self._paths)
        except OSError:  # no folder, or no watch left: look each second, and try again then
            self._notices = None


@contextmanager
def among_watchers(bell: str) -> Iterator[None]:
    """One of those who watch for every letter of the user while the block runs, by a bell that is rung while its file
    is there. Each holds a lock with the others; who gets it alone at its end was the last, and removes the bell. Who
    comes then waits for that, and rings it anew."""
    import fcntl

    try:
        os.makedirs(config.state_folder(), mode=0o700, exist_ok=True)
        path = os.path.join(config.state_folder(), "watchers")
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError:  # the bell stays: that costs a sender little
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
    finally:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            bells.silence(bell)
        except OSError:  # others watch
            pass
        os.close(lock)


class EveryBell:
    """Hears all bells of the folder, for an event loop that sleeps on many at once.

    Linux: `fd` becomes readable when there is something to hear. Elsewhere, and where the kernel's limit of watches is
    reached, it is None: ask each second.
    """

    def __init__(self) -> None:
        self.fd: int | None = None
        self._notices: _Inotify | None = None
        self._watched: tuple[int, int] | None = None
        self._times: dict[str, int] = {}
        self.arm()

    def heard(self) -> set[str] | None:
        """The bells that were rung since this was last asked; None: any of them may have been. `arm` then."""
        if self._notices is None:
            return self._glanced()
        names, overflown, lost = self._notices.read()
        if overflown or lost or self._watched != _identity(bells.folder()):
            return None
        return {os.fsdecode(name) for name in names}

    def arm(self) -> None:
        """Watch the folder that is there now. Another descriptor may be in `fd` afterwards."""
        self.close()
        try:
            os.close(bells.opened_folder())
            self._watched = _identity(bells.folder())
            if sys.platform == "linux":
                self._notices = _Inotify(bells.folder(), ())
                self.fd = self._notices.fd
        except OSError:
            self._notices = None
        self._times = self._looked() if self._notices is None else {}

    def close(self) -> None:
        """Stop hearing."""
        if self._notices is not None:
            self._notices.close()
            self._notices = self.fd = None

    def _glanced(self) -> set[str]:
        before, self._times = self._times, self._looked()
        return {name for name, time_ns in self._times.items() if before.get(name) != time_ns}

    def _looked(self) -> dict[str, int]:
        """When each bell that rings was last rung."""
        found = {}
        try:
            with os.scandir(bells.folder()) as files:
                for file in files:
                    try:
                        found[file.name] = file.stat(follow_symlinks=False).st_mtime_ns
                    except OSError:  # it was silenced meanwhile
                        continue
        except OSError:
            pass
        return found


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class _Inotify:
    """Linux's notices of one folder, by `inotify(7)`; ctypes calls libc, as Python has no binding."""

    CLOSE_WRITE, MOVED_TO = 0x8, 0x80
    DELETE_SELF, MOVE_SELF, UNMOUNT, IGNORED = 0x400, 0x800, 0x2000, 0x8000
    OVERFLOW = 0x4000
    ONLYDIR, DONT_FOLLOW = 0x1000000, 0x2000000
    HEADER_BYTES = 16  # int wd, uint32 mask, uint32 cookie, uint32 length of the name that follows

    def __init__(self, path: str, names: Sequence[str]) -> None:
        """Watch `path` for files of these names. Raises OSError, EMFILE and ENOSPC at a user's limits."""
        import ctypes  # only in a process that is about to sleep

        try:
            libc = ctypes.CDLL(None, use_errno=True)
            init, add = libc.inotify_init1, libc.inotify_add_watch
        except AttributeError:
            raise OSError(errno.ENOSYS, "this libc has no inotify") from None
        self._names = frozenset(map(os.fsencode, names))
        self.fd: int = init(os.O_NONBLOCK | os.O_CLOEXEC)  # IN_NONBLOCK and IN_CLOEXEC are the same bits
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        mask = self.CLOSE_WRITE | self.MOVED_TO | self.DELETE_SELF | self.MOVE_SELF
        if add(self.fd, os.fsencode(path), mask | self.ONLYDIR | self.DONT_FOLLOW) < 0:
            code = ctypes.get_errno()
            self.close()
            raise OSError(code, "inotify_add_watch", path)

    def drain(self) -> tuple[bool, bool]:
        """Read all events that wait; an overflow counts as heard, since it may hide a ring."""
        names, overflown, lost = self.read()
        return overflown or not names.isdisjoint(self._names), lost

    def read(self) -> tuple[set[bytes], bool, bool]:
        """All events that wait: the names of the files, whether others were dropped, whether the folder is lost."""
        names: set[bytes] = set()
        overflown = lost = False
        while True:
            try:
                events = os.read(self.fd, 65536)
            except BlockingIOError:
                return names, overflown, lost
            at = 0
            while at < len(events):
                mask = int.from_bytes(events[at + 4 : at + 8], sys.byteorder)
                length = int.from_bytes(events[at + 12 : at + 16], sys.byteorder)
                at += self.HEADER_BYTES
                names.add(events[at : at + length].rstrip(b"\0"))
                at += length
                overflown |= bool(mask & self.OVERFLOW)
                lost |= bool(mask & (self.DELETE_SELF | self.MOVE_SELF | self.UNMOUNT | self.IGNORED))

    def close(self) -> None:
        """Free the inotify instance, of which a user has few (128 by default)."""
        os.close(self.fd)


if sys.platform == "darwin":

    class _Kqueue:
        """macOS's notices of the folder and the bell's file, by `kqueue(2)`. Untried, from the manual.

        A folder tells of files that come and go, not of one that is touched, so the files are watched too.
        """

        def __init__(self, path: str, bells: Sequence[str]) -> None:
            """Watch the folder `path` and the files `bells` in it. Raises OSError."""
            self._bells = bells
            self._files: list[int] = []
            self._queue = select.kqueue()
            self.fd = self._queue.fileno()
            try:
                self._folder = self._watch(path)
            except OSError:
                self._queue.close()
                raise
            self._watch_bells()

        def _watch(self, path: str) -> int:
            opened = os.open(path, os.O_EVTONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            flags = select.KQ_NOTE_WRITE | select.KQ_NOTE_ATTRIB | select.KQ_NOTE_DELETE | select.KQ_NOTE_RENAME
            add = select.KQ_EV_ADD | select.KQ_EV_CLEAR
            self._queue.control([select.kevent(opened, select.KQ_FILTER_VNODE, add, flags)], 0)
            return opened

        def _watch_bells(self) -> None:
            while self._files:
                os.close(self._files.pop())  # which also takes its event out of the queue
            for bell in self._bells:
                try:
                    self._files.append(self._watch(bell))
                except OSError:  # it is not there
                    continue

        def drain(self) -> tuple[bool, bool]:
            """Take all events; none proves a ring by itself, the time of the file does."""
            lost = False
            while events := self._queue.control(None, 16, 0):
                gone = select.KQ_NOTE_DELETE | select.KQ_NOTE_RENAME
                lost |= any(each.ident == self._folder and each.fflags & gone for each in events)
                self._watch_bells()
            return False, lost

        def close(self) -> None:
            """Close the queue and what it watched."""
            self._queue.close()
            for opened in (self._folder, *self._files):
                os.close(opened)


def process_end_fd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, also as a zombie; the caller closes it.

    None: this system cannot tell. Raises ProcessLookupError when there is no such process. Numbers are used
    again, so compare the process's start time after this call. Linux: pidfd. macOS: a kqueue (untried).
    """
    if sys.platform == "linux":
        try:
            return os.pidfd_open(pid)
        except ProcessLookupError:
            raise
        except OSError:  # a kernel before 5.3, a filter of system calls, or a number that names a thread
            return None
    elif sys.platform == "darwin":
        queue = select.kqueue()
        try:
            end = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            queue.control([end], 0)
            return os.dup(queue.fileno())  # outlives the Python object, which closes its own
        except ProcessLookupError:
            raise
        except OSError:
            return None
        finally:
            queue.close()
    else:
        return None
