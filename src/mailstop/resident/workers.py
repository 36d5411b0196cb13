"""Workers: the threads in which the office works for the event loop, each with the store open for itself."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from mailstop.engines import open_store
from mailstop.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from mailstop.engines.base import Store

    T = TypeVar("T")

THREADS = 8  # writers queue at one gate anyway, and a look takes less than a millisecond


class Workers:
    """Threads for one store. url: the store's, which is there: one that is lost is never replaced by an empty one."""

    def __init__(self, url: str, *, threads: int = THREADS) -> None:
        self._url = url
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="office")
        self._own = threading.local()
        self._all: list[Store] = []
        self._one_at_a_time = threading.Lock()

    async def run(self, act: Callable[[Store], T], *, lost: Callable[[T], object] | None = None) -> T:
        """Do something at the store, in a thread, and return what it gives.

        lost: told what it gave when whoever asked was cancelled meanwhile; what was begun is done to its end.
        """
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._do, act)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(lambda done: _tell(done, lost))
            raise

    def close(self) -> None:
        """End the threads, once what they do is done, and close their stores."""
        self._pool.shutdown()
        for store in self._all:
            store.close()
        self._all.clear()

    def _do(self, act: Callable[[Store], T]) -> T:
        try:
            return act(self._store())
        except StoreUnavailable:  # whoever comes next opens it anew
            self._forget_store()
            raise

    def _store(self) -> Store:
        store: Store | None = getattr(self._own, "store", None)
        if store is None:
            store = self._own.store = open_store(self._url, makes=False)
            with self._one_at_a_time:
                self._all.append(store)
        return store

    def _forget_store(self) -> None:
        store: Store | None = getattr(self._own, "store", None)
        if store is not None:
            self._own.store = None
            with self._one_at_a_time:
                self._all.remove(store)
            store.close()


def _tell(done: asyncio.Future[Any], lost: Callable[[Any], object] | None) -> None:
    if not done.cancelled() and done.exception() is None and lost is not None:
        lost(done.result())
