"""Asks on SQLite: the questions and what became of them."""

from __future__ import annotations

from mailstop.ask import ANSWERED, CANCELED, Ask
from mailstop.engines.sqlite.statements import named, sql_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.index import Tables

_QUERY = named(sql_file("subjects/asks.sql"))
_ENDS = {"ask_answered": ANSWERED, "ask_canceled": CANCELED}


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A letter that asks, or the end of a question. Of several ends the first counts."""
    data = entry.data
    if entry.type == "letter":
        values = {"n": entry.n, "id": entry.id, "bag": entry.bag, "asker": data["from"], "asked": data["to"][0]}
        sqlite.execute(_QUERY["opened"], values)
        return
    state = _ENDS[entry.type]
    end = {"id": data["ask"], "state": state, "answer": data.get("answer"), "at": entry.at, "by": data["seat"]}
    sqlite.execute(_QUERY["ended"], end)
    if state == CANCELED:
        sqlite.execute(_QUERY["forgiven"], {"id": data["ask"], "bag": entry.bag})


class SQLiteAsks:
    """See `engines.contracts.asks`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def ask(self, n: int) -> Ask | None:
        return next((Ask(*row) for row in self._tables.rows(_QUERY["ask"], {"n": n})), None)

    def open(
        self, *, bag: str | None = None, asker: str | None = None, asked: str | None = None, limit: int = 100
    ) -> list[Ask]:
        values: dict[str, Any] = {"bag": bag, "asker": asker, "asked": asked, "limit": limit}
        return [Ask(*row) for row in self._tables.rows(_QUERY["open"], values)]

    def count_open(self, *, bag: str | None = None, asker: str | None = None, asked: str | None = None) -> int:
        ((count,),) = self._tables.rows(_QUERY["count_open"], {"bag": bag, "asker": asker, "asked": asked})
        return int(count)
