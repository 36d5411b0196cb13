"""What an engine is: a ledger, a board and an index behind one store.

Only engine folders see a transaction. Rules read the index, decide, and append with the numbers they have seen; when
a subject has moved on in between, the append is refused with Conflict and the rule looks again.

These are contracts for the type checker: nothing imports them when it runs, because making classes abstract costs a
`check` more than a query does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from mailstop.engines.contracts.asks import AskIndex
    from mailstop.engines.contracts.budgets import BudgetIndex
    from mailstop.engines.contracts.channels import ChannelIndex
    from mailstop.engines.contracts.exports import ExportIndex
    from mailstop.engines.contracts.imports import ImportIndex
    from mailstop.engines.contracts.leaders import LeaderIndex
    from mailstop.engines.contracts.leases import LeaseIndex
    from mailstop.engines.contracts.tasks import TaskIndex
    from mailstop.engines.contracts.tokens import TokenIndex
    from mailstop.engines.entry import Entry
    from mailstop.engines.row import Delete, Put, Row
    from mailstop.history import History, Move
    from mailstop.letter import Letter
    from mailstop.limits import Standing
    from mailstop.receipt import Delivery, Receipt
    from mailstop.seat import Seat


class Ledger(Protocol):
    """The append-only log of what must never be lost. Safe between processes; one instance per thread.

    Numbers are the engine's own: they only grow, and may have gaps. Order is by number; times are for people.
    """

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

    def last(self, subject: str) -> int:
        """The number of the last entry on `subject`, which may be a prefix ending in `.>`; 0 means none."""

    def on(self, subject: str) -> Entry | None:
        """The last entry on exactly `subject`; the index of this store has then folded it."""

    def after(self, number: int, *, limit: int = 500) -> list[Entry]:
        """The entries behind `number`, oldest first, at most `limit`. Empty means: nothing yet."""


class Board(Protocol):
    """Facts that change and may be forgotten. A lost board loses no letter."""

    def get(self, key: str) -> Row | None:
        """The row of `key`, or None when there is none or it has expired."""

    def under(self, prefix: str, *, after: str = "", limit: int | None = None, lasting: bool = False) -> list[Row]:
        """The rows whose key starts with `prefix`, by key: all, or at most `limit` of those behind the key `after`.

        lasting: only those that do not expire.
        """

    def due(self, now: int, *, beyond: int | None = None, limit: int = 50) -> list[Row]:
        """The rows due at `now` (milliseconds), the longest due first.

        beyond: also those due after this time, which nobody sets so far ahead: the clock was put back since.
        """

    def next_due(self) -> int | None:
        """When the next row falls due, in milliseconds since 1970; None while nothing is."""

    def change(self, changes: Sequence[Put | Delete], *, expect: Mapping[str, int] | None = None) -> None:
        """Make all changes, or none. They outlive every process; a crash of the system may take the last of them.

        expect: for each key the revision the caller has seen; 0 means not there. Raises Conflict.
        """

    def forget(self, prefix: str, now: int, *, limit: int = 500) -> int:
        """Delete rows under `prefix` that have expired at `now` (milliseconds), at most `limit`; return how many."""


class Index(Protocol):
    """What readers query: a pure fold of the ledger, rebuildable at any time."""

    def letter(self, n: int) -> Letter | None:
        """Letter `n`."""

    def letter_with_id(self, letter_id: str) -> Letter | None:
        """The letter of that id."""

    def newest(self) -> int:
        """The number of the newest letter; 0 when there is none."""

    def unread(
        self,
        bag: str,
        seat: str,
        *,
        sender: str | None = None,
        after: int = 0,
        limit: int = 50,
        waking: bool = False,
    ) -> list[Letter]:
        """The letters to the seat, and said in channels it reads, that it was not shown, oldest first, behind number
        `after`. waking: only those whose coming wakes the seat's holder."""

    def count_unread(self, bag: str, seat: str, *, until: int | None = None, said: bool = True) -> int:
        """How many letters were not shown to the seat, up to number `until` or in all. said: also those of channels."""

    def unread_counts(self) -> dict[tuple[str, str], int]:
        """How many letters to each seat were not shown, by bag and seat; where none wait it is left out."""

    def owed(self, bag: str, seat: str, *, limit: int = 20) -> list[Letter]:
        """Letters shown to the seat that ask for a reply and have none from it, oldest first."""

    def asked(self, bag: str, seat: str, *, shown: bool = False) -> list[int]:
        """The numbers of the questions without an answer that were asked of a seat, oldest first.

        shown: only those that were shown there.
        """

    def sent(self, bag: str, seat: str, *, limit: int = 5) -> list[Letter]:
        """The letters that seat wrote, newest first."""

    def deliveries(self, n: int) -> list[Delivery]:
        """For each recipient of letter `n` where it stands; of one said in a channel, for each seat that read that
        channel when it was said, and still does: `stored` or `shown`, by its position."""

    def receipts(self, n: int) -> list[Receipt]:
        """All that was proved of letter `n`, oldest first. Of one said in a channel none is kept."""

    def seat(self, bag: str, name: str) -> Seat | None:
        """The seat, or None when nobody has ever taken or been written to it."""

    def seats(self, bag: str | None = None) -> list[Seat]:
        """The seats of a bag, or of all, by name."""

    def seats_of(self, session: str) -> list[Seat]:
        """The seats that a session holds, by bag."""

    def held_by(self, client: str) -> list[Seat]:
        """The seats that sessions of a client hold, whether those live or not, by bag and name."""

    def stay_ended(self, session: str, bag: str) -> Move | None:
        """What ended the session's last stay at a seat of a bag: that it left, or that another took the seat.

        None while it sits there, or never did. Looks through all moves: for a refusal, not for each call.
        """

    @property
    def channels(self) -> ChannelIndex:
        """What can be asked about channels."""

    def was_led(self, bag: str, project_id: str) -> bool:
        """Whether anybody has ever led a project in a bag: asked at each start, before `leaders` is loaded."""

    def leads(self, session: str) -> bool:
        """Whether a session leads anything, by the ledger alone: asked before `leaders` is loaded."""

    @property
    def leaders(self) -> LeaderIndex:
        """What can be asked about leaders."""

    def bags(self) -> list[str]:
        """The bags that anybody has joined or written in."""

    def history(
        self,
        *,
        bag: str | None = None,
        channel: str | None = None,
        thread: int | None = None,
        before: int | None = None,
        limit: int = 20,
    ) -> History:
        """The last letters, joins and leaves before a number, oldest first. channel: what was said there, in `bag`."""

    def search(self, text: str, *, bag: str | None = None, before: int | None = None, limit: int = 20) -> list[Letter]:
        """The letters before a number whose body holds all words of `text`, newest first.

        `text` is data: it has no syntax. Only the first 16 KiB of a body are looked at. Brings the full text up to
        date on the way, which takes a while the first time.
        """

    def count(self, bag: str) -> int:
        """How many letters a bag holds."""

    def standing(self, bag: str, seat: str) -> Standing:
        """What that seat has to respect when it writes in the bag."""

    @property
    def budgets(self) -> BudgetIndex:
        """Budgets and limits."""

    # -- further subjects

    @property
    def asks(self) -> AskIndex:
        """Questions."""

    @property
    def tasks(self) -> TaskIndex:
        """What it answers about tasks."""

    @property
    def leases(self) -> LeaseIndex:
        """What has been taken."""

    @property
    def tokens(self) -> TokenIndex:
        """Tokens."""

    @property
    def imports(self) -> ImportIndex:
        """What was written elsewhere and lies here now."""

    @property
    def exports(self) -> ExportIndex:
        """All of it in its order."""


class Store(Protocol):
    """What a set of sessions shares. `url` names it."""

    url: str

    @property
    def ledger(self) -> Ledger:
        """What must never be lost."""

    @property
    def board(self) -> Board:
        """What changes and may be forgotten."""

    @property
    def index(self) -> Index:
        """What readers query."""

    def close(self) -> None:
        """Let go of it. Closing twice is fine."""

    def __enter__(self) -> Self:
        """The store itself; at the end of the block it is closed."""

    def __exit__(self, *_exception: object) -> None:
        """Close it."""
