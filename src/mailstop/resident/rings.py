"""Rings: calls that wait for a bell hold a place in a table, and one watcher in the event loop wakes them."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager

from mailstop.watcher import GLANCE_S, EveryBell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Rings:
    """All bells of this user. Make it in the event loop. heard: called after any of them was rung."""

    def __init__(self, heard: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._heard = heard
        self._every = EveryBell()
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._glance: asyncio.TimerHandle | None = None
        self._fd: int | None = None
        self._attend()

    @contextmanager
    def listen(self, *names: str) -> Iterator[asyncio.Event]:
        """An event that is set at each ring of one of these bells from now on; whoever heard it clears it."""
        rung = asyncio.Event()
        for name in names:
            self._waiting.setdefault(name, set()).add(rung)
        try:
            yield rung
        finally:
            for name in names:
                self._waiting[name].discard(rung)
                if not self._waiting[name]:
                    del self._waiting[name]

    def wake_all(self) -> None:
        """Wake all who wait, as if their bells had been rung."""
        self._wake(None)

    def close(self) -> None:
        """Hear nothing more."""
        self._unattend()
        self._every.close()

    def _attend(self) -> None:
        self._fd = self._every.fd
        if self._fd is not None:
            self._loop.add_reader(self._fd, self._hear)
        else:
            self._glance = self._loop.call_later(GLANCE_S, self._hear)

    def _unattend(self) -> None:
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
        if self._glance is not None:
            self._glance.cancel()
        self._fd = self._glance = None

    def _hear(self) -> None:
        names = self._every.heard()
        if names is None or self._fd is None:
            self._unattend()
            self._every.arm()
            self._attend()
        self._wake(names)
        if names is None or names:
            self._heard()

    def _wake(self, names: set[str] | None) -> None:
        for name in list(self._waiting) if names is None else names & self._waiting.keys():
            for rung in self._waiting[name]:
                rung.set()
