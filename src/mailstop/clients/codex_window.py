"""Whether a window shows a Codex thread (docs/clients-codex.md, "Who lives").

The life of the shared daemon proves nothing for one of its threads. What does is the lock that a server holds
on $CODEX_HOME/thread-writer-locks/THREAD.lock while it has the thread loaded. It is looked up in /proc/locks
and never tried, not for a moment: Codex would find the thread in use.

A window that closes leaves its thread loaded for a minute, and a line that is queued in that minute starts a
turn that nobody sees. So doors ask for more: whether a window is there. The daemon's windows are the peers of
its socket; which of them shows which thread is written nowhere, so hooks note which windows may show it when
it starts: by the command line, by when it was opened, by the folder. All of this is for Linux, outside of a
sandbox; elsewhere it is unknown.
"""

from __future__ import annotations

import os

from mailstop.clients.process import namespace, process_of, started_at
from mailstop.clients.small_file import read_small
from mailstop.clients.unix_peers import peers_of
from mailstop.json_text import loads
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

OPENED = "tui-thread-reference-capabilities"  # a file for each thread, touched when a new window opens it
OPENING_S = 10.0  # from the start of a window to its first thread, when its person is asked nothing
LOCKS = "thread-writer-locks"
SOCKET = "app-server-control/app-server-control.sock"
DAEMON = "app-server-daemon/daemon.pid"
NOBODY = 0
_LARGEST_ENVIRONMENT = 4 << 20  # bytes


class Window(Record):
    """A window of the daemon. words: of its command line. folder: where it works."""

    pid: int
    start: int
    words: tuple[str, ...] = ()
    folder: str = ""

    def __str__(self) -> str:
        """As it is noted."""
        return f"{self.pid}:{self.start}"


def is_watched(thread: str, details: Mapping[str, Any], *, ended_ms: int = 0) -> bool | None:
    """Whether a window shows the thread, or did until now; None where that cannot be known.

    False is certain for a thread that nobody has loaded (that of a closed window stays loaded for
    `thread_unload_delay_secs` of Codex's settings, 60 by default), for a daemon without windows, and when all windows
    are gone that may have shown it and none has opened it since. Of a window that went on to another thread nothing is
    known until that one has its first prompt.

    details: of its registration. ended_ms: when a hook said that the thread was let go, milliseconds since 1970.
    """
    server = _server_of(thread, details)
    if server is None or server == NOBODY:
        return None if server is None else False
    opened = opened_at(thread, details)
    if ended_ms and opened * 1000 <= ended_ms:
        return False
    if server != _daemon_of(details):
        return True  # a window without the daemon serves its own threads
    peers = peers_of(_socket_of(details))
    if not peers:
        return None if peers is None else False
    noted = str(details.get("windows") or "").split()
    if not noted or any(_is_there(window) for window in noted):
        return True
    return opened > float(details.get("noted") or "inf")


def opened_at(thread: str, details: Mapping[str, Any]) -> float:
    """When a window last opened the thread, in seconds since 1970: a new window, or one that had it loaded anew."""
    home = str(details.get("codex_home") or "")
    times = [0.0]
    for path in (os.path.join(home, OPENED, thread), os.path.join(home, LOCKS, f"{thread}.lock")):
        try:
            times.append(os.stat(path).st_mtime)
        except OSError:
            continue
    return max(times)


def note_windows(details: Mapping[str, Any], thread: str = "", folder: str = "") -> str:
    """The windows that may show the thread, by the surest signs there are, as a hook notes them in `details`.

    folder: where the thread works. Takes some milliseconds, since it looks through all processes of the user.
    """
    server = _server_of(thread, details) if thread else None
    if server and server != _daemon_of(details):
        alone = process_of(server)  # a window without the daemon serves its own threads
        return f"{alone.pid}:{alone.start}" if alone else ""
    return " ".join(map(str, may_show(windows_of(details), thread, folder, opened_at(thread, details))))


def windows_of(details: Mapping[str, Any]) -> list[Window]:
    """The windows that the daemon serves now."""
    peers = peers_of(_socket_of(details))
    if not peers:
        return []
    wanted = {f"socket:[{inode}]" for inode in peers}
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    found = (process_of(pid) for pid in pids if pid != os.getpid() and _holds(pid, wanted))
    return [_window(process.pid, process.start) for process in found if process]


def environment_of(windows: str) -> dict[str, str]:
    """The variables in which all these windows, as they are noted, were started alike."""
    found: list[dict[str, str]] = []
    for window in filter(_is_there, windows.split()):
        content = read_small(f"/proc/{window.partition(':')[0]}/environ", largest=_LARGEST_ENVIRONMENT) or b""
        pairs = (os.fsdecode(pair).partition("=") for pair in content.split(b"\0"))
        found.append({name: value for name, equals, value in pairs if equals})
    first, others = (found[0], found[1:]) if found else ({}, [])
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def may_show(windows: Sequence[Window], thread: str, folder: str, opened: float) -> Sequence[Window]:
    """Those of the windows that may show a thread: each sign counts that any window has.

    opened: when a window last opened it, in seconds since 1970.
    """
    signs: tuple[Callable[[Window], bool], ...] = (
        lambda window: "resume" in window.words and thread in window.words,
        lambda window: started_at(window.start) <= opened <= started_at(window.start) + OPENING_S,
        lambda window: window.folder == folder,
    )
    for sign in signs:
        windows = [window for window in windows if sign(window)] or windows
    return windows


def _window(pid: int, start: int) -> Window:
    words = tuple((read_small(f"/proc/{pid}/cmdline") or b"").decode("utf-8", "replace").split("\0"))
    try:
        folder = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        folder = ""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        name, _, value = word.partition("=")
        if name in ("-C", "--cd"):
            folder = os.path.normpath(os.path.join(folder, value or following))
    return Window(pid, start, words, folder)


def _is_there(window: str) -> bool:
    pid, _, start = window.partition(":")
    process = process_of(int(pid)) if pid.isdigit() else None
    return process is not None and not process.dead and str(process.start) == start


def _server_of(thread: str, details: Mapping[str, Any]) -> int | None:
    """The pid of the process that has the thread loaded, NOBODY, or None where that cannot be known."""
    home = str(details.get("codex_home") or "")
    if not home or details.get("namespace") != namespace():
        return None  # /proc/locks shows no locks of processes outside of this pid namespace
    locks = os.path.join(home, LOCKS)
    try:
        # The file proves nothing: it stays behind when a server is killed.
        inode = os.stat(os.path.join(locks, f"{thread}.lock")).st_ino
    except FileNotFoundError:
        return NOBODY if os.path.isdir(locks) else None  # an older Codex has no such folder
    except OSError:
        return None
    return _holder_of(inode)


def _holder_of(inode: int) -> int | None:
    """Who holds a flock on the file with this inode, by /proc/locks (proc(5)); None when that is not to be had.

    Devices are not compared: on Btrfs a file's own differs from the one shown there.
    """
    try:
        descriptor = os.open("/proc/locks", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    text = b""
    try:
        while piece := os.read(descriptor, 65536):
            text += piece
    except OSError:
        return None
    finally:
        os.close(descriptor)
    ending = b":%d" % inode
    for line in text.splitlines():
        fields = line.split()  # 1: FLOCK ADVISORY WRITE 15747 fe:00:2157168 0 EOF; a waiting one has `->` in between
        if len(fields) > 5 and fields[1] == b"FLOCK" and fields[5].endswith(ending):
            return int(fields[4])
    return NOBODY


def _daemon_of(details: Mapping[str, Any]) -> int:
    content = read_small(os.path.join(str(details.get("codex_home")), DAEMON))
    try:
        value = loads(content or b"")
    except ValueError:
        return NOBODY
    pid = value.get("pid") if isinstance(value, dict) else None
    return pid if isinstance(pid, int) else NOBODY


def _socket_of(details: Mapping[str, Any]) -> str:
    return os.path.realpath(os.path.join(str(details.get("codex_home")), SOCKET))


def _holds(pid: int, wanted: set[str]) -> bool:
    """Whether a process has one of these sockets open; False for those of other users."""
    folder = f"/proc/{pid}/fd"
    try:
        for number in os.listdir(folder):
            try:
                if os.readlink(f"{folder}/{number}") in wanted:
                    return True
            except OSError:
                continue  # closed meanwhile
    except OSError:
        pass
    return False
