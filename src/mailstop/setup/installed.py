"""Which clients are installed here, and in which versions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from mailstop import config
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TIMEOUT_S = 20
_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")


class Program(Record):
    """A client's program. version: empty when it does not say."""

    path: str
    version: str


def claude() -> Program | None:
    """Claude Code, on PATH or where its own installers put it."""
    return _found("claude", (".claude/local/claude", ".local/bin/claude"))


def codex() -> Program | None:
    """Codex, on PATH."""
    return _found("codex", (".local/bin/codex",))


def _found(name: str, usual: Sequence[str]) -> Program | None:
    places = [shutil.which(name), *(os.path.join(config.home(), place) for place in usual)]
    path = next((place for place in places if place and os.access(place, os.X_OK)), None)
    return Program(path, _version(path)) if path else None


def _version(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _VERSION.search(done.stdout)
    return found[0] if found else ""
