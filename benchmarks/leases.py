"""A look for what is taken, behind few leases and behind many: in process; and `lease check` as a whole process."""

from __future__ import annotations

import os
from collections.abc import Iterator

from benchmarks.durable_send import office_of
from benchmarks.ground import Ground, run
from benchmarks.measure import Comparison, compare
from mailstop.clients.resources import Reader
from mailstop.office import Office
from mailstop.rules.held import FREE, TAKEN
from mailstop.rules.leases import Wish

FEW, MANY = 10, 10_000
AT_ONCE = 1_000  # of one taking


def _word(number: int) -> str:
    """Files in folders of ten, of which one is a pattern."""
    folder = f"src/part-{number // 10}"
    return f"{folder}/*-{number}.py" if number % 10 == 9 else f"{folder}/file-{number}.py"


def _take(office: Office, reader: Reader, leases: int) -> None:
    for first in range(0, leases, AT_ONCE):
        words = [_word(number) for number in range(first, min(first + AT_ONCE, leases))]
        office.leases.take(Wish(tuple(reader.read(word) for word in words)))


def _look(office: Office, reader: Reader, word: str, state: str) -> None:
    (verdict,) = office.leases.check([reader.read(word)])
    assert verdict.state == state


def comparisons() -> Iterator[Comparison]:
    with Ground() as few, Ground() as many:
        offices, readers, mine = [], [], []
        for ground, count in ((few, FEW), (many, MANY)):
            mine.append(ground.join("me"))
            holder = office_of(ground.join("holder"), str(ground.home))
            readers.append(holder.leases.reader(str(ground.home)))
            _take(holder, readers[-1], count)
            holder.store.close()
            offices.append(office_of(mine[-1], str(ground.home)))
        for what, word, state in (
            ("a free file", "src/other.py", FREE),
            ("a free file beside patterns", "src/part-0/other.py", FREE),
            ("a taken file", "src/part-0/file-3.py", TAKEN),
            ("a free folder", "docs/", FREE),
            ("a free pattern", "docs/**/*.md", FREE),
            ("a name", "name:deploy", FREE),
        ):
            yield compare(
                f"lease check of {what}, {MANY:,} leases against {FEW}",
                lambda word=word, state=state: _look(offices[0], readers[0], word, state),  # type: ignore[misc]
                lambda word=word, state=state: _look(offices[1], readers[1], word, state),  # type: ignore[misc]
                budget=1.5,
                rounds=201,
            )
        for office in offices:
            office.store.close()
        os.chdir(many.home)
        yield compare(
            f"mailstop lease check FILE, {MANY:,} leases",
            lambda: run([many.floor_script(), str(many.store)], mine[1]),
            lambda: run([many.command, "lease", "check", "src/other.py"], mine[1]),
            budget=1.5,
        )
        run([many.command, "lease", "take", "src/own.py"], mine[1])
        yield compare(
            f"mailstop lease take FILE again, {MANY:,} leases",
            lambda: run([many.floor_script(), str(many.store)], mine[1]),
            lambda: run([many.command, "lease", "take", "src/own.py"], mine[1]),
            budget=1.5,
        )
        os.chdir("/")
