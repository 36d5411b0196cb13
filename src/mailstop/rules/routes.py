"""Routes: how a letter comes to be offered, one way at a time.

The transaction that stores a letter also claims one route for it, with a deadline; every other route respects the
claim. A claim is a row of the board (`route/<bag>/<seat>/<letter id>`) that falls due at its deadline; whoever comes
first then looks again. A ring is repeated, ever more slowly, until the letter was shown; nothing is ever given up
while the recipient lives.
"""

from __future__ import annotations

from mailstop.engines.entry import token
from mailstop.engines.row import Delete, Put
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.base import Store
    from mailstop.engines.row import Row
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.seat import Seat
    from mailstop.session import Session

FIRST_DEADLINE_MS = 20_000  # for a door that was rung
TURN_DEADLINE_MS = 1_000  # for a running turn; doubled with each look, up to the other's
LONGEST_DEADLINE_MS = 15 * 60_000
ECHO_MS = 60_000  # how long the prompt of a ring may lag behind the letter it announced

MONITOR = "monitor"  # Claude Code's plugin monitor prints the line
SOCKET = "socket"  # Claude Code's messaging socket
QUEUE = "queue"  # codex queue
TURN = "turn"  # the hooks of the turn that is running
VISIT = "visit"  # nothing rings: the session looks when it next does anything
LATER = "later"  # nothing rings, because the letter wakes nobody there: its reader looks when it next does anything
SEALED = "sealed"  # a sandbox kept the sender from ringing; whoever can does it


class Route(Record):
    """The route claimed for one letter at one recipient.

    n: the letter's number, 0 until a door was rung for it. rung: whether the prompt of that ring is awaited. shown:
    whether the letter has been shown meanwhile, so that this prompt will bring nothing new. attempts: how often it was
    rung. proved: what the last ring proved, kept here for a letter said in a channel. due: milliseconds since 1970;
    None: nobody needs to look.
    """

    bag: str
    seat: str
    letter_id: str
    way: str
    n: int = 0
    rung: bool = False
    shown: bool = False
    attempts: int = 0
    proved: str = ""
    due: int | None = None

    @property
    def key(self) -> str:
        """Its row on the board."""
        return route_key(self.bag, self.seat, self.letter_id)

    def put(self) -> Put:
        """The change of the board that claims it."""
        value = {name: value for name, value in self.as_dict().items() if name != "due"}
        return Put(self.key, value, due=self.due)

    @classmethod
    def of(cls, row: Row) -> Route:
        """The route of a row."""
        known = {name: row.value[name] for name in cls.fields if name in row.value}
        return cls(**known, due=row.due)

    def again(self, now: int, *, rung: bool = True) -> Route:
        """The same route after one more attempt: the next deadline is twice as far away, at most 15 minutes."""
        wait = min(FIRST_DEADLINE_MS << min(self.attempts, 10), LONGEST_DEADLINE_MS)
        return self.but(rung=rung, attempts=self.attempts + 1, due=now + wait)

    def by(self, way: str) -> Route:
        """The same route by another way; how often a running turn was looked at says nothing about a door's rings."""
        attempts = self.attempts if (self.way == TURN) == (way == TURN) else 0
        return self.but(way=way, attempts=attempts)

    def later(self, now: int) -> Route:
        """The same route while the turn goes on whose hooks are to show it: look again, ever more slowly."""
        route = self.by(TURN)
        wait = min(TURN_DEADLINE_MS << min(route.attempts, 10), FIRST_DEADLINE_MS)
        return route.but(rung=False, attempts=route.attempts + 1, due=now + wait)


def route_key(bag: str, seat: str, letter_id: str) -> str:
    """The board's key of the claim on a letter at a recipient."""
    return f"{routes_of(bag, seat)}{letter_id}"


def routes_of(bag: str, seat: str) -> str:
    """What the keys of all claims at a recipient begin with."""
    return f"route/{token(bag)}/{token(seat)}/"


def way_to(holder: Holder, *, sealed: bool) -> str:
    """Which way a letter takes to the holder of a seat. sealed: the sender's sandbox lets it ring bells only."""
    return way_of(holder.present, sealed=sealed)


def way_of(session: Session | None, *, sealed: bool, busy: bool | None = None) -> str:
    """Which way a letter takes to a session that may live; None for nobody.

    busy: whether its client says that a turn runs, where it was asked before.
    """
    if session is None:
        return VISIT
    if session.client == "claude":
        return _way_to_claude(session, sealed=sealed, busy=busy)
    if session.client == "codex":
        return _way_to_codex(session, sealed=sealed, busy=busy)
    return VISIT


def _way_to_codex(session: Session, *, sealed: bool, busy: bool | None) -> str:
    if session.hooked and busy is not None:
        return TURN if busy else SEALED if sealed else QUEUE
    if session.hooked:
        from mailstop.clients.codex import running_turn

        turn = running_turn(session.details, session.life)
        if turn and turn != session.over:
            return TURN
    return SEALED if sealed else QUEUE


def _way_to_claude(session: Session, *, sealed: bool, busy: bool | None) -> str:
    from mailstop.doors.claude_monitor import listening

    may_be = session.hooked and not session.agents
    if busy is None and may_be:
        from mailstop.clients.claude_code import is_busy

        busy = is_busy(session.details, session.life)
    busy = may_be and busy
    if listening(session.bell):
        return TURN if busy else MONITOR
    if session.mode == "bypassPermissions" or not session.details.get("socket"):
        return TURN if busy else VISIT
    # Also in a turn, which takes the line in: without a monitor nobody would notice that the turn ended meanwhile.
    return SEALED if sealed else SOCKET


def first_route(holder: Holder, letter_id: str, *, now: int, sealed: bool) -> Route | None:
    """The first route to a holder; None for an empty seat."""
    if holder.present is None:
        return None
    way = way_to(holder, sealed=sealed)
    due = {VISIT: None, SEALED: now, TURN: now + TURN_DEADLINE_MS}.get(way, now + FIRST_DEADLINE_MS)
    return Route(holder.seat.bag, holder.seat.name, letter_id, way, due=due)


def has_passed(due: int | None, now: int) -> bool:
    """Whether a deadline has passed. One that is further ahead than any is ever set was set before the clock was put
    back, and counts as passed: else nothing would be rung for until the clock is there again."""
    return due is not None and not now < due <= now + LONGEST_DEADLINE_MS


def claimed_elsewhere(store: Store, seat: Seat, letters: Sequence[Letter], *, now: int) -> frozenset[int]:
    """The numbers of those letters that a door is to bring: a hook of the running turn leaves them to it."""
    rows = {row.key: Route.of(row) for row in store.board.under(routes_of(seat.bag, seat.name))}
    taken = set()
    for letter in letters:
        route = rows.get(route_key(seat.bag, seat.name, letter.id))
        if route and route.way in (MONITOR, SOCKET, QUEUE) and route.due and not has_passed(route.due, now):
            taken.add(letter.n)
    return frozenset(taken)


def settled(store: Store, seat: Seat, letter_ids: Sequence[str], *, now: int) -> list[Put | Delete]:
    """The changes of the board once letters were shown.

    A claim whose door was rung and whose prompt is still to come stays for a while, marked: that prompt is then
    answered with `nothing new`.
    """
    changes: list[Put | Delete] = []
    for letter_id in letter_ids:
        row = store.board.get(route_key(seat.bag, seat.name, letter_id))
        if row is None:
            continue
        route = Route.of(row)
        if route.rung and route.way in (MONITOR, SOCKET, QUEUE):
            due = None if route.way == QUEUE else now + ECHO_MS  # Codex keeps a line for hours
            changes.append(route.but(shown=True, due=due).put())
        else:
            changes.append(Delete(route.key))
    return changes


def released(store: Store, seat: Seat, *, now: int) -> list[Put | Delete]:
    """The changes of the board when a turn has ended: what its hooks did not show falls due at once."""
    found = [Route.of(row) for row in store.board.under(routes_of(seat.bag, seat.name))]
    return [route.but(attempts=0, due=now).put() for route in found if route.way == TURN]


def dropped(store: Store, bag: str, seat: str) -> list[Put | Delete]:
    """The changes of the board when another session, or another process, sits at the seat: whatever was rung for what
    waits there, this one has not heard it."""
    return [Delete(row.key) for row in store.board.under(routes_of(bag, seat))]


def answered_rings(store: Store, seat: Seat, numbers: Sequence[int]) -> list[Put | Delete]:
    """The changes of the board when the prompt of a ring for these letters has come."""
    changes: list[Put | Delete] = []
    for row in store.board.under(routes_of(seat.bag, seat.name)):
        route = Route.of(row)
        if route.rung and route.n in numbers:
            changes.append(Delete(route.key) if route.shown else route.but(rung=False).put())
    return changes
