"""Sockets: how many connections there may be at once, and how long one may take for the headers of a request.

Each takes a descriptor, and a process has so many. Where there is no room for one more, that one goes which has rested
longest without a request of which all headers have come; where none rests, the new one is told to come again.
"""

from __future__ import annotations

import asyncio
import resource

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEADERS_S = 30.0  # for all headers of a request to come, of a new connection from its beginning
RESERVE = 128  # descriptors for all else: each thread's store takes four
FEWEST = 16  # connections, where there are hardly any descriptors
AT_ONCE = 16  # connections that are taken in before those that were are counted; the rest stand in the kernel's queue
QUEUE = 2048
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def most_connections() -> int:
    """How many connections this process has descriptors for."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else max(FEWEST, soft - RESERVE)


def bounded(*, most: int, headers_s: float = HEADERS_S) -> type[H11Protocol]:
    """What uvicorn makes of each connection, of which there may be `most` at once."""
    resting: dict[BoundedProtocol, None] = {}  # those that could be closed, in the order in which they began to rest

    class Bounded(BoundedProtocol):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.most, self.headers_s, self.resting = most, headers_s, resting

    return Bounded


class BoundedProtocol(H11Protocol):
    """A connection that counts itself and the seconds. See `bounded`."""

    most: int
    headers_s: float
    resting: dict[BoundedProtocol, None]
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        if len(self.connections) > self.most and not self._has_made_room():
            transport.write(_FULL)
            transport.close()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._unwatch()
        self.resting.pop(self, None)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Something has come, or what came before may be read now."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """A request was answered."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Note whether it rests, and begin to count where it has begun to send headers, or is new."""
        if self.transport.is_closing():
            self._unwatch()
        elif self.cycle is not None and not self.cycle.response_complete:
            self._unwatch()
            self.resting.pop(self, None)
        else:
            self.resting.setdefault(self)
            is_new = self.cycle is None
            if self._timer is None and (is_new or self._has_begun()):
                self._timer = self.loop.call_later(self.headers_s, self.transport.abort)

    def _has_begun(self) -> bool:
        """Whether a part of a request has come."""
        return self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _has_made_room(self) -> bool:
        """Whether another connection that only rests was closed in favour of this one."""
        oldest = next(iter(self.resting), None)
        if oldest is None:
            return False
        del self.resting[oldest]
        oldest.transport.abort()
        return True
