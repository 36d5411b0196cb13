"""A thread of Codex for these tests: its transcript says that a turn runs, and `codex queue` is noted in a file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

TURN_ID = "01a227d8-5a74-7441-a2fd-bc0f34a8ff48"


def thread_in_a_turn(office: Play, tmp_path: Path) -> SessionPlayer:
    """A thread of Codex at the seat `reviewer`, in a turn, with hooks of ours; `codex queue` is noted in `rung`."""
    home = tmp_path / "codex"
    home.mkdir()
    program = tmp_path / "codex-program"
    program.write_text('#!/bin/sh\necho "$@" >> "$CODEX_HOME/rung"\necho "Queued message 1 for thread 2."\n')
    program.chmod(0o700)
    transcript = tmp_path / "rollout.jsonl"
    player = office.player("codex")
    details = {"codex_home": str(home), "program": str(program), "transcript": str(transcript)}
    player.found = player.found.but(details=details)
    player.start(automatic=False)
    player.join("reviewer")
    transcript.write_text(line("task_started"))
    return player


def line(kind: str) -> str:
    """A line by which Codex tells of a turn."""
    payload = {"type": kind, "turn_attribution": {"turn_id": TURN_ID}, "turn_id": TURN_ID}
    return json.dumps({"timestamp": "t", "type": "event_msg", "payload": payload}, separators=(",", ":")) + "\n"


def rung(tmp_path: Path) -> int:
    """How often `codex queue` ran."""
    path = tmp_path / "codex" / "rung"
    return len(path.read_text().splitlines()) if path.exists() else 0
