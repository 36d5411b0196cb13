"""Sixteen processes that send at once: against the bare insert behind the same kind of lock. p99 of a send."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.durable_send import Bare, office_of
from benchmarks.ground import BODY, Ground
from benchmarks.measure import Comparison, percentile
from mailstop.letter import Draft

WRITERS = 16
SENDS = 60


def _bare(path: str, _env: dict[str, str], _home: str) -> Callable[[], object]:
    bare = Bare(path)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)

    def send() -> None:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            bare.send()
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)

    return send


def _own(_path: str, env: dict[str, str], home: str) -> Callable[[], object]:
    office = office_of(env, home)
    return lambda: office.send(Draft(("reader",), BODY))


def _writer(make: Any, given: tuple[str, dict[str, str], str], start: Any, results: Any) -> None:
    send = make(*given)
    start.wait()
    times = []
    for _ in range(SENDS):
        began = time.perf_counter()
        send()
        times.append(time.perf_counter() - began)
    results.put(times)


def _all_at_once(make: Any, given: tuple[str, dict[str, str], str]) -> list[float]:
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(WRITERS), context.Queue()
    writers = [context.Process(target=_writer, args=(make, given, start, results)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    times = [second for _ in writers for second in results.get(timeout=120)]
    for writer in writers:
        writer.join()
    return times


def comparisons() -> Iterator[Comparison]:
    with Ground() as ground:
        env = ground.join("me")
        ground.join("reader")
        given = (str(ground.home / "bare.db"), env, str(ground.home))
        Bare(given[0]).sqlite.close()
        floors, owns = [], []
        for _ in range(3):
            floors += _all_at_once(_bare, given)
            owns += _all_at_once(_own, given)
        floor, own = percentile(floors, 0.99) * 1e3, percentile(owns, 0.99) * 1e3
        yield Comparison(f"{WRITERS} processes sending at once, p99", floor, own, own / floor, 2.0)
