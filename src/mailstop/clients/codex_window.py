"""Whether a Codex thread is open: loaded by a running server, or gone.

The life of the shared daemon proves nothing for one of its threads. What does is the lock that a server holds
on $CODEX_HOME/thread-writer-locks/THREAD.lock while it has the thread loaded; the file goes when the thread
is unloaded, and stays, unlocked, when the server is killed (observed with Codex 0.171.0,
docs/clients-codex.md). The lock is looked up in /proc/locks and never taken, not for a moment: Codex would
find the thread in use.
"""

from __future__ import annotations

import errno
import os

from mailstop.clients.process import namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FOLDER = "thread-writer-locks"


def thread_is_open(thread: str, details: Mapping[str, Any]) -> bool | None:
    """Whether some server has the thread loaded; None where that cannot be known, as in a sandbox.

    details: of its registration. A window that was closed keeps its thread open for
    `thread_unload_delay_secs` more, 60 s by default.
    """
    home = details.get("codex_home")
    if not isinstance(home, str) or not home:
        return None
    if details.get("namespace") != namespace():
        return None  # /proc/locks shows no locks of processes outside
    locks = os.path.join(home, FOLDER)
    try:
        inode = os.stat(os.path.join(locks, f"{thread}.lock")).st_ino
    except FileNotFoundError:
        return False if os.path.isdir(locks) else None  # an older Codex has no such folder
    except OSError:
        return None
    return _is_locked(inode)


def _is_locked(inode: int) -> bool | None:
    """Whether anybody holds a flock on the file with this inode, by /proc/locks (proc(5))."""
    try:
        descriptor = os.open("/proc/locks", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    text = b""
    try:
        while piece := os.read(descriptor, 65536):
            text += piece
    except OSError as error:
        if error.errno != errno.EINTR:
            return None
    finally:
        os.close(descriptor)
    ending = b":%d" % inode  # of a field like fe:00:2157168
    for line in text.splitlines():
        fields = line.split()
        if b"FLOCK" in fields and any(field.endswith(ending) for field in fields):
            return True
    return False
