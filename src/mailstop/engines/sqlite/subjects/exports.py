"""Exports on SQLite: their queries. They fold nothing."""

from __future__ import annotations

from mailstop.engines.entry import Entry
from mailstop.engines.sqlite.rows import letter_of, receipt_of
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.json_text import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.sqlite.index import Tables
    from mailstop.letter import Letter
    from mailstop.receipt import Receipt

QUERY = named(sql_file("subjects/exports.sql"))

_ALWAYS = -(1 << 62)  # milliseconds: what was imported may be from before 1970


class SQLiteExports:
    """Reads only; see engines/contracts/exports.py."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def newest_entry(self) -> int:
        ((number,),) = self._tables.rows(QUERY["newest_entry"])
        return int(number)

    def counts(self, until: int, *, bag: str | None = None, since: int = 0) -> dict[str, int]:
        return dict(self._tables.rows(QUERY["counts"], {"until": until, "bag": bag, "since": since or _ALWAYS}))

    def page(
        self, after: int, until: int, types: Sequence[str], *, bag: str | None = None, since: int = 0, limit: int = 500
    ) -> tuple[list[Entry], int]:
        place = {"after": after, "until": until, "bag": bag, "since": since or _ALWAYS, "limit": limit}
        rows = self._tables.rows(QUERY["page"], {**place, "types": dumps(list(types))})
        wanted = [row for row in rows if row[6] is not None]
        entries = [
            Entry(on, kind, where, own, at, loads(data), body, n) for n, own, at, where, on, kind, data, body in wanted
        ]
        return entries, rows[-1][0] if rows else 0

    def receipts(self, first: int, last: int, until: int) -> list[Receipt]:
        rows = self._tables.rows(QUERY["receipts"], {"first": first, "last": last, "until": until})
        return list(map(receipt_of, rows))

    def names(self, ids: Sequence[str]) -> dict[str, tuple[int, str, str]]:
        return {
            own: (n, source, number)
            for own, n, source, number in self._tables.rows(QUERY["names"], {"ids": dumps(list(ids))})
        }

    def sources(self) -> list[str]:
        return [name.replace("=2E", ".") for (name,) in self._tables.rows(QUERY["sources"])]

    def conversations(self, after: int, until: int, *, bag: str | None = None, limit: int = 500) -> list[int]:
        place = {"after": after, "until": until, "bag": bag, "limit": limit}
        return [n for (n,) in self._tables.rows(QUERY["conversations"], place)]

    def conversation(
        self, thread: int, after: int, until: int, *, bag: str | None = None, since: int = 0, limit: int = 200
    ) -> list[Letter]:
        place = {
            "thread": thread,
            "after": after,
            "until": until,
            "bag": bag,
            "since": since or _ALWAYS,
            "limit": limit,
        }
        return [letter_of(row, self._tables.path) for row in self._tables.rows(QUERY["conversation"], place)]
