"""Reading: what a caller may look at. Nothing here changes the store."""

from __future__ import annotations

from mailstop import errors, rules
from mailstop.history import History
from mailstop.letter import ALL
from mailstop.names import nearest
from mailstop.records import Record
from mailstop.rules.presence import Holder, holder_of
from mailstop.seat import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mailstop.clients.caller import Caller
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.receipt import Delivery, Receipt
    from mailstop.rules.roster import Bag, Occupancy, Presence
    from mailstop.session import Session

LONGEST_SEARCH = 500  # characters


class Account(Record):
    """What became of one letter: where it stands at each recipient, all receipts, and the way it takes now."""

    letter: Letter
    deliveries: tuple[Delivery, ...]
    receipts: tuple[Receipt, ...]
    holders: tuple[Holder, ...]
    ways: tuple[str, ...]


class Self(Record):
    """Who the caller is here. asked: the questions that wait for its answer, the oldest first."""

    caller: Caller
    session: Session | None
    seats: tuple[Seat, ...]
    way: str
    waiting: int
    sent: tuple[Letter, ...]
    asked: tuple[Letter, ...] = ()


class Reading:
    """What the caller of an office may look at."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def holders(self, bag: str | None = None) -> list[Holder]:
        """All seats of a bag, or of all, with who holds them."""
        return [holder_of(self._office.store, seat) for seat in self._office.store.index.seats(bag)]

    def attendance(self, bag: str | None = None) -> tuple[list[Occupancy], list[Presence]]:
        """All seats of a bag, or of all, with who is there and what waits; and, of all, the sessions without a seat.

        Raises UnknownBag.
        """
        if bag is not None:
            self._office.checked_bag(bag)
        roster = rules.roster.Roster(self._office.store)
        return roster.seats(bag), roster.seatless() if bag is None else []

    def bags(self, name: str | None = None) -> list[Bag]:
        """All bags, or that one, the one with the newest letter first. Raises UnknownBag."""
        if name is not None:
            self._office.checked_bag(name)
        return rules.roster.bags(self._office.store, name)

    def read(
        self, *, bag: str | None = None, thread: int | None = None, before: int | None = None, last: int = 20
    ) -> History:
        """The history of a bag or of a conversation. Reading changes nothing."""
        if bag is not None:
            self._office.checked_bag(bag)
        if thread is not None:
            thread = self._office.letter(thread, bag=bag).thread
        return self._office.store.index.history(bag=bag, thread=thread, before=before, limit=last)

    def search(self, text: str, *, bag: str | None = None, before: int | None = None, last: int = 20) -> History:
        """The newest letters that hold all words of a text, oldest first. Raises InvalidField."""
        if not any(character.isalnum() for character in text) or len(text) > LONGEST_SEARCH:
            raise errors.InvalidField(
                field="the search", reason=f"it needs a word, and at most {LONGEST_SEARCH} characters"
            )
        if bag is not None:
            self._office.checked_bag(bag)
        found = self._office.store.index.search(text, bag=bag, before=before, limit=last + 1)
        return History(tuple(reversed(found[:last])), older=len(found) > last)

    def written_since(self, place: int, *, bag: str | None = None) -> tuple[list[Letter], int]:
        """A page of the letters behind a place in the ledger, oldest first, and the place from which to go on.

        The place stays where it is once there is nothing more.
        """
        entries = self._office.store.ledger.after(place)
        found = [entry.n for entry in entries if entry.type == "letter" and bag in (None, entry.bag)]
        letters = [letter for n in found if (letter := self._office.store.index.letter(n))]
        return letters, entries[-1].n if entries else place

    def account(self, n: int, *, bag: str | None = None) -> Account:
        """What became of letter `n`, as far as it is proved. Raises what `letter` raises."""
        letter = rules.offers.as_it_stands(self._office.store, self._office.letter(n, bag=bag))
        index, board = self._office.store.index, self._office.store.board
        deliveries = tuple(index.deliveries(n))
        told = letter.channel or letter.imported  # one that was imported was for no seat here
        names = [delivery.seat for delivery in deliveries] if told else letter.to
        seats_ = [index.seat(letter.bag, name) or Seat(letter.bag, name) for name in names]
        holders = tuple(holder_of(self._office.store, seat) for seat in seats_)
        rows = [board.get(rules.routes.route_key(letter.bag, name, letter.id)) for name in names]
        ways = tuple(
            str(row.value["way"]) if row else self._way(letter, holder)
            for row, holder in zip(rows, holders, strict=True)
        )
        return Account(letter, deliveries, tuple(index.receipts(n)), holders, ways)

    def checked_project(self, text: str, also: Iterable[str] = ()) -> None:
        """Raise UnknownProject, with the nearest, unless `text` is the name or the id of a project that a seat belongs
        to, or one of `also`."""
        seats = self._office.store.index.seats()
        known = {name for seat in seats for name in (seat.project, seat.project_id) if name} | set(also)
        if text not in known:
            near = nearest(text, known)
            instead = f"nearest: {', '.join(near)}" if near else "see: mailstop who"
            raise errors.UnknownProject(missing=f"There is no project {text[:80]!r} ({instead})", nearest=near)

    def _way(self, letter: Letter, holder: Holder) -> str:
        """The way that a letter takes for which no route is claimed."""
        seat = holder.seat
        wakes = letter.wakes == ALL or (letter.wakes == seat.project_id and bool(seat.project_id))
        return rules.routes.way_to(holder, sealed=False) if wakes else rules.routes.LATER

    def myself(self) -> Self:
        """Who the caller is here, what would wake it, and its last letters."""
        own = tuple(self._office.seats())
        session = self._office.session
        way = (
            rules.routes.way_to(Holder(own[0], session, True), sealed=False) if own and session else rules.routes.VISIT
        )
        waiting = sum(self._office.store.index.count_unread(seat.bag, seat.name) for seat in own)
        sent = [letter for seat in own for letter in self._office.store.index.sent(seat.bag, seat.name)]
        newest = sorted(sent, key=lambda letter: letter.n, reverse=True)[:5]
        return Self(self._office.caller, session, own, way, waiting, tuple(newest), tuple(self.asked()))

    def asked(self) -> list[Letter]:
        """The questions that wait for the caller's answer, the oldest first."""
        index = self._office.store.index
        numbers = sorted(n for seat in self._office.seats() for n in index.asked(seat.bag, seat.name))
        return [letter for n in numbers if (letter := index.letter(n))]
