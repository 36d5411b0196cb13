"""`mailstop serve`, started by a party, and clients' connections to it over real sockets."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from tests.clients.waiting import wait_for
from tests.party import LONGEST_S, MAILSTOP, Party, Running

if TYPE_CHECKING:
    from tests.serve_inside import Inside

BOTH = "application/json, text/event-stream"
OLD, NEW = "2025-11-25", "2026-07-28"


class Served:
    """A server that a party has started. A context manager that ends it. words: further ones of `mailstop serve`.
    before: what stands before all words, as AS_OWNER."""

    def __init__(self, party: Party, *words: str, before: tuple[str, ...] = ()) -> None:
        self.party = party
        folder = party.home / f"serve-{os.urandom(4).hex()}"
        folder.mkdir()
        self._errors, output = folder / "errors", folder / "output"
        argv = [
            *before,
            "/bin/sh",
            "-c",
            f'exec "$0" "$@" 2>"{self._errors}"',
            MAILSTOP,
            "serve",
            "--port",
            "0",
            "--json",
            *words,
        ]
        started = {"do": "start", "argv": argv, "output": str(output), "cwd": str(party.home), "env": party.environment}
        self._running = Running(party, party._ask(started)["pid"], output)
        told = wait_for("the server says where it serves", lambda: [one for one in self.said if one.startswith("{")])
        self.told: dict[str, Any] = json.loads(told[0])
        self.address: str = self.told["address"]
        self.pid: int = self.told["pid"]
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if not self._over:
            self.kill()

    @property
    def log(self) -> str:
        """What it has written to standard error."""
        return self._errors.read_text()

    @property
    def said(self) -> list[str]:
        """The lines that it has printed."""
        return self._running.lines

    def stop(self) -> int:
        """Send it SIGTERM, and return its exit code."""
        return self._stop(signal.SIGTERM)

    def kill(self) -> int:
        """End it at once."""
        return self._stop(signal.SIGKILL)

    def wait(self) -> int:
        """Let it come to its end."""
        return self._stop(0)

    def _stop(self, number: int) -> int:
        self._over = True
        code: int = self.party._ask({"do": "stop", "pid": self._running.pid, "signal": number})["code"]
        return code

    def connect(self) -> Connection:
        """A connection that has said nothing yet."""
        return Connection(self.address)

    def joined(self, seat: str, **capabilities: Any) -> Connection:
        """A connection that sits at a seat."""
        return Connection(self.address).joined(seat, **capabilities)

    def get(self, path: str) -> tuple[int, str]:
        """What is not the protocol's."""
        answer = Connection(self.address).request("GET", path, headers={})
        return answer.status, answer.body.decode()

    @property
    def memory_mib(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))


class Answered:
    """What came back. messages: those of the protocol, in order."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def messages(self) -> list[dict[str, Any]]:
        if "event-stream" not in (self.headers["content-type"] or ""):
            return [json.loads(self.body)] if self.body else []
        lines = self.body.decode().splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]


class Connection:
    """A client of the old era that knows how to do one thing after the other."""

    def __init__(self, address: str, headers: Mapping[str, str] | None = None) -> None:
        place = urlsplit(address)
        assert place.hostname and place.port
        self._place = (place.hostname, place.port)
        self._always = dict(headers or {})
        self.id = ""
        self._last = 0
        self.unasked: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    # -- HTTP

    def request(
        self, method: str, path: str = "/mcp", body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        """One request by a TCP connection of its own."""
        http_ = http.client.HTTPConnection(*self._place, timeout=LONGEST_S)
        try:
            http_.request(method, path, body, {**self._always, **(self.headers if headers is None else headers)})
            return Answered(http_.getresponse())
        finally:
            http_.close()

    @property
    def headers(self) -> dict[str, str]:
        found = {"Content-Type": "application/json", "Accept": BOTH, "MCP-Protocol-Version": OLD}
        return {**found, "Mcp-Session-Id": self.id} if self.id else found

    def post(self, message: Any) -> Answered:
        """Send a message, or bytes that are none."""
        return self.request("POST", body=_bytes_of(message))

    def begin(self, message: Any, *, method: str = "POST") -> socket.socket:
        """Send a request and do not read what comes. Close what this returns."""
        body = _bytes_of(message)
        headers = {**self._always, **self.headers, "Host": ":".join(map(str, self._place))}
        headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        opened = socket.create_connection(self._place, timeout=LONGEST_S)
        opened.sendall(f"{method} /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        return opened

    @contextmanager
    def begin_slowly(self, message: Any) -> Iterator[tuple[socket.socket, bytes]]:
        """A request whose body is awaited by the server: its socket, and what is still to be sent."""
        body = _bytes_of(message)
        headers = {**self._always, **self.headers, "Host": ":".join(map(str, self._place))}
        headers |= {"Content-Length": str(len(body)), "Expect": "100-continue"}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection(self._place, timeout=LONGEST_S) as opened:
            opened.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode())
            assert opened.recv(65536).startswith(b"HTTP/1.1 100")
            yield opened, body

    def listen(self) -> socket.socket:
        """Open the stream on which the server tells what it was not asked. Close what this returns."""
        opened = self.begin(None, method="GET")
        assert opened.recv(65536).startswith(b"HTTP/1.1 200")
        return opened

    # -- the protocol

    def numbered(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        return {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and return its answer."""
        request = self.numbered(method, params)
        answered = self.post(request)
        *self.unasked, answer = answered.messages
        assert answer.get("id") == request["id"], (answered.status, answered.body)
        return answer

    def initialize(self, capabilities: dict[str, Any] | None = None) -> Self:
        """Agree, as the old era does; the connection has an id from then on."""
        params = {
            "protocolVersion": OLD,
            "capabilities": capabilities or {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        answered = self.post(self.numbered("initialize", params))
        assert answered.status == 200, answered.body
        self.id = answered.headers["mcp-session-id"]
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return self

    def call(self, tool: str, *, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and return its result; `from_` stands for `from`."""
        given = {name.rstrip("_"): value for name, value in arguments.items()}
        params = {"name": tool, "arguments": given, **({"_meta": meta} if meta else {})}
        answer = self.ask("tools/call", params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def told(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool says, as data; it has not refused."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        data: dict[str, Any] = result["structuredContent"]
        return data

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Why a tool refuses."""
        result = self.call(tool, **arguments)
        assert result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        data: dict[str, Any] = result["structuredContent"]
        return data

    def joined(self, seat: str, **capabilities: Any) -> Self:
        """The same connection, which sits at a seat."""
        self.initialize(capabilities)
        assert self.told("me", action="join", name=seat)["seats"][0]["seat"] == seat
        return self

    def close(self) -> int:
        """Say that it is over."""
        return self.request("DELETE").status if self.id else 0


def _bytes_of(message: Any) -> bytes:
    if message is None or isinstance(message, bytes):
        return message or b""
    return json.dumps(message).encode()


def check(seconds: int, connection: Connection, **meta: Any) -> dict[str, Any]:
    """A request that waits so long for a letter."""
    params = {"name": "check", "arguments": {"wait": seconds}, **({"_meta": meta} if meta else {})}
    return connection.numbered("tools/call", params)


def figure(served: Served | Inside, name: str) -> int:
    """One of the figures that a server tells; 0 for one that it does not."""
    lines = Connection(served.address).request("GET", "/metrics").body.decode().splitlines()
    return next((int(float(line.split()[1])) for line in lines if line.startswith(f"{name} ")), 0)


def waiting(served: Served | Inside) -> int:
    """How many calls wait."""
    return figure(served, "mailstop_waiting_calls")
