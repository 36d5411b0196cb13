"""Workers: the threads in which the office works for the event loop, each with the store open for itself.

Who only looks has threads of its own: writers queue at one lock, which another process may hold for seconds, and who
looks needs none. A glance, of one indexed row, is done in the event loop itself: handing it over would take ten times
as long. The end of the process waits for no thread: what one has not committed by then is not stored, as after any
other end.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time

from mailstop.engines import open_store
from mailstop.errors import StoreUnavailable
from mailstop.resident.glance import Glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from mailstop.engines.base import Store

    T = TypeVar("T")

WRITERS = 8  # they queue at one lock anyway
READERS = 4  # a look takes less than a millisecond


class Workers:
    """Threads for one store. url: the store's, which is there: one that is lost is never replaced by an empty one."""

    def __init__(self, url: str) -> None:
        self._writers = _Threads(url, WRITERS)
        self._readers = _Threads(url, READERS)
        self._glance = Glance(url)

    async def glance(self, act: Callable[[Store], T]) -> T:
        """What an act gives that reads a row or two of the store."""
        if not self._glance.is_open:
            await self.run(lambda _store: self._glance.open(), reads=True)
        given = self._glance.at(act)
        return await self.run(act, reads=True) if given is None else given[0]

    async def run(
        self, act: Callable[[Store], T], *, lost: Callable[[T], object] | None = None, reads: bool = False
    ) -> T:
        """Do something at the store, in a thread, and return what it gives.

        lost: told what it gave when whoever asked was cancelled meanwhile; what was begun is done to its end. reads:
        whether it only looks.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        (self._readers if reads else self._writers).begin(act, future)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(lambda done: _tell(done, lost))
            raise

    def close(self, seconds: float) -> bool:
        """End the threads, once what they do is done, and wait so long for that. Whether all have ended."""
        until = time.monotonic() + seconds
        for threads in (self._readers, self._writers):
            threads.dismiss()
        self._glance.close()
        ended = [threads.ended(until) for threads in (self._readers, self._writers)]
        return all(ended)


class _Threads:
    """Up to `most` threads, made as they are needed."""

    def __init__(self, url: str, most: int) -> None:
        self._url, self._most = url, most
        self._asked: queue.SimpleQueue[Callable[[Store | None], Store | None] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = threading.Semaphore(0)

    def begin(self, act: Callable[[Store], T], future: asyncio.Future[T]) -> None:
        """Let the next thread that is free do an act, and tell the future, whose loop's thread this is."""
        self._asked.put(lambda store: self._do(store, act, future))
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
            # The interpreter waits at its end for threads that are no daemons.
            self._threads.append(threading.Thread(target=self._work, name="office", daemon=True))
            self._threads[-1].start()

    def dismiss(self) -> None:
        """Let each thread end after what was asked by now."""
        for _ in self._threads:
            self._asked.put(None)

    def ended(self, until: float) -> bool:
        """Wait until all threads have ended, or until that moment of the monotonic clock; whether they have."""
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        store: Store | None = None
        while (do := self._asked.get()) is not None:
            store = do(store)
            del do  # and what it holds
            self._idle.release()
        if store is not None:
            store.close()

    def _do(self, store: Store | None, act: Callable[[Store], T], future: asyncio.Future[T]) -> Store | None:
        """In a thread: do an act at its store, and return the store as it is open afterwards."""
        try:
            if store is None:
                store = open_store(self._url, makes=False)
            given = act(store)
        except BaseException as error:
            if isinstance(error, StoreUnavailable) and store is not None:  # the next act opens it anew
                store.close()
                store = None
            _settle(future, future.set_exception, error)
        else:
            _settle(future, future.set_result, given)
        return store


def _settle(future: asyncio.Future[Any], settle: Callable[[Any], None], outcome: object) -> None:
    """In a thread: tell a future what came of an act."""
    try:
        future.get_loop().call_soon_threadsafe(settle, outcome)
    except RuntimeError:  # the loop has ended, and nobody waits
        pass


def _tell(done: asyncio.Future[Any], lost: Callable[[Any], object] | None) -> None:
    if not done.cancelled() and done.exception() is None and lost is not None:
        lost(done.result())
