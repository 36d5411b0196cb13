"""Whether a Codex thread is open, and whether a window shows it (docs/clients-codex.md, "Who lives").

The life of the shared daemon proves nothing for one of its threads. What does is the lock that a server holds
on $CODEX_HOME/thread-writer-locks/THREAD.lock while it has the thread loaded. It is looked up in /proc/locks
and never tried, not for a moment: Codex would find the thread in use.

A window that closes leaves its thread loaded for a minute, and a line that is queued in that minute starts a
turn that nobody sees. So doors ask for more: whether a window is there. The daemon's windows are the peers of
its socket; which of them shows which thread is written nowhere, so hooks note which windows there were when
the thread last did something. All of this is for Linux, outside of a sandbox; elsewhere it is unknown.
"""

from __future__ import annotations

import os

from mailstop.clients.process import namespace, process_of
from mailstop.clients.small_file import read_small
from mailstop.clients.unix_peers import peers_of
from mailstop.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LOCKS = "thread-writer-locks"
SOCKET = "app-server-control/app-server-control.sock"
DAEMON = "app-server-daemon/daemon.pid"
NOBODY = 0


def thread_is_open(thread: str, details: Mapping[str, Any]) -> bool | None:
    """Whether some server has the thread loaded; None where that cannot be known.

    A window that was closed keeps its thread loaded for `thread_unload_delay_secs` of Codex's settings, 60 by
    default.

    details: of its registration.
    """
    server = _server_of(thread, details)
    return None if server is None else server != NOBODY


def is_watched(thread: str, details: Mapping[str, Any]) -> bool | None:
    """Whether a window shows the thread, or did until now; None where that cannot be known.

    False is certain for a thread that nobody has loaded, and for a daemon without windows. When all windows
    are gone that hooks have noted, it may have moved to one of which nothing was heard yet; that one is told
    at its next prompt.

    details: of its registration.
    """
    server = _server_of(thread, details)
    if server is None or server == NOBODY:
        return None if server is None else False
    if server != _daemon_of(details):
        return True  # a window without the daemon serves its own threads
    peers = peers_of(_socket_of(details))
    if not peers:
        return None if peers is None else False
    noted = str(details.get("windows") or "").split()
    return any(_is_there(window) for window in noted) if noted else True


def note_windows(details: Mapping[str, Any]) -> str:
    """The windows that the daemon serves now, as a hook notes them in `details`: pid and start time of each.

    Takes some milliseconds, since it looks through all processes of the user.
    """
    peers = peers_of(_socket_of(details))
    if not peers:
        return ""
    wanted = {f"socket:[{inode}]" for inode in peers}
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    found = (process_of(pid) for pid in pids if pid != os.getpid() and _holds(pid, wanted))
    return " ".join(f"{window.pid}:{window.start}" for window in found if window)


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
