"""A small server behind the gate, under a real uvicorn on a real socket; and a client that writes any bytes."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from mailstop.engines.base import Store
from mailstop.resident.allowed import Allowed
from mailstop.resident.bearers import Bearers
from mailstop.resident.gate import BEARER, Gate
from mailstop.resident.shared_token import SharedToken

T = TypeVar("T")
LONGEST_S = 20.0  # for anything that a test waits for


@dataclass(frozen=True)
class Answer:
    """What a server answered on a socket, up to the end of the connection or of the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class GatedServer:
    """Starlette behind a gate under uvicorn, in a thread of its own. A context manager.

    open_store: opens the store; called in the one thread that then uses it. loopback: what the gate is told of the
    address, whatever it is.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        *,
        shared: SharedToken | None = None,
        loopback: bool = True,
        allowed: Allowed | None = None,
        clock: Callable[[], int] | None = None,
        longest_body: int = 100_000,
        body_s: float = 30.0,
    ) -> None:
        self._open_store = open_store
        self._thread = ThreadPoolExecutor(1)
        self._store: Store | None = None
        self._shared, self._loopback, self._clock = shared, loopback, clock
        self._allowed = allowed or Allowed.of("127.0.0.1", {})
        self._bounds = (longest_body, body_s)
        self.heard = 0  # requests that came through the gate
        self.refused: Counter[str] = Counter()
        self.events: asyncio.Queue[str] = asyncio.Queue()
        self.loop: asyncio.AbstractEventLoop
        self.gate: Gate

    def __enter__(self) -> Self:
        # With the protocol named: else asyncio does not know it for TCP, and each answer waits for Nagle's 40 ms.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        self.port: int = listener.getsockname()[1]
        config = uvicorn.Config(self._build(), http="h11", ws="none", lifespan="off", log_config=None, access_log=False)
        self._server = uvicorn.Server(config)
        started = threading.Event()

        async def serve() -> None:
            self.loop = asyncio.get_running_loop()
            started.set()
            await self._server.serve(sockets=[listener])

        self._serving = threading.Thread(target=lambda: asyncio.run(serve()))
        self._serving.start()
        assert started.wait(LONGEST_S)
        self.get("/healthz")  # it answers
        self.heard = 0
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._serving.join(LONGEST_S)
        assert not self._serving.is_alive()
        self._thread.submit(lambda: self._store.close() if self._store else None).result(LONGEST_S)
        self._thread.shutdown()

    def _build(self) -> Gate:
        clock = {} if self._clock is None else {"clock": self._clock}
        bearers = Bearers(self, shared=self._shared, open_without=self._loopback, **clock)
        longest_body, body_s = self._bounds
        routes = [
            Route("/mcp", self._echo, methods=["GET", "POST", "PUT", "OPTIONS"]),
            Route("/events", self._stream),
            Route("/answer", self._answer, methods=["GET", "POST"]),
            Route("/healthz", self._healthz),
            Route("/metrics", self._healthz),
        ]
        self.gate = Gate(
            Starlette(routes=routes),
            bearers,
            self._allowed,
            loopback=self._loopback,
            longest_body=longest_body,
            body_s=body_s,
            refused=lambda code: self.refused.update([code]),
        )
        return self.gate

    async def glance(self, act: Callable[[Store], T]) -> T:
        return await self.run(act)

    async def run(self, act: Callable[[Store], T]) -> T:
        def do() -> T:
            if self._store is None:
                self._store = self._open_store()
            return act(self._store)

        return await asyncio.get_running_loop().run_in_executor(self._thread, do)

    # -- the server behind the gate

    async def _echo(self, request: Request) -> Response:
        self.heard += 1
        bearer = request.scope[BEARER]
        told = None if bearer is None else bearer.as_dict()
        body = await request.body()
        return JSONResponse({"bearer": told, "length": len(body), "token": request.headers.get("authorization")})

    async def _healthz(self, request: Request) -> Response:
        self.heard += 1
        return PlainTextResponse("ok")

    async def _stream(self, request: Request) -> Response:
        async def events() -> AsyncIterator[str]:
            yield "data: begun\n\n"
            while True:
                yield f"data: {await self.events.get()}\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")

    async def _answer(self, request: Request) -> Response:
        await request.body()
        self.heard += 1
        return PlainTextResponse(await self.events.get())

    def tell(self, event: str) -> None:
        """Send an event to whoever has the stream open."""
        self.loop.call_soon_threadsafe(self.events.put_nowait, event)

    # -- the client

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_S)

    def send(self, data: bytes) -> Answer:
        """Write these bytes to a new connection, and read what comes back."""
        with self.connect() as connection:
            connection.sendall(data)
            return answer_on(connection)

    def request(self, method: str, path: str, body: bytes = b"", **headers: str | bytes) -> Answer:
        """Send a request. headers: by name with `_` for `-`; without a host, this server's own."""
        return self.send(self.text_of(method, path, body, **headers))

    def get(self, path: str, **headers: str | bytes) -> Answer:
        return self.request("GET", path, b"", **headers)

    def post(self, body: bytes = b"{}", *, token: str | None = None, **headers: str | bytes) -> Answer:
        """Call the server's tools, so to speak."""
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return self.request("POST", "/mcp", body, **headers)

    def text_of(self, method: str, path: str, body: bytes = b"", **headers: str | bytes) -> bytes:
        """The bytes of a request."""
        named: dict[str, str | bytes] = {"host": f"127.0.0.1:{self.port}", **headers}
        if body:
            named.setdefault("content_length", str(len(body)))
        lines = [f"{method} {path} HTTP/1.1".encode()]
        for name, value in named.items():
            raw = value if isinstance(value, bytes) else value.encode("latin-1")
            lines.append(name.replace("_", "-").encode() + b": " + raw)
        return b"\r\n".join(lines) + b"\r\n\r\n" + body


def answer_on(connection: socket.socket) -> Answer:
    """Read one answer: to the end of its body, or of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", -1))
    while length < 0 or len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return Answer(int(status.split()[1]) if status else 0, headers, body)
