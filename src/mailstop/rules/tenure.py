"""Tenure: whoever acts from a seat, and the guard of what they do. Each taking and leaving of a seat is an entry on its
subject."""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import subject
from mailstop.names import POSTMASTER, in_bag
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.seat import Seat


class Writer(Record):
    """Who writes: a seat a session holds, or the person's, which nobody can lose."""

    bag: str
    name: str
    seat: Seat | None
    session: str
    client: str = ""
    project: str = ""


def postmaster(bag: str) -> Writer:
    """Whose notices mailstop's own are. Nobody holds that seat, and nothing limits it."""
    return Writer(bag, POSTMASTER, None, POSTMASTER)


def seat_subject(bag: str, name: str) -> str:
    """The subject of a seat's takings and leavings."""
    return subject("seats", bag, name)


def guard(seat: Seat) -> dict[str, int]:
    """What an act of the seat's holder expects: that nobody has taken or left the seat since."""
    return {seat_subject(seat.bag, seat.name): seat.last}


def still(store: Store, writer: Writer) -> Writer:
    """The writer with its seat as it is now. Raises SeatLost when that is no longer its own."""
    if writer.seat is None:
        return writer
    now = store.index.seat(writer.bag, writer.name)
    if now is None or now.session != writer.session:
        taken = now and now.session and f"a session of {now.client} took it"
        raise errors.SeatLost(name=writer.name, where=in_bag(writer.bag), reason=taken or "it was left")
    return writer.but(seat=now)
