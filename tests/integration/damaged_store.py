"""A store to be damaged: something of everything in it, and each entry marked, so that a page tells whose it is."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from mailstop.engines.entry import Entry, subject
from mailstop.engines.row import Put
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.session import Session

PAGE = 4096
LETTERS = 60
BEGAN = 1_700_000_000_000
BESIDE = ("", "-wal", "-shm", ".lock")

Rows = dict[int, tuple[Any, ...]]


def mark(n: int) -> str:
    """What entry `n`, and no other, holds again and again."""
    return f"<{n:06d}>"


def fill(store: SQLiteStore, first: int, last: int) -> None:
    """Append entries with these numbers: seats taken, letters small and large, keys, receipts."""
    for n in range(first, last + 1):
        at, kind = BEGAN + n, ("taken", "letter", "letter", "receipt", "letter", "key")[n % 6]
        common = {"mark": mark(n)}
        body = None
        if kind == "taken":
            name = "builder" if n % 12 else "reviewer"
            where = subject("seats", "default", name)
            data: dict[str, Any] = {**common, "seat": name, "session": f"session-{name}", "client": "program"}
        elif kind == "receipt":
            where = subject("receipts", "default", "reviewer")
            data = {**common, "seat": "reviewer", "state": "shown", "letters": [max(1, n - 1)], "evidence": mark(n)}
        elif kind == "key":
            where = subject("key", "default", "builder", f"key {n}")
            data = {**common, "letter": _last_letter(store), "key": f"key {n}"}
        else:
            where = subject("letters", "default")
            data = {**common, "from": "builder", "to": ["reviewer", "later"], "kind": "note", "needs_reply": n % 4 == 1}
            body = mark(n) * (4 if n % 10 else 3000)
        entry_id = f"01a227ed-583c-7a07-9d4b-{n * 7919:012x}"  # the same each time, so that damage can be repeated
        assert store.ledger.append([Entry(where, kind, "default", entry_id, at, data, body)]) == n


def _last_letter(store: SQLiteStore) -> str:
    letter = store.index.letter(store.index.newest())
    assert letter is not None
    return letter.id


def make(folder: Path, *, live: bool) -> Path:
    """A store with 60 entries and two sessions. live: as a session leaves it that is killed, with a log."""
    path = folder / "mail.db"
    with SQLiteStore(str(path)) as store:
        for name in ("builder", "reviewer"):
            session = Session(f"session-{name}", "program", name, {}, f"program-{name}")
            store.board.change([Put(session.key, session.as_dict())])
        fill(store, 1, LETTERS * 2 // 3)
    with SQLiteStore(str(path)) as store:
        fill(store, LETTERS * 2 // 3 + 1, LETTERS)
        if not live:
            return path
        killed = folder / "killed"
        killed.mkdir()
        copy(path, killed)
        return killed / path.name


def copy(path: Path, folder: Path) -> Path:
    """Copy a store as it lies there, with all that is beside it."""
    for suffix in BESIDE:
        if Path(f"{path}{suffix}").exists():
            shutil.copyfile(f"{path}{suffix}", folder / f"{path.name}{suffix}")
            (folder / f"{path.name}{suffix}").chmod(0o600)
    return folder / path.name


def entries(path: Path) -> Rows:
    """The entries of a store, by number."""
    with closing(sqlite3.connect(path)) as connection:
        return {row[0]: row for row in connection.execute("SELECT * FROM entries WHERE type <> 'rescued'")}


def board(path: Path) -> list[tuple[Any, ...]]:
    """The rows of the board."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM board").fetchall()


def bytes_of(path: Path) -> dict[str, bytes]:
    """What a store's file and its log hold, by what is behind the file's name."""
    found = {suffix: Path(f"{path}{suffix}") for suffix in ("", "-wal")}
    return {suffix: file.read_bytes() for suffix, file in found.items() if file.exists()}


def marked(page: bytes) -> set[int]:
    """The numbers of the entries of which something lies in these bytes."""
    return {int(number) for number in re.findall(rb"<(\d{6})>", page)}


def spoil(path: Path, offset: int, damage: bytes) -> None:
    """Write over the bytes of a file."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(damage)
