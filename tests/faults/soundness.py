"""Soundness: what must hold of a store's file whatever has happened to the processes that used it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from mailstop.engines.entry import Entry
from mailstop.engines.memory.index import Tables
from mailstop.json_text import loads
from tests.party import Party

FOLDED = ("letters", "deliveries", "owed", "receipts", "seats", "moves", "leaders")


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
            query = f"SELECT * FROM {table}"
            assert set(connection.execute(query)) == set(refolded.rows(query)), table


def stored_bodies(store: Path) -> list[str]:
    """The bodies of all letters, in the order of their numbers."""
    with closing(sqlite3.connect(store)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM entries WHERE type = 'letter' ORDER BY n")]


def held_seats(store: Path, folder: Path | None = None) -> list[str]:
    """The names of the seats that somebody took and did not leave, in all bags, or those of one folder."""
    query = "SELECT name FROM seats WHERE session IS NOT NULL AND (?1 IS NULL OR folder = ?1) ORDER BY name"
    with closing(sqlite3.connect(store)) as connection:
        return [name for (name,) in connection.execute(query, (folder and str(folder),))]


def states(store: Path, seat: str) -> dict[str, str]:
    """For the body of each letter to a seat the furthest state that is proved."""
    query = "SELECT body, state FROM deliveries JOIN entries USING (n) WHERE seat = ?"
    with closing(sqlite3.connect(store)) as connection:
        return dict(connection.execute(query, (seat,)))


def everything_new(party: Party) -> list[str]:
    """The bodies of all that a party is given until nothing is new."""
    bodies: list[str] = []
    while True:
        checked = party.run("check", "--json")
        assert checked.code == 0, checked.err
        letters = checked.json["letters"]
        if not letters:
            return bodies
        bodies += [letter["body"] for letter in letters]
