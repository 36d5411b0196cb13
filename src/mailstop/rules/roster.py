"""Roster: the seats with who holds them, what would wake those, and what waits there; the bags with what they hold."""

from __future__ import annotations

from mailstop.engines.entry import subject
from mailstop.records import Record
from mailstop.rules.presence import holder_of, session_of
from mailstop.rules.routes import VISIT, way_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder
    from mailstop.seat import Seat
    from mailstop.session import Session


class Occupancy(Record):
    """A seat now. way: by which way a letter would reach its holder. waiting: letters to it that were not shown there.

    last: the session that holds the seat, or held it last, as far as the board still knows it.
    """

    holder: Holder
    way: str = VISIT
    waiting: int = 0
    last: Session | None = None

    @property
    def seat(self) -> Seat:
        """The seat itself."""
        return self.holder.seat


class Bag(Record):
    """A bag: how many letters it holds, the newest of them, and its seats by name."""

    name: str
    letters: int
    newest: Letter | None
    seats: tuple[Occupancy, ...]


def roster(store: Store, bag: str | None = None) -> list[Occupancy]:
    """All seats of a bag, or of all, by bag and name."""
    return [occupancy(store, seat) for seat in store.index.seats(bag)]


def occupancy(store: Store, seat: Seat) -> Occupancy:
    """A seat with who sits there."""
    holder = holder_of(store, seat)
    last = holder.session or (session_of(store, seat.holder) if seat.holder else None)
    way = way_to(holder, sealed=False)
    return Occupancy(holder, way, store.index.count_unread(seat.bag, seat.name, said=False), last)


def bags(store: Store, name: str | None = None) -> list[Bag]:
    """All bags, or that one; the one with the newest letter first."""
    found = []
    for bag in store.index.bags() if name is None else [name]:
        newest = store.index.letter(store.ledger.last(subject("letters", bag)))
        found.append(Bag(bag, store.index.count(bag), newest, tuple(roster(store, bag))))
    return sorted(found, key=lambda bag: (-(bag.newest.n if bag.newest else 0), bag.name))
