"""Stop: the model has ended its turn. Prove, and offer what came meanwhile, each letter once."""

from __future__ import annotations

from mailstop.hooks import session_start
from mailstop.hooks.entry import context
from mailstop.hooks.turn import DUE_WORK_S, Turn
from mailstop.rules.proofs import STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.offers import Offer


def answer(event: dict[str, Any]) -> None:
    """Let the turn go on with what waits; a turn that already goes on because of a Stop hook is let end.

    What the turn did not show is then rung for.
    """
    turn = Turn(event)
    with turn as office:
        if office is None:
            session_start.register(event)  # it was lost, or the plugin came in the middle of the session
            return
        turn.proves(office, STOP)
        is_codex = office.caller.client == "codex"
        if is_codex:
            office.turn_over(turn.turn)  # before the look: who sends after it does not count on this hook

        def text(offer: Offer) -> dict[str, Any] | None:
            if not offer.letters:
                return None
            if not is_codex:  # where a block's reason would stand in the request twice
                return context(event, offer.text)
            return {"decision": "block", "reason": offer.text}

        goes_on = False
        if not event.get("stop_hook_active"):
            # What wakes nobody does not make the model go on either.
            goes_on = turn.gives(office, text, ready=True, respect_claims=True, if_waking=True)
            if goes_on and is_codex:
                office.turn_over("")
        office.end_turn(agents=has_agents(event), goes_on=goes_on)
        office.claim_vacant(anew=False)
        if is_codex and not goes_on:
            office.do_due_work(seconds=DUE_WORK_S)  # nobody sleeps in the session who would do it


def has_agents(event: dict[str, Any]) -> bool:
    """Whether subagents still work; Claude Code lists its monitors and shells there too."""
    tasks = event.get("background_tasks")
    return isinstance(tasks, list) and any(isinstance(task, dict) and task.get("type") == "subagent" for task in tasks)
