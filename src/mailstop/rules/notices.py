"""Notices: letters of mailstop's own that ride in the append of another letter, each in its own bag.

Guards: none of their own. Nobody can hold the seat that they come from, nothing limits it, and whoever lets them ride
guards what they tell of.
"""

from __future__ import annotations

from mailstop.records import Record
from mailstop.rules.letters import letter_entry, resolved
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import VISIT, first_route
from mailstop.rules.tellings import tell
from mailstop.rules.tenure import postmaster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.engines.entry import Entry
    from mailstop.engines.row import Put
    from mailstop.letter import Draft
    from mailstop.rules.presence import Holder
    from mailstop.rules.routes import Route


class Notice(Record):
    """A notice that is to be stored. ways: who holds each recipient's seat, and the route that is claimed for it."""

    entry: Entry
    ways: tuple[tuple[Holder, Route], ...]

    @property
    def claims(self) -> tuple[Put, ...]:
        """The changes of the board that go with it."""
        return tuple(route.put() for _, route in self.ways if route.way != VISIT)


def riding(store: Store, draft: Draft, bag: str, *, now: int, sealed: bool) -> Notice:
    """A notice of a draft that wakes its recipients. sealed: whether a sandbox keeps the caller from ringing."""
    writer = postmaster(bag)
    recipients = resolved(store, writer, draft)
    entry = letter_entry(writer, draft, recipients, None, now)
    holders = [holder_of(store, seat) for seat in recipients]
    routes = [(holder, first_route(holder, entry.id, now=now, sealed=sealed)) for holder in holders]
    return Notice(entry, tuple((holder, route) for holder, route in routes if route))


def ring(store: Store, notice: Notice, *, now: int, sealed: bool) -> None:
    """Ring for a notice that is stored. Never raises: where it fails, its claim falls due."""
    try:
        letter = store.index.letter_with_id(notice.entry.id)
    except Exception:
        return
    for holder, route in notice.ways if letter else ():
        try:
            assert letter is not None
            tell(store, holder, letter, route, now=now, sealed=sealed)
        except (Exception, KeyboardInterrupt):
            continue
