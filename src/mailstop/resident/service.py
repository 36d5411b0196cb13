"""Service: one store served over HTTP from start to end.

The end, on SIGTERM: no new calls; who waits is answered with what there is; what runs runs to its end, for five seconds
at most; then all sessions that were here are ended, so that what they held is free.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import contextmanager

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mailstop.resident.bridges import Bridges
from mailstop.resident.callers import IDLE_MS, Callers
from mailstop.resident.calls import Calls
from mailstop.resident.duty import SHORTEST_S, Duty
from mailstop.resident.exchanges import Exchanges
from mailstop.resident.figures import CONTENT_TYPE, Figures
from mailstop.resident.gate import LONGEST_BODY
from mailstop.resident.health import Examination, bridges_text
from mailstop.resident.lock import LONGEST_DRAIN_S
from mailstop.resident.log import log, say
from mailstop.resident.news import News
from mailstop.resident.protocol import Protocol, user_of
from mailstop.resident.rings import Rings
from mailstop.resident.sockets import AT_ONCE, HEADERS_S, QUEUE, bounded, most_connections
from mailstop.resident.workers import Workers
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from mailstop.engines.base import Store
    from mailstop.resident.bearers import AtStore
    from mailstop.resident.bridges import Bridged
    from mailstop.resident.callers import Connected
    from mailstop.resident.exchanges import Exchange

    Gate = Callable[[ASGIApp, AtStore, Callable[[str], None]], ASGIApp]

PATH = "/mcp"
MOST_CONNECTIONS = 10_000
KEEP_ALIVE_S = 75  # that a connection may rest between two requests
LONGEST_CLOSE_S = 2.0  # for ending all sessions, when all has been answered
_LAST_S = 1.0  # for what is still open when all has been answered


class _Uvicorn(uvicorn.Server):
    """uvicorn, which leaves signals to us and sleeps until it is told to end: its own loop wakes ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.end = asyncio.Event()
        self.ready = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        self.ready.set()
        await self.end.wait()


class Service:
    """One store, served. Make and run it in an event loop.

    gate: what stands before everything else, and tells who sends a token; it is given how to ask the store, and whom to
    tell the code of each refusal. clock: milliseconds since 1970. headers_s: see `bounded`.
    bridged: the lanes that it bridges with bags.
    """

    def __init__(
        self,
        url: str,
        *,
        gate: Gate | None = None,
        clock: Callable[[], int] = now_ms,
        idle_ms: int = IDLE_MS,
        headers_s: float = HEADERS_S,
        bridged: Sequence[Bridged] = (),
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._clock = clock
        self._headers_s = headers_s
        self._workers = Workers(url)
        self.callers = Callers(self._end_soon, clock=clock, idle_ms=idle_ms)
        self._bridges = Bridges(bridged, url) if bridged else None
        self._figures = Figures(self.callers.count, self._bridges.count if self._bridges else None)
        self._duty = Duty(self._workers, self._figures, clock)
        self._rings = Rings(self._duty.look_soon)
        self._calls = Calls(self._workers, self.callers, self._rings, self._figures, self._after)
        self._news = News(self._workers, self.callers, self._rings)
        self._examination = Examination(self._workers)
        self._ending: set[asyncio.Task[None]] = set()
        self._reaping: asyncio.TimerHandle | None = None
        self._manager = StreamableHTTPSessionManager(
            Protocol(self._calls, self.callers, self._news),
            session_idle_timeout=idle_ms / 1000,
            max_request_body_size=LONGEST_BODY,
            max_sessions=MOST_CONNECTIONS,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self._exchanges = Exchanges(self._manager.handle_request, self.callers, user_of, self._again)
        routes = [
            Route(PATH, self._exchanges),
            Route("/healthz", self._health, methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
        ]
        self._other_paths = Starlette(routes=routes)
        app: ASGIApp = self._routed
        self._app = gate(app, self._workers, self._figures.refused) if gate else app

    async def run(self, listening: list[socket.socket], stop: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve on these sockets until `stop` is set. ready: called once it does."""
        server = _Uvicorn(
            uvicorn.Config(
                self._app,
                http=bounded(most=most_connections(), headers_s=self._headers_s),
                interface="asgi3",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                backlog=AT_ONCE,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=round(_LAST_S),
            )
        )
        try:
            async with self._manager.run():
                serving = asyncio.ensure_future(server.serve(listening))
                await _first(serving, server.ready)
                for each in listening:
                    each.listen(QUEUE)
                self._duty.look_soon()
                ready()
                if self._bridges:
                    self._bridges.begin()
                await _first(serving, stop)
                await self._drain()
            server.end.set()
            await serving
        finally:
            await self._close()

    async def _drain(self) -> None:
        """Answer what was asked, and take in nothing more."""
        self._exchanges.draining = True
        self._calls.drain()
        if self._bridges:
            self._bridges.dismiss()
        try:
            await asyncio.wait_for(self._exchanges.idle.wait(), LONGEST_DRAIN_S)
        except TimeoutError:
            pass

    async def _close(self) -> None:
        """End all sessions and close the store; where that cannot be done in time, the end of this process proves the
        same of the sessions, and the store knows what was committed."""
        until = self._loop.time() + LONGEST_CLOSE_S
        if self._reaping is not None:
            self._reaping.cancel()
        self._news.close()
        try:
            async with asyncio.timeout_at(until):
                await self._calls.settled()
                await self._duty.close()
                for connected in self.callers.everyone():
                    self._end_soon(connected)
                await self.settled()
        except TimeoutError:
            say("not all sessions were ended in the store: it was busy")
        self._rings.close()
        if self._bridges:
            self._bridges.dismiss()
            await asyncio.to_thread(self._bridges.ended, max(0.0, until - self._loop.time()))
        self._workers.close(max(0.0, until - self._loop.time()))

    # -- sessions

    def _after(self) -> None:
        """A call is over."""
        self._duty.look_soon()
        self._arm()

    def _arm(self) -> None:
        """Look for idle sessions when the next one may be."""
        at = None if self._exchanges.draining else self.callers.next_reaping()
        if at is None:
            return
        when = self._loop.time() + max(SHORTEST_S, (at - self._clock()) / 1000)
        if self._reaping is not None:
            if self._reaping.when() <= when:  # whoever has called since is idle later than that
                return
            self._reaping.cancel()
        self._reaping = self._loop.call_at(when, self._reap)

    def _reap(self) -> None:
        self._reaping = None
        self.callers.reap()
        self._arm()

    def _end_soon(self, connected: Connected) -> None:
        task = self._loop.create_task(self._end(connected))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, connected: Connected) -> None:
        def end(store: Store) -> bool:
            return self.callers.end(connected, store)

        try:
            with self.callers.being_ended(connected):
                if await self._workers.run(end):
                    self._figures.ended()
                    self._news.over(connected)
            if self.callers.is_back(connected):  # it came while its session was being ended
                await self._go_on(connected)
        except Exception as error:  # it is tried again; and the end of this process proves the same
            log(error, "the end of a session")
        self._after()

    async def settled(self) -> None:
        """Wait until the sessions have ended that were to be."""
        while self._ending:
            await asyncio.wait(self._ending)

    def _again(self, exchange: Exchange) -> None:
        """A client listens again that had hung up: its session goes on."""
        connected = self.callers.who(exchange.connection, exchange.bearer)
        if connected.over:
            task = self._loop.create_task(self._go_on(connected))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def _go_on(self, connected: Connected) -> None:
        try:
            await self._workers.run(lambda store: self.callers.office(connected, store, looks=True))
        except Exception as error:  # its next call tries again
            log(error, "going on with a session")
        self._arm()

    async def _routed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Nearly all requests are the protocol's, and need nothing of what Starlette does before it looks at a path."""
        app = self._exchanges if scope["type"] == "http" and scope["path"] == PATH else self._other_paths
        await app(scope, receive, send)

    # -- what is not the protocol's

    async def _health(self, _request: Request) -> Response:
        found = await self._examination.found()
        data = found.as_data()
        if self._bridges:  # they do not make a server ill: it serves, and a restart would help none of them
            data["bridges"] = bridges_text(*self._bridges.count())
        return JSONResponse(data, 200 if found.is_well else 503)

    async def _metrics(self, _request: Request) -> Response:
        return Response(self._figures.text(), media_type=CONTENT_TYPE)


async def _first(serving: asyncio.Future[None], event: asyncio.Event) -> None:
    """Wait for the event, or for the server's end, whichever comes first; what ended it is raised."""
    waiting: asyncio.Future[Any] = asyncio.ensure_future(event.wait())
    both: list[asyncio.Future[Any]] = [serving, waiting]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if serving.done():
        serving.result()
