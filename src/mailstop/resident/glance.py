"""Glance: a row or two of the store, read where the event loop runs, on a connection that is used for nothing else.

SQLite's readers wait for nobody (https://sqlite.org/wal.html), so this takes some microseconds. What may wait is not
done here: opening the store, and finishing a repair that has set the store's file aside.
"""

from __future__ import annotations

import threading

from mailstop.engines import is_absent, open_store
from mailstop.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from mailstop.engines.base import Store

    T = TypeVar("T")


class Glance:
    """The connection. url: the store's, which is there."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._store: Store | None = None
        self._useless: Store | None = None
        self._one_at_a_time = threading.Lock()
        self._is_over = False

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._store is not None

    def open(self) -> None:
        """Open it, in a thread that may wait. Raises what `open_store` raises."""
        with self._one_at_a_time:
            self._close_useless()
            if self._store is None and not self._is_over:
                self._store = open_store(self._url, makes=False)

    def at(self, act: Callable[[Store], T]) -> tuple[T] | None:
        """What an act gives, alone in a tuple; None where it has to be done in a thread. In the event loop."""
        if self._store is None or is_absent(self._url):
            return None
        try:
            return (act(self._store),)
        except StoreUnavailable:  # whoever does it in a thread finds out why; closing, too, may wait
            self._useless, self._store = self._store, None
            return None

    def close(self) -> None:
        """Close it for good. It may take a second, while another process holds the store."""
        self._is_over = True
        with self._one_at_a_time:
            self._close_useless()
            self._useless, self._store = self._store, None
            self._close_useless()

    def _close_useless(self) -> None:
        if self._useless is not None:
            self._useless.close()
            self._useless = None
