"""Connection: one SQLite file opened the way a ledger needs it, and errors in mailstop's words.

WAL, `synchronous=FULL`: a durable commit that returned is on disk. Short transactions, each behind the gate. The
schema's version is `user_version`; a file of a newer format, of another program, or damaged is refused and left as it
is. It is read again behind the gate by each write, and now and then by who only reads: a newer program may bring the
file to its own format while an older one has it open.
"""

from __future__ import annotations

import os
import time

from mailstop import errors, faults
from mailstop.engines.sqlite.driver import sqlite3
from mailstop.engines.sqlite.gate import Gate
from mailstop.engines.sqlite.statements import sql_file
from mailstop.engines.sqlite.store_file import (
    APPLICATION,
    BUSY_S,
    StoreFile,
    is_unmade,
    make_file,
    make_folder,
    real_path,
    refuse_lost,
)
from mailstop.errors import StoreUnavailable, Uncertain
from mailstop.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

    from mailstop.engines.sqlite.readable import Progress

MIGRATIONS = (
    "migrations/0001_ledger_board_index.sql",
    "migrations/0002_coordination.sql",
    "migrations/0003_tokens_and_pace.sql",
)
FORMAT = len(MIGRATIONS)

CLOSING_S = 1.0  # how long a close waits for the gate
LOOK_S = 1.0  # for so long a reader believes that its file is in place; a writer looks each time

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PERHAPS_FULL = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})  # SQLite keeps the reason to itself


class Connection:
    """An open store file. Not for several threads at once."""

    _format = FORMAT  # as it was seen last

    def __init__(self, path: str, *, makes: bool = True, progress: Progress | None = None) -> None:
        """Open the file, and make it where there is none, unless `makes` says not to.

        progress: is told how far the file is, where it is one of an older format that is brought to this one.
        Raises StoreUnavailable or one of its kinds; then nothing was changed.
        """
        self.path = path = real_path(path)
        self._makes = makes
        self.gate = Gate(path)
        self._file: StoreFile | None = None
        self._look_at = time.monotonic() + LOOK_S
        if _may_be_shared(path):
            from mailstop.engines.sqlite.file_system import refuse_network

            refuse_network(path)
        try:
            if makes:
                make_folder(path)
            elif not os.path.isdir(os.path.dirname(path)):
                raise self._gone()
            if is_unmade(path):
                self._finish_replacement()
                make_file(path)
            self._file = StoreFile(path)
            self._set_up(progress)
        except (sqlite3.Error, OSError) as error:
            self._let_go()
            raise translated(error, path) from None
        except BaseException:
            self._let_go()
            raise

    @property
    def sqlite(self) -> sqlite3.Connection:
        """The connection itself. Raises StoreUnavailable once it is closed."""
        if self._file is None:
            raise StoreUnavailable(path=self.path, reason="it was closed")
        return self._file.sqlite

    def rows(self, statement: str, values: dict[str, Any] | tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. No read transaction outlives the call."""
        self.follow()
        try:
            return self.sqlite.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            if _tells_of_schema(str(error)):
                self.refuse_newer()
            raise translated(error, self.path) from None

    def follow(self) -> None:
        """Open the file that a repair has put in the place of ours. Raises StoreUnavailable or one of its kinds, also
        where the file has a newer format by now."""
        if time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LOOK_S
        if not self._is_replaced():
            self.refuse_newer()
            return
        before = self._file
        try:
            if not os.path.exists(self.path) or os.path.getsize(self.path) == 0:
                self._finish_replacement()
            self._file = StoreFile(self.path)
            self._set_up()
        except (sqlite3.Error, OSError) as error:
            raise translated(error, self.path) from None
        finally:
            if before is not None and self._file is not before:
                before.close()

    def refuse_replaced(self) -> None:
        """Raise StoreUnavailable when another file is in place by now. Ask behind the gate, before writing."""
        if self._is_replaced():
            self._look_at = 0.0
            raise errors.StoreReplaced(path=self.path)

    def refuse_newer(self) -> None:
        """Raise StoreNewer when a newer program has brought the file to a format that this one cannot write."""
        try:
            ((found,),) = self.sqlite.execute("PRAGMA user_version").fetchall()
            if found != self._format:
                self._refuse_format(found)
        except sqlite3.Error as error:
            raise translated(error, self.path) from None

    def refuse_exposed(self) -> None:
        """Raise StoreExposed when others may get at the file, StoreUnavailable when its owner may not.

        Its mode stays as it is: somebody has chosen it. Ask behind the gate, before writing.
        """
        mode = os.stat(self.path).st_mode & 0o777
        if mode & 0o600 != 0o600:  # which the system lets root do all the same
            raise StoreUnavailable(path=self.path, reason=f"its owner may not read and write it (mode {mode:04o})")
        if mode & 0o077:
            raise errors.StoreExposed(path=self.path, mode=f"{mode:04o}")

    def value(self, text: str) -> Any:
        """The value of a column that holds JSON. Raises StoreDamaged."""
        try:
            return loads(text)
        except ValueError as error:
            raise errors.StoreDamaged(path=self.path, reason=str(error)) from None

    def begin(self) -> None:
        """Open a write transaction. Raises StoreNewer; ask behind the gate."""
        self.sqlite.execute("BEGIN IMMEDIATE")
        try:
            self.refuse_newer()
        except BaseException:
            self.sqlite.execute("ROLLBACK")
            raise

    def transaction(self, *, durable: bool = True) -> Transaction:
        """A write transaction; an exception in the block rolls it back.

        durable: whether it is on disk when its block has ended. One that is not survives the end of every process, and
        is on disk with the next that is; a crash of the system may undo it, whole.
        Raises StoreUnavailable when nothing was written, Uncertain when the commit failed in a way that leaves it
        open whether the entries are there.
        """
        return Transaction(self, durable)

    def close(self) -> None:
        """Close the file."""
        if self._file is None:
            return
        try:
            # The last close of a WAL database checkpoints outside any transaction; behind the gate, sixteen closers
            # queue instead of colliding. Whoever holds it for longer has the file open: then ours is not the last.
            self.gate.longest_wait_s = CLOSING_S
            with self.gate:
                faults.reach("before closing")
                self._close_file()
                faults.reach("closed")
        except (errors.StoreBusy, OSError):
            pass
        self._let_go()

    def _finish_replacement(self) -> None:
        """Finish what a repair that was killed has left undone; wait for one that is at work."""
        from mailstop.engines.sqlite.replacement import finish

        with self.gate:
            if not finish(self.path):
                refuse_lost(self.path)
            if not self._makes and is_unmade(self.path):
                raise self._gone()

    def _gone(self) -> errors.StoreGone:
        return errors.StoreGone(path=self.path, command="mailstop join NAME")

    def _is_replaced(self) -> bool:
        return self._file is not None and not self._file.is_in_place(self.path)

    def _let_go(self) -> None:
        self._close_file()
        self.gate.close()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def synchronize(self, level: str) -> None:
        """Let commits from here on wait for the disk (FULL), or not (NORMAL)."""
        assert self._file is not None
        if self._file.synchronous != level:
            self._file.sqlite.execute(f"PRAGMA synchronous = {level}")
            self._file.synchronous = level

    def _set_up(self, progress: Progress | None = None) -> None:
        self.synchronize("FULL")
        if os.uname().sysname == "Darwin":
            self.sqlite.execute("PRAGMA fullfsync = 1")
        ((found,),) = self.sqlite.execute("PRAGMA user_version").fetchall()
        self._format = FORMAT
        if found == FORMAT:
            return
        if found > FORMAT:
            self._refuse_format(found)
            return
        if found == 0 and not self._makes:  # an empty file has come to its place
            raise self._gone()
        with self.gate:
            self.refuse_replaced()
            self.refuse_exposed()
            self._migrate(progress)

    def _refuse_format(self, found: int) -> None:
        """A newer format may say that this one can still write it: additive changes do."""
        ((oldest_writer,),) = self.sqlite.execute("SELECT oldest_writer FROM format").fetchall()
        if oldest_writer > FORMAT:
            raise errors.StoreNewer(path=self.path, found=found, known=FORMAT)
        self._format = found

    def _migrate(self, progress: Progress | None) -> None:
        """Bring the schema up to date. Whoever comes second finds it done."""
        # Whose file it is stands in the file itself before there is a log: the look at its owner reads no log.
        self.sqlite.execute(f"PRAGMA application_id = {APPLICATION}")
        faults.reach("store file marked")
        ((mode,),) = self.sqlite.execute("PRAGMA journal_mode = WAL").fetchall()
        if mode != "wal":
            raise StoreUnavailable(path=self.path, reason="SQLite cannot keep a write-ahead log there")
        faults.reach("before the tables")
        self.sqlite.execute("BEGIN IMMEDIATE")
        try:
            ((found,),) = self.sqlite.execute("PRAGMA user_version").fetchall()
            for file in MIGRATIONS[found:]:
                self._run(sql_file(file))
            if found == 0:
                self._run(sql_file("index.sql"))
            elif found < FORMAT:  # the index is a fold: of another format's nothing need be known
                from mailstop.engines.sqlite.rebuild import refold

                refold(self.sqlite, progress)
            self.sqlite.execute(f"PRAGMA user_version = {FORMAT}")
            faults.reach("before committing the tables")
            self.sqlite.execute("COMMIT")
        except BaseException:
            if self.sqlite.in_transaction:
                self.sqlite.execute("ROLLBACK")
            raise
        faults.reach("tables made")

    def _run(self, script: str) -> None:
        for statement in statements_of(script):
            self.sqlite.execute(statement)


class Transaction:
    """The block of a write transaction; gives the SQLite connection to write with."""

    def __init__(self, connection: Connection, durable: bool) -> None:
        self._connection = connection
        self._durable = durable

    def __enter__(self) -> sqlite3.Connection:
        connection = self._connection
        connection.follow()
        try:
            faults.reach("before the gate")
            connection.gate.__enter__()
        except OSError as error:
            raise translated(error, connection.path) from None
        try:
            faults.reach("behind the gate")
            connection.refuse_replaced()
            connection.refuse_exposed()
            connection.synchronize("FULL" if self._durable else "NORMAL")
            connection.begin()
        except BaseException as error:
            connection.gate.__exit__()
            if isinstance(error, sqlite3.Error):
                raise translated(error, connection.path) from None
            raise
        faults.reach("begun")
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
        faults.reach("before commit")
        try:
            sqlite.execute("COMMIT")
        except sqlite3.Error as error:
            # SQLite kept it open, or the last page of it did not get into the log: nothing is stored.
            nothing_stored = sqlite.in_transaction or _code(error) == sqlite3.SQLITE_FULL
            self._roll_back()
            if nothing_stored:
                raise translated(error, path) from None
            raise Uncertain(reason=f"the commit failed: {error}") from None
        faults.reach("committed")

    def _roll_back(self) -> None:
        sqlite = self._connection.sqlite
        if sqlite.in_transaction:  # after some errors SQLite has rolled back already
            sqlite.execute("ROLLBACK")


def translated(error: sqlite3.Error | OSError, path: str) -> StoreUnavailable:
    """An error of SQLite or of the system in mailstop's words."""
    if isinstance(error, OSError):
        full = error.errno in (28, 122)  # ENOSPC, EDQUOT
        return errors.StoreFull(path=path) if full else StoreUnavailable(path=path, reason=error.strerror or str(error))
    code = _code(error)
    if code in _DAMAGED or str(error).startswith("Could not decode"):  # a text that is not UTF-8 any more
        return errors.StoreDamaged(path=path, reason=str(error))
    if code == sqlite3.SQLITE_ERROR and _tells_of_schema(str(error)):
        return errors.StoreDamaged(path=path, reason=str(error))
    if code == sqlite3.SQLITE_FULL or (code in _PERHAPS_FULL and _is_full(path)):
        return errors.StoreFull(path=path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return errors.StoreBusy(path=path, seconds=BUSY_S, busy="another program holds it open", holder=None)
    return StoreUnavailable(path=path, reason=str(error))


def _tells_of_schema(message: str) -> bool:
    """Whether a statement failed because the tables are not those of the file's format."""
    return message.startswith(("no such table", "no such column", "no such index", "table entries already exists"))


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def statements_of(script: str) -> Iterator[str]:
    """The statements of a script: executescript() would commit the migration's transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _is_full(path: str) -> bool:
    from mailstop.engines.sqlite.file_system import is_full

    return is_full(path)


def _may_be_shared(path: str) -> bool:
    """Whether the folder's file system has no disk of its own (its device number has major 0), as those of a network;
    of others nothing more need be known."""
    try:
        return os.major(os.stat(os.path.dirname(path)).st_dev) == 0
    except OSError:
        return True
