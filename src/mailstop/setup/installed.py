"""Which clients are installed here, and in which versions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from mailstop import config
from mailstop.records import Record

_TIMEOUT_S = 20
_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")


class Program(Record):
    """A client's program. version: empty when it does not say."""

    path: str
    version: str


_USUAL = {"claude": (".claude/local/claude", ".local/bin/claude"), "codex": (".local/bin/codex",)}


def claude() -> Program | None:
    """Claude Code, on PATH or where its own installers put it."""
    return _found("claude")


def codex() -> Program | None:
    """Codex, on PATH."""
    return _found("codex")


def path_of(name: str) -> str:
    """Where a client's program is, on PATH or where its own installers put it; empty where it is not."""
    places = [shutil.which(name), *(os.path.join(config.home(), place) for place in _USUAL[name])]
    return next((place for place in places if place and os.access(place, os.X_OK)), "")


def at(path: str) -> Program:
    """The program at a path."""
    return Program(path, _version(path))


def _found(name: str) -> Program | None:
    path = path_of(name)
    return at(path) if path else None


def _version(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _VERSION.search(done.stdout)
    return found[0] if found else ""
