"""Tellings: what a writer is told about each recipient when a letter was stored.

Whatever happens at one recipient touches no other, and not what is stored.
"""

from __future__ import annotations

from mailstop import bells, faults
from mailstop.letter import NOBODY
from mailstop.records import Record
from mailstop.rules.presence import session_of
from mailstop.rules.routes import LATER, QUEUE, SOCKET, TURN, VISIT, way_to
from mailstop.rules.ways import words_of
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.rules.routes import Route
    from mailstop.seat import Seat

WAITING = "its bell was rung: a check that waits shows it now, any other when it next runs"
NOT_RUNG = "ringing for it failed or was broken off: whoever comes next does it"


class Told(Record):
    """What became of a letter at one recipient when it was stored. state: as far as it is proved. way: as in `Route`,
    `none` where nobody was to be rung."""

    seat: str
    state: str
    way: str
    detail: str = ""


def tell(store: Store, holder: Holder, letter: Letter, route: Route | None, *, now: int, sealed: bool) -> Told:
    """Ring for one letter by the route that was claimed for it; without one it waits for the seat's next holder.

    sealed: see `way_to`.
    """
    if letter.wakes == NOBODY and holder.present:
        bells.ring(holder.present.bell)
        return Told(holder.seat.name, "stored", "none", words_of(LATER).told)
    if route is None or holder.session is None:
        return Told(holder.seat.name, "stored", "none", _waits_text(holder, seat_now(store, holder.seat)))
    if route.way == TURN and holder.session.client == "codex":
        route = still_open(store, holder, route, now=now, sealed=sealed)
    faults.reach("before the bell")
    bells.ring(holder.session.bell)
    faults.reach("bell rung")
    if route.way not in (SOCKET, QUEUE):
        waits = route.way == VISIT and holder.session.client == "program"
        return Told(holder.seat.name, "stored", route.way, WAITING if waits else words_of(route.way).told)
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


def empty_text(holder: Holder) -> str:
    """That nobody sits at a seat, and since when."""
    if not holder.seat.holder:
        return "nobody has taken that seat yet"
    if holder.session is not None and holder.session.client == "codex":
        return "no Codex window shows it any more"
    return f"the seat is empty since {clock_text(holder.since)}" if holder.since else "the seat is empty"


def _waits_text(holder: Holder, moved: str) -> str:
    """Why nobody was rung, and for whom the letter waits. moved: where the seat's last holder sits now."""
    empty = empty_text(holder) + (f", who left it is at seat {moved}" if moved else "")
    if not holder.seat.holder:
        return f"{empty}; the letter waits"
    resumed = "until it is resumed, or " if holder.session is not None and holder.session.client == "codex" else ""
    return f"{empty}; the letter waits {resumed}for the seat's next holder"
