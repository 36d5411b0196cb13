"""Doctor: no client sends this event. The doctor does, to a hook's own command line: does it hear the bell, and whose
hook does it take itself for? It shows nothing and proves nothing of letters."""

from __future__ import annotations

import os

from mailstop import __version__
from mailstop.clients.caller import identify_hook
from mailstop.hooks.entry import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def answer(event: dict[str, Any]) -> None:
    """Say which mailstop runs, and for which session of which store."""
    registration = identify_hook(event, os.environ).registration
    session, store = (registration.session, registration.store) if registration else ("", "")
    say({"mailstop": __version__, "session": session, "store": store})
