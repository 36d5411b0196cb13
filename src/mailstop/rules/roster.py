"""Roster: the sessions and the seats of a store as they are now: who lives, what they do, what would wake them, what
waits; the bags with what they hold.

One look judges each session once, however many seats it holds, and asks the store for all of them together.
"""

from __future__ import annotations

from mailstop.clients.activity import BUSY, IDLE, UNTOLD, Activity, activity_of
from mailstop.clients.project import branch_of
from mailstop.engines.entry import subject
from mailstop.records import Record
from mailstop.rules.leaders import is_of
from mailstop.rules.presence import held_by, lives, session_of
from mailstop.rules.routes import VISIT, way_of
from mailstop.rules.silence import is_silent
from mailstop.session import Session, session_key
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.seat import Seat


_BUSY = {BUSY: True, IDLE: False}  # what is not told is not here


class Presence(Record):
    """A session that may live. alive: None where that cannot be told from here.

    turn: `busy` or `idle`, empty where its client does not tell. way: by which way a letter would reach it, had it a
    seat. branch: what its worktree has checked out now. acted: when it was last known to do anything, by what its
    client tells and by what it wrote, in milliseconds since 1970.
    """

    session: Session
    alive: bool | None
    turn: str = UNTOLD
    way: str = VISIT
    branch: str = ""
    acted: int = 0


class Occupancy(Record):
    """A seat now. present: the session that sits there and may live. waiting: letters to it that were not shown there.

    last: the session that holds the seat, or held it last, as far as the board still knows it. leads: whether its
    holder leads its project.
    """

    holder: Holder
    waiting: int = 0
    last: Session | None = None
    present: Presence | None = None
    leads: bool = False

    @property
    def seat(self) -> Seat:
        """The seat itself."""
        return self.holder.seat

    @property
    def way(self) -> str:
        """By which way a letter would reach its holder."""
        return self.present.way if self.present else VISIT


class Bag(Record):
    """A bag: how many letters it holds, the newest of them, and its seats by name."""

    name: str
    letters: int
    newest: Letter | None
    seats: tuple[Occupancy, ...]


class Roster:
    """One look at a store's sessions and seats.

    A question is put to all sessions before the next one is: the system answers two hundred alike at half the price
    of two hundred in turn with others.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seats = store.index.seats()
        self._waiting = store.index.unread_counts()
        found = (Session.from_value(row.value) for row in store.board.under(session_key(""), lasting=True))
        self._sessions: dict[str, Session | None] = {session.id: session for session in found}
        self._presences: dict[str, Presence] = {}
        self._branches: dict[str, str] = {}
        self._led = {(told.bag, told.seat): told for told in store.index.leaders.all() if told.seat}

    def seats(self, bag: str | None = None) -> list[Occupancy]:
        """All seats of a bag, or of all, by bag and name."""
        seats = [seat for seat in self._seats if bag in (None, seat.bag)]
        held = {session.id: seat for seat in seats if (session := self._session(seat.session))}
        self._look_at([session for each in held if (session := self._session(each))], held)
        return [self._occupancy(seat) for seat in seats]

    def seatless(self) -> list[Presence]:
        """The sessions that hold no seat in any bag and are not known to be dead, the oldest first."""
        seated = {seat.session for seat in self._seats}
        found = [session for session in self._sessions.values() if session and session.id not in seated]
        self._look_at(found, {})
        living = [present for session in found if (present := self._presences[session.id]).alive is not False]
        return sorted(living, key=lambda present: present.session.started)

    def presence(self, session: Session, seat: Seat | None = None) -> Presence:
        """A session as it is now. seat: one that it holds."""
        self._look_at([session], {session.id: seat} if seat else {})
        return self._presences[session.id]

    def _look_at(self, sessions: Sequence[Session], seats: Mapping[str, Seat]) -> None:
        """Find out how sessions are that were not looked at before. seats: one of each, where it holds any."""
        new = [session for session in sessions if session.id not in self._presences]
        alive = [lives(session) for session in new]
        told = [Activity() if dead is False else activity_of(session) for session, dead in zip(new, alive, strict=True)]
        ways = [
            way_of(None if each is False else session, sealed=False, busy=_BUSY.get(does.turn))
            for session, each, does in zip(new, alive, told, strict=True)
        ]
        for session, each, does, way in zip(new, alive, told, ways, strict=True):
            acted = max(does.since, session.started)
            seat = seats.get(session.id)
            if each is None and seat:  # whether it lives is not known, so what it wrote last is all that is
                acted = max([acted, *(letter.at for letter in self._store.index.sent(seat.bag, seat.name, limit=1))])
            branch = self._branch(session, each)
            self._presences[session.id] = Presence(session, each, does.turn, way, branch, acted)

    def _branch(self, session: Session, alive: bool | None) -> str:
        """What is checked out where it works. A folder of another machine, or container, may be another one here."""
        if not alive:
            return session.branch
        if session.worktree not in self._branches:
            self._branches[session.worktree] = branch_of(session.worktree)
        return self._branches[session.worktree] or session.branch

    def _occupancy(self, seat: Seat) -> Occupancy:
        session = self._session(seat.session)
        found = self._presences[session.id] if session else None
        holder = held_by(seat, session, found.alive if found else False)
        present = found if holder.present else None
        waiting = self._waiting.get((seat.bag, seat.name), 0)
        told = self._led.get((seat.bag, seat.name))
        leads = bool(present and told and is_of(told, seat) and not is_silent(present.session, now_ms()))
        return Occupancy(holder, waiting, session or self._session(seat.holder), present, leads)

    def _session(self, session_id: str | None) -> Session | None:
        """The session; one that expires was left out of the look at all."""
        if not session_id:
            return None
        if session_id not in self._sessions:
            self._sessions[session_id] = session_of(self._store, session_id)
        return self._sessions[session_id]


def bags(store: Store, name: str | None = None) -> list[Bag]:
    """All bags, or that one; the one with the newest letter first."""
    found, roster = [], Roster(store)
    for bag in store.index.bags() if name is None else [name]:
        newest = store.index.letter(store.ledger.last(subject("letters", bag))) or store.index.imports.newest(bag)
        found.append(Bag(bag, store.index.count(bag), newest, tuple(roster.seats(bag))))
    return sorted(found, key=lambda bag: (-(bag.newest.n if bag.newest else 0), bag.name))
