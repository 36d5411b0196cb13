"""What Codex would have its person trust: asked of Codex itself, in a CODEX_HOME that is made for the question.

The answer is what a window writes down after *Trust all*: a hash of each hook, and one of all files of the plugin.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading

from mailstop import errors
from mailstop.setup import plugin_copy
from mailstop.setup.client_command import TIMEOUT_S, environment, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

_OF_HASHES = ("trusted_hash", "trusted_content_hash")


def trusted(codex: str, command: str) -> dict[str, dict[str, str]]:
    """For each hook of the plugin, by Codex's name for it, what its trust is written as. Raises ClientFailed."""
    with tempfile.TemporaryDirectory(prefix="mailstop-", ignore_cleanup_errors=True) as scratch:
        home, market = os.path.join(scratch, "home"), os.path.join(scratch, "market")
        os.mkdir(home)
        plugin_copy.write(command, market)
        variables = environment(CODEX_HOME=home)
        for words in (["marketplace", "add", market], ["add", "mailstop@mailstop"]):
            if reason := run([codex, "plugin", *words], variables):
                raise errors.ClientFailed(command=f"codex plugin {' '.join(words)}", reason=reason, client="codex")
        try:
            with _AppServer(codex, variables, scratch) as server:
                listed = server.call("hooks/list", {"cwds": [scratch]})["data"]
            return {
                hook["key"]: dict(zip(_OF_HASHES, hook["currentHash"].split("/"), strict=False))
                for entry in listed
                for hook in entry["hooks"]
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = f"it does not say what it would trust ({type(error).__name__})"
            raise errors.ClientFailed(command="codex app-server", reason=reason, client="codex") from None


class _AppServer:
    """An app-server of its own, on pipes."""

    def __init__(self, codex: str, variables: dict[str, str], folder: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [codex, "app-server"],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            env=variables,
            cwd=folder,
            text=True,
        )
        self._patience = threading.Timer(TIMEOUT_S, self._process.kill)
        self._calls = 0

    def __enter__(self) -> Self:
        self._patience.start()
        self.call("initialize", {"clientInfo": {"name": "mailstop", "version": "0"}, "capabilities": None})
        self._send({"method": "initialized"})
        return self

    def __exit__(self, *_exception: object) -> None:
        self._patience.cancel()
        self._process.terminate()
        self._process.communicate()

    def call(self, method: str, params: Any) -> Any:
        """The result of a call. Raises ValueError where there is none."""
        self._calls += 1
        self._send({"id": self._calls, "method": method, "params": params})
        assert self._process.stdout
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._calls and "method" not in answer:
                return answer["result"]
        raise ValueError("it ended")

    def _send(self, message: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()
