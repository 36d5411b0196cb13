"""Board on SQLite: the table `board`."""

from __future__ import annotations

import time

from mailstop import faults
from mailstop.engines.row import Put, Row
from mailstop.engines.sqlite.statements import QUERY
from mailstop.errors import Conflict
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from typing import Any

    from mailstop.engines.row import Delete
    from mailstop.engines.sqlite.connection import Connection


_LAST = 1 << 62  # by when every row that expires will have


class SQLiteBoard:
    """Rows with a revision, beside the ledger in the same file."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> Row | None:
        rows = self._connection.rows(QUERY["board_row"], {"key": key, "now": _now()})
        return self._row(rows[0]) if rows else None

    def under(self, prefix: str, *, after: str = "", limit: int | None = None, lasting: bool = False) -> list[Row]:
        now = _LAST if lasting else _now()
        bounds = {**_bounds(prefix), "after": after, "now": now, "limit": -1 if limit is None else limit}
        return [self._row(row) for row in self._connection.rows(QUERY["board_under"], bounds)]

    def due(self, now: int, *, beyond: int | None = None, limit: int = 50) -> list[Row]:
        bounds = {"now": now, "beyond": beyond, "limit": limit}
        return [self._row(row) for row in self._connection.rows(QUERY["board_due"], bounds)]

    def next_due(self) -> int | None:
        ((due,),) = self._connection.rows(QUERY["board_next_due"])
        return None if due is None else int(due)

    def change(self, changes: Sequence[Put | Delete], *, expect: Mapping[str, int] | None = None) -> None:
        # What may be forgotten need not wait for the disk: the next entry of the ledger takes it there.
        with self._connection.transaction(durable=False) as sqlite:
            check_rows(sqlite, expect or {})
            apply_changes(sqlite, changes)

    def forget(self, prefix: str, now: int, *, limit: int = 500) -> int:
        bounds = {**_bounds(prefix), "now": now, "limit": limit}
        if not self._connection.rows(QUERY["board_expired"], bounds):  # the usual case needs no lock
            return 0
        with self._connection.transaction(durable=False) as sqlite:
            expired = sqlite.execute(QUERY["board_expired"], bounds).fetchall()
            sqlite.executemany("DELETE FROM board WHERE key = ?", expired)
        return len(expired)

    def _row(self, row: tuple[Any, ...]) -> Row:
        key, value, revision, due, expires = row
        return Row(key, self._connection.value(value), revision, due, expires)


def check_rows(sqlite: sqlite3.Connection, expect: Mapping[str, int]) -> None:
    """Raise Conflict unless each key has the revision that is expected; 0 means not there."""
    for key, expected in expect.items():
        rows = sqlite.execute(QUERY["board_row"], {"key": key, "now": _now()}).fetchall()
        found = rows[0][2] if rows else 0
        if found != expected:
            raise Conflict(subject=key, expected=expected, found=found)


def apply_changes(sqlite: sqlite3.Connection, changes: Sequence[Put | Delete]) -> None:
    """Make the changes inside the transaction that is open."""
    for change in changes:
        if isinstance(change, Put):
            # The clock as revision: a row made again after it was deleted never meets its old number.
            values = (change.key, dumps(change.value), time.time_ns(), change.due, change.expires)
            sqlite.execute(QUERY["board_put"], values)
        else:
            sqlite.execute("DELETE FROM board WHERE key = ?", (change.key,))
        faults.reach("row changed")


def _bounds(prefix: str) -> dict[str, Any]:
    return {"first": prefix, "past": prefix + "\U0010ffff"}


def _now() -> int:
    return time.time_ns() // 1_000_000
