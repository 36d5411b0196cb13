"""The wake of a sleeping watcher, and what it uses while it sleeps."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Iterator

from benchmarks.ground import Ground
from benchmarks.measure import Comparison, percentile
from mailstop import bells
from mailstop.watcher import Watcher

WAKES = 300
BUDGET_MS = 5.0


def comparisons() -> Iterator[Comparison]:
    with Ground() as ground:
        os.environ["HOME"] = str(ground.home)
        woken: list[float] = []
        ready, done = threading.Event(), threading.Event()

        def watch() -> None:
            with Watcher("bench") as watcher:
                for _ in range(WAKES):
                    ready.set()
                    watcher.wait(10)
                    woken.append(time.perf_counter())
                    bells.silence("bench")
                    done.set()

        thread = threading.Thread(target=watch)
        thread.start()
        delays = []
        for _ in range(WAKES):
            ready.wait(10)
            ready.clear()
            done.clear()
            time.sleep(0.002)  # until the watcher sleeps: what is measured is a wake
            began = time.perf_counter()
            bells.ring("bench")
            done.wait(10)
            delays.append((woken[-1] - began) * 1e3)
        thread.join()
        p50, p99 = percentile(delays, 0.5), percentile(delays, 0.99)
        yield Comparison("wake of a sleeping watcher (floor column: budget)", BUDGET_MS, p50, p50 / BUDGET_MS, 1.0)
        yield Comparison("the same, p99", BUDGET_MS, p99, p99 / BUDGET_MS, 1.0)
        with Watcher("bench") as watcher:
            before = resource.getrusage(resource.RUSAGE_SELF)
            watcher.wait(2.0)
            after = resource.getrusage(resource.RUSAGE_SELF)
        used = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3
        yield Comparison("CPU of a watcher that sleeps 2 s (budget: 2 ms)", 2.0, used, used / 2.0, 1.0)
