"""`mailstop serve` beside a bare server of the official SDK: calls, and memory.

The bare server has the same tools, whose code it calls as its documentation shows: in the event loop, for one caller,
with no token looked at, no sessions, and nobody who waits. What they take is the same there; the rest is what ours
adds. One row beside a tool that does nothing tells what all of it takes.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

from benchmarks.ground import Ground
from benchmarks.measure import Comparison

CALLS = 400
CONNECTIONS = 50
MOST_OVER_BARE = 1.3
MOST_MEMORY_MIB = 120.0
VERSION = "2025-11-25"

# As the SDK's documentation writes low-level servers; it prints where it serves.
BARE = """
import os
import socket
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.engines import open_store
from mailstop.mcp import tools
from mailstop.mcp.tools.tool import Call
from mailstop.office import Office

caller = identify(os.environ)
store = open_store(store_of(caller))

async def listed(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="who", input_schema={"type": "object"})])

async def called(context, params):
    if params.name == "nothing":
        text, data = "nobody is here", {"seats": []}
    else:
        answer = tools.find(params.name).run(Call(Office(store, caller), params.arguments or {}, None))
        text, data = answer.text, answer.data
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=data)

server = Server("bare", on_list_tools=listed, on_call_tool=called)
# As uvicorn binds it: without the protocol's number asyncio leaves Nagle's algorithm on, for 40 ms a call.
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
print('{"address": "http://127.0.0.1:%d"}' % listener.getsockname()[1], flush=True)
app = server.streamable_http_app()
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
"""


class Served:
    """A server that was started. A context manager that ends it."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE)
        assert self.process.stdout
        self.address: str = json.loads(self.process.stdout.readline())["address"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stdout
        self.process.stdout.close()

    @property
    def memory_mib(self) -> float:
        """Its resident memory."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


class Connection:
    """A client of the old era, over one TCP connection that stays open."""

    def __init__(self, served: Served) -> None:
        place = urlsplit(served.address)
        self._http = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self._last = 0
        params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._ask("initialize", params)
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _post(self, message: dict[str, Any]) -> bytes:
        self._http.request("POST", "/mcp", json.dumps(message).encode(), self._headers)
        response = self._http.getresponse()
        if "Mcp-Session-Id" not in self._headers:
            self._headers |= {"Mcp-Session-Id": response.headers["mcp-session-id"], "MCP-Protocol-Version": VERSION}
        return response.read()

    def _ask(self, method: str, params: dict[str, Any]) -> bytes:
        self._last += 1
        return self._post({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})

    def call(self, tool: str, **arguments: Any) -> None:
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        assert b'"result"' in answer and b'"isError":true' not in answer, answer

    def call_ms(self, tool: str) -> float:
        """The time of a call."""
        began = time.perf_counter()
        self.call(tool)
        return (time.perf_counter() - began) * 1e3


def comparisons() -> Iterator[Comparison]:
    env = {"PATH": os.defpath}
    with Ground() as ground:
        own, bare = [ground.command, "serve", "--port", "0", "--json"], [sys.executable, "-c", BARE]
        with Served(bare, {**ground.join("peer"), **env}) as theirs, Served(own, {**ground.env, **env}) as ours:
            floor, joined = Connection(theirs), Connection(ours)
            joined.call("me", action="join", name="me")
            for tool in ("who", "check", "me"):
                yield _beside(
                    f"serve: a call of {tool} beside a bare server's", floor, tool, joined, tool, MOST_OVER_BARE
                )
            yield _beside("serve: a call of who beside nothing", floor, "nothing", joined, "who", MOST_OVER_BARE)
            others = [Connection(ours) for _ in range(CONNECTIONS)]
            for number, one in enumerate(others):
                one.call("me", action="join", name=f"seat-{number}")
                one.call("check")
            memory = ours.memory_mib
            # In MiB, not in milliseconds; its floor is what it may take.
            yield Comparison(
                f"serve: memory with {CONNECTIONS} connections (MiB)",
                MOST_MEMORY_MIB,
                memory,
                memory / MOST_MEMORY_MIB,
                1,
            )


def _beside(name: str, floor: Connection, bare: str, own: Connection, tool: str, budget: float) -> Comparison:
    """Calls of a tool of the bare server, and of one of ours, in turn."""
    for _ in range(40):
        floor.call_ms(bare), own.call_ms(tool)
    pairs = [(floor.call_ms(bare), own.call_ms(tool)) for _ in range(CALLS)]
    return Comparison(
        name,
        statistics.median(first for first, _ in pairs),
        statistics.median(last for _, last in pairs),
        statistics.median(last / first for first, last in pairs),
        budget,
    )
