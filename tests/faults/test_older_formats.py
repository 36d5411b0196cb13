"""A store of an older format: it is brought up to date by whoever opens it first, and loses nothing. An older program
that has it open all the while writes nothing into the newer one."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mailstop.config import store_url
from mailstop.engines import open_store
from mailstop.engines.entry import Entry
from mailstop.engines.row import Put
from mailstop.engines.sqlite import connection
from mailstop.engines.sqlite.connection import FORMAT
from mailstop.engines.sqlite.rebuild import tables
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import StoreDamaged, StoreNewer
from mailstop.letter import new_id
from tests.party import Party, Person

OLD_INDEX = "CREATE TABLE letters (n INTEGER PRIMARY KEY, bag TEXT NOT NULL) STRICT"


@pytest.fixture(params=range(1, FORMAT))
def old_store(request: pytest.FixtureRequest, seat: Callable[[str], Party], store: Path) -> Path:
    """A store of an older format, with one letter and an index as no program makes it any more."""
    builder = seat("builder")
    seat("reviewer")
    builder.send("reviewer", "written long ago")
    with closing(sqlite3.connect(store)) as opened:
        for table in tables():
            opened.execute(f"DROP TABLE {table}")
        opened.execute(OLD_INDEX)
        opened.execute(f"UPDATE format SET oldest_writer = {request.param}")
        opened.execute(f"PRAGMA user_version = {request.param}")
        opened.commit()
    return store


def test_its_index_is_folded_anew_and_its_letters_are_read(old_store: Path, seat: Callable[[str], Party]) -> None:
    reviewer = seat("reader")

    assert "written long ago" in reviewer.run("read").out
    with closing(sqlite3.connect(old_store)) as opened:
        assert opened.execute("PRAGMA user_version").fetchall() == [(FORMAT,)]
        assert opened.execute("SELECT oldest_writer FROM format").fetchall() == [(FORMAT,)]


def test_it_tells_how_far_it_is_and_a_store_of_this_format_tells_nothing(old_store: Path) -> None:
    told: list[tuple[int, int]] = []

    for _ in range(2):
        open_store(store_url(str(old_store)), progress=lambda done, total: told.append((done, total))).close()

    with closing(sqlite3.connect(old_store)) as opened:
        ((entries,),) = opened.execute("SELECT count(*) FROM entries").fetchall()
    assert told == [(entries, entries)]


# Open a store as a verb does for this caller, with a progress that waits for no moment; then say what was imported.
OPEN = """
import sys
from mailstop.clients.caller import Caller
from mailstop.cli.opening import store_at
if sys.argv[3] == "slowly":
    from mailstop.cli import progress
    progress.PATIENCE_S = 0.0
store_at(Caller(sys.argv[2]), sys.argv[1]).close()
print("imported" if "mailstop.cli.progress" in sys.modules else "lean")
"""
LINE = "bringing the store to a newer format"


def opened_by(person: Person, path: Path, who: str, pace: str) -> str:
    """What appears on the terminal."""
    return person.call([sys.executable, "-c", OPEN, store_url(str(path)), who, pace], terminal=True).out


def test_the_person_at_a_terminal_sees_how_far_it_is_once(old_store: Path, own_home: Path) -> None:
    with Person(own_home) as person:
        first = opened_by(person, old_store, "person", "slowly")
        second = opened_by(person, old_store, "person", "slowly")

    assert f"{LINE} [########################] 100 %" in first
    assert LINE not in second


def test_a_client_at_a_terminal_sees_nothing_of_it(old_store: Path, own_home: Path) -> None:
    with Person(own_home) as person:
        assert opened_by(person, old_store, "client", "slowly").split() == ["imported"]


def test_for_a_store_of_this_format_the_person_imports_nothing_more(store: Path, own_home: Path) -> None:
    SQLiteStore(str(store)).close()
    with Person(own_home) as person:
        assert opened_by(person, store, "person", "usual").split() == ["lean"]


# -- a newer program comes while an older one has the store open

NEWER = """
import sqlite3, sys
opened = sqlite3.connect(sys.argv[1], isolation_level=None)
opened.executescript("BEGIN IMMEDIATE; " + sys.argv[2] + " PRAGMA user_version = 99; COMMIT;")
"""
NEEDS_IT = "UPDATE format SET oldest_writer = 99;"


def brought_up_to_date(path: Path, *changes: str) -> None:
    """Another process brings the store to another format, as a newer program's first opening does."""
    subprocess.run([sys.executable, "-c", NEWER, str(path), " ".join(changes)], check=True)


def entry() -> Entry:
    return Entry("letters.default", "note", "default", new_id(), 1_700_000_000_000, {})


WRITES: dict[str, Callable[[SQLiteStore], object]] = {
    "an entry": lambda store: store.ledger.append([entry()]),
    "a row": lambda store: store.board.change([Put("row", {})]),
}


@pytest.mark.parametrize("write", WRITES)
def test_an_older_program_that_has_it_open_writes_nothing_into_a_newer_format(tmp_path: Path, write: str) -> None:
    path = tmp_path / "mail.db"
    with SQLiteStore(str(path)) as older:
        before = older.ledger.append([entry()])
        brought_up_to_date(path, NEEDS_IT)

        for _ in range(2):
            with pytest.raises(StoreNewer) as refusal:
                WRITES[write](older)

        with pytest.raises(StoreNewer) as at_opening:
            SQLiteStore(str(path))
        assert refusal.value.message == at_opening.value.message
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("SELECT max(n) FROM entries").fetchall() == [(before,)]
        assert opened.execute("SELECT * FROM board").fetchall() == []


@pytest.mark.parametrize("write", WRITES)
def test_where_the_newer_format_lets_it_an_older_program_that_has_it_open_goes_on(tmp_path: Path, write: str) -> None:
    path = tmp_path / "mail.db"
    with SQLiteStore(str(path)) as older:
        brought_up_to_date(path)

        WRITES[write](older)


def test_who_only_reads_is_told_after_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOOK_S", 0.0)
    path = tmp_path / "mail.db"
    with SQLiteStore(str(path)) as older:
        brought_up_to_date(path, NEEDS_IT)

        with pytest.raises(StoreNewer):
            older.index.newest()


@pytest.mark.parametrize(("newer", "refusal"), [(True, StoreNewer), (False, StoreDamaged)])
def test_tables_that_a_newer_program_has_changed_are_not_called_damaged(
    tmp_path: Path, newer: bool, refusal: type[Exception]
) -> None:
    path = tmp_path / "mail.db"
    with SQLiteStore(str(path)) as older:
        if newer:
            brought_up_to_date(path, NEEDS_IT, "DROP TABLE seats;")
        else:
            older._connection.sqlite.execute("DROP TABLE seats")

        with pytest.raises(refusal):
            older.index.seats()
