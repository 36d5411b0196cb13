"""At once: acts of several threads, each of which waits until all are there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from mailstop.errors import Refused, SeatTaken


def at_once(*acts: Callable[[], object], refusal: type[Refused] = SeatTaken) -> list[object]:
    """Do all of these at once; what each gave, or the `refusal` that it met."""
    barrier = Barrier(len(acts))

    def do(act: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return act()
        except refusal as refused:
            return refused

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(do, acts))
