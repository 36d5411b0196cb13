"""SessionEnd: the session's door is closed. Its seat and its mail stay."""

from __future__ import annotations

from mailstop.clients import registry
from mailstop.hooks.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GOES_ON = ("clear", "resume")  # the same client goes on, and SessionStart follows


def answer(event: dict[str, Any]) -> None:
    """Write down that the session has ended, unless its client goes on, or wakes it in the background.

    Codex says so of a thread that it unloads. The thread keeps its registration, to be found again when it is resumed.
    """
    if event.get("reason") in GOES_ON:
        return
    with Turn(event) as office:
        if office is None or office.session is None or office.session.background:
            return
        office.end()
        if office.caller.registration and office.caller.client != "codex":
            registry.remove(office.caller.registration)
