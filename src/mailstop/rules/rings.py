"""Rings: telling a session through its door that a letter waits, and what came of it.

No store lock is held during a ring, and no ring carries more than one fixed line.
"""

from __future__ import annotations

import time

from mailstop import bells, faults, fence
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict
from mailstop.rules import routes, unheld
from mailstop.rules.hands import handout_of
from mailstop.rules.presence import Holder, holder_of
from mailstop.rules.receipts import receipt
from mailstop.rules.routes import MONITOR, QUEUE, SOCKET, TURN, VISIT, Route
from mailstop.rules.tenure import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mailstop.doors.base import Outcome
    from mailstop.engines.base import Store
    from mailstop.engines.row import Row
    from mailstop.letter import Letter
    from mailstop.seat import Seat
    from mailstop.session import Session

MOST_LETTERS = 50
MOST_TRIES = 50
REST_MS = 10_000  # how old a hand must be before a client at rest means that its turn was interrupted
CLAIM_MS = 30_000  # how long one that does due work may take for one row
PROVED = (
    "notified",
    "held",
    "refused",
    "unreachable",
)  # outcomes that are receipts; the others prove nothing


def ring(store: Store, holder: Holder, letter: Letter, route: Route, *, now: int) -> Outcome:
    """Ring for one letter through the door of its route, and record what that proved."""
    session = holder.session
    assert session is not None
    begun = begin(store, [(letter, route)], now=now)
    faults.reach("before the door")
    outcome = _through(session, route, fence.ring_line([letter.n], letter.sender))
    faults.reach("door rung")
    settle(store, holder.seat, begun, outcome, now=now)
    return outcome


def _through(session: Session, route: Route, line: str) -> Outcome:
    if route.way == QUEUE:
        from mailstop.doors.codex_queue import QueueDoor, executable

        program = executable(str(session.details.get("program", "")))
        home = str(session.details.get("codex_home", ""))
        door = QueueDoor(session.client_session, codex_home=home, program=program, resume=session.background)
        return door.ring(line)
    from mailstop.doors.claude_socket import SocketDoor

    return SocketDoor(session.details["socket"], bypasses=session.mode == "bypassPermissions").ring(line)


def begin(store: Store, rung: Sequence[tuple[Letter, Route]], *, now: int) -> list[tuple[Letter, Route]]:
    """Mark routes as rung, with their next deadline, before the ring: its prompt may come before anything else is
    written. A ring that a crash then prevents is repeated at the deadline."""
    begun = [(letter, route.but(n=letter.n).again(now)) for letter, route in rung]
    store.board.change([route.put() for _, route in begun])
    return begun


def settle(store: Store, seat: Seat, begun: Sequence[tuple[Letter, Route]], outcome: Outcome, *, now: int) -> None:
    """Record what one ring for these letters of a seat proved."""
    if outcome.state not in ("notified", "uncertain"):  # no prompt will come of it
        store.board.change([route.but(rung=False).put() for _, route in begun])
    if outcome.state == "uncertain":  # whoever looks next finds out; a second line too early would be one too many
        late = now + routes.LONGEST_DEADLINE_MS
        store.board.change([route.but(due=late).put() for _, route in begun])
    if outcome.state in PROVED:
        sent = [(letter, route) for letter, route in begun if not letter.channel]
        record_rung(store, seat, sent, outcome, now=now)
        for letter, route in begun:
            if letter.channel:
                _note_proved(store, route, outcome.state)


def _note_proved(store: Store, route: Route, state: str) -> None:
    """Write what the ring proved onto the claim of a letter that was said in a channel: the ledger keeps nothing of it
    for each reader. Where its prompt was faster, nobody needs it any more."""
    row = store.board.get(route.key)
    if row is not None:
        try:
            store.board.change([Route.of(row).but(proved=state).put()], expect={row.key: row.revision})
        except Conflict:
            pass


def record_rung(store: Store, seat: Seat, begun: Sequence[tuple[Letter, Route]], outcome: Outcome, *, now: int) -> None:
    """Record what the ring proved, for those letters of which its holder's door had not proved the same before: a ring
    may be repeated for weeks, and the ledger does not grow by it."""
    for _ in range(MOST_TRIES):
        numbers = [letter.n for letter, _ in begun if _last_outcome(store, seat, letter.n) != outcome.state]
        if not numbers:
            return
        try:
            store.ledger.append([receipt(seat, outcome.state, numbers, outcome.evidence, now)], expect=guard(seat))
            return
        except Conflict:
            there = store.index.seat(seat.bag, seat.name)
            if there is None or there.session != seat.session:  # the letters are another's, and are offered anew
                store.board.change([Delete(route.key) for _, route in begun])
                return
            seat = there


def _outcome(store: Store, seat: Seat, letter: Letter, route: Route) -> str:
    """What the last ring for a letter proved, since its reader's present holder sits there."""
    return route.proved if letter.channel else _last_outcome(store, seat, letter.n)


def _last_outcome(store: Store, seat: Seat, n: int) -> str:
    """What a ring for letter `n` proved last, since its present holder sits at the seat."""
    rung = [one for one in store.index.receipts(n) if one.seat == seat.name and one.state in PROVED]
    return rung[-1].state if rung and rung[-1].entry > seat.epoch else ""


def to_announce(store: Store, session: Session, seats: Sequence[Seat], *, now: int) -> list[tuple[Seat, Letter, Route]]:
    """The letters for which the session's monitor should ring now, each with its route.

    Letters that the hooks of a running turn will show are left to them until their deadline, and longer while the
    turn goes on; what was rung already is rung again only at its deadline.
    """
    found = []
    handout = handout_of(store, session.id)
    for seat in seats:
        handed_out = handout.numbers(seat)
        limit = MOST_LETTERS + len(handed_out)
        letters = store.index.unread(seat.bag, seat.name, after=seat.announced, limit=limit, waking=True)
        rows = {row.key: Route.of(row) for row in store.board.under(routes.routes_of(seat.bag, seat.name))}
        for letter in letters:
            if letter.n not in handed_out:
                own = Route(seat.bag, seat.name, letter.id, MONITOR)
                found.append((seat, letter, rows.get(own.key, own)))
    waiting = [(seat, letter, route) for seat, letter, route in found if _is_open(route, now)]
    if not waiting:
        return []
    busy = routes.way_to(Holder(waiting[0][0], session, True), sealed=False) == TURN
    if busy:
        store.board.change([route.later(now).put() for _, _, route in waiting])
        return []
    return [(seat, letter, route.by(MONITOR)) for seat, letter, route in waiting]


def unrung(store: Store, session: Session, seats: Sequence[Seat], *, after: int) -> list[Letter]:
    """The letters behind number `after` that wait for the session and that no door, and no hook, is to bring."""
    handout = handout_of(store, session.id)
    found: dict[int, Letter] = {}
    for seat in seats:
        handed_out = handout.numbers(seat)
        begin = max(after, seat.announced)
        letters = store.index.unread(seat.bag, seat.name, after=begin, limit=MOST_LETTERS + len(handed_out))
        taken = {Route.of(row).letter_id for row in store.board.under(routes.routes_of(seat.bag, seat.name))}
        found |= {one.n: one for one in letters if one.n not in handed_out and one.id not in taken}
    return [found[n] for n in sorted(found)[:MOST_LETTERS]]


def _is_open(route: Route, now: int) -> bool:
    awaited = route.rung or (route.way == SOCKET and not route.attempts)  # whoever claimed the socket is about to ring
    if route.way == TURN or (route.way in (MONITOR, SOCKET) and awaited):
        return routes.has_passed(route.due, now)
    return True


def do_due_work(
    store: Store,
    *,
    now: int,
    sealed: bool,
    seconds: float,
    elsewhere: Callable[[Row], None],
    limit: int = 20,
) -> int:
    """Look again at claims whose deadline has passed, and return how many there were. Nothing from a sandbox.

    seconds: after which no further one is begun. The rest is the next one's who comes by. elsewhere: does the work of
    rows that are no routes.
    """
    if sealed:
        return 0
    done, end = 0, time.monotonic() + seconds
    for row in store.board.due(now, beyond=now + routes.LONGEST_DEADLINE_MS, limit=limit):
        if time.monotonic() > end:
            break
        if not _claimed(store, row, now):
            continue
        if row.key.startswith("route/"):
            _look_again(store, Route.of(row), now)
        else:
            elsewhere(row)
        done += 1
    return done


def _claimed(store: Store, row: Row, now: int) -> bool:
    """Whether this process does the work of the row: of several one gets it."""
    try:
        store.board.change([Put(row.key, row.value, due=now + CLAIM_MS)], expect={row.key: row.revision})
    except Conflict:
        return False
    return True


def _look_again(store: Store, route: Route, now: int) -> None:
    letter = store.index.letter_with_id(route.letter_id)
    seat = store.index.seat(route.bag, route.seat)
    if letter is None or seat is None or _is_shown(store, letter, route.seat):
        store.board.change([Delete(route.key)])
        return
    holder = holder_of(store, seat)
    session = holder.present
    if session is None or letter.n <= seat.announced:  # it waits for the next holder, or until this one asks for it
        awaited = [] if session else unheld.awaited(store, route.bag, route.seat, now=now)
        store.board.change([Delete(route.key), *awaited])
    elif route.way == QUEUE and route.rung and _outcome(store, seat, letter, route) == "notified":
        store.board.change([route.but(due=None).put()])  # Codex keeps the line until its thread takes it
    elif letter.n in handout_of(store, session.id).numbers(seat) and not _given_up(store, holder, letter, now):
        store.board.change([route.again(now, rung=route.rung).put()])  # its proof is still to come
    else:
        way = routes.way_to(holder, sealed=False)
        again = route.by(way)
        if way in (SOCKET, QUEUE):
            bells.ring(session.bell)
            ring(store, holder, letter, again, now=now)
        elif way == TURN:
            store.board.change([route.later(now).put()])
        else:
            due = None if way == VISIT else now + routes.FIRST_DEADLINE_MS
            store.board.change([again.but(rung=False, due=due).put()])
            bells.ring(session.bell)


def _given_up(store: Store, holder: Holder, letter: Letter, now: int) -> bool:
    """Whether the letter was given in a turn that ended without a proof, as one that is interrupted does; it is then
    free to be offered again. No event tells of such an end: the client is at rest, and has been for a while.
    """
    session = holder.session
    if session is None or session.client != "claude" or session.agents or routes.way_to(holder, sealed=False) == TURN:
        return False
    handout = handout_of(store, session.id)
    ended = [hand for hand in handout.hands if letter.n in hand.numbers and not now - REST_MS <= hand.at <= now]
    if not ended or any(hand.writer is not None for hand in ended):
        return False
    try:
        store.board.change([handout.change([hand for hand in handout.hands if hand not in ended])], expect=handout.rows)
    except Conflict:
        return False
    return True


def _is_shown(store: Store, letter: Letter, seat: str) -> bool:
    return any(delivery.seat == seat and delivery.shown for delivery in store.index.deliveries(letter.n))
