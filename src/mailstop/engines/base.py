"""What an engine is: a ledger, a board and an index behind one store.

Only engine folders see a transaction. Rules read the index, decide, and append with the numbers they have seen; when
a subject has moved on in between, the append is refused with Conflict and the rule looks again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from mailstop.letter import Letter
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from mailstop.history import History, Move
    from mailstop.receipt import Delivery, Receipt
    from mailstop.seat import Seat


class Entry(Record):
    """One fact of the ledger. subject: dotted tokens, most general first. at: milliseconds since 1970.

    n is the ledger's number: 0 until it is appended.
    """

    subject: str
    type: str
    bag: str
    id: str
    at: int
    data: dict[str, Any]
    body: str | None = None
    n: int = 0


class Row(Record):
    """One fact of the board. revision: raised by each change. due, expires: milliseconds since 1970."""

    key: str
    value: dict[str, Any]
    revision: int = 0
    due: int | None = None
    expires: int | None = None


class Put(Record):
    """A change of the board: set `key`. due: when somebody should look at it. expires: when it may be forgotten."""

    key: str
    value: dict[str, Any]
    due: int | None = None
    expires: int | None = None


class Delete(Record):
    """A change of the board: forget `key`; not there is fine."""

    key: str


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def token(text: str) -> str:
    """`text` as one token of a subject: other bytes than letters, digits, `_` and `-` become `=XX`."""
    if text and _PLAIN.issuperset(text):
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if chr(byte) in _PLAIN else f"={byte:02X}" for byte in encoded) or "="


def subject(*tokens: str) -> str:
    """The subject made of these tokens, each encoded so that a dot in a name is no border."""
    return ".".join(token(part) for part in tokens)


class Ledger(ABC):
    """The append-only log of what must never be lost. Safe between processes; one instance per thread.

    Numbers are the engine's own: they only grow, and may have gaps. Order is by number; times are for people.
    """

    @abstractmethod
    def append(
        self,
        entries: Sequence[Entry],
        *,
        expect: Mapping[str, int] | None = None,
        board: Sequence[Put | Delete] = (),
        rows: Mapping[str, int] | None = None,
    ) -> int:
        """Write all entries, or none, and return the number of the last.

        expect: for each subject the number of the last entry the caller has seen there; 0 means none. A subject may
            be a prefix that ends in `.>`.
        board: changes that go with the entries: in the same transaction where the engine has one, else before them
            when `rows` guards them and after them when nothing does.
        rows: for each key of the board the revision the caller has seen there; 0 means not there.
        Durable when it returns; the index of this store has then folded it, and after a Conflict what was in the way.
        Raises Conflict if a subject has moved on, StoreUnavailable if nothing was written,
        Uncertain if that cannot be told: the caller then repeats with the same key.
        """

    @abstractmethod
    def last(self, subject: str) -> int:
        """The number of the last entry on `subject`, which may be a prefix ending in `.>`; 0 means none."""

    @abstractmethod
    def on(self, subject: str) -> Entry | None:
        """The last entry on exactly `subject`; the index of this store has then folded it."""

    @abstractmethod
    def after(self, number: int, *, limit: int = 500) -> list[Entry]:
        """The entries behind `number`, oldest first, at most `limit`. Empty means: nothing yet."""


class Board(ABC):
    """Facts that change and may be forgotten. A lost board loses no letter."""

    @abstractmethod
    def get(self, key: str) -> Row | None:
        """The row of `key`, or None when there is none or it has expired."""

    @abstractmethod
    def under(self, prefix: str, *, after: str = "", limit: int | None = None) -> list[Row]:
        """The rows whose key starts with `prefix`, by key: all, or at most `limit` of those behind the key `after`."""

    @abstractmethod
    def due(self, now: int, *, beyond: int | None = None, limit: int = 50) -> list[Row]:
        """The rows due at `now` (milliseconds), the longest due first.

        beyond: also those due after this time, which nobody sets so far ahead: the clock was put back since.
        """

    @abstractmethod
    def next_due(self) -> int | None:
        """When the next row falls due, in milliseconds since 1970; None while nothing is."""

    @abstractmethod
    def change(self, changes: Sequence[Put | Delete], *, expect: Mapping[str, int] | None = None) -> None:
        """Make all changes, or none.

        expect: for each key the revision the caller has seen; 0 means not there. Raises Conflict.
        """

    @abstractmethod
    def forget(self, prefix: str, now: int, *, limit: int = 500) -> int:
        """Delete rows under `prefix` that have expired at `now` (milliseconds), at most `limit`; return how many."""


class Index(ABC):
    """What readers query: a pure fold of the ledger, rebuildable at any time."""

    @abstractmethod
    def letter(self, n: int) -> Letter | None:
        """Letter `n`."""

    @abstractmethod
    def letter_with_id(self, letter_id: str) -> Letter | None:
        """The letter of that id."""

    @abstractmethod
    def newest(self) -> int:
        """The number of the newest letter; 0 when there is none."""

    @abstractmethod
    def unread(
        self, bag: str, seat: str, *, sender: str | None = None, after: int = 0, limit: int = 50
    ) -> list[Letter]:
        """The letters that were not shown to the seat, oldest first, behind number `after`."""

    @abstractmethod
    def count_unread(self, bag: str, seat: str, *, until: int | None = None) -> int:
        """How many letters were not shown to the seat, up to number `until` or in all."""

    @abstractmethod
    def owed(self, bag: str, seat: str, *, limit: int = 20) -> list[Letter]:
        """Letters shown to the seat that ask for a reply and have none from it, oldest first."""

    @abstractmethod
    def sent(self, bag: str, seat: str, *, limit: int = 5) -> list[Letter]:
        """The letters that seat wrote, newest first."""

    @abstractmethod
    def deliveries(self, n: int) -> list[Delivery]:
        """For each recipient of letter `n` where it stands."""

    @abstractmethod
    def receipts(self, n: int) -> list[Receipt]:
        """All that was proved of letter `n`, oldest first."""

    @abstractmethod
    def seat(self, bag: str, name: str) -> Seat | None:
        """The seat, or None when nobody has ever taken or been written to it."""

    @abstractmethod
    def seats(self, bag: str | None = None) -> list[Seat]:
        """The seats of a bag, or of all, by name."""

    @abstractmethod
    def seats_of(self, session: str) -> list[Seat]:
        """The seats that a session holds, by bag."""

    @abstractmethod
    def held_by(self, client: str) -> list[Seat]:
        """The seats that sessions of a client hold, whether those live or not, by bag and name."""

    @abstractmethod
    def stay_ended(self, session: str, bag: str) -> Move | None:
        """What ended the session's last stay at a seat of a bag: that it left, or that another took the seat.

        None while it sits there, or never did. Looks through all moves: for a refusal, not for each call.
        """

    @abstractmethod
    def bags(self) -> list[str]:
        """The bags that anybody has joined or written in."""

    @abstractmethod
    def history(
        self,
        *,
        bag: str | None = None,
        thread: int | None = None,
        before: int | None = None,
        limit: int = 20,
    ) -> History:
        """The last letters, joins and leaves before a number, oldest first."""

    @abstractmethod
    def search(self, text: str, *, bag: str | None = None, before: int | None = None, limit: int = 20) -> list[Letter]:
        """The letters before a number whose body holds all words of `text`, newest first.

        `text` is data: it has no syntax. Only the first 16 KiB of a body are looked at. Brings the full text up to
        date on the way, which takes a while the first time.
        """

    @abstractmethod
    def count(self, bag: str) -> int:
        """How many letters a bag holds."""


class Store(ABC):
    """What a set of sessions shares. `url` names it."""

    url: str
    ledger: Ledger
    board: Board
    index: Index

    @abstractmethod
    def close(self) -> None:
        """Let go of it. Closing twice is fine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
