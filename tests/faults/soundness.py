"""Soundness: what must hold of a store's file whatever has happened to the processes that used it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from mailstop.engines.base import Entry
from mailstop.engines.memory.index import Tables
from mailstop.json_text import loads

FOLDED = ("letters", "deliveries", "owed", "receipts", "seats", "moves")


def default_store(home: Path) -> Path:
    """Where the default store of a user lies on Linux."""
    return home / ".local" / "share" / "mailstop" / "mailstop.db"


def assert_sound(store: Path) -> None:
    """SQLite finds nothing wrong, and the index is what a fold of the ledger makes."""
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
        refolded = Tables()
        for n, entry_id, at, bag, subject, kind, data, body in connection.execute("SELECT * FROM entries ORDER BY n"):
            refolded.fold(Entry(subject, kind, bag, entry_id, at, loads(data), body, n))
        for table in FOLDED:
            query = f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4"
            assert connection.execute(query).fetchall() == refolded.rows(query), table


def stored_bodies(store: Path) -> list[str]:
    """The bodies of all letters, in the order of their numbers."""
    with closing(sqlite3.connect(store)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM entries WHERE type = 'letter' ORDER BY n")]
