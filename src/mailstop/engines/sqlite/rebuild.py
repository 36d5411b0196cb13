"""Rebuild: the index folded anew from the ledger of a sound file.

All of it is one transaction behind the gate. Readers see the old index until it is done; writers wait as they always
do, and are told who keeps them waiting; a process that is killed in between leaves the old index as it was.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry
from mailstop.engines.sqlite.connection import Connection, statements_of
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.fold import fold
from mailstop.engines.sqlite.statements import sql_file
from mailstop.json_text import loads
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.engines.sqlite.readable import Progress

PAGE_ENTRIES = 500

_NO_ENTRY = (ValueError, KeyError, TypeError, AttributeError, sqlite3.IntegrityError, sqlite3.ProgrammingError)


class Rebuilt(Record):
    """What was folded. skipped: numbers of entries that are kept and say nothing that can be understood."""

    entries: int
    skipped: tuple[int, ...] = ()


def rebuild(path: str, progress: Progress) -> Rebuilt:
    """Drop the index of the store at `path`, and fold its whole ledger again. The search's text is dropped as well,
    and folded by whoever searches next.

    progress: is told how many entries are folded, and of how many.
    Raises StoreUnavailable or one of its kinds; then nothing was changed.
    """
    connection = Connection(path)
    try:
        with connection.transaction() as sqlite:
            return refold(sqlite, progress)
    finally:
        connection.close()


def refold(sqlite: sqlite3.Connection, progress: Progress | None = None) -> Rebuilt:
    """Drop the index, and fold the whole ledger again, inside the transaction that is open."""
    _empty(sqlite)
    ((total,),) = sqlite.execute("SELECT count(*) FROM entries").fetchall()
    done, skipped = 0, []
    for page in _pages(sqlite):
        skipped += [row[0] for row in page if not fold_row(sqlite, row)]
        done += len(page)
        if progress:
            progress(done, total)
    return Rebuilt(done, tuple(skipped))


def tables() -> list[str]:
    """The names of the tables that make up the index, as `index.sql` creates them."""
    scratch = sqlite3.connect(":memory:", isolation_level=None)
    try:
        scratch.executescript(sql_file("index.sql"))
        return [name for (name,) in scratch.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    finally:
        scratch.close()


def _empty(sqlite: sqlite3.Connection) -> None:
    for table in (*tables(), "search", "search_cursor"):
        sqlite.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in statements_of(sql_file("index.sql")):
        sqlite.execute(statement)


def _pages(sqlite: sqlite3.Connection) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while page := sqlite.execute(
        "SELECT n, id, at, bag, subject, type, data, body FROM entries WHERE n > ? ORDER BY n LIMIT ?",
        (last, PAGE_ENTRIES),
    ).fetchall():
        yield page
        last = page[-1][0]


def fold_row(sqlite: sqlite3.Connection, row: tuple[Any, ...]) -> bool:
    """Fold one entry, whole or not at all; False when it is none."""
    n, entry_id, at, bag, subject, kind, data, body = row
    sqlite.execute("SAVEPOINT entry")
    try:
        fold(sqlite, Entry(subject, kind, bag, entry_id, at, loads(data), body, n))
    except _NO_ENTRY:
        sqlite.execute("ROLLBACK TO entry")
        return False
    finally:
        sqlite.execute("RELEASE entry")
    return True
