"""Ledger on SQLite: the table `entries`."""

from __future__ import annotations

from mailstop import faults
from mailstop.engines.entry import Entry
from mailstop.engines.sqlite.board import apply_changes, check_rows
from mailstop.errors import Conflict
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.row import Delete, Put
    from mailstop.engines.sqlite.connection import Connection

_INSERT = "INSERT INTO entries (id, at, bag, subject, type, data, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
_COLUMNS = "n, id, at, bag, subject, type, data, body"


MANY = 50  # entries of one append, which are then not stored one by one


class SQLiteLedger:
    """The entries, their fold and the board's changes in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(
        self,
        entries: Sequence[Entry],
        *,
        expect: Mapping[str, int] | None = None,
        board: Sequence[Put | Delete] = (),
        rows: Mapping[str, int] | None = None,
    ) -> int:
        from mailstop.engines.sqlite.fold import fold  # for writers only

        last = 0
        with self._connection.transaction() as sqlite:
            for subject, expected in (expect or {}).items():
                found = _last(lambda *query: sqlite.execute(*query).fetchall(), subject)
                if found != expected:
                    raise Conflict(subject=subject, expected=expected, found=found)
            check_rows(sqlite, rows or {})
            if len(entries) >= MANY:
                from mailstop.engines.sqlite.many import store

                last, entries = store(sqlite, entries), ()
            for entry in entries:
                values = (
                    entry.id,
                    entry.at,
                    entry.bag,
                    entry.subject,
                    entry.type,
                    dumps(entry.data),
                    entry.body,
                )
                last = sqlite.execute(_INSERT, values).lastrowid or 0
                faults.reach("entry written")
                fold(sqlite, _numbered(entry, last))
                faults.reach("entry folded")
            apply_changes(sqlite, board)
        return last

    def last(self, subject: str) -> int:
        return _last(self._connection.rows, subject)

    def on(self, subject: str) -> Entry | None:
        rows = self._connection.rows(
            f"SELECT {_COLUMNS} FROM entries WHERE subject = ? ORDER BY n DESC LIMIT 1", (subject,)
        )
        return self._entry(rows[0]) if rows else None

    def after(self, number: int, *, limit: int = 500) -> list[Entry]:
        rows = self._connection.rows(f"SELECT {_COLUMNS} FROM entries WHERE n > ? ORDER BY n LIMIT ?", (number, limit))
        return [self._entry(row) for row in rows]

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        n, entry_id, at, bag, subject, kind, data, body = row
        return Entry(subject, kind, bag, entry_id, at, self._connection.value(data), body, n)


def _numbered(entry: Entry, n: int) -> Entry:
    """The entry with its number. As `but`, which takes longer than the rest of a fold."""
    return Entry(entry.subject, entry.type, entry.bag, entry.id, entry.at, entry.data, entry.body, n)


def _last(rows: Callable[[str, tuple[str, ...]], list[tuple[Any, ...]]], subject: str) -> int:
    if subject.endswith(".>"):
        bounds = (subject[:-1], subject[:-2] + "/")  # "/" follows "." in ASCII
        found = rows("SELECT max(n) FROM entries WHERE subject >= ? AND subject < ?", bounds)
    else:
        found = rows("SELECT max(n) FROM entries WHERE subject = ?", (subject,))
    return found[0][0] or 0
