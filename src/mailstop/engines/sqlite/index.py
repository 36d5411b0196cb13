"""Index on SQLite: named queries over the folded tables.

`rows`, which makes letters and receipts of what they give, is imported once there is something to make.
"""

from __future__ import annotations

from mailstop.engines.entry import subject
from mailstop.engines.sqlite.statements import QUERY
from mailstop.json_text import dumps
from mailstop.seat import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from mailstop.engines.contracts.asks import AskIndex
    from mailstop.engines.contracts.budgets import BudgetIndex
    from mailstop.engines.contracts.exports import ExportIndex
    from mailstop.engines.contracts.imports import ImportIndex
    from mailstop.engines.contracts.leases import LeaseIndex
    from mailstop.engines.contracts.tasks import TaskIndex
    from mailstop.engines.contracts.tokens import TokenIndex
    from mailstop.engines.sqlite.driver import sqlite3
    from mailstop.engines.sqlite.subjects.channels import SQLiteChannels
    from mailstop.engines.sqlite.subjects.leaders import SQLiteLeaders
    from mailstop.history import History, Move
    from mailstop.letter import About, Letter
    from mailstop.limits import Standing
    from mailstop.receipt import Delivery, Receipt

    class Tables(Protocol):
        """The database that holds the folded tables: a connection to the store's file, or one in memory."""

        path: str

        def rows(self, statement: str, values: dict[str, Any] | tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
            """All rows of a query."""

        def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
            """A write transaction, as the block of a with statement."""


_LAST = 1 << 62  # behind every number


class SQLiteIndex:
    """Reads only; the fold writes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def letter(self, n: int) -> Letter | None:
        return next(iter(self._letters("letter", n=n)), None) if 0 < n < _LAST else None

    def letter_with_id(self, letter_id: str) -> Letter | None:
        return next(iter(self._letters("letter_with_id", id=letter_id)), None)

    def newest(self) -> int:
        ((number,),) = self._rows("newest")
        return int(number)

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
        place = {"bag": bag, "seat": seat, "sender": sender, "after": after}
        return self._letters("unread", **place, limit=limit, waking=waking)

    def count_unread(self, bag: str, seat: str, *, until: int | None = None, said: bool = True) -> int:
        last = _LAST if until is None else until
        ((count,),) = self._rows("count_unread", bag=bag, seat=seat, until=last, said=said)
        return int(count)

    def unread_counts(self) -> dict[tuple[str, str], int]:
        return {(bag, seat): int(count) for bag, seat, count in self._rows("unread_counts")}

    def owed(self, bag: str, seat: str, *, limit: int = 20) -> list[Letter]:
        return self._letters("owed", bag=bag, seat=seat, limit=limit)

    def asked(self, bag: str, seat: str, *, shown: bool = False) -> list[int]:
        return [n for (n,) in self._rows("asked", bag=bag, seat=seat, shown=int(shown))]

    def sent(self, bag: str, seat: str, *, limit: int = 5) -> list[Letter]:
        return self._letters("sent", bag=bag, seat=seat, limit=limit)

    def deliveries(self, n: int) -> list[Delivery]:
        letter = self.letter(n)
        if letter is None:
            return []
        if letter.channel:
            from mailstop.receipt import Delivery

            readers = self.channels.readers_of_letter(n)
            heard = [(reader, reader.has_heard(n)) for reader in readers]
            return [Delivery(n, letter.bag, who.seat, "shown" if shown else "stored", shown) for who, shown in heard]
        from mailstop.engines.sqlite.rows import delivery_of

        rows = self._rows("deliveries", bag=letter.bag, seats=dumps(letter.to), n=n)
        found = {delivery.seat: delivery for delivery in map(delivery_of, rows)}
        return [found[seat] for seat in letter.to if seat in found]

    def receipts(self, n: int) -> list[Receipt]:
        from mailstop.engines.sqlite.rows import receipt_of

        return [receipt_of(row) for row in self._rows("receipts", n=n)]

    def seat(self, bag: str, name: str) -> Seat | None:
        rows = self._rows("seat", bag=bag, name=name)
        return _seat(rows[0]) if rows else None

    def seats(self, bag: str | None = None) -> list[Seat]:
        return [_seat(row) for row in self._rows("seats", bag=bag)]

    def seats_of(self, session: str) -> list[Seat]:
        return [_seat(row) for row in self._rows("seats_of", session=session)]

    def held_by(self, client: str) -> list[Seat]:
        return [_seat(row) for row in self._rows("held_by", client=client)]

    def stay_ended(self, session: str, bag: str) -> Move | None:
        from mailstop.engines.sqlite.rows import move_of

        rows = self._rows("stay_ended", session=session, bag=bag)
        return move_of(rows[0], self._tables.path) if rows else None

    @property
    def channels(self) -> SQLiteChannels:
        from mailstop.engines.sqlite.subjects.channels import SQLiteChannels

        return SQLiteChannels(self._tables)

    def was_led(self, bag: str, project_id: str) -> bool:
        ((found,),) = self._rows("was_led", bag=bag, project_id=project_id)
        return bool(found)

    def leads(self, session: str) -> bool:
        ((found,),) = self._rows("leads", session=session)
        return bool(found)

    @property
    def leaders(self) -> SQLiteLeaders:
        from mailstop.engines.sqlite.subjects.leaders import SQLiteLeaders

        return SQLiteLeaders(self._tables)

    def bags(self) -> list[str]:
        return [bag for (bag,) in self._rows("bags")]

    def history(
        self,
        *,
        bag: str | None = None,
        channel: str | None = None,
        thread: int | None = None,
        before: int | None = None,
        limit: int = 20,
    ) -> History:
        from mailstop.engines.sqlite.rows import move_of
        from mailstop.history import History

        place: dict[str, Any] = {"before": _bounded(before), "limit": _bounded(limit) + 1}
        if thread is not None:
            letters = self._letters("history_thread", thread=thread, **place)
        elif channel is not None:
            letters = self._letters("history_channel", bag=bag, channel=channel, imported=f"#{channel}", **place)
        elif bag is not None:
            letters = self._letters("history_letters", subject=subject("letters", bag), bag=bag, **place)
        else:
            letters = self._letters("history_everywhere", **place)
        moves: list[Move] = []
        if thread is None and channel is None:
            rows = self._rows("history_moves", bag=bag, after=0, **place)
            moves = [move_of(row, self._tables.path) for row in rows]
        records: list[Letter | Move] = sorted([*letters, *moves], key=lambda record: record.n)
        return History(tuple(records[-limit:]), older=len(records) > limit)

    def search(self, text: str, *, bag: str | None = None, before: int | None = None, limit: int = 20) -> list[Letter]:
        from mailstop.engines.sqlite.search import Search

        found = Search(self._tables).numbers(text, bag=bag, before=_bounded(before), limit=_bounded(limit))
        return [letter for n in found if (letter := self.letter(n))]

    def count(self, bag: str) -> int:
        ((count,),) = self._rows("count", bag=bag)
        return int(count)

    def standing(self, bag: str, seat: str) -> Standing:
        from mailstop.limits import Budget, Limits, Standing

        places = {"budgets": subject("budgets", bag), "letters": subject("letters", bag)}
        (row,) = self._rows("standing", bag=bag, sender=seat, rate=Limits.rate, **places)
        *settings, budgets, letters, paced = row
        limits = Limits.of(settings[:4])
        budget = Budget(*settings[4:]) if settings[4] else None
        return Standing(limits, budget, budgets or 0, letters or 0, paced or 0)

    @property
    def budgets(self) -> BudgetIndex:
        from mailstop.engines.sqlite.subjects.budgets import SQLiteBudgets

        return SQLiteBudgets(self._tables)

    # -- further subjects, each loaded when it is first asked for

    @property
    def asks(self) -> AskIndex:
        from mailstop.engines.sqlite.subjects.asks import SQLiteAsks

        return SQLiteAsks(self._tables)

    @property
    def tasks(self) -> TaskIndex:
        from mailstop.engines.sqlite.subjects.tasks import SQLiteTasks

        return SQLiteTasks(self._tables)

    @property
    def leases(self) -> LeaseIndex:
        from mailstop.engines.sqlite.subjects.leases import SQLiteLeases

        return SQLiteLeases(self._tables)

    @property
    def tokens(self) -> TokenIndex:
        from mailstop.engines.sqlite.subjects.tokens import SQLiteTokens

        return SQLiteTokens(self._tables)

    @property
    def imports(self) -> ImportIndex:
        from mailstop.engines.sqlite.subjects.imports import SQLiteImports

        return SQLiteImports(self._tables, self)

    @property
    def exports(self) -> ExportIndex:
        from mailstop.engines.sqlite.subjects.exports import SQLiteExports

        return SQLiteExports(self._tables)

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._tables.rows(QUERY[query], values)

    def _letters(self, query: str, **values: Any) -> list[Letter]:
        found = self._rows(query, **values)
        if not found:
            return []
        from mailstop.engines.sqlite.rows import letter_of

        letters = [letter_of(row, self._tables.path) for row in found]
        return [self._numbered(letter, letter.task) if letter.task else letter for letter in letters]

    def _numbered(self, letter: Letter, about: About) -> Letter:
        """A letter about a task, with the task's number, which its entry could not know."""
        return letter.but(task=about.but(n=self.tasks.number(letter.bag, about.id)))


def _bounded(number: int | None) -> int:
    """A number as SQLite can take it: people may type any."""
    return min(number or _LAST, _LAST)


def _seat(row: tuple[Any, ...]) -> Seat:
    bag, name, last, epoch, session, since, automatic, *rest = row
    return Seat(bag, name, last, epoch, session, since, bool(automatic), *rest)
