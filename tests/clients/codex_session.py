"""An interactive Codex, as a test sees it: its thread, its queue, its requests, its keyboard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tests.clients.request import Request
from tests.clients.terminal import Terminal
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from tests.clients.world import World


class CodexSession:
    """One running Codex window. Its thread lives in the shared daemon of its CODEX_HOME, which outlives it."""

    def __init__(
        self, world: World, name: str, project: Path, argv: list[str], env: Mapping[str, str], resume: str | None
    ) -> None:
        self.world = world
        self.name = name
        self.project = project
        self.codex_home = Path(env.get("CODEX_HOME") or world.home / ".codex")
        self._env = dict(env)
        self._seen = self._windows()
        self.thread = resume or ""
        self.terminal = Terminal(argv, env, project, world.directory / f"{name}.screen")

    @property
    def pid(self) -> int:
        """The process id of the window. The daemon does the work of its thread."""
        return self.terminal.pid

    @property
    def requests(self) -> list[Request]:
        """What the thread asked the model, oldest first."""
        return [request for request in self.world.model.requests if request.session == self.thread]

    @property
    def is_idle(self) -> bool:
        """Whether every turn that the thread's record says was started is over."""
        started = over = 0
        for path in (self.codex_home / "sessions").rglob(f"rollout-*{self.thread}.jsonl"):
            for line in path.read_text().splitlines():
                kind = json.loads(line)["payload"].get("type") if line.endswith("}") else None
                started += kind == "task_started"
                over += kind in ("task_complete", "turn_aborted")
        return started == over

    def wait_until_ready(self) -> None:
        """Wait until the window has its thread, and learn the thread's id if it is new."""

        def thread() -> str | None:
            if not self.terminal.is_running:
                raise RuntimeError(f"{self.name} ended at its start")
            now = self._windows()
            if self.thread:
                return self.thread if now.get(self.thread) != self._seen.get(self.thread) else None
            return next(iter(now.keys() - self._seen.keys()), None)

        self.thread = wait_for(f"{self.name} with a thread", thread)

    def wait_until_idle(self) -> None:
        """Wait until no turn is running. A message just queued may not have started its own yet."""
        wait_for(f"{self.name} idle", lambda: self.is_idle)

    def wait_for_request(self, text: str, *, after: int = 0) -> Request:
        """The first request of this thread, behind the one numbered `after`, in which the model was sent `text`."""
        return self.world.wait_for_request(text, session=self.thread, after=after)

    def say(self, text: str) -> None:
        """Type a prompt and send it off."""
        self.terminal.type(text)
        self.terminal.press("enter")

    def clear(self, command: str = "/clear") -> None:
        """Type /clear, or another command that begins a thread, and wait for the new thread."""
        self._seen = self._windows()
        self.thread = ""
        self.say(command)
        self.wait_until_ready()

    def queue(self, text: str) -> None:
        """Queue a message for the thread with Codex's own command. Raises CalledProcessError."""
        self.world.run(
            self.world.codex_binary, "queue", f"--thread={self.thread}", f"--message={text}", env=self._env
        ).check_returncode()

    def kill(self) -> None:
        """End the window at once (SIGKILL); the daemon and the thread live on."""
        self.terminal.kill()

    def close(self) -> None:
        """End the window as its user would; the daemon and the thread live on."""
        self.terminal.close()

    def _windows(self) -> dict[str, int]:
        """For each thread that ever had a window, when it last got one.

        Observed with Codex 0.171.0: each window touches an empty file named like its thread, turn or no turn.
        """
        folder = self.codex_home / "tui-thread-reference-capabilities"
        return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} if folder.is_dir() else {}
