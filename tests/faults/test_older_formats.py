"""A store of an older format: it is brought up to date by whoever opens it first, and loses nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mailstop.engines.sqlite.connection import FORMAT
from mailstop.engines.sqlite.rebuild import tables
from tests.party import Party

OLD_INDEX = "CREATE TABLE letters (n INTEGER PRIMARY KEY, bag TEXT NOT NULL) STRICT"


@pytest.fixture
def old_store(seat: Callable[[str], Party], store: Path) -> Path:
    """A store of format 1, with one letter and an index as no program makes it any more."""
    builder = seat("builder")
    seat("reviewer")
    builder.send("reviewer", "written long ago")
    with closing(sqlite3.connect(store)) as opened:
        for table in tables():
            opened.execute(f"DROP TABLE {table}")
        opened.execute(OLD_INDEX)
        opened.execute("UPDATE format SET oldest_writer = 1")
        opened.execute("PRAGMA user_version = 1")
        opened.commit()
    return store


def test_its_index_is_folded_anew_and_its_letters_are_read(old_store: Path, seat: Callable[[str], Party]) -> None:
    reviewer = seat("reader")

    assert "written long ago" in reviewer.run("read").out
    with closing(sqlite3.connect(old_store)) as opened:
        assert opened.execute("PRAGMA user_version").fetchall() == [(FORMAT,)]
        assert opened.execute("SELECT oldest_writer FROM format").fetchall() == [(FORMAT,)]
