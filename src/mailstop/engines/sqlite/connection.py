"""Connection: one SQLite file opened the way a ledger needs it, and errors in mailstop's words.

WAL, `synchronous=FULL`: a commit that returned is on disk. Short transactions, each behind the gate. The schema's
version is `user_version`; a file of a newer format, of another program, or damaged is refused and left as it is.
"""

from __future__ import annotations

import os

from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.file_system import refuse_network
from mailstop.engines.sqlite.gate import Gate
from mailstop.engines.sqlite.statements import sql_file
from mailstop.errors import (
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreNewer,
    StoreUnavailable,
    Uncertain,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

MIGRATIONS = ("migrations/0001_ledger_board_index.sql",)
FORMAT = len(MIGRATIONS)
APPLICATION = 0x6D737470  # "mstp" (PRAGMA application_id): tells our files from another program's
BUSY_S = 10.0  # SQLite's own waiting, a backstop behind the gate

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SEALED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})


class Connection:
    """An open store file. Not for several threads at once."""

    def __init__(self, path: str) -> None:
        """Open the file, and make it where there is none.

        Raises StoreUnavailable or one of its kinds; then nothing was changed.
        """
        self.path = path
        self.gate = Gate(path)
        self._sqlite: sqlite3.Connection | None = None
        refuse_network(path)
        try:
            new = _make_private(path)
            self._sqlite = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            self._set_up(new)
        except (sqlite3.Error, OSError) as error:
            self._let_go()
            raise translated(error, path) from None
        except BaseException:
            self._let_go()
            raise

    @property
    def sqlite(self) -> sqlite3.Connection:
        """The connection itself. Raises StoreUnavailable once it is closed."""
        if self._sqlite is None:
            raise StoreUnavailable(path=self.path, reason="it was closed")
        return self._sqlite

    def rows(self, statement: str, values: dict[str, Any] | tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. No read transaction outlives the call."""
        try:
            return self.sqlite.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise translated(error, self.path) from None

    def transaction(self) -> Transaction:
        """A write transaction, durable when its block has ended; an exception in the block rolls it back.

        Raises StoreUnavailable when nothing was written, Uncertain when the commit failed in a way that leaves it
        open whether the entries are there.
        """
        return Transaction(self)

    def close(self) -> None:
        """Close the file."""
        if self._sqlite is None:
            return
        try:
            # The last close of a WAL database checkpoints outside any transaction; behind the gate, sixteen closers
            # queue instead of colliding.
            with self.gate:
                self._close_file()
        except (StoreBusy, OSError):
            pass
        self._let_go()

    def _let_go(self) -> None:
        self._close_file()
        self.gate.close()

    def _close_file(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()
            self._sqlite = None

    def _set_up(self, new: bool) -> None:
        self.sqlite.execute("PRAGMA synchronous = FULL")
        if os.uname().sysname == "Darwin":
            self.sqlite.execute("PRAGMA fullfsync = 1")
        ((found,),) = self.sqlite.execute("PRAGMA user_version").fetchall()
        if found == FORMAT:
            return
        if found > FORMAT:
            self._refuse_newer(found)
            return
        if not new and found == 0:
            self._refuse_foreign()
        with self.gate:
            self._migrate()

    def _refuse_newer(self, found: int) -> None:
        """A newer format may say that this one can still write it: additive changes do."""
        ((oldest_writer,),) = self.sqlite.execute("SELECT oldest_writer FROM format").fetchall()
        if oldest_writer > FORMAT:
            raise StoreNewer(path=self.path, found=found, known=FORMAT)

    def _refuse_foreign(self) -> None:
        ((tables,),) = self.sqlite.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        ((application,),) = self.sqlite.execute("PRAGMA application_id").fetchall()
        if tables and application != APPLICATION:
            raise StoreUnavailable(path=self.path, reason="it is the database of another program")

    def _migrate(self) -> None:
        """Bring the schema up to date. Whoever comes second finds it done."""
        self.sqlite.execute("PRAGMA journal_mode = WAL")
        self.sqlite.execute("BEGIN IMMEDIATE")
        try:
            ((found,),) = self.sqlite.execute("PRAGMA user_version").fetchall()
            for file in MIGRATIONS[found:]:
                self._run(sql_file(file))
            if found == 0:
                self._run(sql_file("index.sql"))
            self.sqlite.execute(f"PRAGMA application_id = {APPLICATION}")
            self.sqlite.execute(f"PRAGMA user_version = {FORMAT}")
        except BaseException:
            self.sqlite.execute("ROLLBACK")
            raise
        self.sqlite.execute("COMMIT")

    def _run(self, script: str) -> None:
        for statement in statements_of(script):
            self.sqlite.execute(statement)


class Transaction:
    """The block of a write transaction; gives the SQLite connection to write with."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        connection = self._connection
        connection.gate.__enter__()
        try:
            connection.sqlite.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            connection.gate.__exit__()
            raise translated(error, connection.path) from None
        return connection.sqlite

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        connection = self._connection
        try:
            if error is None:
                self._commit()
            else:
                self._roll_back()
                if isinstance(error, sqlite3.Error):
                    raise translated(error, connection.path) from None
        finally:
            connection.gate.__exit__()

    def _commit(self) -> None:
        sqlite, path = self._connection.sqlite, self._connection.path
        try:
            sqlite.execute("COMMIT")
        except sqlite3.Error as error:
            if sqlite.in_transaction:  # SQLite kept it open, so nothing of it is in the log
                self._roll_back()
                raise translated(error, path) from None
            raise Uncertain(reason=f"the commit failed: {error}") from None

    def _roll_back(self) -> None:
        sqlite = self._connection.sqlite
        if sqlite.in_transaction:
            sqlite.execute("ROLLBACK")


def translated(error: sqlite3.Error | OSError, path: str) -> StoreUnavailable:
    """An error of SQLite or of the system in mailstop's words."""
    if isinstance(error, OSError):
        full = error.errno in (28, 122)  # ENOSPC, EDQUOT
        return StoreFull(path=path) if full else StoreUnavailable(path=path, reason=error.strerror or str(error))
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED:
        return StoreDamaged(path=path, reason=str(error))
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(path=path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(path=path, seconds=BUSY_S, holder="another program holds it open")
    return StoreUnavailable(path=path, reason=str(error))


def _make_private(path: str) -> bool:
    """Make the folders (0700) and the file (0600) that are missing; whether the file is new (or empty).

    What exists keeps its mode. Two that race both end with the same file.
    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        return True
    except FileExistsError:
        return os.path.getsize(path) == 0


def statements_of(script: str) -> Iterator[str]:
    """The statements of a script: executescript() would commit the migration's transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
