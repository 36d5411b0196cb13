"""Imported letters on SQLite: their fold and their queries.

In the index they are letters whose sender is nobody (the empty name), so that no seat's rate, mail or last letters
count them; they have no deliveries and no receipts. One that was said in a channel lies in `#general` beside
`general`, a channel that nobody can read or write, and only history looks there.
"""

from __future__ import annotations

from mailstop.engines.entry import subject, token
from mailstop.engines.sqlite.fold import know, place
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.json_text import dumps, loads
from mailstop.names import PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.driver import sqlite3
    from mailstop.engines.sqlite.index import SQLiteIndex, Tables
    from mailstop.letter import Letter
    from mailstop.past import Batch

QUERY = named(sql_file("subjects/imports.sql"))
_ADD = "INSERT INTO letters VALUES (?, ?, '', 0, ?, ?, ?, 'nobody')"


IMPORTED = "imported"  # the type of a letter's entry


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A letter or a move was imported, or a batch of them begins, which makes its bag."""
    if entry.type == IMPORTED:
        fold_letters(sqlite, [(entry.n, entry)])
    elif entry.type == "imported_move":
        sqlite.execute("INSERT INTO moves VALUES (?, ?, '', 'imported')", (entry.n, entry.bag))
    else:
        know(sqlite, entry, PERSON)


def fold_letters(sqlite: sqlite3.Connection, entries: Sequence[tuple[int, Entry]]) -> None:
    """Letters were imported, many of them at once, with these numbers."""
    rows: list[tuple[int, str, int | None, int, str | None]] = []
    for n, entry in entries:
        data = entry.data
        ref, thread = None, n
        if "ref" in data:  # it may answer one of those before it
            sqlite.executemany(_ADD, rows)
            rows = []
            ref, thread = place(sqlite, data["ref"], n)
        rows.append((n, entry.bag, ref, thread, f"#{data['channel']}" if "channel" in data else None))
    sqlite.executemany(_ADD, rows)


class SQLiteImports:
    """Reads only; see engines/contracts/imports.py."""

    def __init__(self, tables: Tables, index: SQLiteIndex) -> None:
        self._tables = tables
        self._index = index

    def known(self, ids: Sequence[str]) -> dict[str, str]:
        return dict(self._tables.rows(QUERY["known"], {"ids": dumps(list(ids))}))

    def numbered(self, source: str, number: str, bag: str | None = None) -> list[tuple[int, str]]:
        if bag is not None:
            return self._tables.rows(QUERY["numbered_in"], {"subject": _subject(source, number, bag)})
        first = f"{subject('imported', source, number)}."
        return self._tables.rows(QUERY["numbered"], {"first": first, "past": f"{first[:-1]}/"})

    def id_of(self, source: str, number: str, bag: str) -> str | None:
        rows = self._tables.rows(QUERY["id_of"], {"subject": _subject(source, number, bag)})
        return str(rows[0][0]) if rows else None

    def batch_of(self, n: int) -> Batch | None:
        from mailstop.past import BATCHES, Batch

        rows = self._tables.rows(QUERY["batch_of"], {"subject": BATCHES, "n": n})
        if not rows:
            return None
        number, at, bag, text = rows[0]
        data = loads(text)
        return Batch(number, at, bag, data["source"], data["kind"], data["path"], data.get("session", ""))

    def newest(self, bag: str) -> Letter | None:
        ((n,),) = self._tables.rows(QUERY["newest"], {"bag": bag})
        return self._index.letter(n) if n else None


def _subject(source: str, number: str, bag: str) -> str:
    return ".".join(("imported", token(source), token(number), token(bag)))
