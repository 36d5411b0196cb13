"""What the scripted model is to answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SHELL = "SHELL"  # whatever tool the asking client has for shell commands


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. ``tool`` may be ``namespace/name`` for Codex."""

    tool: str
    arguments: Json = field(default_factory=dict)

    @classmethod
    def shell(cls, command: str) -> Call:
        """Run a shell command, with whatever tool the asking client has for that."""
        return cls(SHELL, {"command": command})

    @property
    def shell_command(self) -> str | None:
        """The command, if this is a call of the shell."""
        return str(self.arguments["command"]) if self.tool == SHELL else None


@dataclass(frozen=True, slots=True)
class Plan:
    """One answer of the model: tool calls, or else a text. It is held until the gate ``wait`` is released."""

    calls: tuple[Call, ...] = ()
    text: str = ""
    wait: str = ""

    @property
    def is_final(self) -> bool:
        """Whether this answer ends the turn."""
        return not self.calls
