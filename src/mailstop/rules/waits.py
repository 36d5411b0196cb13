"""Waits: who waits for an answer or for a lease at this moment, and that no sessions wait for each other in a circle.

Guards: the row `waits` of the board, which holds all waits of the store, so that of two which cross one sees the other;
for a question, which is stored with its wait, also the subjects of all seats that a search went through, so that nobody
sat down there meanwhile, and leases, where it went along one. Who waits for a lease, or waits on, looks again instead.

A wait leads from the session that waits to whoever holds the seat that was asked *now*, or to all who have now what is
wished for and keep it for as long as the wait may last. It counts while its process lives, its time is not over and its
question is open; no clean-up is needed after a kill. A wait of the person's leads nowhere: a person has more than one
terminal.

A session waits also for a session that one of its commands has started, until that ends: the evidence is that the
client's process is above the other's. It does not count once the client says that its turn is over, for then the
command runs in the background; that it was put there by a turn which still runs cannot be seen from here. Programs
do several things at once: that one is above another says nothing.
"""

from __future__ import annotations

from mailstop.clients.life import Life
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict, LeasesInCircle, StoreUnavailable, WaitsInCircle, WouldWaitInCircle
from mailstop.letter import new_id
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.records import Record
from mailstop.rules.asks import holder_now, is_open
from mailstop.rules.presence import lives, process_lives, session_of
from mailstop.rules.tenure import guard
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.clients.caller import Caller
    from mailstop.engines.base import Store
    from mailstop.session import Session

KEY = "waits"  # as the office knows it without this module
LONGEST_MS = 24 * 3600 * 1000  # as long as anybody may ask for
MOST_TRIES = 200  # many may begin and end to wait at once


class Wait(Record):
    """One process that waits for the answer to one question, or until it can take what it wishes for.

    ask: the id of the question's letter. asker, asked: the seats, of one bag; ask and asked are empty for leases, and
    the row of its bell says which (rules/waiting). session: whose process it is, `human` for the person. bell: on which
    it sleeps. life: its proof of life. until: milliseconds since 1970. above: pid and start
    of the processes above its client. idle: when the session that was asked came to rest without an answer; 0: it did
    not. since: when it began.
    """

    id: str
    ask: str
    bag: str
    asker: str
    asked: str
    session: str
    bell: str
    life: dict[str, Any]
    until: int
    above: tuple[tuple[int, int], ...] = ()
    idle: int = 0
    since: int = 0

    @property
    def is_for_leases(self) -> bool:
        """Whether it waits for leases, and for no answer."""
        return not self.asked

    @classmethod
    def of(cls, value: dict[str, Any]) -> Wait:
        """The wait of a stored value."""
        known = {name: value[name] for name in cls.fields if name in value}
        return cls(**{**known, "above": tuple((pid, start) for pid, start in known.get("above", ()))})


class Waits(Record):
    """All waits of a store that may count, and the revision of the row they were read from (0: there is none).

    over: what is in the row besides: of dead processes, or their time is over.
    """

    all: tuple[Wait, ...] = ()
    revision: int = 0
    over: tuple[Wait, ...] = ()

    @property
    def rows(self) -> dict[str, int]:
        """What a change of it expects of the board."""
        return {KEY: self.revision}

    def change(self, waits: Sequence[Wait]) -> Put | Delete:
        """The change of the board that leaves these waits."""
        return Put(KEY, {"waits": [wait.as_dict() for wait in waits]}) if waits else Delete(KEY)

    def of(self, wait_id: str) -> Wait | None:
        """The wait of that id."""
        return next((wait for wait in self.all if wait.id == wait_id), None)


class Registration(Record):
    """A wait that closes no circle: the change of the board that registers it, and what has to be guarded by then.

    new: False when it is registered already.
    """

    put: Put | Delete
    rows: Mapping[str, int]
    expect: Mapping[str, int]
    new: bool = True


def waits_of(store: Store, now: int) -> Waits:
    """The waits whose processes live and whose time is not over."""
    row = store.board.get(KEY)
    if row is None:
        return Waits()
    waits = [Wait.of(value) for value in row.value["waits"]]
    going_on = tuple(wait for wait in waits if _goes_on(wait, now))
    return Waits(going_on, row.revision, tuple(wait for wait in waits if wait not in going_on))


def _goes_on(wait: Wait, now: int) -> bool:
    # One that ends later than any may was begun before the clock was put back.
    return now < wait.until <= now + LONGEST_MS and process_lives(wait.life) is not False


def new_wait(
    caller: Caller, *, bag: str, seat: str, session: str, bell: str, life: Life, until: int, since: int
) -> Wait:
    """A wait of this process, still without what it waits for."""
    own = caller.life
    above = tuple((each.pid, each.start) for each in caller.ancestry if own is None or each.pid != own.pid)
    return Wait(new_id(), "", bag, seat, "", session, bell, life.as_dict(), until, above, since=since)


def registration(store: Store, wait: Wait, now: int, *, again: bool = False) -> Registration:
    """What registers a wait. again: for a question that is there already. Raises WouldWaitInCircle, LeasesInCircle."""
    waits = waits_of(store, now)
    others = [other for other in waits.all if other.id != wait.id]
    search = _Search(store, others, wait, now)
    circle = search.circle() if wait.session != PERSON else None
    if circle:
        refusal = LeasesInCircle if wait.is_for_leases else WaitsInCircle if again else WouldWaitInCircle
        waiting = [_told(store, each) for each in circle.waits]
        raise refusal(
            around=_around(circle, waiting),
            circle=circle.seats,
            waits=[{**each, "since": iso_text(each["since"]) if each["since"] else None} for each in waiting],
            seat=wait.asked,
            first=_first(store, circle),
        )
    return Registration(waits.change([*others, wait]), waits.rows, search.guards, new=wait not in waits.all)


def register(store: Store, wait: Wait, now: int) -> None:
    """Register a wait for what is there already; one that is registered is only looked at again.

    Raises WaitsInCircle, LeasesInCircle.
    """
    for _ in range(MOST_TRIES):
        found = registration(store, wait, now, again=True)
        if not found.new:
            return
        try:
            store.board.change([found.put], expect=found.rows)
        except Conflict:
            continue
        return
    raise _endless(store)


def closes_circle(store: Store, wait: Wait, now: int) -> bool:
    """Whether a wait that is registered lies in a circle by now: seats change hands."""
    others = [other for other in waits_of(store, now).all if other.id != wait.id]
    return wait.session != PERSON and _Search(store, others, wait, now).circle() is not None


def forget(store: Store, wait_id: str, now: int) -> Wait | None:
    """Take a wait away; return it as it was last."""
    found: list[Wait] = []

    def left(waits: Waits) -> Sequence[Wait]:
        found[:] = [wait for wait in (*waits.all, *waits.over) if wait.id == wait_id]
        return [wait for wait in waits.all if wait.id != wait_id]

    change(store, left, now)
    return found[0] if found else None


def change(store: Store, left: Callable[[Waits], Sequence[Wait]], now: int) -> None:
    """Change the row to what `left` makes of it; it is called again when others were faster."""
    for _ in range(MOST_TRIES):
        waits = waits_of(store, now)
        kept = left(waits)
        if tuple(kept) == waits.all and not waits.over:
            return
        try:
            store.board.change([waits.change(kept)], expect=waits.rows)
        except Conflict:
            continue
        return
    raise _endless(store)


def _endless(store: Store) -> StoreUnavailable:
    from mailstop.config import store_name

    return StoreUnavailable(path=store_name(store.url), reason="others begin and end to wait without end")


# -- circles ---------------------------------------------------------------------------------------------------------


class Circle(Record):
    """Sessions that would wait for each other. seats: from the asker's back to one of its own, as people read them.

    last: the wait that leads back to the asker; None where a command does that the asker's own client is run by.
    waits: those that others have begun, in that order.
    """

    seats: tuple[str, ...]
    last: Wait | None
    waits: tuple[Wait, ...] = ()


class _End(Record):
    """Where a search has come to: the seats it went through, by which waits, and who sits at the last of them."""

    seats: tuple[str, ...]
    waits: tuple[Wait, ...]
    session: Session


class _Search:
    """A search along all waits, from the seat that is asked, or from who has what is wished for.

    guards: the seats it went through, and the leases, as they were.
    """

    def __init__(self, store: Store, waits: Sequence[Wait], mine: Wait, now: int) -> None:
        self._store = store
        self._waits = waits
        self._mine = mine
        self._now = now
        self.guards: dict[str, int] = {}

    def circle(self) -> Circle | None:
        """The shortest circle that the wait closes."""
        mine = self._mine
        open_ends: list[_End] = []
        self._go(mine, (_label(mine.bag, mine.asker),), (), open_ends)
        seen: set[str] = set()
        for end in open_ends:  # which grows meanwhile
            session, seats = end.session, end.seats
            others = end.waits[1:]  # the first is mine
            if session.id == mine.session:
                return Circle(seats, others[-1] if others else None, others)
            if runs(self._store, session, mine):
                return Circle((*seats, f"{_label(mine.bag, mine.asker)}, which its command runs"), None, others)
            if session.id in seen:
                continue
            seen.add(session.id)
            for wait in self._waits:
                if wait.session == session.id and self._is_open(wait):
                    self._go(wait, seats, end.waits, open_ends)
                elif wait.session != PERSON and runs(self._store, session, wait):
                    started = session_of(self._store, wait.session)
                    if started:
                        label = f"{_label(wait.bag, wait.asker)}, which its command runs"
                        open_ends.append(_End((*seats, label), end.waits, started))
        return None

    def _go(self, wait: Wait, seats: tuple[str, ...], waits: tuple[Wait, ...], open_ends: list[_End]) -> None:
        """Along one wait to whoever holds the seat that was asked, or has what is wished for."""
        if wait.is_for_leases:
            self._go_to_holders(wait, seats, waits, open_ends)
            return
        if wait.asked == PERSON:  # who is waited for, and does not wait
            return
        holder = holder_now(self._store, wait.bag, wait.asked)
        if (wait.bag, wait.asked) != (self._mine.bag, self._mine.asker):  # which whoever writes from it guards itself
            self.guards.update(guard(holder.seat))
        if holder.present and _waits_still(self._store, wait):
            open_ends.append(_End((*seats, _label(wait.bag, wait.asked)), (*waits, wait), holder.present))

    def _go_to_holders(
        self, wait: Wait, seats: tuple[str, ...], waits: tuple[Wait, ...], open_ends: list[_End]
    ) -> None:
        """Along a wait for leases to all who have what is wished for, and keep it while that wait lasts."""
        from mailstop.rules.waiting import in_the_way

        leases, seen = in_the_way(self._store, wait.bell, wait.session, now=self._now)
        self.guards.update(seen)
        for lease in leases:
            session = session_of(self._store, lease.session) if lease.until >= wait.until else None
            if session and _waits_still(self._store, wait):
                label = f"{_label(lease.bag, lease.seat)} (has {lease.resource.label})"
                open_ends.append(_End((*seats, label), (*waits, wait), session))

    def _is_open(self, wait: Wait) -> bool:
        return wait.is_for_leases or is_open(self._store, wait.bag, wait.ask)


def _waits_still(store: Store, wait: Wait) -> bool:
    """Whether whoever waits has not ended; its process may outlive its session."""
    session = session_of(store, wait.session)
    return session is not None and lives(session) is not False


def runs(store: Store, session: Session, wait: Wait) -> bool:
    """Whether a session that waits was started by a command of `session`, which waits for that command."""
    life = Life.from_dict(session.life)
    waiting = Life.from_dict(wait.life)
    if life is None or waiting is None or (life.pid, life.start) not in wait.above:
        return False
    if (life.machine, life.boot) != (waiting.machine, waiting.boot):
        return False
    if life.namespace and waiting.namespace and life.namespace != waiting.namespace:
        return False
    return _may_run_commands(store, session)


def _may_run_commands(store: Store, session: Session) -> bool:
    """Whether the session may be in a turn whose command it waits for: not where its client says that it is at rest."""
    if session.client == "claude":
        from mailstop.clients.claude_code import entry_of

        folder = session.details.get("config_folder")
        pid, start = session.life.get("pid"), session.life.get("start")
        if not isinstance(folder, str) or not isinstance(pid, int) or not isinstance(start, int):
            return True
        entry = entry_of(folder, pid, start)
        return entry is None or entry.status in ("", "busy", "waiting")
    if session.client == "codex":
        from mailstop.clients.codex import running_turn

        if _shares_its_process(store, session):  # which of its threads has run the command is not known
            return False
        return not session.details.get("transcript") or bool(running_turn(session.details, session.life))
    return False


def _shares_its_process(store: Store, session: Session) -> bool:
    held = {str(seat.session) for seat in store.index.held_by("codex")} - {session.id}
    others = (session_of(store, each) for each in held)
    return any(other and other.life == session.life for other in others)


def _label(bag: str, seat: str) -> str:
    return seat if bag == DEFAULT_BAG else f"{seat} in bag {bag}"


def _told(store: Store, wait: Wait) -> dict[str, Any]:
    """A wait for who is refused because of it."""
    question = store.index.letter_with_id(wait.ask) if wait.ask else None
    to = wait.asked or None  # what is waited for is leases, then
    return {"from": wait.asker, "to": to, "question": question.n if question else None, "since": wait.since}


def _around(circle: Circle, waiting: Sequence[Mapping[str, Any]]) -> str:
    """The circle, and who in it waits since when."""
    said = []
    for each in waiting:
        question = f" (question {each['question']})" if each["question"] else ""
        said.append(f"{each['from']} waits for {each['to'] or 'a lease'}{question} since {clock_text(each['since'])}")
    return " -> ".join(circle.seats) + (f"; {', '.join(said)}" if said else "")


def _first(store: Store, circle: Circle) -> str:
    """What to do first: answer the question, or release the lease, that keeps the others waiting, where it is known."""
    if circle.last and circle.last.is_for_leases:
        waits = _label(circle.last.bag, circle.last.asker)
        return f"Release first what {waits} waits for: mailstop lease release PATH. "
    question = store.index.letter_with_id(circle.last.ask) if circle.last else None
    return f"Answer question {question.n} first: mailstop read {question.n}. " if question else ""
