"""UserPromptSubmit: a prompt goes to the model, typed by the person or brought by a door. Show what waits.

A ring's own prompt is answered with `nothing new` when its letters were shown by then. Codex lets a hook end the turn
of such a prompt before anything goes to the model, and so does a prompt that nobody would see.
"""

from __future__ import annotations

from mailstop import fence
from mailstop.hooks.entry import context, say
from mailstop.hooks.turn import Turn
from mailstop.rules.proofs import PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.offers import Offer


def answer(event: dict[str, Any]) -> None:
    """Show the letters in the same model request as the prompt."""
    turn = Turn(event)
    with turn as office:
        if office is None:
            return
        prompt = str(event.get("prompt") or "")
        rung = fence.ring_numbers(prompt)
        turn.proves(office, PROMPT)
        if fence.is_own_prompt(prompt):
            office.person_prompted()
        is_codex = office.caller.client == "codex"
        if rung:
            office.answer_ring(rung)
        if rung and is_codex and not office.is_watched():
            say(blocked(fence.UNWATCHED))
            return

        def text(offer: Offer) -> dict[str, Any] | None:
            if offer.letters:
                return context(event, offer.text)
            if not rung:
                return None
            nothing = fence.nothing_new(rung)
            return blocked(nothing) if is_codex else context(event, nothing)

        # A door's prompt is taken in just before the request that carries it, and a prompt that opens a turn is in
        # its first request; one that is typed into a running turn may wait until that is over.
        turn.gives(office, text, ready=bool(rung) or not office.is_in_turn(), respect_claims=False)


def blocked(reason: str) -> dict[str, Any]:
    """The answer by which Codex ends the turn of a prompt before its first request, and shows the person why."""
    return {"decision": "block", "reason": reason}
