"""Silence: a thread of Codex of which nothing was seen or heard for so long that what it alone may do is let go.

The daemon that serves threads proves nothing for one of them, and a window may stay open for days. So a thread that was
without a hook or a tool call for 15 minutes is silent: what depends on that no longer counts, while its seat and its
mail stay. When it goes on it counts again, unless another has taken it.

The evidence costs no hook a write: a thread's transcript grows by each of its answers and tool calls. While it says
that a turn runs, however long one command takes, the thread is not silent. Where it cannot be read, nothing is known,
and nothing is taken from a thread for that.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.session import Session

LONGEST_SILENCE_MS = 15 * 60_000


def is_silent(session: Session, now: int) -> bool:
    """Whether the session has fallen silent. now: milliseconds since 1970."""
    if session.client != "codex":
        return False
    try:
        written = os.stat(str(session.details.get("transcript") or "")).st_mtime
    except (OSError, ValueError):
        return False
    if now - max(round(written * 1000), session.started) < LONGEST_SILENCE_MS:
        return False
    from mailstop.clients.codex import running_turn

    turn = running_turn(session.details, session.life)
    return not turn or turn == session.over
