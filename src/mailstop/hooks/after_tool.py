"""PostToolUse: a tool has run. Where the client tells the end of an answer by an event of its own, nothing to do."""

from __future__ import annotations

from mailstop.hooks.entry import context
from mailstop.hooks.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.offers import Offer


def answer(event: dict[str, Any]) -> None:
    """Show what waits to a client without PostToolBatch. Other tools of the same answer may still run."""
    if "turn_id" not in event:  # Claude Code, which has PostToolBatch for it
        return
    turn = Turn(event)
    with turn as office:
        if office is None:
            return

        def text(offer: Offer) -> dict[str, Any] | None:
            return context(event, offer.text) if offer.letters else None

        turn.gives(office, text, ready=False, respect_claims=True)
