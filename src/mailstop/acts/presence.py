"""Presence: what a session shows of itself to the others, on the board: nothing of it enters the ledger, rings a bell
or wakes anybody.
"""

from __future__ import annotations

from mailstop import errors, rules
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.office import Office
    from mailstop.rules.roster import Presence
    from mailstop.session import Session


class OwnPresence:
    """What the caller's own session shows."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def look(self) -> Presence:
        """The caller's session as others see it. Raises PersonHasNoSession, MustJoin."""
        seat = next(iter(self._office.seats()), None)
        return rules.roster.Roster(self._office.store).presence(self._session(), seat)

    def say(self, *, objective: str | None = None, status: str | None = None) -> bool:
        """Change what the session says of its work; None leaves one as it is. Whether anything is new.

        objective: one printable line of at most 200 characters; empty takes it back. status: see session.STATUSES.
        Raises PersonHasNoSession, MustJoin, InvalidField, SessionMoved.
        """
        session = self._session()
        facts = rules.sessions.said(objective, status)
        if session.but(**facts) == session:
            return False
        if not rules.sessions.note(self._office.store, session, **facts):
            raise errors.SessionMoved()
        self._office.forget_session()
        return True

    def _session(self) -> Session:
        if self._office.is_person:
            raise errors.PersonHasNoSession()
        if self._office.session is None:
            self._office.writer(DEFAULT_BAG)  # which refuses, and says how to come by one
        session = self._office.session
        assert session is not None
        return session
