"""Codex's app-server on a pair of pipes: what the windows of Codex ask for, asked without a window."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from tests.clients.plan import Json


class AppServer:
    """One app-server process of its own, for the calls of a `with` block."""

    def __init__(self, binary: Path, env: Mapping[str, str], cwd: Path) -> None:
        self._process = subprocess.Popen(
            [binary, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd=cwd,
            text=True,
        )
        self._calls = 0

    def __enter__(self) -> Self:
        self.call("initialize", {"clientInfo": {"name": "tests", "version": "0"}, "capabilities": None})
        self._send({"method": "initialized"})
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def call(self, method: str, params: Json) -> Any:
        """Call a method and give its result. Raises RuntimeError with what the server says is wrong."""
        self._calls += 1
        self._send({"id": self._calls, "method": method, "params": params})
        assert self._process.stdout
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._calls and "method" not in answer:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"{method}: the app-server ended")

    def _send(self, message: Json) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()
