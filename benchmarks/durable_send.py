"""A durable send in process: against the bare insert and commit at `synchronous=FULL`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator

from benchmarks.ground import BODY, Ground
from benchmarks.measure import Comparison, compare
from mailstop.clients.life import my_life
from mailstop.clients.registry import program_of
from mailstop.engines import open_store
from mailstop.letter import Draft, new_id
from mailstop.office import Office


class Bare:
    """A letter a row: a unique id and a partial index of what is unread."""

    def __init__(self, path: str) -> None:
        self.sqlite = sqlite3.connect(path, isolation_level=None)
        self.sqlite.execute("PRAGMA journal_mode = WAL")
        self.sqlite.execute("PRAGMA synchronous = FULL")
        self.sqlite.execute(
            "CREATE TABLE IF NOT EXISTS letters (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, "
            "recipient TEXT NOT NULL, read_at INTEGER, body TEXT NOT NULL)"
        )
        self.sqlite.execute("CREATE INDEX IF NOT EXISTS unread ON letters (recipient, n) WHERE read_at IS NULL")

    def fill(self, letters: int) -> None:
        """As many letters as the store has that it is compared with, all of them read."""
        self.sqlite.execute(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) "
            "INSERT INTO letters (id, recipient, read_at, body) SELECT printf('%032x', n), 'reader', 1, ? FROM numbers",
            (letters, BODY[:300]),
        )

    def send(self) -> None:
        self.sqlite.execute("BEGIN IMMEDIATE")
        self.sqlite.execute("INSERT INTO letters (id, recipient, body) VALUES (?, 'reader', ?)", (new_id(), BODY))
        self.sqlite.execute("COMMIT")


def office_of(env: dict[str, str], home: str) -> Office:
    """The office of a program session, in this process."""
    from mailstop.clients.caller import PROGRAM, Caller

    os.environ["HOME"] = home
    registration = program_of(env["MAILSTOP_SESSION"])
    assert registration is not None
    caller = Caller(PROGRAM, "program", registration.client_session, my_life(), registration)
    return Office(open_store(registration.store), caller)


def comparisons(letters: int) -> Iterator[Comparison]:
    with Ground() as ground:
        env = ground.join("me")
        ground.join("reader")
        ground.fill(letters)
        bare = Bare(str(ground.home / "bare.db"))
        bare.fill(letters)
        office = office_of(env, str(ground.home))
        draft = Draft(("reader",), BODY)
        yield compare(
            f"send in process, durable, 1 KiB, {letters:,} letters",
            bare.send,
            lambda: office.send(draft),
            budget=1.5,
            rounds=501,
        )
        office.store.close()
        bare.sqlite.close()
