"""Budgets and limits on SQLite: their fold and their queries."""

from __future__ import annotations

from mailstop.engines.sqlite.fold import know
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.limits import Budget, Limits
from mailstop.names import PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.driver import sqlite3
    from mailstop.engines.sqlite.index import Tables

QUERY = named(sql_file("subjects/budgets.sql"))


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A budget was opened or closed, or limits were set; where nobody has been before, that makes the bag."""
    data = entry.data
    if entry.type == "limits_set":
        settings = {name: data.get(name) for name in Limits.fields}
        sqlite.execute(QUERY["set_limits"], {"bag": entry.bag, **settings})
    else:
        sqlite.execute(QUERY["close"], {"bag": entry.bag})
        if entry.type == "budget_opened":
            opening = {"bag": entry.bag, "n": entry.n, "allowed": data["limit"], "opened": entry.at}
            sqlite.execute(QUERY["open_next"], opening)
    know(sqlite, entry, PERSON)


def spend(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A letter was stored that its bag's budget covers."""
    ordinal, _slot, _limit = entry.data["budget"]
    sqlite.execute(QUERY["spend"], {"bag": entry.bag, "ordinal": ordinal})


class SQLiteBudgets:
    """Reads only; the fold writes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def limits(self, bag: str) -> Limits:
        rows = self._tables.rows(QUERY["limits"], {"bag": bag})
        return Limits.of(rows[0]) if rows else Limits()

    def open(self, bag: str) -> Budget | None:
        return self._first("open", bag)

    def last(self, bag: str) -> Budget | None:
        return self._first("last", bag)

    def _first(self, query: str, bag: str) -> Budget | None:
        for row in self._tables.rows(QUERY[query], {"bag": bag}):
            budget = Budget(*row[:6])
            return budget if row[6] else budget.but(open=False)
        return None
