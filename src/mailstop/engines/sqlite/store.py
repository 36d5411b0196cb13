"""Store on SQLite: ledger, board and index in one file and one transaction."""

from __future__ import annotations

from mailstop.config import SQLITE
from mailstop.engines.base import Store
from mailstop.engines.sqlite.board import SQLiteBoard
from mailstop.engines.sqlite.connection import Connection
from mailstop.engines.sqlite.index import SQLiteIndex
from mailstop.engines.sqlite.ledger import SQLiteLedger


class SQLiteStore(Store):
    """One file. Any number of processes may have it open."""

    def __init__(self, path: str) -> None:
        """Open the store at `path`, made when it is not there. Raises StoreUnavailable or one of its kinds."""
        self._connection = Connection(path)
        self.url = SQLITE + path
        self.ledger = SQLiteLedger(self._connection)
        self.board = SQLiteBoard(self._connection)
        self.index = SQLiteIndex(self._connection)

    def close(self) -> None:
        self._connection.close()
