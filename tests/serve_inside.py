"""The service of `mailstop serve` in a thread of the tests, for what no client can bring about: a clock that jumps, and
tokens, of which the gate says here whatever a header says."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from starlette.types import ASGIApp, Receive, Scope, Send

from mailstop.resident.callers import IDLE_MS
from mailstop.resident.gate import BEARER
from mailstop.resident.service import Service
from mailstop.resident.start import bound
from mailstop.times import now_ms
from tests.http_served import Connection
from tests.party import LONGEST_S

if TYPE_CHECKING:
    from mailstop.resident.bearers import AtStore

HEADER = "X-Bearer"


@dataclass(frozen=True)
class Bearer:
    kind: str
    seat: str = ""
    bag: str = "default"


def trusting(app: ASGIApp, _at_store: AtStore, _refused: Callable[[str], None]) -> ASGIApp:
    """A gate that believes what the header says."""

    async def gate(scope: Scope, receive: Receive, send: Send) -> None:
        told = dict(scope["headers"]).get(HEADER.lower().encode())
        scope[BEARER] = Bearer(**json.loads(told)) if told else None
        await app(scope, receive, send)

    return gate


class Clock:
    """The time, and what the test adds to it."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def __call__(self) -> int:
        return now_ms() + self.ahead_ms


class Inside:
    """A service that runs. A context manager that ends it."""

    def __init__(self, store: Path, *, idle_ms: int = IDLE_MS) -> None:
        self._idle_ms = idle_ms
        self.clock = Clock()
        self._url = f"sqlite:///{store}"
        self._ready, self._failed = threading.Event(), list[BaseException]()
        self._listening: list[socket.socket] = bound("127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._listening[0].getsockname()[1]}"
        self._thread = threading.Thread(target=self._run)
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self.service: Service

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(LONGEST_S)
        assert not self._failed
        return self

    def __exit__(self, *_exception: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LONGEST_S)
        assert not self._thread.is_alive()
        assert not self._failed

    def connect(self, kind: str = "", seat: str = "", bag: str = "default") -> Connection:
        """A connection; kind, seat and bag: what the gate says of its token."""
        told = {HEADER: json.dumps({"kind": kind, "seat": seat, "bag": bag})} if kind else {}
        return Connection(self.address, told)

    def joined(self, seat: str, **capabilities: Any) -> Connection:
        """A connection that sits at a seat."""
        return Connection(self.address).joined(seat, **capabilities)

    def later(self, minutes: float, then: Callable[[], Any] = lambda: None) -> None:
        """Let the time pass, and the timer of idle sessions go off."""
        self.clock.ahead_ms += round(minutes * 60_000)
        asyncio.run_coroutine_threadsafe(self._reap(), self._loop).result(LONGEST_S)
        then()

    async def _reap(self) -> None:
        self.service.callers.reap()
        await self.service.settled()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failed.append(error)
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.service = Service(self._url, gate=trusting, clock=self.clock, idle_ms=self._idle_ms)
        await self.service.run(self._listening, self._stop, self._ready.set)
