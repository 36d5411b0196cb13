"""Rescue: a new store made of all that can be read in a damaged one, in its place; the damaged one is kept.

Entries keep their numbers, ids, times and bodies. What is lost stays lost, and is said: new entries get numbers beyond
everything that was ever given, so that neither a letter's number nor an epoch comes back. Only the new file is
checked, never the old one again.
"""

from __future__ import annotations

import os
import time

from mailstop import faults
from mailstop.engines.sqlite import replacement
from mailstop.engines.sqlite.connection import translated
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.gate import Gate
from mailstop.engines.sqlite.pages import Pages
from mailstop.engines.sqlite.readable import Readable, gather
from mailstop.engines.sqlite.store_file import real_path
from mailstop.errors import StoreUnavailable
from mailstop.json_text import dumps
from mailstop.letter import new_id
from mailstop.names import DEFAULT_BAG
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.sqlite.readable import Progress

ROOM = 1000  # numbers: what is written after a rescue begins at a multiple of it
_STORE = "store"  # the subject of what happened to the store as a whole


class Rescued(Record):
    """A store that was repaired. damaged: where the old file is kept. readable: what was rescued from it, None when
    only the end of an earlier rescue was still to do."""

    damaged: str
    readable: Readable | None


def survey(path: str, progress: Progress) -> Readable:
    """Say what can be read; nothing is changed. Raises StoreUnavailable when the file cannot be opened."""
    path = real_path(path)
    try:
        with Pages(path) as pages:
            sqlite = sqlite3.connect("", isolation_level=None)  # a database of its own, which ends with it
            try:
                return gather(pages, sqlite, progress)
            finally:
                sqlite.close()
    except (sqlite3.Error, OSError) as error:
        raise translated(error, path) from None


def rescue(path: str, progress: Progress) -> Rescued:
    """Put a new store, made of all that can be read, in the place of a damaged one, which is kept beside it.

    Whenever it is interrupted, either the old store is there, or the new one, or whoever comes next finishes it.
    Raises StoreUnavailable or one of its kinds, also when there is nothing of ours to be read; then nothing was
    changed.
    """
    path = real_path(path)
    gate = Gate(path)
    try:
        with gate:
            damaged = replacement.finish(path)
            if damaged:
                return Rescued(damaged, None)
            replacement.sweep(path)
            rescued, _ = replacement.names(path, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
            readable = _build(path, rescued, progress)
            return Rescued(replacement.replace(path, rescued), readable)
    except (sqlite3.Error, OSError) as error:
        raise translated(error, path) from None
    finally:
        gate.close()


# -- the new file ----------------------------------------------------------------------------------------------------


def _build(path: str, rescued: str, progress: Progress) -> Readable:
    part = replacement.part_of(rescued)
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    try:
        sqlite = sqlite3.connect(part, isolation_level=None)
        try:
            sqlite.execute("PRAGMA journal_mode = MEMORY")
            sqlite.execute("PRAGMA synchronous = OFF")  # until it is whole; then it is synced at once
            with Pages(path) as pages:
                readable = gather(pages, sqlite, progress)
            if not readable.entries:
                raise StoreUnavailable(path=path, reason="no letter of mailstop can be read in it")
            _sign(sqlite, os.path.basename(path), readable)
            _check(sqlite, path, readable)
            sqlite.execute("PRAGMA journal_mode = WAL")
        finally:
            sqlite.close()
        faults.reach("rescued store built")
        replacement.complete(rescued)
    except BaseException:
        for name in (part, f"{part}-wal", f"{part}-shm"):
            if os.path.exists(name):
                os.unlink(name)
        raise
    return readable


def _sign(sqlite: sqlite3.Connection, name: str, readable: Readable) -> None:
    """Write down in the ledger that the store was rescued, with a number beyond all that were ever given."""
    ((last,),) = sqlite.execute("SELECT max(n) FROM entries").fetchall()
    last = max(last, readable.missing[-1][1] if readable.missing else 0)
    n = (last // ROOM + 1) * ROOM
    data = {"entries": readable.entries, "missing": [list(stretch) for stretch in readable.missing], "last": last}
    entry = (n, new_id(), time.time_ns() // 1_000_000, DEFAULT_BAG, _STORE, "rescued", dumps(data), None)
    sqlite.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry)


def _check(sqlite: sqlite3.Connection, path: str, readable: Readable) -> None:
    """Raise StoreUnavailable unless the new file is sound and holds what was counted."""
    found = sqlite.execute("PRAGMA integrity_check").fetchall()
    ((entries,),) = sqlite.execute("SELECT count(*) FROM entries").fetchall()
    ((letters,),) = sqlite.execute("SELECT count(*) FROM letters").fetchall()
    if found != [("ok",)] or (entries, letters) != (readable.entries + 1, readable.letters):
        raise StoreUnavailable(path=path, reason=f"the store made of what can be read is not sound ({found[0][0]})")
