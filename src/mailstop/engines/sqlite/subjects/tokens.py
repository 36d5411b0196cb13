"""Tokens on SQLite: their fold and their queries."""

from __future__ import annotations

from mailstop.engines.sqlite.fold import know
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.names import PERSON
from mailstop.token import Token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.driver import sqlite3
    from mailstop.engines.sqlite.index import Tables

QUERY = named(sql_file("subjects/tokens.sql"))


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A token was created or revoked; where nobody has been before, a token for a seat makes the bag."""
    data = entry.data
    if entry.type == "token_revoked":
        sqlite.execute(QUERY["revoke"], {"id": data["token"], "n": entry.n, "at": entry.at})
        return
    bag = "" if data["seat"] == PERSON else entry.bag
    created = {"id": data["token"], "n": entry.n, "bag": bag, "seat": data["seat"], "digest": data["digest"]}
    sqlite.execute(QUERY["create"], {**created, "created": entry.at, "expires": data["expires"]})
    if bag:
        know(sqlite, entry, PERSON)


class SQLiteTokens:
    """Reads only; the fold writes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def token(self, token_id: str) -> Token | None:
        rows = self._tables.rows(QUERY["token"], {"id": token_id})
        return Token(*rows[0]) if rows else None

    def all(self, bag: str | None = None) -> list[Token]:
        return [Token(*row) for row in self._tables.rows(QUERY["all"], {"bag": bag})]

    def was_any_created(self) -> bool:
        return bool(self._tables.rows(QUERY["was_any_created"]))

    def counts_any(self, now: int) -> bool:
        return bool(self._tables.rows(QUERY["counts_any"], {"now": now}))
