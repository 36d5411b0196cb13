"""An interactive Claude Code, as a test sees it: its registry file, its inbox socket, its requests, its keyboard."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.clients.request import Request
from tests.clients.terminal import Terminal
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from tests.clients.world import World


class ClaudeSession:
    """One running Claude Code."""

    def __init__(self, world: World, name: str, project: Path, argv: list[str], env: Mapping[str, str]) -> None:
        self.world = world
        self.name = name
        self.project = project
        self.terminal = Terminal(argv, env, project, world.directory / f"{name}.screen")

    @property
    def pid(self) -> int:
        """The process id of the client."""
        return self.terminal.pid

    @property
    def registry(self) -> dict[str, Any]:
        """What the client says of itself in its registry file; empty while the file is not there or not whole."""
        path = self.world.claude_config / "sessions" / f"{self.pid}.json"
        try:
            entry: dict[str, Any] = json.loads(path.read_text())
        except (OSError, ValueError):
            return {}
        return entry

    @property
    def session_id(self) -> str:
        """The session's id: it survives a resume, not /clear."""
        return str(self.registry["sessionId"])

    @property
    def socket_path(self) -> str:
        """The inbox socket."""
        return str(self.registry["messagingSocketPath"])

    @property
    def is_idle(self) -> bool:
        """Whether the client says that no turn is running."""
        return self.registry.get("status") == "idle"

    @property
    def requests(self) -> list[Request]:
        """What this client asked the model, subagents included, oldest first."""
        return [request for request in self.world.model.requests if request.session == self.name]

    def wait_until_ready(self) -> None:
        """Wait until the client has an inbox socket and takes input."""

        def ready() -> bool:
            if not self.terminal.is_running:
                raise RuntimeError(f"{self.name} ended at its start")
            return "messagingSocketPath" in self.registry and "status" in self.registry

        wait_for(f"{self.name} ready", ready)

    def wait_until_idle(self) -> None:
        """Wait until no turn is running. A letter just sent may not have started its own yet."""
        wait_for(f"{self.name} idle", lambda: self.is_idle)

    def wait_for_request(self, text: str, *, after: int = 0) -> Request:
        """The first request of this client, behind the one numbered `after`, in which the model was sent `text`."""
        return self.world.wait_for_request(text, session=self.name, after=after)

    def say(self, text: str) -> None:
        """Type a prompt and send it off."""
        self.terminal.type(text)
        self.terminal.press("enter")

    def clear(self) -> None:
        """Type /clear and wait for the new session id."""
        old = self.session_id
        self.say("/clear")
        wait_for("a new session id", lambda: self.registry.get("sessionId", old) != old)

    def write_to_inbox(self, text: str) -> None:
        """Write to the inbox socket and wait until the client has read it (it then closes the connection)."""
        line = json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(self.socket_path)
            connection.sendall(line.encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b"", "the inbox socket wrote something: it never did before"

    def kill(self) -> None:
        """End the client at once (SIGKILL): socket and registry file stay behind."""
        self.terminal.kill()

    def close(self) -> None:
        """End the client as its user would, and wait for it."""
        self.terminal.close()
