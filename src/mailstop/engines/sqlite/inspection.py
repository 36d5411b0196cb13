"""Inspection: a look at a store that creates nothing and changes nothing, sound or not.

SQLite makes files beside a database that it only reads, and its last close plays a log back. So how a file is opened
for looking depends on what lies beside it.
"""

from __future__ import annotations

import os

from mailstop.config import SQLITE
from mailstop.engines.closing import Closing
from mailstop.engines.sqlite.board import SQLiteBoard
from mailstop.engines.sqlite.connection import FORMAT, MIGRATIONS, Connection, translated
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.gate import Gate
from mailstop.engines.sqlite.index import SQLiteIndex
from mailstop.engines.sqlite.ledger import SQLiteLedger
from mailstop.engines.sqlite.pages import Pages
from mailstop.engines.sqlite.readable import row_makes_sense
from mailstop.engines.sqlite.rebuild import tables
from mailstop.engines.sqlite.rows import letter_of
from mailstop.engines.sqlite.statements import sql_file
from mailstop.engines.sqlite.store_file import BUSY_S, real_path, refuse_lost, refuse_other
from mailstop.errors import StoreDamaged, StoreNewer, StoreUnavailable
from mailstop.json_text import loads
from mailstop.records import Record
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from mailstop.engines.base import Board, Index, Ledger
    from mailstop.engines.sqlite.readable import Progress

    Stage = Callable[[str], Progress]  # is told what begins, and gives what is told how far it is

_SEALED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
_STEPS = 200_000  # of SQLite's machine, between two signs of life
_MOST_NAMED = 3  # damaged things that are named one by one


class Contents(Record):
    """What the ledger of a sound store holds, and what its index has to hold for that, counted."""

    entries: int
    letters: int
    deliveries: int
    moves: int
    newest_at: int  # milliseconds since 1970; 0 without an entry


class Inspection(Record):
    """What was found. damage: what is damaged of the file, the ledger or the board, empty when they are sound.

    index: how the index differs from what the ledger says, as far as counting tells; empty when it does not.
    """

    format: int
    damage: str
    contents: Contents | None = None
    index: str = ""


class Look(Connection):
    """A store's file, open for looking only. Close it."""

    def __init__(self, path: str) -> None:
        """Open the file. Raises StoreUnavailable or one of its kinds."""
        self.path = path = real_path(path)
        self.gate = Gate(path)
        self._copy = ""
        try:
            self._looked_at = self._opened()
            self._looked_at.execute("PRAGMA query_only = 1")
        except (sqlite3.Error, OSError) as error:
            self._drop_copy()
            raise translated(error, path) from None

    @property
    def sqlite(self) -> sqlite3.Connection:
        """The connection itself."""
        return self._looked_at

    def follow(self) -> None:
        """Stay with the file that was opened."""

    def transaction(self, *, durable: bool = True) -> NoReturn:
        """Nothing is written. Raises StoreUnavailable."""
        raise StoreUnavailable(path=self.path, reason="it was opened only to look at it")

    def close(self) -> None:
        """Close the file."""
        self._looked_at.close()
        self._drop_copy()

    def _opened(self) -> sqlite3.Connection:
        log = f"{self.path}-wal"
        if not os.path.exists(log) or os.path.getsize(log) == 0:
            return _connected(self.path, "immutable=1")
        if os.path.exists(f"{self.path}-shm"):
            opened = _connected(self.path, "mode=ro")
            try:
                opened.execute("SELECT count(*) FROM sqlite_schema")
                return opened
            except sqlite3.Error as error:
                opened.close()
                if error.sqlite_errorcode & 0xFF not in _SEALED:
                    raise
        # The memory that readers share would have to be made, or cannot be written from this sandbox.
        self._copy = _copied(self.path)
        return _connected(os.path.join(self._copy, os.path.basename(self.path)), "mode=rw")

    def _drop_copy(self) -> None:
        if self._copy:
            import shutil

            shutil.rmtree(self._copy, ignore_errors=True)


class LookedAt(Closing):
    """A store that is open for looking only."""

    def __init__(self, look: Look) -> None:
        self.url = SQLITE + look.path
        self.ledger: Ledger = SQLiteLedger(look)
        self.board: Board = SQLiteBoard(look)
        self.index: Index = SQLiteIndex(look)

    def close(self) -> None:
        """Leave the file to whoever opened it."""


def _connected(path: str, mode: str) -> sqlite3.Connection:
    from urllib.parse import quote

    address = f"file:{quote(path)}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _copied(path: str) -> str:
    """A folder with a copy of the file and its log."""
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="mailstop-look-")
    for suffix in ("", "-wal"):
        shutil.copyfile(path + suffix, os.path.join(folder, os.path.basename(path)) + suffix)
    return folder


# -- what is wrong ---------------------------------------------------------------------------------------------------


def inspect(path: str, stage: Stage) -> Inspection:
    """Look at everything, as of one moment. Raises StoreNewer, StoreUnavailable for what is no damage of the file."""
    path = real_path(path)
    while True:
        before = _traces(path)
        found = _inspect(path, stage)
        # Without a log beside it the file was taken for one that nobody writes to.
        if not found.damage or _traces(path) == before:
            return found


def _inspect(path: str, stage: Stage) -> Inspection:
    try:
        refuse_lost(path)
        damage = _beginning(path) or _torn(path)
        look = Look(path)
        try:
            look.sqlite.execute("BEGIN")
            found = _format(look)
            damage = damage or _ledger_differs(look, found) or _unsound(look, stage("checking the file"))
            if damage:
                return Inspection(found, damage)
            contents = _contents(look, stage("reading every entry"))
            damage = _board_damage(look)
            if damage:
                return Inspection(found, damage)
            return Inspection(found, "", contents, _index_differs(look, contents) if found == FORMAT else "")
        finally:
            look.close()
    except StoreDamaged as error:
        return Inspection(0, str(error.details["reason"]))
    except OSError as error:
        raise translated(error, path) from None


def fingerprints(path: str, progress: Progress) -> dict[str, str]:
    """What tells the content of each table of the index from any other, as far as it is there; and of the ledger, by
    counting. Raises StoreUnavailable."""
    import hashlib

    look = Look(path)
    found = {}
    try:
        look.sqlite.execute("BEGIN")
        ((entries,),) = look.rows("SELECT count(*) FROM entries")
        for table in tables():
            told, done = hashlib.sha256(), 0
            try:
                for row in look.sqlite.execute(f"SELECT * FROM {table}"):
                    told.update(repr(row).encode("utf-8", "backslashreplace"))
                    done += 1
                    if done % 10_000 == 0:
                        progress(0, 0)
            except sqlite3.Error:  # it is missing
                continue
            found[table] = told.hexdigest()
    finally:
        look.close()
    return {**found, "entries": str(entries)}


def _traces(path: str) -> list[tuple[int, int]]:
    """What changes when somebody writes."""
    files = [name for name in (path, f"{path}-wal") if os.path.exists(name)]
    return [(os.stat(name).st_mtime_ns, os.stat(name).st_size) for name in files]


def _beginning(path: str) -> str:
    """That the file begins as no database does: nobody opens it then, though the log may hold its first page."""
    try:
        refuse_other(path)
    except StoreDamaged as error:
        return str(error.details["reason"])
    except StoreUnavailable:  # SQLite, which reads the log too, will tell
        pass
    return ""


def _torn(path: str) -> str:
    """That the log holds commits behind a damaged place, which SQLite takes for its end.

    Ask before SQLite has the file open in this process: see Pages.
    """
    for _ in range(2):  # somebody may be writing it while it is read
        with Pages(path) as pages:
            torn = pages.log.torn
        if not torn:
            return ""
    return f"its log is torn: {torn} pages that were committed lie behind the damage"


def _format(look: Look) -> int:
    ((found,),) = look.rows("PRAGMA user_version")
    if found > FORMAT:
        ((oldest_writer,),) = look.rows("SELECT oldest_writer FROM format")
        if oldest_writer > FORMAT:
            raise StoreNewer(path=look.path, found=found, known=FORMAT)
    return int(found)


def _ledger_differs(look: Look, found: int) -> str:
    """How the tables of ledger and board differ from those of the file's format."""
    if found == 0:
        return "its format is not written in it"
    return _differing(look, _schema(*MIGRATIONS[:found])) if found <= FORMAT else ""


def _contents(look: Look, progress: Progress) -> Contents:
    """Read every entry as its readers do. Raises StoreDamaged, which names those that cannot be read."""
    ((total,),) = look.rows("SELECT count(*) FROM entries")
    sqlite, bad = look.sqlite, []
    counts = {"letter": 0, "taken": 0, "left": 0}
    entries = deliveries = newest_at = 0
    sqlite.text_factory = bytes  # one text that is not UTF-8 must not hide the others
    try:
        for row in sqlite.execute("SELECT n, id, at, bag, data, body, type, subject FROM entries ORDER BY n"):
            try:
                texts: list[Any] = [value.decode() if isinstance(value, bytes) else value for value in row]
                n, entry_id, newest_at, bag, data, body, kind, _subject = texts
                if any(isinstance(text, str) and "\0" in text for text in texts):  # a page that was zeroed
                    raise ValueError("no text of ours holds NUL")
                if kind in ("letter", "imported"):
                    letter = letter_of((n, entry_id, newest_at, bag, data, body, None, n), look.path)
                    deliveries += 0 if letter.imported else len(set(letter.to))
                else:
                    loads(data)
                counts[kind] = counts.get(kind, 0) + 1
            except (ValueError, StoreDamaged):
                bad.append(row[0])
            entries += 1
            if entries % 1000 == 0:
                progress(entries, total)
    except sqlite3.Error as error:
        raise translated(error, look.path) from None
    finally:
        sqlite.text_factory = str
    if bad:
        named = ", ".join(map(str, bad[:_MOST_NAMED])) + (", ..." if len(bad) > _MOST_NAMED else "")
        raise StoreDamaged(
            path=look.path, reason=f"of {counted(total, 'entry', 'entries')} {len(bad)} cannot be read: {named}"
        )
    letters = counts["letter"] + counts.get("imported", 0)
    moves = counts["taken"] + counts["left"] + counts.get("imported_move", 0)
    return Contents(entries, letters, deliveries, moves, newest_at)


def _board_damage(look: Look) -> str:
    for key, value in look.rows("SELECT key, value FROM board"):
        try:
            sound = row_makes_sense(key, value)
        except (ValueError, TypeError):
            sound = False
        if not sound:
            return f"the board's row {key!r} cannot be read"
    return ""


def _index_differs(look: Look, contents: Contents) -> str:
    """How the index differs from the ledger, as far as counting tells; empty when it does not."""
    differing = _differing(look, _schema("index.sql"))
    if differing:
        return differing
    for table in ("letters", "deliveries", "moves"):
        ((found,),) = look.rows(f"SELECT count(*) FROM {table}")
        wanted = getattr(contents, table)
        if found != wanted:
            return f"{found} {table} are in the index, {wanted} in the ledger"
    return ""


def _unsound(look: Look, progress: Progress) -> str:
    sqlite = look.sqlite
    sqlite.set_progress_handler(lambda: progress(0, 0), _STEPS)
    try:
        found = [text for (text,) in look.rows(f"PRAGMA integrity_check({_MOST_NAMED})")]
    finally:
        sqlite.set_progress_handler(None, _STEPS)
    return "" if found == ["ok"] else "; ".join(" ".join(text.split()) for text in found)


def _differing(look: Look, wanted: dict[str, str]) -> str:
    """Which tables or indexes are missing or others than they have to be; empty when all are there."""
    found = dict(look.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    missing = [name for name in wanted if name not in found]
    other = [name for name in wanted if name in found and _words(found[name]) != _words(wanted[name])]
    missing_text = f"there is no {', no '.join(missing)}" if missing else ""
    return missing_text or (f"{', '.join(other)} is not as it has to be" if other else "")


def _schema(*scripts: str) -> dict[str, str]:
    """What these files make in an empty database, by name."""
    sqlite = sqlite3.connect(":memory:")
    for script in scripts:
        sqlite.executescript(sql_file(script))
    found: dict[str, str] = dict(sqlite.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall())
    sqlite.close()
    return found


def _words(sql: Any) -> list[str]:
    return str(sql).split()
