"""What the scripted model is to answer, and the lines of a conversation that say so.

In what anybody but the model itself said, a line that starts with ``PUPPET:`` is an instruction:

    PUPPET: Bash {"command": "date"}        call this tool with this input
    PUPPET: AND Bash {"command": "id"}      the same answer also holds this call (parallel calls)
    PUPPET: SHELL "date"                    run a command with whatever tool the client has for that
    PUPPET: mcp__mailbox/send {"to": "b"}   Codex: a tool in a namespace
    PUPPET: WAIT gate                       hold the answer that comes next until the test releases `gate`
    PUPPET: SAY some text                   the last words

Each call (with its ANDs) is one answer; they come in the order of the conversation. How far the model has come is
read from the history, so nothing is remembered between two requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mailstop.scripted.plan import SHELL, Call, Json, Plan

__all__ = ["BadScript", "Call", "Json", "Plan", "plan_from", "shell_step", "tool_step"]

_INSTRUCTION = re.compile(r"^[ \t]*PUPPET:[ \t]*(\S+)[ \t]*(.*)$", re.MULTILINE)


class BadScript(ValueError):
    """A line of a script that cannot be understood."""


def shell_step(command: str) -> str:
    """A line that makes the model of either client run a shell command."""
    return f"PUPPET: {SHELL} {json.dumps(command)}"


def tool_step(tool: str, **arguments: Any) -> str:
    """A line that makes the model call a tool."""
    return f"PUPPET: {tool} {json.dumps(arguments)}"


def plan_from(texts: Iterable[str], answers_given: int) -> Plan:
    """Choose the next answer after `answers_given` answers with calls. Raises BadScript."""
    steps = [Plan()]  # the last one is the step being built; the final answer if no call follows
    say = ""
    for name, argument in (line for text in texts for line in _INSTRUCTION.findall(text)):
        if name == "SAY":
            say = argument.strip()
        elif name == "WAIT":
            steps[-1] = replace(steps[-1], wait=argument.strip())
        elif name == "AND":
            if len(steps) < 2:
                raise BadScript(f"AND without a call before it: {argument}")
            also, _, rest = argument.partition(" ")
            steps[-2] = replace(steps[-2], calls=(*steps[-2].calls, _call(also, rest)))
        else:
            steps[-1] = replace(steps[-1], calls=(_call(name, argument),))
            steps.append(Plan())
    if answers_given < len(steps) - 1:
        return steps[answers_given]
    return replace(steps[-1], text=say or f"PUPPET-DONE after {answers_given} answers with calls")


def _call(name: str, argument: str) -> Call:
    try:
        value = json.loads(argument) if argument.strip() else {}
    except ValueError as error:
        raise BadScript(f"{name}: {error}: {argument}") from error
    if name == SHELL and isinstance(value, str):
        return Call.shell(value)
    if not isinstance(value, dict):
        raise BadScript(f"{name} takes a JSON object: {argument}")
    return Call(name, value)
