"""Measure: a thing and its floor in turn, so that what else the machine does meets both alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """How long a thing takes beside its floor. Times in milliseconds; ratio: the median of the pairs' ratios."""

    name: str
    floor_ms: float
    own_ms: float
    ratio: float
    budget: float

    @property
    def line(self) -> str:
        """For a table."""
        verdict = "ok" if self.ratio <= self.budget else "OVER"
        return (
            f"{self.name:<58} floor {self.floor_ms:8.3f} ms  own {self.own_ms:8.3f} ms  "
            f"ratio {self.ratio:5.2f}  budget {self.budget:4.2f}  {verdict}"
        )


def compare(
    name: str,
    floor: Callable[[], object],
    own: Callable[[], object],
    *,
    budget: float,
    rounds: int = 41,
    prepare: Callable[[], object] = lambda: None,
) -> Comparison:
    """Run both in turn, `rounds` times after three to warm up. prepare: what the thing needs each time, not timed."""
    pairs = []
    for _ in range(3 + rounds):
        prepare()
        pairs.append((_seconds(floor), _seconds(own)))
    del pairs[:3]
    return Comparison(
        name,
        statistics.median(first for first, _ in pairs) * 1e3,
        statistics.median(second for _, second in pairs) * 1e3,
        statistics.median(second / first for first, second in pairs),
        budget,
    )


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
