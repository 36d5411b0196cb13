"""Search: the full text of letters, folded by whoever searches and never by a sender.

It has a cursor of its own and is brought up to date in short transactions behind the gate, so a sender waits for one
page at most. Only the beginning of a body can be searched.
"""

from __future__ import annotations

from mailstop import faults
from mailstop.engines.sqlite.connection import statements_of
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.sqlite.index import Tables

SEARCHED_BYTES = 16 * 1024  # of each body
PAGE_LETTERS = 500  # in one transaction
PAGE_CHARACTERS = 128 * 1024  # in one transaction: some 25 ms of work

_SQL = named(sql_file("search.sql"))


class Search:
    """The full text of one store."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def numbers(self, text: str, *, bag: str | None, before: int, limit: int) -> list[int]:
        """The numbers of the letters below `before` that hold all words of `text`, newest first.

        Raises StoreUnavailable where this Python's SQLite knows no full text.
        """
        self._prepare()
        ((newest,),) = self._tables.rows("SELECT coalesce(max(n), 0) FROM letters")
        while self._fold_page(newest):
            pass
        values = {"terms": quoted(text), "bag": bag, "before": before, "limit": limit}
        return [n for (n,) in self._tables.rows(_SQL["found"], values)]

    def _prepare(self) -> None:
        ((ready,),) = self._tables.rows(_SQL["ready"])
        if ready:
            return
        with self._tables.transaction() as sqlite:
            try:
                for statement in statements_of(_SQL["tables"] + ";"):
                    sqlite.execute(statement)
            except sqlite3.OperationalError as error:
                if "fts5" not in str(error):
                    raise
                reason = "this Python's SQLite was built without full-text search (FTS5)"
                raise StoreUnavailable(path=self._tables.path, reason=reason) from None

    def _fold_page(self, until: int) -> bool:
        """Add the next letters up to number `until`; False when there are none."""
        ((folded,),) = self._tables.rows(_SQL["cursor"])
        values = {"after": folded, "until": until, "characters": SEARCHED_BYTES, "limit": PAGE_LETTERS}
        page = _bounded(self._tables.rows(_SQL["unfolded"], values))
        if not page:
            return False
        with self._tables.transaction() as sqlite:
            ((now,),) = sqlite.execute(_SQL["cursor"]).fetchall()
            if now == folded:  # else somebody who searches too was faster
                sqlite.executemany(_SQL["add"], page)
                faults.reach("page of text folded")
                sqlite.execute(_SQL["advance"], (page[-1][0],))
        return True


def _bounded(rows: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    page, characters = [], 0
    for n, body in rows:
        begin = body.encode("utf-8", "replace")[:SEARCHED_BYTES].decode("utf-8", "ignore")
        page.append((n, begin))
        characters += len(begin)
        if characters >= PAGE_CHARACTERS:
            break
    return page


def quoted(text: str) -> str:
    """`text` as a query of FTS5 in which nothing is syntax: each word a phrase, and all of them needed."""
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    return " ".join('"' + word.replace('"', '""') + '"' for word in text.split()) or '""'
