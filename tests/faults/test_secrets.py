"""Secrets of the environment reach no file, no argument and no other process (case G5)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.doors.base import NOTIFIED
from tests.faults.door import ListeningDoor
from tests.faults.soundness import held_seats
from tests.party import ClaudeParty, Party

SECRETS = {
    "CLAUDE_CODE_MESSAGING_TOKEN": "5ecre7000000000000000000messaging",
    "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-5ecre7-oauth",
    "ANTHROPIC_API_KEY": "sk-ant-api03-5ecre7-anthropic",
    "OPENAI_API_KEY": "sk-proj-5ecre7-openai",
    "GITHUB_TOKEN": "ghp_5ecre7github",
    "AWS_SECRET_ACCESS_KEY": "5ecre7/aws",
}
MARK = "5ecre7"
THREAD = "019aa0b0-1111-7222-8333-444455556666"

# Python runs this first in each process, and it notes each program that the process starts, with what it hands on.
RECORDER = """
import os, sys
STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "os.forkpty")
def note(event, values):
    if event in STARTS:
        line = repr((event, values, dict(os.environ) if values and values[-1] is None else None)) + "\\n"
        file = os.open({path!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, line.encode())
        os.close(file)
sys.addaudithook(note)
"""
CODEX = """#!/bin/sh
cat /proc/$$/environ /proc/$$/cmdline > "$CODEX_HOME/seen"
echo "Queued message 7 for thread."
"""


@pytest.fixture
def recorder(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """The variables that switch the recorder on, and the file in which it notes what was started."""
    folder, path = tmp_path / "recorder", tmp_path / "started"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(RECORDER.format(path=str(path)))
    return {"PYTHONPATH": str(folder)}, path


def files_that_hold(text: str, folder: Path) -> list[Path]:
    """The files below a folder that hold a text."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return [file for file in files if text.encode() in file.read_bytes()]


def test_no_verb_and_no_hook_writes_a_secret_down_or_hands_it_on(
    own_home: Path,
    seat: Callable[[str], Party],
    claude: Callable[[], ClaudeParty],
    store: Path,
    recorder: tuple[dict[str, str], Path],
) -> None:
    variables, started = recorder
    builder, client = seat("builder"), claude()
    subprocess.run(["git", "init", "--quiet", str(own_home)], check=True) if shutil.which("git") else None
    printed = ""
    with ListeningDoor(own_home / "door") as door:
        for party in (builder, client):
            party.environment |= SECRETS | variables
        client.environment["CLAUDE_CODE_MESSAGING_SOCKET"] = str(door.path)
        printed += client.open("session").out
        (name,) = (held for held in held_seats(store) if held != "builder")
        printed += builder.run("send", name, "please look").out
        for hook in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"):
            printed += client.hook(hook, "session", prompt="hello", prompt_id="1").out
        for words in (("status",), ("status", "4"), ("who",), ("read",), ("check",), ("bags",), ("status", "--json")):
            printed += builder.run(*words).out + client.run(*words).out
        printed += client.run("reply", "4", "done").out
        store.write_bytes(b"damaged")
        printed += client.hook("Stop", "session", prompt_id="2").out
    assert len(door.lines) == 1
    assert "please look" in printed
    assert (own_home / ".local/state/mailstop/log").exists()

    assert MARK not in printed
    assert MARK not in json.dumps(door.lines)
    assert files_that_hold(MARK, own_home) == []
    assert not started.exists() or MARK not in started.read_text()


def test_a_program_that_a_door_starts_gets_no_secret(tmp_path: Path, recorder: tuple[dict[str, str], Path]) -> None:
    variables, started = recorder
    codex_home, program = tmp_path / "codex", tmp_path / "bin" / "codex"
    codex_home.mkdir()
    program.parent.mkdir()
    program.write_text(CODEX)
    program.chmod(0o755)
    script = (
        "import sys; from mailstop.doors.codex_queue import QueueDoor;"
        "print(QueueDoor(sys.argv[1], codex_home=sys.argv[2], program=sys.argv[3]).ring('mailstop: letter 1').state)"
    )
    ringing = [sys.executable, "-c", script, THREAD, str(codex_home), str(program)]
    environment = {**os.environ, **SECRETS, **variables}

    rung = subprocess.run(ringing, env=environment, capture_output=True, text=True, check=True)

    assert rung.stdout.strip() == NOTIFIED
    assert str(program) in started.read_text()
    assert MARK not in started.read_text()
    seen = (codex_home / "seen").read_bytes()
    assert b"CODEX_HOME=" in seen
    assert MARK.encode() not in seen
