"""`mailstop mcp` beside the same tool on the official SDK's server: start, memory, and a call over the office's own."""

from __future__ import annotations

import json
import os
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Self

from benchmarks.ground import Ground
from benchmarks.measure import Comparison

ROUNDS = 21
CALLS = 200
# On the machine where the floors were measured the SDK's server took 565 ms and 65 MiB; what ours may take, 40 ms and
# 14 MiB, is a part of that, and stays one on a machine that is slower or busy.
MOST_OF_START = 40 / 565
MOST_OF_MEMORY = 14 / 65
MOST_OVER_MS = 1.0  # over the office's own time for the same, and the way to the server and back

INITIALIZE = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}

# The same tool, by the SDK as its documentation writes servers, on an office that stays open.
SDK_SERVER = """
import os
from mcp.server.mcpserver import MCPServer
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.engines import open_store
from mailstop.office import Office

server = MCPServer("bench")
offices = []

@server.tool()
def who() -> dict[str, list[str]]:
    if not offices:
        caller = identify(os.environ)
        offices.append(Office(open_store(store_of(caller)), caller))
    return {"seats": [each.seat.name for each in offices[0].reading.attendance()[0]]}

server.run("stdio")
"""

# How long the office itself takes for it, in milliseconds, whenever a line asks for it. It is asked in the same rhythm
# as the servers: in a loop of its own it would find the processor's caches warm, and be twice as fast.
OFFICE = """
import os, sys, time
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.engines import open_store
from mailstop.office import Office

caller = identify(os.environ)
with open_store(store_of(caller)) as store:
    for _ in sys.stdin:
        began = time.perf_counter()
        Office(store, caller).reading.attendance()
        print((time.perf_counter() - began) * 1e3, flush=True)
"""


class Alone:
    """The office by itself, in a process. A context manager that ends it."""

    def __init__(self, env: dict[str, str]) -> None:
        argv = [sys.executable, "-c", OFFICE]
        self.process = subprocess.Popen(argv, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.process.communicate(timeout=30)

    def call_ms(self) -> float:
        """The time that it takes itself, without the way there and back."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class Served:
    """A server that was started, up to its answer to `initialize`. start_ms: how long that took."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._last = 0
        self.ask(INITIALIZE)
        self.start_ms = (time.perf_counter() - began) * 1e3
        self._say({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def _say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._say({"id": self._last, **request})
        output = self.process.stdout
        assert output and select.select([output], [], [], 60)[0]
        answer: dict[str, Any] = json.loads(output.readline())
        return answer

    def call_ms(self) -> float:
        """The time of a call of `who`."""
        began = time.perf_counter()
        answer = self.ask({"method": "tools/call", "params": {"name": "who", "arguments": {}}})
        took = (time.perf_counter() - began) * 1e3
        assert not answer["result"].get("isError"), answer
        return took

    def ping_ms(self) -> float:
        """The time of the way to the server and back."""
        began = time.perf_counter()
        self.ask({"method": "ping"})
        return (time.perf_counter() - began) * 1e3

    @property
    def memory_mib(self) -> float:
        """Its resident memory."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def comparisons() -> Iterator[Comparison]:
    with Ground() as ground:
        me, _peer = ground.join("me"), ground.join("peer")
        own, sdk = [ground.command, "mcp"], [sys.executable, "-c", SDK_SERVER]
        for _ in range(2):  # the code image, the compiled files, the file cache
            _started(own, me), _started(sdk, me)
        pairs = [(_started(sdk, me), _started(own, me)) for _ in range(ROUNDS)]
        yield _beside("mcp: start to the answer of initialize", [(a[0], b[0]) for a, b in pairs], MOST_OF_START)
        yield _beside("mcp: resident memory then (MiB)", [(a[1], b[1]) for a, b in pairs], MOST_OF_MEMORY)
        with Served(sdk, me) as theirs, Served(own, me) as ours, Alone(me) as alone:
            for _ in range(20):
                theirs.call_ms(), ours.call_ms(), alone.call_ms()
            calls = [(theirs.call_ms(), alone.call_ms(), ours.ping_ms(), ours.call_ms()) for _ in range(CALLS)]
        yield _beside("mcp: a call of who", [(first, last) for first, _, _, last in calls], 1.0)
        floor = statistics.median(office for _, office, _, _ in calls)
        over = statistics.median(last - ping - office for _, office, ping, last in calls)
        # The ratio here is that of what comes on top to the millisecond that it may take.
        yield Comparison(
            "mcp: a call of who, on top of the office's own", floor, floor + over, over / MOST_OVER_MS, 1.0
        )


def _started(argv: list[str], env: dict[str, str]) -> tuple[float, float]:
    """How long one takes to start, in milliseconds, and its memory, in MiB."""
    with Served(argv, {**env, "PATH": os.defpath}) as served:
        return served.start_ms, served.memory_mib


def _beside(name: str, pairs: list[tuple[float, float]], budget: float) -> Comparison:
    """Ours beside the SDK's."""
    floor, own = statistics.median(first for first, _ in pairs), statistics.median(second for _, second in pairs)
    return Comparison(name, floor, own, statistics.median(second / first for first, second in pairs), budget)
