"""SessionStart: write the session down, seat it, tell the person which seat this window is and the model how to write.

It runs at a launch, after `/clear`, after compaction and at a resume alike, and is a no-op but for what changed.
"""

from __future__ import annotations

import os

from mailstop import bells, config, faults, fence_start
from mailstop.cleaning import plain_line
from mailstop.clients import registry
from mailstop.clients.caller import identify_hook
from mailstop.clients.facts import facts_of
from mailstop.engines import open_store
from mailstop.errors import Refused
from mailstop.hooks.entry import context, say
from mailstop.office import Office

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mailstop.office import Registered
    from mailstop.session import Session


def answer(event: dict[str, Any]) -> None:
    """Register, and announce."""
    registered, refusal = register(event)
    say(_announcement(event, registered, refusal))


def register(event: dict[str, Any]) -> tuple[Registered, str]:
    """Write the session of an event down, and seat it; also why its person's choice of a seat was refused."""
    caller = identify_hook(event, os.environ)
    found = facts_of(caller, os.environ, event)
    settings = settings_of(found)
    earlier = caller.registration or last_in_window(found, event)
    url = settings.get(config.STORE) or ""
    url = config.store_url(url) if url else earlier.store if earlier else config.default_store()
    with open_store(url) as store:
        office = Office(store, caller)
        known = earlier.session if earlier and earlier.store == url else None
        registered, refusal = seated(office, found, known, settings.get("MAILSTOP_SEAT") or None)
        session = registered.session
        faults.reach("session seated")
        registry.write(registry.Registration.of(session, store=url, life=caller.living()))
        if known and earlier and earlier.client_session != session.client_session and session.client == "codex":
            registry.remove(earlier)  # its window has gone on with this thread
        office.sweep()
        bells.ring(session.bell)  # whoever sleeps on it looks what waited before it was there
    return registered, refusal


def seated(office: Office, found: Session, known: str | None, seat: str | None) -> tuple[Registered, str]:
    """Register the session at the seat that its person chose; where that is refused, say so, and do without."""
    try:
        return office.register(found, known=known, seat=seat, automatic=found.attended), ""
    except Refused as refusal:
        return office.register(found, known=known, automatic=found.attended), plain_line(refusal.message)


def settings_of(found: Session) -> Mapping[str, str]:
    """The variables that the session's person has set.

    Codex's daemon hands its hooks those of the window that started it, whichever window they run for.
    """
    windows = str(found.details.get("windows") or "")
    if found.client != "codex" or not windows:
        return os.environ
    from mailstop.clients.codex_window import environment_of

    return environment_of(windows)


def last_in_window(found: Session, event: dict[str, Any]) -> registry.Registration | None:
    """The thread that a Codex window showed before this one, where it is certain which window that is.

    `/new`, `/clear` and `/fork` begin another thread in the same window; it keeps seat and epoch.
    """
    windows = str(found.details.get("windows") or "").split()
    if found.client != "codex" or len(windows) != 1 or event.get("source") == "resume":
        return None
    return registry.of_window(str(found.details["codex_home"]), windows[0])


def _announcement(event: dict[str, Any], registered: Registered, refusal: str) -> dict[str, Any]:
    start = fence_start.Start(
        seats=tuple((seat.name, seat.bag) for seat in registered.held),
        waiting=registered.waiting - registered.announced,
        inherited=registered.announced,
        owing=registered.owed,
        ended=registered.ended,
        left_owing=registered.left_owing,
        tasks=registered.tasks,
        leads=registered.leads,
        leader=registered.leader,
    )
    text = fence_start.announcement(start, compact=event.get("source") == "compact")
    answer = context(event, text)
    if registered.session.attended:
        seat = registered.held[0] if registered.held else None
        line = fence_start.window_line(seat.name if seat else None, registered.waiting, seat.bag if seat else "default")
        answer["systemMessage"] = f"{line}. {refusal}" if refusal else line
    return answer
