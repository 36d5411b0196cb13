"""Exchanges: one request over HTTP and its answer, and what becomes of them.

Between the gate and the protocol. The protocol's own code says when an answer is made; only here is seen that it was
written, that the client has hung up, that it has closed its connection.
"""

from __future__ import annotations

import asyncio
import time

from starlette.responses import JSONResponse

from mailstop.resident.gate import ARRIVED, BEARER, CUT_OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from mailstop.resident.callers import Bearer, Callers

IN_SCOPE = "mailstop.exchange"
_CONNECTION = b"mcp-session-id"
_RESULT = b'"result"'  # stands in the part of an answer that holds it, and in nothing that is written before


class Exchange:
    """One request. connection: the id of its MCP session, empty without one. arrived: when it began to come, by the
    monotonic clock in nanoseconds."""

    def __init__(self, connection: str, bearer: Bearer | None, arrived: int) -> None:
        self.arrived = arrived
        self.connection = connection
        self.bearer = bearer
        self.gone = asyncio.Event()  # the client has hung up before all was written
        self._over: bool | None = None
        self._answered = False
        self._then: list[Callable[[bool], None]] = []

    def answered(self, then: Callable[[bool], None]) -> None:
        """The answer is made, and about to be written. then: is told whether it was, whole."""
        if self._over is not None:
            then(False)
            return
        self._answered = True
        self._then.append(then)

    def wrote(self, body: bytes) -> None:
        """A part of what is answered was written."""
        if self._answered and not self.gone.is_set() and _RESULT in body:
            self._settle(True)

    def end(self) -> None:
        """Nothing more is written."""
        self.gone.set()
        self._settle(False)

    def _settle(self, whole: bool) -> None:
        if self._over is None:
            self._over = whole
        then, self._then = self._then, []
        for each in then:
            each(whole)


class Exchanges:
    """Watches over all requests to the protocol's own app.

    user_of: what that app is told of who sends a token. again: told of a request by which a client listens again.
    """

    def __init__(
        self, app: ASGIApp, callers: Callers, user_of: Callable[[Bearer], object], again: Callable[[Exchange], None]
    ) -> None:
        self._app, self._callers, self._user_of, self._again = app, callers, user_of, again
        self.draining = False
        self.running = 0  # requests, without the streams on which clients only listen
        self.idle = asyncio.Event()  # none runs
        self.idle.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self.draining and scope["method"] != "DELETE":
            refusal = JSONResponse({"error": "this server is about to end"}, 503, {"Retry-After": "1"})
            await refusal(scope, receive, send)
            return
        exchange = scope[IN_SCOPE] = _exchange_of(scope)
        if exchange.bearer is not None:
            scope["user"] = self._user_of(exchange.bearer)
        if scope["method"] == "GET":
            await self._listen(exchange, scope, receive, send)
            return
        self.running += 1
        self.idle.clear()
        try:
            await self._exchange(exchange, scope, receive, send)
        finally:
            self.running -= 1
            if not self.running:
                self.idle.set()

    async def _exchange(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        status = 0
        cut_off: asyncio.Event | None = scope.get(CUT_OFF)

        async def written(message: Message) -> None:
            nonlocal status
            await send(message)
            if message["type"] == "http.response.start":
                status = message["status"]
            if cut_off is not None and cut_off.is_set():  # the gate has written something else, or nothing
                exchange.end()
            elif message.get("body"):
                exchange.wrote(message["body"])

        try:
            await self._app(scope, _received(exchange, receive), written)
        finally:
            exchange.end()
            if scope["method"] == "DELETE" and status in (200, 202, 204):
                self._callers.closed(exchange.connection)

    async def _listen(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        """A stream on which a client listens, for as long as it does."""
        from contextlib import ExitStack

        with ExitStack() as stack:

            async def written(message: Message) -> None:
                if message["type"] == "http.response.start" and message["status"] == 200 and exchange.connection:
                    connected = self._callers.who(exchange.connection, exchange.bearer)
                    stack.enter_context(self._callers.listening(connected, exchange.connection))
                    self._again(exchange)
                await send(message)

            await self._app(scope, _received(exchange, receive), written)


def _exchange_of(scope: Scope) -> Exchange:
    return Exchange(_connection(scope), scope.get(BEARER), scope.get(ARRIVED) or time.monotonic_ns())


def _connection(scope: Scope) -> str:
    """The id of the MCP session that a request names."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == _CONNECTION), "")


def _received(exchange: Exchange, receive: Receive) -> Receive:
    async def received() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect":
            exchange.gone.set()
        return message

    return received
