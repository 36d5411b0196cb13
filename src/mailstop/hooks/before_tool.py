"""PreToolUse: the model has asked for a tool, so it has received what its turn was given before."""

from __future__ import annotations

from mailstop.hooks.turn import Turn
from mailstop.rules.proofs import TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def answer(event: dict[str, Any]) -> None:
    """Prove; show nothing: what is given before a tool is lost when the person interrupts the tool."""
    turn = Turn(event)
    with turn as office:
        if office is not None:
            turn.proves(office, TOOL)
