"""Index in memory: each store's own SQLite database, which never touches a disk and lags behind the world.

It is as old as the store's opening, its last append, or what `catch_up` last folded. What others have appended since
then is not seen, which is the worst that an index on another host can do.
"""

from __future__ import annotations

from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.fold import fold
from mailstop.engines.sqlite.index import SQLiteIndex
from mailstop.engines.sqlite.statements import sql_file
from mailstop.errors import StoreUnavailable
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.memory.world import World

_SCHEMA = (sql_file("migrations/0001_ledger_board_index.sql"), sql_file("index.sql"))
_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class Tables:
    """The tables that the index reads: the entries that were folded, and what their fold made of them."""

    path = "memory:"

    def __init__(self, folded: sqlite3.Connection | None = None) -> None:
        """Empty tables, or those of a store that was closed."""
        self._sqlite: sqlite3.Connection | None = folded or _empty()

    @property
    def sqlite(self) -> sqlite3.Connection:
        """The database. Raises StoreUnavailable once it is closed."""
        if self._sqlite is None:
            raise StoreUnavailable(path=self.path, reason="it was closed")
        return self._sqlite

    def transaction(self) -> sqlite3.Connection:
        """The database: nobody else has it open."""
        return self.sqlite

    def rows(self, statement: str, values: dict[str, Any] | tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.sqlite.execute(statement, values).fetchall()

    def fold(self, entry: Entry) -> None:
        """Take in one entry."""
        data = dumps(entry.data)
        row = (entry.n, entry.id, entry.at, entry.bag, entry.subject, entry.type, data, entry.body)
        self.sqlite.execute(_INSERT, row)
        fold(self.sqlite, entry)

    def let_go(self) -> sqlite3.Connection | None:
        """Give the database to somebody else; None where that was done before."""
        given, self._sqlite = self._sqlite, None
        return given

    def close(self) -> None:
        """Give the memory back."""
        given = self.let_go()
        if given is not None:
            given.close()


def _empty() -> sqlite3.Connection:
    sqlite = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    for script in _SCHEMA:
        sqlite.executescript(script)
    return sqlite


class MemoryIndex(SQLiteIndex):
    """The queries of every index, over tables that are folded when this store has reason to."""

    def __init__(self, world: World) -> None:
        self._world = world
        with world.lock:
            idle = world.idle.pop() if world.idle else None
        self._folded = idle[1] if idle else 0  # how many of the world's entries
        self.tables = Tables(idle[0] if idle else None)
        super().__init__(self.tables)

    def catch_up(self) -> None:
        """Fold what was appended since."""
        with self._world.lock:
            for entry in self._world.entries[self._folded :]:
                self.tables.fold(entry)
                self._folded += 1

    def close(self) -> None:
        """Leave what was folded to the next store that is opened: it need not begin from nothing."""
        folded = self.tables.let_go()
        if folded is not None:
            with self._world.lock:
                self._world.idle.append((folded, self._folded))
