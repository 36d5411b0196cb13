"""Probes: asking what listens for the caller's session whether it hears, and having its queue rung where a sandbox may
not.

A probe is a row of the board (`probe/<session>`): nothing of it enters the ledger, and it is forgotten soon.
"""

from __future__ import annotations

from mailstop import bells, rules
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import QUEUE, Route

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.doors.base import Outcome
    from mailstop.engines.row import Row
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.seat import Seat

MOST_TRIES = 50
KEPT_MS = 60_000  # of a probe that nobody answers


class Probes:
    """The probes of one office's caller."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store

    # -- what listens

    def ask(self, bell: str) -> None:
        """Ask whatever wakes at the session's next ring to say so. bell: rung once it has."""
        put = Put(self._key(), {"bell": bell, "heard": ""}, expires=self._office.clock() + KEPT_MS)
        self._store.board.change([put])

    def answer(self, version: str) -> None:
        """Say that the caller has woken, if that is asked. version: of mailstop, as who woke runs it."""
        for _ in range(MOST_TRIES):
            row = self._store.board.get(self._key())
            if row is None or "bell" not in row.value or row.value.get("heard"):
                return
            try:
                put = Put(row.key, {**row.value, "heard": version}, expires=row.expires)
                self._store.board.change([put], expect={row.key: row.revision})
            except Conflict:  # another has answered, or nobody asks any more, or somebody asks anew
                continue
            bells.ring(str(row.value["bell"]))
            return

    def heard(self) -> str:
        """The version of mailstop that has answered; empty while nobody has."""
        row = self._store.board.get(self._key())
        return str(row.value.get("heard") or "") if row else ""

    def forget(self) -> None:
        """Nobody asks any more."""
        self._store.board.change([Delete(self._key())])

    def _key(self) -> str:
        return f"probe/{self._office.session_id}"

    # -- the queue

    def ring_queue(self, seat: Seat, letter: Letter) -> Outcome:
        """Ring `codex queue` for a letter that the session has already, and record what that proved.

        The hook of the line's own prompt ends its turn before anything goes to the model.
        """
        route = Route(seat.bag, seat.name, letter.id, QUEUE, shown=True)
        holder = holder_of(self._store, seat)
        return rules.rings.ring(self._store, holder, letter, route, now=self._office.clock())

    def is_awaited(self, seat: Seat, letter: Letter) -> bool:
        """Whether the prompt of that ring has not come yet."""
        return self._store.board.get(rules.routes.route_key(seat.bag, seat.name, letter.id)) is not None

    def ring_queue_later(self, seat: Seat, letter: Letter) -> None:
        """Let whoever does due work outside of the caller's sandbox ring it: the session's own next hook at the
        latest."""
        now = self._office.clock()
        value = {"bag": seat.bag, "seat": seat.name, "session": seat.session, "letter": letter.id}
        self._store.board.change([Put(self._key(), value, due=now, expires=now + KEPT_MS)])

    def do_due(self, row: Row) -> None:
        """Ring the queue for one in a sandbox, unless another sits there by now."""
        seat = self._store.index.seat(str(row.value["bag"]), str(row.value["seat"]))
        letter = self._store.index.letter_with_id(str(row.value["letter"]))
        self._store.board.change([Delete(row.key)])  # before the ring: one that is cut short is not repeated
        if seat and letter and seat.session == row.value["session"] and holder_of(self._store, seat).present:
            self.ring_queue(seat, letter)
