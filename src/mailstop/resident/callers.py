"""Callers: who makes a call over HTTP, and as which session. Never an argument.

| what comes with the call           | the caller                                                                     |
|------------------------------------|--------------------------------------------------------------------------------|
| a person's token                   | the person                                                                     |
| a seat's token                     | one session for all who bear it; it takes that seat at its first call          |
| `Mcp-Session-Id` (the old era)     | the connection: a session of its own, which takes a free seat by `me`          |
| neither (the new era is stateless) | a stranger, who may look                                                       |

Such a session lives while this process does and it was not ended: by DELETE, or by its client hanging up, at once; by
nobody calling for half an hour. Of the bearers of a seat's token that means the last of them: while another calls, or
listens, or has called within that half hour and not said that it is gone, their session goes on. Its mail stays at its
seat. A connection that is only idle may call again: it goes on as the same session, where nobody has taken its seat
meanwhile. Where its client works is not known: over a network this process's own folder says nothing about it.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

from mailstop import bells, errors
from mailstop.clients.ancestry import Ancestor
from mailstop.clients.caller import PERSON, PROGRAM, STRANGER, Caller
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.clients.registry import Registration, bell_name
from mailstop.names import checked_name, seat_to_take
from mailstop.office import Office
from mailstop.rules.proofs import CALL, Event
from mailstop.session import Session
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from mailstop.engines.base import Store
    from mailstop.rules.offers import Offer
    from mailstop.rules.seats import Seated

    class Bearer(Protocol):
        """What a token says of who sends it. kind: `seat`, `human`, or `shared`, which says nothing of who it is."""

        kind: str
        seat: str
        bag: str


IDLE_MS = 30 * 60_000  # without a call
RETRY_MS = 5_000  # after a session could not be ended
MOST_GIVEN = 50  # answers of which it is remembered what letters they held
LONGEST_ID = 200  # characters of a request's id; who makes longer ones cannot throw an answer away


class Connected:
    """One who calls again and again: the person, the bearers of a seat's token, or a connection.

    key: what tells it from others; empty for a call that belongs to nobody. seat: name and bag, for the bearers of a
    seat's token.
    """

    def __init__(self, key: str, caller: Caller, *, seat: tuple[str, str] | None = None) -> None:
        self.key = key
        self.caller = caller
        self.seat = seat
        self.calls = 0  # that run now
        self.called = 0  # when the last one began or ended, milliseconds since 1970
        self.streams = 0  # on which its client listens now
        # Who calls, and when it last did: its connections that were not closed or hung up. The calls of the new era,
        # which have no connection and say nothing of their end, are the empty one.
        self.open: dict[str, int] = {}
        self.given_at = 0  # when letters were last written to it, by the monotonic clock in nanoseconds
        self.proved_at = 0  # up to which of these moments later calls have proved what was written
        self.given: dict[tuple[str, str], Offer] = {}  # by connection and request: what it may still throw away
        self.ending = 0  # attempts to end its session that run now
        self.not_before = 0  # when to try again to end its session, milliseconds since 1970
        # What worker threads change, one at a time:
        self.one_at_a_time = threading.Lock()
        self.over = False  # its session was ended; the next call goes on with it
        self.closed = False  # there will be no next call
        self.sat = False  # the seat of its token was taken

    @property
    def is_seated(self) -> bool:
        """Whether it has a session that was not ended."""
        return self.caller.registration is not None and not self.over

    @property
    def must_sit(self) -> bool:
        """Whether its session has to be written down, or its token's seat to be taken, before it calls."""
        return self.over or (self.seat is not None and not self.sat)

    def remember(self, connection: str, request: str, offer: Offer) -> None:
        """Letters were written to it, as the answer to a request."""
        if len(request) > LONGEST_ID:
            return
        self.given[connection, request] = offer
        if len(self.given) > MOST_GIVEN:
            del self.given[next(iter(self.given))]


class Callers:
    """Everybody who calls one server. Its table belongs to the event loop; what is given a store runs in a worker.

    ending: told, in the event loop, of those whose sessions are to be ended by `end`.
    """

    def __init__(
        self,
        ending: Callable[[Connected], None],
        *,
        clock: Callable[[], int] = now_ms,
        idle_ms: int = IDLE_MS,
    ) -> None:
        self.clock = clock
        self._ending = ending
        self._idle_ms = idle_ms
        self._known: dict[str, Connected] = {}
        self._leaving: set[Connected] = set()  # closed ones whose sessions were not ended yet
        self._life = my_life()

    # -- in the event loop

    def who(self, connection: str, bearer: Bearer | None) -> Connected:
        """Who makes a call. connection: the id of its MCP session, empty without one."""
        if bearer is not None and bearer.kind == "human":
            return self._of("human", connection)
        if bearer is not None and bearer.kind == "seat":
            return self._of(f"seat/{bearer.bag}/{bearer.seat}", connection, seat=(bearer.seat, bearer.bag))
        if connection:
            return self._of(f"connection/{connection}", connection)
        return Connected("", Caller(STRANGER, reason="the call belongs to no connection"))

    def _of(self, key: str, connection: str, *, seat: tuple[str, str] | None = None) -> Connected:
        found = self._known.get(key)
        if found is None:
            who = PERSON if key == "human" else STRANGER
            caller = Caller(who, reason="" if who == PERSON else "this client's connection has not joined")
            found = self._known[key] = Connected(key, caller, seat=seat)
            found.called = self.clock()
        found.open[connection] = self.clock()
        return found

    @contextmanager
    def calling(self, connected: Connected, connection: str) -> Iterator[None]:
        """While a call runs its caller is not idle. connection: as for `who`."""
        connected.calls += 1
        connected.called = self.clock()
        try:
            yield
        finally:
            connected.calls -= 1
            connected.called = self.clock()
            if connection in connected.open:  # it has not said meanwhile that it is gone
                connected.open[connection] = connected.called
            self._end_if_left(connected)

    @contextmanager
    def listening(self, connected: Connected, connection: str) -> Iterator[None]:
        """While its client listens on a stream it is there; when that breaks off and nothing else says that it is
        there, it is gone."""
        connected.streams += 1
        try:
            yield
        finally:
            connected.streams -= 1
            self._hung_up(connected, connection)

    def closed(self, connection: str) -> None:
        """A connection is no more. Whoever has no other is gone for good; a token may be brought again."""
        own = self._known.pop(f"connection/{connection}", None)
        if own is not None:
            own.closed = True
            self._leaving.add(own)
            self._ending(own)
        for connected in [each for each in self._known.values() if connection in each.open]:
            self._hung_up(connected, connection)

    def _hung_up(self, connected: Connected, connection: str) -> None:
        connected.open.pop(connection, None)
        self._end_if_left(connected)

    def _end_if_left(self, connected: Connected) -> None:
        has_session = connected.key not in ("", "human")  # or may have, by what a worker still does
        if has_session and not connected.closed and self._is_left(connected):
            self._ending(connected)

    def _is_left(self, connected: Connected) -> bool:
        """Whether all clients have hung up, or have not called for too long, and none is there."""
        if connected.calls or connected.streams:
            return False
        now = self.clock()
        return not any(now - called < self._idle_ms for called in list(connected.open.values()))

    def _ends_at(self, connected: Connected) -> int:
        """When a session is to be ended if nobody calls, in milliseconds since 1970."""
        if connected.closed or self._is_left(connected):
            return 0
        return connected.called + self._idle_ms

    def reap(self) -> None:
        """End the sessions of those who are gone or have not called for too long, and forget who is long gone."""
        now = self.clock()
        for connected in self._to_end():
            if max(self._ends_at(connected), connected.not_before) <= now:
                self._ending(connected)
        for connected in list(self._known.values()):
            for connection in [each for each, called in connected.open.items() if now - called >= self._idle_ms]:
                del connected.open[connection]
            is_there = connected.calls or connected.streams or connected.is_seated
            if not is_there and now - connected.called >= 2 * self._idle_ms:
                del self._known[connected.key]
                connected.closed = True

    def next_reaping(self) -> int | None:
        """When to reap next, in milliseconds since 1970; None while there is nobody."""
        ends = [max(self._ends_at(each), each.not_before) for each in self._to_end()]
        forgets = [
            each.called + 2 * self._idle_ms
            for each in self._known.values()
            if not each.calls and not each.streams and not each.is_seated
        ]
        return min([*ends, *forgets], default=None)

    def _to_end(self) -> list[Connected]:
        """Whose session may have to be ended, and is not being ended now."""
        idle = [each for each in self._known.values() if each.is_seated and not each.calls]
        return [each for each in [*idle, *self._leaving] if not each.ending]

    @contextmanager
    def being_ended(self, connected: Connected) -> Iterator[None]:
        """While it is tried to end a session it is not reaped, and after a failure not for a while."""
        connected.ending += 1
        try:
            yield
            self._leaving.discard(connected)
        except BaseException:
            connected.not_before = self.clock() + RETRY_MS
            raise
        finally:
            connected.ending -= 1

    def is_back(self, connected: Connected) -> bool:
        """Whether one whose session was ended is there by now."""
        return connected.over and not connected.closed and self._ends_at(connected) > self.clock()

    def everyone(self) -> list[Connected]:
        """Everybody who is known; nobody is afterwards."""
        found = [*self._known.values(), *self._leaving]
        self._known.clear()
        self._leaving.clear()
        for connected in found:
            connected.closed = True
        return found

    def count(self) -> tuple[int, int]:
        """How many call, and how many of them have a session."""
        return len(self._known), sum(each.is_seated for each in self._known.values())

    def writes(self, connected: Connected, arrived: int) -> bool:
        """Whether even a call that only looks has something to write first: see `office` and `prove`."""
        return connected.must_sit or connected.proved_at < connected.given_at < arrived

    # -- in a worker

    def office(self, connected: Connected, store: Store, *, looks: bool) -> Office:
        """The office of who makes a call. looks: whether the call changes nothing; it then needs no seat.

        Raises SeatTaken where the seat of a token is held by somebody else.
        """
        if not connected.must_sit:  # no look waits for another call of the same caller, which writes
            return Office(store, connected.caller, clock=self.clock)
        with connected.one_at_a_time:
            if connected.over:
                self._write_down(connected, Office(store, connected.caller, clock=self.clock))
            if connected.seat and not connected.sat:
                try:
                    self._sit(connected, store)
                except errors.SeatTaken:
                    if not looks:
                        raise
        return Office(store, connected.caller, clock=self.clock)

    def as_it_is(self, connected: Connected, store: Store) -> Office:
        """The office of a caller, whether its session was ended or not."""
        return Office(store, connected.caller, clock=self.clock)

    def _sit(self, connected: Connected, store: Store) -> None:
        """Take the seat of a token."""
        assert connected.seat is not None
        office = Office(store, connected.caller, clock=self.clock)
        name, bag = connected.seat
        if not connected.is_seated:
            self._write_down(connected, office)
        office.join(name, bag=bag)
        connected.sat = True

    def seat(self, connected: Connected, office: Office, name: str, bag: str) -> Seated:
        """Take a seat for the caller of an office. Raises NoConnection, TokenOfOtherSeat, PersonStays, and what `join`
        raises."""
        seat_to_take(name)  # before anything is written
        checked_name(bag, "bag")
        if office.is_person:
            raise errors.PersonStays()
        if not connected.key:
            raise errors.NoConnection()
        if connected.seat not in (None, (name, bag)):
            assert connected.seat is not None
            raise errors.TokenOfOtherSeat(own=connected.seat[0])
        with connected.one_at_a_time:
            if not connected.is_seated:
                self._write_down(connected, office)
        seated = office.join(name, bag=bag)
        office.sweep()
        return seated

    def _write_down(self, connected: Connected, office: Office) -> None:
        """Write down the session of a caller, or that it goes on. Raises NoConnection for one that is gone."""
        if connected.closed:  # while this call was still on its way
            raise errors.NoConnection()
        known = connected.caller.registration
        token = known.client_session if known else new_token()
        found = Session("", "program", token, self._life.as_dict(), bell_name("program", token=token), attended=False)
        session = office.register(found, known=known.session if known else None, automatic=False).session
        registration = Registration("program", token, session.id, office.store.url, self._life, "")
        above = (Ancestor(self._life.pid, self._life.start, "mailstop serve"),)
        connected.caller = office.caller = Caller(PROGRAM, "program", token, self._life, registration, above)
        connected.over = connected.sat = False
        office.forget_session()

    def prove(self, office: Office, connected: Connected, arrived: int) -> None:
        """The caller calls again, so it has received what earlier calls gave it. arrived: when this one came, by the
        monotonic clock in nanoseconds."""
        given_at = connected.given_at  # more may be written meanwhile
        if connected.proved_at < given_at < arrived and office.session is not None:
            office.prove(Event(CALL, name="its next tool call"))
            connected.proved_at = given_at

    def end(self, connected: Connected, store: Store) -> bool:
        """End the session of one who is gone, unless it is there again by now; what it held is free. Return whether it
        was ended."""
        with connected.one_at_a_time:
            calls = connected.calls and not connected.closed
            if not connected.is_seated or calls or self._ends_at(connected) > self.clock():
                return False
            office = Office(store, connected.caller, clock=self.clock)
            office.end()
            assert connected.caller.registration is not None
            bells.silence(connected.caller.registration.bell)
            connected.over = True
            return True
