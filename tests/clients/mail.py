"""What a session does with mail in these tests: it starts with our plugin, and its model answers as the letter says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mailstop
from tests.clients.claude_session import ClaudeSession
from tests.clients.plan import Call, Plan
from tests.clients.request import Request
from tests.clients.world import World

PLUGIN = Path(mailstop.__file__).parent / "plugin" / "mailstop"
RULE = "Bash(mailstop:*)"

_REPLY = re.compile(r"^(mailstop reply (\d+) .*?<<'(\w+)')\nYOUR TEXT\n\3$", re.MULTILINE)


def claude_with_mail(world: World, name: str, prompt: str | None = None, **options: object) -> ClaudeSession:
    """A Claude Code with our plugin, in a project folder of its own, under the one allow rule unless told otherwise."""
    options.setdefault("allow", (RULE,))
    return world.claude(name, prompt, plugins=(PLUGIN,), **options)  # type: ignore[arg-type]


def states_of(world: World, n: int) -> list[str]:
    """The states that are proved of letter `n` at its only recipient, oldest first, as anybody can ask."""
    done = world.run("mailstop", "status", str(n), "--json")
    assert done.returncode == 0, done.stderr
    (recipient,) = json.loads(done.stdout)["recipients"]
    return [receipt["state"] for receipt in recipient["receipts"]]


def letters_of(world: World) -> list[dict[str, Any]]:
    """All letters of the store, oldest first."""
    done = world.run("mailstop", "read", "--last", "100", "--json")
    assert done.returncode == 0, done.stderr
    return [record for record in json.loads(done.stdout)["records"] if "body" in record]


def reply_commands(text: str) -> dict[int, str]:
    """The commands that letters in this text give for answering them, by the letter's number, for a text ANSWER."""
    return {int(n): f"{begin}\nANSWER\n{end}" for begin, n, end in _REPLY.findall(text)}


def answering(answer: str, *, session: str) -> Callable[[Request], Plan | None]:
    """A model for `session` that answers each new letter by running the command the letter gives, as printed."""

    def decide(request: Request) -> Plan | None:
        if request.is_side or request.session != session:
            return None
        commands = reply_commands(request.news)
        if not commands:
            return None
        command = next(iter(commands.values())).replace("ANSWER", answer)
        return Plan(calls=(Call.shell(command),))

    return decide
