"""SessionStart: write the session down, seat it, tell the person which seat this window is and the model how to write.

It runs at a launch, after `/clear`, after compaction and at a resume alike, and is a no-op but for what changed.
"""

from __future__ import annotations

import os

from mailstop import bells, config, faults, fence
from mailstop.clients import registry
from mailstop.clients.caller import identify_hook
from mailstop.clients.facts import facts_of
from mailstop.engines import open_store
from mailstop.hooks.entry import context, say
from mailstop.office import Office

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.office import Registered


def answer(event: dict[str, Any]) -> None:
    """Register, and announce."""
    caller = identify_hook(event, os.environ)
    earlier = caller.registration
    url = config.chosen_store() or (earlier.store if earlier else config.default_store())
    with open_store(url) as store:
        office = Office(store, caller)
        found = facts_of(caller, os.environ, event)
        known = earlier.session if earlier and earlier.store == url else None
        seat = os.environ.get("MAILSTOP_SEAT") or None
        registered = office.register(found, known=known, seat=seat, automatic=found.attended)
        session = registered.session
        faults.reach("session seated")
        registry.write(
            registry.Registration(
                session.client,
                session.client_session,
                session.id,
                url,
                caller.living(),
                session.folder,
                {name: str(value) for name, value in session.details.items()},
            )
        )
        sweep()
        bells.ring(session.bell)  # whoever sleeps on it looks what waited before it was there
        say(_announcement(event, registered))
        office.do_due_work()


def sweep() -> None:
    """Collect what dead clients left behind."""
    from mailstop.doors import claude_monitor

    dead = [registration.bell for registration in registry.sweep() if registration.client != "codex"]
    if dead:
        bells.sweep(dead)
        claude_monitor.sweep(dead)


def _announcement(event: dict[str, Any], registered: Registered) -> dict[str, Any]:
    start = fence.Start(
        seats=tuple((seat.name, seat.bag) for seat in registered.held),
        waiting=registered.waiting - registered.announced,
        inherited=registered.announced,
        owing=registered.owed,
        ended=registered.ended,
    )
    text = fence.announcement(start, compact=event.get("source") == "compact")
    answer = context(event, text)
    if registered.session.attended:
        seat = registered.held[0] if registered.held else None
        line = fence.window_line(seat.name if seat else None, registered.waiting, seat.bag if seat else "default")
        answer["systemMessage"] = line
    return answer
