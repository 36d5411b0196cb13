"""A session whose model calls mailstop's tools: how each client is given the server, and what its model calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.clients.claude_session import ClaudeSession
from tests.clients.codex_session import CodexSession
from tests.clients.plan import Call, Json, Plan
from tests.clients.request import Request
from tests.clients.waiting import wait_for
from tests.clients.world import World

Session = ClaudeSession | CodexSession
Results = list[Any]  # what the model was told of each call so far, as data
Step = Callable[[Results], tuple[str, Json]]

RULE = "mcp__mailstop"


def claude_with_tools(world: World, name: str, **options: Any) -> ClaudeSession:
    """A Claude Code that was given the server by `--mcp-config`, as `claude mcp add` would."""
    server = {"command": _program(world), "args": ["mcp"]}
    config = json.dumps({"mcpServers": {"mailstop": server}})
    options["allow"] = (*options.get("allow", ()), RULE)
    return world.claude(name, args=("--mcp-config", config), **options)


def configure_codex(world: World, home: str = ".codex") -> None:
    """Give a Codex home the server, as `codex mcp add` would, and let it be called without a question."""
    world.codex_home(home).configure(
        "[mcp_servers.mailstop]\n"
        f"command = {json.dumps(_program(world))}\n"
        'args = ["mcp"]\n'
        "required = true\n"
        "tool_timeout_sec = 60\n"
        'default_tools_approval_mode = "approve"'
    )


def _program(world: World) -> str:
    return str(Path(world.path[0]) / "mailstop")


def calling(steps: Sequence[Step], waits: dict[int, str]) -> Callable[[Request], Plan | None]:
    """A model that makes one call after another. waits: the gates at which calls are held, by their place."""

    def decide(request: Request) -> Plan | None:
        if request.is_side or not request.holds("use the tools"):
            return None
        done = request.answers_given
        if done >= len(steps):
            return Plan(text="all called")
        tool, arguments = steps[done](told(request))
        separator = "/" if request.client == "codex" else "__"
        name = tool if tool == "SHELL" else f"mcp__mailstop{separator}{tool}"
        return Plan((Call(name, arguments),), wait=waits.get(done, ""))

    return decide


def told(request: Request) -> Results:
    """What the model received of each call, oldest first: the data, or the text where it is none."""
    return [_data(text) for text in request.tool_results]


def _data(text: str) -> Any:
    """Codex writes how long a call took above what it brought."""
    begin = text.find("{")
    try:
        return json.loads(text[begin:]) if begin >= 0 else text
    except ValueError:
        return text


def results(session: Session, count: int) -> Results:
    """What the model received of all its calls, once there were so many."""

    def found() -> Results | None:
        return next((told(one) for one in session.requests if len(one.tool_results) == count), None)

    return wait_for(f"{count} results at the model", found, timeout_s=90)
