"""Duty: work that falls due in the store. A timer is armed only while some is; any bell is a reason to look."""

from __future__ import annotations

import asyncio

from mailstop.clients.caller import STRANGER, Caller
from mailstop.office import Office
from mailstop.resident.log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mailstop.engines.base import Store
    from mailstop.resident.figures import Figures
    from mailstop.resident.workers import Workers

SHORTEST_S = 0.05  # between two looks
RETRY_S = 5.0  # after the store could not be used


class Duty:
    """Does what is due, for nobody in particular. Make it in the event loop."""

    def __init__(self, workers: Workers, figures: Figures, clock: Callable[[], int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._workers, self._figures, self._clock = workers, figures, clock
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False

    def look_soon(self) -> None:
        """There may be work due by now, or sooner than was known."""
        if self._looking is not None:
            self._again = True
        else:
            self._arm(SHORTEST_S)

    async def close(self) -> None:
        """Do nothing more, once what was begun is done."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._looking is not None:
            await asyncio.wait([self._looking])

    def _arm(self, seconds: float) -> None:
        if self._closed:
            return
        at = self._loop.time() + max(SHORTEST_S, seconds)
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._begin)

    def _begin(self) -> None:
        self._timer = None
        self._looking = self._loop.create_task(self._look())
        self._looking.add_done_callback(self._looked)

    def _looked(self, _done: asyncio.Task[None]) -> None:
        self._looking = None
        if self._again:
            self._again = False
            self._arm(SHORTEST_S)

    async def _look(self) -> None:
        try:
            done, due = await self._workers.run(self._done)
        except Exception as error:  # whoever comes next does it
            log(error, "due work")
            self._arm(RETRY_S)
            return
        self._figures.did_due_work(done)
        if due is not None:
            self._arm((due - self._clock()) / 1000)

    def _done(self, store: Store) -> tuple[int, int | None]:
        """In a worker: do what is due, and say how much it was and when to come again."""
        office = Office(store, Caller(STRANGER, reason="mailstop's own server"), clock=self._clock)
        return office.do_due_work(), store.board.next_due()
