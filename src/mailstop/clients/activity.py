"""Activity: what a session's client tells of what the session does now, whichever client that is.

Read from what the clients keep of themselves. Nothing is written for it, and no session has to beat.
"""

from __future__ import annotations

import os

from mailstop.clients.claude_code import BUSY_STATES, status_told
from mailstop.clients.codex import running_turn
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.session import Session

BUSY = "busy"
IDLE = "idle"
UNTOLD = ""


class Activity(Record):
    """What a session does. turn: BUSY while a turn runs, IDLE between turns, UNTOLD where the client does not say.

    since: when the client said so, in milliseconds since 1970; 0 where it did not.
    """

    turn: str = UNTOLD
    since: int = 0


def activity_of(session: Session) -> Activity:
    """What its client tells of a session that lives."""
    if session.client == "claude":
        return _of_claude(session)
    if session.client == "codex":
        return _of_codex(session)
    return Activity()


def _of_claude(session: Session) -> Activity:
    status, since = status_told(session.details, session.life)
    return Activity(BUSY if status in BUSY_STATES else IDLE, since) if status else Activity()


def _of_codex(session: Session) -> Activity:
    try:
        written = os.stat(str(session.details.get("transcript") or "")).st_mtime
    except (OSError, ValueError):  # no hook has told where it is
        return Activity()
    turn = running_turn(session.details, session.life)
    return Activity(BUSY if turn and turn != session.over else IDLE, int(written * 1000))
