"""Tellings: what a writer is told about each recipient when a letter was stored.

Whatever happens at one recipient touches no other, and not what is stored.
"""

from __future__ import annotations

from mailstop import bells, faults
from mailstop.records import Record
from mailstop.rules.presence import session_of
from mailstop.rules.routes import MONITOR, QUEUE, SEALED, SOCKET, TURN, VISIT, way_to
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.rules.routes import Route
    from mailstop.seat import Seat

DETAIL = {
    MONITOR: "its monitor was rung",
    TURN: "it is busy: its next tool call or the end of its turn shows it",
    VISIT: "nothing wakes it: it sees the letter when it next does anything",
    SEALED: "this sandbox may not ring: its bell was rung, and the next process outside does the rest",
}
WAITING = "its bell was rung: a check that waits shows it now, any other when it next runs"
NOT_RUNG = "the store could not be used for its ring: whoever comes next does it"


class Told(Record):
    """What became of a letter at one recipient when it was stored. state: as far as it is proved."""

    seat: str
    state: str
    door: str
    detail: str = ""


def tell(store: Store, holder: Holder, letter: Letter, route: Route | None, *, now: int, sealed: bool) -> Told:
    """Ring for one letter by the route that was claimed for it; without one it waits for the seat's next holder.

    sealed: see `way_to`.
    """
    if route is None or holder.session is None:
        return Told(holder.seat.name, "stored", "none", empty_text(holder, seat_now(store, holder.seat)))
    if route.way == TURN and holder.session.client == "codex":
        route = still_open(store, holder, route, now=now, sealed=sealed)
    faults.reach("before the bell")
    bells.ring(holder.session.bell)
    faults.reach("bell rung")
    if route.way not in (SOCKET, QUEUE):
        waits = route.way == VISIT and holder.session.client == "program"
        return Told(holder.seat.name, "stored", route.way, WAITING if waits else DETAIL[route.way])
    from mailstop.rules.rings import PROVED, ring

    outcome = ring(store, holder, letter, route, now=now)
    state = outcome.state if outcome.state in PROVED else "stored"
    return Told(holder.seat.name, state, route.way, outcome.detail or outcome.evidence)


def still_open(store: Store, holder: Holder, route: Route, *, now: int, sealed: bool) -> Route:
    """The route of a letter that was left to a running turn, once it is stored: another one when that turn is over.

    Nobody sleeps in a Codex session who would notice it. The turn's last hook writes that it is over *before* it looks
    for letters: either it has found this one, or that is read here.
    """
    assert holder.session is not None
    way = way_to(holder.but(session=session_of(store, holder.session.id)), sealed=sealed)
    if way == TURN:
        return route
    route = route.by(way).but(due=now)
    store.board.change([route.put()])
    return route


def seat_now(store: Store, seat: Seat) -> str:
    """Where in the bag the session sits now that left this seat; empty when it sits nowhere there."""
    moved = store.index.seats_of(seat.holder) if seat.holder and seat.session is None else []
    return next((own.name for own in moved if own.bag == seat.bag), "")


def empty_text(holder: Holder, moved: str = "") -> str:
    """Why nobody was rung: the seat is empty, and since when. moved: where its last holder sits now."""
    if not holder.seat.holder:
        return "nobody has taken this seat yet; the letter waits"
    if holder.session is not None and holder.session.client == "codex":
        return "no Codex window shows it any more; the letter waits until it is resumed, or for the seat's next holder"
    since = f" since {clock_text(holder.since)}" if holder.since else ""
    moved = f", who left it is at seat {moved}" if moved else ""
    return f"the seat is empty{since}{moved}; the letter waits for its next holder"
