"""Channels: who reads which, how far each reader has heard it, and which channel is whose project's.

A letter that is said in a channel leaves one row, however many read it. What a seat has heard is a position in the
channel; what it heard out of order lies in `heard` until the gap before it has closed.
"""

from __future__ import annotations

from mailstop.channel import Channel, Reader
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.names import GENERAL, LEADING, PERSON, name_from, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.index import Tables

_QUERY = named(sql_file("subjects/channels.sql"))
_BEHIND_ALL = 1 << 62


# -- the fold ---------------------------------------------------------------------------------------------------------


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A seat begins or ceases to read a channel on purpose."""
    seat, channel = entry.data["seat"], entry.data["channel"]
    if entry.type == "channel_joined":
        _reads(sqlite, entry, seat, channel)
        return
    for table in ("readers", "heard"):
        sqlite.execute(f"DELETE FROM {table} WHERE bag = ? AND seat = ? AND channel = ?", (entry.bag, seat, channel))


def taken(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A seat is taken: it reads what everyone reads, and its project's channel. What was said before is history."""
    seat = entry.data["seat"]
    channels = [GENERAL, LEADING]
    if entry.data.get("project_id"):
        channels.append(_project_channel(sqlite, entry))
    for channel in channels:
        _reads(sqlite, entry, seat, channel)


def said(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """A letter is said in a channel. Who has heard all that others said before it goes along with its own words.

    The person, who takes no seat, reads `#general` from its first letter on.
    """
    channel = entry.data["channel"]
    if channel == GENERAL:
        values = (entry.bag, PERSON, GENERAL, entry.n - 1, entry.n - 1)
        sqlite.execute("INSERT OR IGNORE INTO readers VALUES (?, ?, ?, ?, ?)", values)
    place = {"bag": entry.bag, "seat": entry.data["from"], "channel": channel, "n": entry.n}
    if sqlite.execute(_QUERY["caught_up"], place).fetchall() == [(1,)]:
        _move(sqlite, place)
    for seat in entry.data.get("told", ()):  # who knows it by an act of their own
        hear(sqlite, entry.bag, seat, entry.n)


def hear(sqlite: sqlite3.Connection, bag: str, seat: str, n: int) -> None:
    """A letter of a channel was shown at a seat, in whatever order."""
    rows = sqlite.execute(_QUERY["behind"], {"bag": bag, "seat": seat, "n": n}).fetchall()
    for channel, position in rows:
        place = {"bag": bag, "seat": seat, "channel": channel, "position": position}
        sqlite.execute("INSERT OR IGNORE INTO heard VALUES (?, ?, ?, ?)", (bag, seat, channel, n))
        first = sqlite.execute(_QUERY["first_unheard"], place).fetchall()
        before = {**place, "n": first[0][0] if first else _BEHIND_ALL}
        ((last,),) = sqlite.execute(_QUERY["last_before"], before).fetchall()
        if last is not None and last > position:
            _move(sqlite, {**place, "n": last})


def _move(sqlite: sqlite3.Connection, place: dict[str, Any]) -> None:
    """Move a reader's position to letter `n`, and forget what lies before it."""
    sqlite.execute("UPDATE readers SET position = :n WHERE bag = :bag AND seat = :seat AND channel = :channel", place)
    sqlite.execute("DELETE FROM heard WHERE bag = :bag AND seat = :seat AND channel = :channel AND n <= :n", place)


def _reads(sqlite: sqlite3.Connection, entry: Entry, seat: str, channel: str) -> None:
    values = (entry.bag, seat, channel, entry.n, entry.n)
    sqlite.execute("INSERT OR IGNORE INTO readers VALUES (?, ?, ?, ?, ?)", values)


def _project_channel(sqlite: sqlite3.Connection, entry: Entry) -> str:
    """The channel of the entry's project: named like it, and with a number where another project of the bag has that
    name, or every bag has such a channel."""
    bag, project_id = entry.bag, entry.data["project_id"]
    for (channel,) in sqlite.execute(
        "SELECT channel FROM projects WHERE bag = ? AND project_id = ?", (bag, project_id)
    ).fetchall():
        return str(channel)
    base = name_from(entry.data.get("project") or "project")
    number, channel = 1, base
    while channel in (GENERAL, LEADING) or _is_taken(sqlite, bag, channel):
        number += 1
        channel = numbered(base, number)
    sqlite.execute("INSERT INTO projects VALUES (?, ?, ?)", (bag, project_id, channel))
    return channel


def _is_taken(sqlite: sqlite3.Connection, bag: str, channel: str) -> bool:
    found = sqlite.execute("SELECT 1 FROM projects WHERE bag = ? AND channel = ?", (bag, channel))
    return bool(found.fetchall())


# -- what an index is asked -------------------------------------------------------------------------------------------


class SQLiteChannels:
    """Reads only; see engines/contracts/channels.py."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def exists(self, bag: str, channel: str) -> bool:
        if channel in (GENERAL, LEADING):
            return True
        ((exists,),) = self._rows("exists", bag=bag, channel=channel)
        return bool(exists)

    def all(self, bag: str) -> list[Channel]:
        found = {name: Channel(name, readers, last) for name, readers, last in self._rows("all", bag=bag)}
        for name in (GENERAL, LEADING):
            found.setdefault(name, Channel(name, 0, 0))
        return [found[name] for name in sorted(found)]

    def of_project(self, bag: str, project_id: str) -> str | None:
        rows = self._rows("of_project", bag=bag, project_id=project_id)
        return str(rows[0][0]) if rows else None

    def readers(self, bag: str, channel: str) -> list[Reader]:
        return [Reader(*row) for row in self._rows("readers", bag=bag, channel=channel)]

    def read_by(self, bag: str, seat: str) -> list[Reader]:
        return [Reader(*row) for row in self._rows("read_by", bag=bag, seat=seat)]

    def unread_by(self, bag: str, seat: str) -> dict[str, int]:
        return {str(channel): int(count) for channel, count in self._rows("unread_by", bag=bag, seat=seat)}

    def readers_of_letter(self, n: int) -> list[Reader]:
        rows = self._tables.rows("SELECT bag, channel, sender FROM letters WHERE n = ? AND channel IS NOT NULL", (n,))
        for bag, channel, sender in rows:
            there = [reader for reader in self.readers(bag, channel) if reader.since < n and reader.seat != sender]
            return [self._with_ahead(reader) for reader in there]
        return []

    def _with_ahead(self, reader: Reader) -> Reader:
        rows = self._rows("heard", bag=reader.bag, seat=reader.seat, channel=reader.channel)
        return reader.but(ahead=tuple(n for (n,) in rows))

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._tables.rows(_QUERY[query], values)
