"""PostToolBatch: all tools of one answer of the model have run, and its next request follows. Prove and show.

Claude Code sends it once for each answer with tool calls, whatever became of the calls.
"""

from __future__ import annotations

from mailstop.hooks.entry import context
from mailstop.hooks.turn import Turn
from mailstop.rules.proofs import ANSWER_OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.offers import Offer


def answer(event: dict[str, Any]) -> None:
    """Show what no door is about to bring."""
    turn = Turn(event)
    with turn as office:
        if office is None:
            return
        turn.proves(office, ANSWER_OVER)

        def text(offer: Offer) -> dict[str, Any] | None:
            return context(event, offer.text) if offer.letters else None

        turn.gives(office, text, ready=True, respect_claims=True)
