"""Leaders: who leads each project, by the last entry about it."""

from __future__ import annotations

from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.leadership import Leadership

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.index import Tables

_QUERY = named(sql_file("subjects/leaders.sql"))


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A term begins, or is ended. An ending of another term than the last ends nothing."""
    data = entry.data
    if entry.type == "led":
        sqlite.execute(
            _QUERY["begin"],
            {
                "bag": entry.bag,
                "n": entry.n,
                "at": entry.at,
                "forced": data.get("forced", False),
                **{name: data[name] for name in ("project_id", "project", "seat", "session")},
            },
        )
        return
    place = (entry.bag, data["project_id"])
    sqlite.execute("UPDATE leaders SET last = ? WHERE bag = ? AND project_id = ?", (entry.n, *place))
    sqlite.execute(
        "UPDATE leaders SET seat = '', session = '', epoch = 0, since = ?, forced = 0, reason = ? "
        "WHERE bag = ? AND project_id = ? AND term = ?",
        (entry.at, data.get("reason", ""), *place, data["term"]),
    )


class SQLiteLeaders:
    """Reads only; see engines/contracts/leaders.py."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self, bag: str, project_id: str) -> Leadership | None:
        return next(iter(self._found("of", bag=bag, project_id=project_id)), None)

    def of_session(self, session: str) -> list[Leadership]:
        return self._found("of_session", session=session)

    def all(self, bag: str | None = None) -> list[Leadership]:
        return self._found("all", bag=bag)

    def _found(self, query: str, **values: Any) -> list[Leadership]:
        return [_leadership(row) for row in self._tables.rows(_QUERY[query], values)]


def _leadership(row: tuple[Any, ...]) -> Leadership:
    bag, project_id, project, last, term, seat, session, epoch, since, forced, reason = row
    return Leadership(bag, project_id, project, last, term, seat, session, epoch, since, bool(forced), reason)
