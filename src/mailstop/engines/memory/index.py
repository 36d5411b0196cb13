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

    def __init__(self) -> None:
        self._sqlite: sqlite3.Connection | None = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        for script in _SCHEMA:
            self._sqlite.executescript(script)

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

    def close(self) -> None:
        """Give the memory back."""
        if self._sqlite is not None:
            self._sqlite.close()
            self._sqlite = None


class MemoryIndex(SQLiteIndex):
    """The queries of every index, over tables that are folded when this store has reason to."""

    def __init__(self, world: World) -> None:
        self.tables = Tables()
        super().__init__(self.tables)
        self._world = world
        self._folded = 0  # how many of the world's entries

    def catch_up(self) -> None:
        """Fold what was appended since."""
        with self._world.lock:
            new = self._world.entries[self._folded :]
            for entry in new:
                self.tables.fold(entry)
            self._folded += len(new)
