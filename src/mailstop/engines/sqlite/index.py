"""Index on SQLite: named queries over the folded tables."""

from __future__ import annotations

from mailstop.engines.base import Index, subject
from mailstop.engines.sqlite.statements import QUERY
from mailstop.errors import StoreDamaged
from mailstop.history import History, Move
from mailstop.json_text import dumps, loads
from mailstop.letter import Letter
from mailstop.receipt import Delivery, Receipt
from mailstop.seat import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.sqlite.connection import Connection

_LAST = 1 << 62  # behind every number


class SQLiteIndex(Index):
    """Reads only; the fold writes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def letter(self, n: int) -> Letter | None:
        return next(iter(self._letters("letter", n=n)), None)

    def letter_with_id(self, letter_id: str) -> Letter | None:
        return next(iter(self._letters("letter_with_id", id=letter_id)), None)

    def newest(self) -> int:
        ((number,),) = self._rows("newest")
        return int(number)

    def unread(
        self, bag: str, seat: str, *, sender: str | None = None, after: int = 0, limit: int = 50
    ) -> list[Letter]:
        return self._letters("unread", bag=bag, seat=seat, sender=sender, after=after, limit=limit)

    def count_unread(self, bag: str, seat: str, *, until: int | None = None) -> int:
        ((count,),) = self._rows("count_unread", bag=bag, seat=seat, until=_LAST if until is None else until)
        return int(count)

    def owed(self, bag: str, seat: str, *, limit: int = 20) -> list[Letter]:
        return self._letters("owed", bag=bag, seat=seat, limit=limit)

    def sent(self, bag: str, seat: str, *, limit: int = 5) -> list[Letter]:
        return self._letters("sent", bag=bag, seat=seat, limit=limit)

    def deliveries(self, n: int) -> list[Delivery]:
        letter = self.letter(n)
        if letter is None:
            return []
        rows = self._rows("deliveries", bag=letter.bag, seats=dumps(letter.to), n=n)
        found = {row[2]: Delivery(row[0], row[1], row[2], row[3], bool(row[4]), row[5]) for row in rows}
        return [found[seat] for seat in letter.to if seat in found]

    def receipts(self, n: int) -> list[Receipt]:
        return [Receipt(*row) for row in self._rows("receipts", n=n)]

    def seat(self, bag: str, name: str) -> Seat | None:
        rows = self._rows("seat", bag=bag, name=name)
        return _seat(rows[0]) if rows else None

    def seats(self, bag: str | None = None) -> list[Seat]:
        return [_seat(row) for row in self._rows("seats", bag=bag)]

    def seats_of(self, session: str) -> list[Seat]:
        return [_seat(row) for row in self._rows("seats_of", session=session)]

    def bags(self) -> list[str]:
        return [bag for (bag,) in self._rows("bags")]

    def history(
        self,
        *,
        bag: str | None = None,
        thread: int | None = None,
        before: int | None = None,
        limit: int = 20,
    ) -> History:
        place: dict[str, Any] = {"before": before or _LAST, "limit": limit + 1}
        if thread is not None:
            letters = self._letters("history_thread", thread=thread, **place)
        elif bag is not None:
            letters = self._letters("history_letters", subject=subject("letters", bag), **place)
        else:
            letters = self._letters("history_everywhere", **place)
        moves: list[Move] = []
        if thread is None:
            rows = self._rows("history_moves", bag=bag, after=0, **place)
            moves = [_move(row) for row in rows]
        records: list[Letter | Move] = sorted([*letters, *moves], key=lambda record: record.n)
        return History(tuple(records[-limit:]), older=len(records) > limit)

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._connection.rows(QUERY[query], values)

    def _letters(self, query: str, **values: Any) -> list[Letter]:
        return [self._letter(row) for row in self._rows(query, **values)]

    def _letter(self, row: tuple[Any, ...]) -> Letter:
        n, letter_id, at, bag, text, body, ref, thread = row
        try:
            data = loads(text)
        except ValueError as error:
            raise StoreDamaged(path=self._connection.path, reason=f"letter {n}: {error}") from None
        return Letter(
            n,
            letter_id,
            at,
            bag,
            data["from"],
            tuple(data["to"]),
            data["kind"],
            body,
            data.get("needs_reply", False),
            ref,
            thread,
            data.get("final", False),
            tuple(data.get("artifacts", ())),
            data.get("project", ""),
            data.get("client", ""),
        )


def _seat(row: tuple[Any, ...]) -> Seat:
    bag, name, last, epoch, session, since, automatic, *rest = row
    return Seat(bag, name, last, epoch, session, since, bool(automatic), *rest)


def _move(row: tuple[Any, ...]) -> Move:
    n, at, bag, seat, act, text = row
    data = loads(text)
    return Move(n, at, bag, seat, act, data.get("client", ""), data.get("project", ""), data.get("reason", ""))
