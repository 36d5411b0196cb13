"""A client's connection to `mailstop mcp`, over real pipes, to a process that a party has started."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from pathlib import Path
from typing import Any, Self

from tests.party import LONGEST_S, MAILSTOP, SESSION, Party

START = '"$0" mcp <"$1" >"$2" 2>"$3"'


class Connection:
    """One connection; a context manager that ends it. What the client says of itself is said by `initialize`.

    named: what the process that starts the server is called, where it is to pass for a client. session: whether the
    server is handed the party's own session.
    """

    def __init__(
        self, party: Party, *, named: str = "", session: bool = False, environment: dict[str, str] | None = None
    ) -> None:
        folder = party.home / f"mcp-{os.urandom(4).hex()}"
        folder.mkdir()
        given, told, self.errors = folder / "in", folder / "out", folder / "errors"
        os.mkfifo(given)
        os.mkfifo(told)
        shell, start = "/bin/sh", f"exec {START}"
        if named:
            shell, start = str(folder / named), f"{START}; :"  # the shell stays, as the server's parent
            os.symlink("/bin/sh", shell)
        handed = {name: value for name, value in party.environment.items() if session or name != SESSION}
        handed |= environment or {}
        argv = [shell, "-c", start, MAILSTOP, str(given), str(told), str(self.errors)]
        output = folder / "nothing"
        started = {"do": "start", "argv": argv, "output": str(output), "cwd": str(party.home), "env": handed}
        self.pid: int = party._ask(started)["pid"]
        self.party = party
        self._input = os.open(given, os.O_WRONLY)
        self._output = os.open(told, os.O_RDONLY)
        self._read = b""
        self._last = 0
        self.unasked: list[dict[str, Any]] = []  # notifications, as they came
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> list[dict[str, Any]]:
        """End the input, and return what the server still says; it has ended then."""
        self.end_input()
        said = []
        while not self._closed:
            said += [json.loads(line) for line in self._lines()]
            if not self._take():
                break
        if not self._closed:
            self._closed = True
            os.close(self._output)
        return said

    def end_input(self) -> None:
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def write(self, data: bytes) -> None:
        """Write bytes, all of them."""
        while data:
            data = data[os.write(self._input, data) :]

    def say(self, message: Any) -> None:
        """Write one message."""
        self.write(json.dumps(message).encode() + b"\n")

    def hear(self, seconds: float = LONGEST_S) -> Any:
        """The next message of the server."""
        end = time.monotonic() + seconds
        while b"\n" not in self._read:
            left = end - time.monotonic()
            assert left > 0 and select.select([self._output], [], [], left)[0], "the server says nothing"
            assert self._take(), f"the server has ended: {self.errors.read_text()}"
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    def is_silent(self, seconds: float = 0.2) -> bool:
        """Whether nothing comes for so long."""
        return not self._read and not select.select([self._output], [], [], seconds)[0]

    def _take(self) -> bool:
        data = os.read(self._output, 1 << 20)
        self._read += data
        return bool(data)

    def _lines(self) -> list[bytes]:
        *lines, self._read = self._read.split(b"\n")
        return lines

    # -- what a client does

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its answer, error or result."""
        self._last += 1
        number = self._last
        self.say({"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})})
        while True:
            answer: dict[str, Any] = self.hear()
            if answer.get("id") == number:
                return answer
            self.unasked.append(answer)

    def initialize(
        self, version: str = "2025-11-25", client: str = "tester", capabilities: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Agree on a version, as the old era does."""
        params = {"protocolVersion": version, "capabilities": capabilities or {}}
        answer = self.ask("initialize", {**params, "clientInfo": {"name": client, "version": "1"}})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, *, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result; `from_` stands for `from`."""
        arguments = {name.rstrip("_"): value for name, value in arguments.items()}
        params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        answer = self.ask("tools/call", params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def told(self, tool: str, *, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """What a tool says, as data; it has not refused."""
        result = self.call(tool, meta=meta, **arguments)
        assert not result["isError"], result
        data: dict[str, Any] = result["structuredContent"]
        return data

    def refused(self, tool: str, *, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """Why a tool refuses."""
        result = self.call(tool, meta=meta, **arguments)
        assert result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        data: dict[str, Any] = result["structuredContent"]
        return data

    def joined(self, seat: str) -> Self:
        """The same connection, which has agreed and sits at a seat."""
        self.initialize()
        assert self.told("me", action="join", name=seat)["seats"][0]["seat"] == seat
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send the process that was started a signal, and return how it ended."""
        code: int = self.party._ask({"do": "stop", "pid": self.pid, "signal": int(number)})["code"]
        return code

    def wait(self) -> int:
        """Return how the process that was started ended."""
        return self.stop(0)

    @property
    def memory(self) -> dict[str, int]:
        """The server's memory in KiB, by the names of /proc/PID/status."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        pairs = (line.split(":", 1) for line in lines)
        return {name: int(rest.split()[0]) for name, rest in pairs if rest.strip().endswith("kB")}
