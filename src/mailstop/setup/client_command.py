"""A client's own command, run with what the person's shell would give it and nothing of a session around us."""

from __future__ import annotations

import os
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT_S = 60
_OF_SESSIONS = ("CLAUDE_CODE_", "CLAUDECODE", "CLAUDE_PID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "MAILSTOP_SESSION")


def environment(**more: str) -> dict[str, str]:
    """The variables for it."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith(_OF_SESSIONS)}, **more}


def run(argv: Sequence[str], variables: Mapping[str, str] | None = None) -> str:
    """Run it; return what went wrong, empty when nothing did."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            env=dict(variables) if variables is not None else environment(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return (said[-1] if said else f"exit code {done.returncode}") if done.returncode else ""
