"""Permission dialogs of Claude Code, as a test notices them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.clients.claude_session import ClaudeSession


def is_open(session: ClaudeSession) -> bool:
    """Whether a permission dialog is open."""
    return session.registry.get("status") == "waiting"


def noting_dialogs(asked: Path) -> dict[str, Any]:
    """Settings by which a client makes this file whenever it is about to ask for a permission."""
    return {"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": f"touch {asked}"}]}]}}
