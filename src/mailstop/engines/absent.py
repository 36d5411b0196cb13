"""Absent: a store that nobody has made yet. It reads as an empty one.

Only who joins makes a store: a look must not leave one behind where its name was mistyped.
"""

from __future__ import annotations

from mailstop.engines.closing import Closing
from mailstop.engines.memory.index import Tables
from mailstop.engines.sqlite.index import SQLiteIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Board, Index, Ledger, Store
    from mailstop.engines.entry import Entry
    from mailstop.engines.row import Delete, Put, Row


class AbsentStore(Closing):
    """Empty until something is written to it, which makes the store, and then is that store."""

    def __init__(self, url: str, make: Callable[[], Store]) -> None:
        """make: makes the store and opens it, or raises why it does not."""
        self.url = url
        self._make = make
        self._made: Store | None = None
        self.ledger: Ledger = AbsentLedger(self)
        self.board: Board = AbsentBoard(self)
        self._tables = Tables()
        self.index: Index = SQLiteIndex(self._tables)

    def made(self) -> Store:
        """The store, made now unless it was before. Raises what `make` raises."""
        if self._made is None:
            self._made = made = self._make()
            self.ledger, self.board, self.index = made.ledger, made.board, made.index
        return self._made

    def close(self) -> None:
        self._tables.close()
        if self._made is not None:
            self._made.close()


class AbsentLedger:
    """No entries."""

    def __init__(self, store: AbsentStore) -> None:
        self._store = store

    def append(self, entries: Sequence[Entry], **how: Any) -> int:
        return self._store.made().ledger.append(entries, **how)

    def last(self, subject: str) -> int:
        return 0

    def on(self, subject: str) -> Entry | None:
        return None

    def after(self, number: int, *, limit: int = 500) -> list[Entry]:
        return []


class AbsentBoard:
    """No rows."""

    def __init__(self, store: AbsentStore) -> None:
        self._store = store

    def get(self, key: str) -> Row | None:
        return None

    def under(self, prefix: str, *, after: str = "", limit: int | None = None, lasting: bool = False) -> list[Row]:
        return []

    def due(self, now: int, *, beyond: int | None = None, limit: int = 50) -> list[Row]:
        return []

    def next_due(self) -> int | None:
        return None

    def change(self, changes: Sequence[Put | Delete], *, expect: Mapping[str, int] | None = None) -> None:
        self._store.made().board.change(changes, expect=expect)

    def forget(self, prefix: str, now: int, *, limit: int = 500) -> int:
        return 0
