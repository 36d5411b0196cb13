"""Whole processes on a store that nobody else has open: against a console script that runs one query."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.ground import BODY, Ground, run
from benchmarks.measure import Comparison, compare


def comparisons(letters: int) -> Iterator[Comparison]:
    with Ground() as ground:
        me, _reader = ground.join("me"), ground.join("reader")
        ground.fill(letters)
        floor = [ground.floor_script(), str(ground.store)]
        yield compare(
            f"mailstop check, nothing new, {letters:,} letters",
            lambda: run(floor, me),
            lambda: run([ground.command, "check"], me),
            budget=1.5,
        )
        for verb in ("me", "who", "lead"):
            yield compare(
                f"mailstop {verb}, {letters:,} letters",
                lambda: run(floor, me),
                lambda verb=verb: run([ground.command, verb], me),  # type: ignore[misc]
                budget=1.5,
            )
        yield compare(
            f"mailstop send reader -, 1 KiB, {letters:,} letters",
            lambda: run(floor, me),
            lambda: run([ground.command, "send", "reader", "-"], me, BODY),
            budget=1.5,
        )
