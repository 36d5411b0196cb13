"""Imports that are killed, run twice at once, or run out of disk: done again, each letter is there once."""

from __future__ import annotations

import random
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from mailstop.acts.importing import BATCH_LETTERS
from mailstop.faults import VARIABLE
from tests.clients.waiting import wait_for
from tests.faults.small_disk import PartyOnSmallDisk, is_full, is_possible
from tests.faults.soundness import assert_sound, default_store
from tests.party import MAILSTOP, Person
from tests.postbag_ledgers import letters, write

POINTS = ("begun", "entries written", "entries folded", "before commit", "committed", "batch imported", "closed")
MANY = 2 * BATCH_LETTERS + 300
MOST_TIMES = 20


@pytest.fixture
def person(own_home: Path, parties: ExitStack) -> Person:
    """The person, at a terminal of their own."""
    person = Person(own_home)
    parties.callback(person.close)
    return person


@pytest.fixture
def ledger(own_home: Path) -> Path:
    """A ledger that takes three batches."""
    return write(own_home / "old.jsonl", letters(MANY))


def imported(store: Path) -> list[str]:
    """The bodies of all imported letters, in the order of their numbers."""
    with closing(sqlite3.connect(store)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM entries WHERE type = 'imported' ORDER BY n")]


def killed(person: Person, point: str, *words: str) -> Iterator[int]:
    """Let an import be killed at each of its arrivals at a point, once more each time; give how often it was."""
    for times in range(1, MOST_TIMES):
        run = person.call([MAILSTOP, "import", *words], environment={VARIABLE: f"{point}:{times}"})
        if run.code == 0:
            assert times > 1, f"an import does not come to {point!r}"
            return
        assert run.code == -signal.SIGKILL, run.err
        yield times
    raise AssertionError(f"an import comes to {point!r} more than {MOST_TIMES} times")


@pytest.mark.parametrize("point", POINTS)
def test_an_import_that_is_killed_is_gone_on_with_by_doing_it_again(
    person: Person, ledger: Path, store: Path, point: str
) -> None:
    for _ in killed(person, point, "postbag", str(ledger)):
        if store.exists():
            stored = imported(store)
            assert stored == [f"letter {n}" for n in range(2, len(stored) + 2)]

    assert imported(store) == [f"letter {n}" for n in range(2, MANY + 2)]
    assert_sound(store)


def test_an_import_that_is_killed_at_random_moments_brings_each_letter_once(
    person: Person, own_home: Path, store: Path
) -> None:
    count = 20_000
    ledger = write(own_home / "long.jsonl", letters(count))
    chance = random.Random(17)
    kills = 0
    while True:
        running = person.start("import", "postbag", str(ledger))
        before = size(store)
        wait_for("it stores something, or is done", lambda: size(store) != before or is_over(running.pid))  # noqa: B023
        wait_for("a random moment", lambda: chance.random() < 0.2 or is_over(running.pid))  # noqa: B023
        if running.kill() == 0:
            break
        kills += 1
        stored = imported(store)
        assert stored == [f"letter {n}" for n in range(2, len(stored) + 2)]

    assert kills > 0
    assert imported(store) == [f"letter {n}" for n in range(2, count + 2)]
    assert_sound(store)


def test_two_imports_at_once_bring_each_letter_once(person: Person, ledger: Path, store: Path) -> None:
    running = [person.start("import", "postbag", str(ledger)) for _ in range(3)]

    assert [each.wait() for each in running] == [0, 0, 0]
    assert sorted(imported(store)) == sorted(f"letter {n}" for n in range(2, MANY + 2))
    assert_sound(store)


class PersonOnSmallDisk(PartyOnSmallDisk):
    """The person, who has a small disk for the store."""

    terminal = True


@pytest.mark.skipif(not is_possible(), reason="this system lets nobody mount a small disk (unshare)")
def test_an_import_onto_a_disk_that_fills_keeps_what_it_stored_and_is_gone_on_with(
    own_home: Path, parties: ExitStack, store: Path, tmp_path: Path
) -> None:
    ledger = write(own_home / "old.jsonl", letters(10_000))
    disk = PersonOnSmallDisk(own_home, default_store(own_home).parent)
    parties.callback(disk.close)

    full = disk.run("import", "postbag", str(ledger))

    assert (full.code, full.out) == (5, "")
    assert is_full(full.err, store)
    copy = disk.copy_out(store, tmp_path / "copy")
    stored = imported(copy)
    assert 0 < len(stored) < 10_000
    assert stored == [f"letter {n}" for n in range(2, len(stored) + 2)]
    assert_sound(copy)

    assert disk.call(["mount", "-o", "remount,size=32m", str(disk.disk)]).code == 0
    assert disk.run("import", "postbag", str(ledger)).code == 0
    copy = disk.copy_out(store, tmp_path / "whole")
    assert imported(copy) == [f"letter {n}" for n in range(2, 10_002)]
    assert_sound(copy)


def size(path: Path) -> int:
    """How large a store and its log are."""
    files = [path, path.with_name(f"{path.name}-wal")]
    return sum(file.stat().st_size for file in files if file.exists())


def is_over(pid: int) -> bool:
    """Whether a process has ended, whoever has heard of that."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
