"""Sessions of the real clients without a window: each is told its prompts by the means its vendor built for programs.

Claude Code takes them as lines of JSON on its standard input, Codex by its app-server. Both then are woken as in a
window, by their own doors: only the monitor of the plugin needs a window of Claude Code.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from abc import ABC, abstractmethod
from contextlib import suppress

from mailstop.scripted.waiting import wait_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.scripted.request import Request
    from mailstop.scripted.stage import Stage

END_S = 10.0  # for a client that was asked to end
START_S = 60.0
_LAST = 300  # characters of what it wrote last
CLAUDE, CODEX = "claude", "codex"


class Session(ABC):
    """One running client. client, title: which. name: of the session, its folder and its seat."""

    client = title = ""

    def __init__(self, stage: Stage, name: str, argv: list[str], env: dict[str, str]) -> None:
        self.name = name
        self.stage = stage
        self._errors = os.path.join(stage.folder, f"{name}.errors")
        with open(self._errors, "wb") as errors:
            self.process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=env,
                cwd=stage.project(name),
                start_new_session=True,  # an interrupt at the terminal is for whoever ends this one
            )
        self._told: list[dict[str, Any]] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    @abstractmethod
    def say(self, text: str) -> None:
        """Give it a prompt, as its person would type it."""

    @abstractmethod
    def asks(self, request: Request) -> bool:
        """Whether a request to the model is this session's."""

    def end(self) -> None:
        """End it, and wait until it has."""
        with suppress(OSError):
            self.process.terminate()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reading.join(END_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()

    def has_ended(self) -> RuntimeError:
        """That it has, with what it wrote on standard error last."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END_S)  # its pipe may be closed before it has said why
        with open(self._errors, encoding="utf-8", errors="replace") as file:
            return RuntimeError(f"{self.title} has ended: {file.read()[-_LAST:].strip()}")

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.has_ended() from None

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with suppress(ValueError):
                self._told.append(json.loads(line))


class ClaudeSession(Session):
    """A Claude Code that reads prompts from its standard input."""

    client, title = CLAUDE, "Claude Code"

    def __init__(self, stage: Stage, name: str, program: str) -> None:
        argv = [program, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        argv += ["--plugin-dir", stage.plugin, "--permission-mode", "manual", "--allowedTools", "Bash(mailstop:*)"]
        super().__init__(stage, name, argv, stage.claude_env(name))

    def say(self, text: str) -> None:
        """Give it a prompt."""
        self._write({"type": "user", "message": {"role": "user", "content": text}})

    def asks(self, request: Request) -> bool:
        """By the address that this session was given."""
        return request.client == self.client and request.session == self.name


class CodexSession(Session):
    """A thread of Codex, on an app-server of its own."""

    client, title = CODEX, "Codex"

    def __init__(self, stage: Stage, name: str, program: str) -> None:
        self.thread = ""
        self._calls = 0
        super().__init__(stage, name, [program, "app-server"], stage.codex_env(name))
        try:
            self._call("initialize", {"clientInfo": {"name": "mailstop", "version": "0"}, "capabilities": None})
            self._write({"jsonrpc": "2.0", "method": "initialized"})
            # What runs are the demo's own commands; a sandbox in a container often cannot be had.
            started = self._call(
                "thread/start",
                {"cwd": stage.project(name), "approvalPolicy": "never", "sandbox": "danger-full-access"},
            )
            self.thread = str(started["thread"]["id"])
        except BaseException:
            self.end()
            raise

    def say(self, text: str) -> None:
        """Give it a prompt."""
        self._call("turn/start", {"threadId": self.thread, "input": [{"type": "text", "text": text}]})

    def asks(self, request: Request) -> bool:
        """By its thread."""
        return request.client == self.client and request.session == self.thread

    def _call(self, method: str, params: dict[str, Any]) -> Any:
        self._calls += 1
        number = self._calls
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

        def answer() -> dict[str, Any] | None:
            if self.process.poll() is not None:
                raise self.has_ended()
            told = list(self._told)
            return next((one for one in told if one.get("id") == number and "method" not in one), None)

        found = wait_for(f"an answer of Codex to {method}", answer, START_S)
        if "result" not in found:
            raise RuntimeError(f"Codex refuses {method}: {found.get('error')}")
        return found["result"]
