"""Lock: one server a store. A file in the state folder that the server holds locked, and that says which one it is.

The kernel lets go of the lock when the process ends, whatever ended it; what the file says counts while it is held.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import select
import signal
import time

from mailstop import __version__, config, errors
from mailstop.clients.life import Life, is_alive, my_life
from mailstop.clients.small_file import read_small
from mailstop.json_text import dumps, loads
from mailstop.records import Record
from mailstop.times import now_ms
from mailstop.watcher import process_end_fd

LONGEST_DRAIN_S = 5.0  # for what runs when a server is asked to end
LONGEST_END_S = LONGEST_DRAIN_S + 5.0
_LARGEST_FILE = 8192
_STEP_S = 0.02


class Serving(Record):
    """The server of a store. address: empty while it starts. since: milliseconds since 1970."""

    store: str
    pid: int
    life: Life | None
    address: str
    version: str
    since: int


class Lock:
    """The lock of one store's server. url: the store's."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._path = path_of(url)
        self._since = now_ms()
        self._file = -1

    def take(self, *, address: str = "") -> bool:
        """Take it, unless another process has it."""
        folder = os.path.dirname(self._path)
        os.makedirs(config.state_folder(), 0o700, exist_ok=True)
        os.makedirs(folder, 0o700, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            return False
        self._file = file
        self.say(address)
        return True

    def say(self, address: str) -> None:
        """Say in the file at which address this process serves."""
        value = {
            "store": self._url,
            "pid": os.getpid(),
            "life": my_life().as_dict(),
            "address": address,
            "version": __version__,
            "since": self._since,
        }
        data = dumps(value).encode("utf-8", "backslashreplace")
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))

    def release(self) -> None:
        """Let go of it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def path_of(url: str) -> str:
    """The file of the lock of a store's server."""
    path = os.path.realpath(config.store_path(url))
    name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(config.state_folder(), "serve", f"{name}.lock")


def serving(url: str) -> Serving | None:
    """Which process serves a store now; None when none does."""
    path = path_of(url)
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        end = time.monotonic() + 1.0
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return None
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    raise
            found = _read(path)
            if found is not None and (found.life is None or is_alive(found.life) is not False):
                return found
            if time.monotonic() > end:  # somebody else looks, or the file says nothing
                return found
            time.sleep(_STEP_S)  # whoever holds it is about to say who it is
    finally:
        os.close(file)


def _read(path: str) -> Serving | None:
    try:
        value = loads(read_small(path, largest=_LARGEST_FILE, own=True) or b"")
        return Serving(
            str(value["store"]),
            int(value["pid"]),
            Life.from_dict(value["life"]),
            str(value["address"]),
            str(value["version"]),
            int(value["since"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def end(found: Serving, url: str) -> None:
    """Ask a server to end, and wait until it has. Raises ServesElsewhere, ServesOn."""
    if found.life is None or is_alive(found.life) is None:
        raise errors.ServesElsewhere(store=config.store_name(url), address=found.address, pid=found.pid)
    limit = time.monotonic() + LONGEST_END_S
    descriptor: int | None = None
    try:
        descriptor = process_end_fd(found.pid)
        if is_alive(found.life):  # by now the number cannot be another's
            os.kill(found.pid, signal.SIGTERM)
        if descriptor is not None:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll(LONGEST_END_S * 1000)
    except ProcessLookupError:
        return
    finally:
        if descriptor is not None:
            os.close(descriptor)
    while is_alive(found.life):
        if time.monotonic() > limit:
            raise errors.ServesOn(
                store=config.store_name(url), pid=found.pid, address=found.address, seconds=LONGEST_END_S
            )
        time.sleep(_STEP_S)


def taken(url: str, option: str = "") -> Lock:
    """The lock of a store's server, for this process; an older version that has it is asked to end, and is waited for.

    option: how a command has to name the store. Raises AlreadyServing, ServesElsewhere, ServesOn.
    """
    lock = Lock(url)
    while not lock.take():
        found = serving(url)
        if found is None:  # it has ended meanwhile
            continue
        if not is_older(found.version):
            raise errors.AlreadyServing(
                store=config.store_name(url),
                pid=found.pid,
                address=found.address or "an address that it has not told yet",
                version=found.version,
                since=found.since,
                option=option,
            )
        end(found, url)
    return lock


def is_older(version: str) -> bool:
    """Whether a version is older than this one."""
    return _numbers(version) < _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")
    digits = ("".join(character for character in part if character.isdigit()) for part in parts)
    return tuple(int(each or 0) for each in digits)
