"""Store on SQLite: ledger, board and index in one file and one transaction."""

from __future__ import annotations

from mailstop.config import SQLITE
from mailstop.engines.closing import Closing
from mailstop.engines.sqlite.board import SQLiteBoard
from mailstop.engines.sqlite.connection import Connection
from mailstop.engines.sqlite.index import SQLiteIndex
from mailstop.engines.sqlite.ledger import SQLiteLedger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Board, Index, Ledger
    from mailstop.engines.sqlite.readable import Progress


class SQLiteStore(Closing):
    """One file. Any number of processes may have it open."""

    def __init__(self, path: str, *, makes: bool = True, progress: Progress | None = None) -> None:
        """Open the store at `path`, made when it is not there, unless `makes` says not to. Raises StoreUnavailable or
        one of its kinds; StoreGone where it would have to be made. progress: see `Connection`."""
        self._connection = Connection(path, makes=makes, progress=progress)
        self.url = SQLITE + path
        self.ledger: Ledger = SQLiteLedger(self._connection)
        self.board: Board = SQLiteBoard(self._connection)
        self.index: Index = SQLiteIndex(self._connection)

    def close(self) -> None:
        self._connection.close()
