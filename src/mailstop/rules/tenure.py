"""Tenure: the guard of whoever acts from a seat. Each taking and leaving of it is an entry on its subject."""

from __future__ import annotations

from mailstop.engines.entry import subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.seat import Seat


def seat_subject(bag: str, name: str) -> str:
    """The subject of a seat's takings and leavings."""
    return subject("seats", bag, name)


def guard(seat: Seat) -> dict[str, int]:
    """What an act of the seat's holder expects: that nobody has taken or left the seat since."""
    return {seat_subject(seat.bag, seat.name): seat.last}
