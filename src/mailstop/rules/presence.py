"""Presence: whether a session lives. One source of it for `who`, `send`, `status` and every rule.

Nothing beats here: a process proves itself. Unknown is not dead, and nothing is taken over on it.
"""

from __future__ import annotations

from mailstop.clients.life import Life, is_alive
from mailstop.records import Record
from mailstop.session import Session, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.seat import Seat


class Holder(Record):
    """Who holds a seat. alive: True, False, or None where it cannot be told from here.

    since: milliseconds since 1970, when the seat was taken, or, while it is empty, when it became empty; 0 where
    nobody saw that.
    """

    seat: Seat
    session: Session | None = None
    alive: bool | None = False
    since: int = 0

    @property
    def present(self) -> Session | None:
        """The session that may be rung: one that lives, or of which nothing else is known."""
        return self.session if self.session and self.alive is not False else None


def session_of(store: Store, session_id: str) -> Session | None:
    """The session as the board knows it."""
    row = store.board.get(session_key(session_id))
    return Session.from_value(row.value) if row else None


def lives(session: Session) -> bool | None:
    """Whether the session lives; None where that cannot be told from here.

    A Codex thread lives while a window shows it. One that joined to be woken in the background lives with the process
    that served it, which can load it again.
    """
    if session.client == "codex" and not session.background:
        from mailstop.clients.codex_window import is_watched

        watched = is_watched(session.client_session, session.details, ended_ms=session.ended)
        if watched is not None:
            return watched
    if session.ended:
        return False
    life = Life.from_dict(session.life)
    return False if life is None else is_alive(life)


def process_lives(life: dict[str, Any]) -> bool | None:
    """Whether the process of a stored proof of life lives; what is no proof is dead."""
    found = Life.from_dict(life)
    return False if found is None else is_alive(found)


def holder_of(store: Store, seat: Seat) -> Holder:
    """Who holds the seat now."""
    session = session_of(store, seat.session) if seat.session else None
    return held_by(seat, session, lives(session) if session else False)


def held_by(seat: Seat, session: Session | None, alive: bool | None) -> Holder:
    """The holder of a seat, when it is known which session that is and whether it lives."""
    if session is None:
        return Holder(seat, None, False, seat.since if seat.session is None else 0)
    return Holder(seat, session, alive, session.ended if alive is False else seat.since)
