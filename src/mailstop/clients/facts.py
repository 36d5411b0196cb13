"""Facts: what a client tells of a session that starts, as the session the board is to know."""

from __future__ import annotations

import os

from mailstop.clients import claude_code, codex, registry
from mailstop.clients.project import place_of
from mailstop.errors import UsageError
from mailstop.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mailstop.clients.caller import Caller


def facts_of(
    caller: Caller,
    environment: Mapping[str, str],
    event: Mapping[str, Any] | None = None,
    *,
    folder: str = "",
) -> Session:
    """The session of a caller, without an id of ours.

    event: a hook's event; without one the session has no hooks of ours, as far as is known. folder: where it
    works, when neither the event nor an earlier registration says so. Raises UsageError where nobody says so and the
    folder this runs in is gone.
    """
    event = event or {}
    where = str(event.get("cwd") or folder or _here())
    place = place_of(where, environment)
    life = caller.living()
    details: dict[str, str] = {}
    attended = True
    mode = str(event.get("permission_mode") or "")
    if caller.client == "claude":
        details = claude_code.details_of(environment)
        attended = claude_code.told_by(environment).attended
        mode = mode or claude_code.launched_mode(life.pid, environment, where)
    elif caller.client == "codex":
        details = codex.details_of(environment, life.pid, event)
        attended = codex.is_attended(event)
    bell = registry.bell_name(
        caller.client, pid=life.pid, codex_home=details.get("codex_home", ""), token=caller.client_session
    )
    return Session(
        id="",
        client=caller.client,
        client_session=caller.client_session,
        life=life.as_dict(),
        bell=bell,
        folder=where,
        project=place.project,
        project_id=place.project_id,
        branch=place.branch,
        worktree=place.worktree or place.folder,
        on_default_branch=place.on_default_branch,
        mode=mode,
        hooked=bool(event),
        attended=attended,
        details=dict(details),
    )


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise UsageError(reason="the folder this runs in is gone: go to one that is there, and try again") from None
