"""The plugin's hooks in the shells that clients run them with: they start Python only when there may be something."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mailstop
from mailstop.clients.registry import GUARD
from mailstop.config import PROMPT_BELL

HOOKS = Path(mailstop.__file__).parent / "plugin" / "mailstop" / "hooks" / "hooks.json"
SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh") if shutil.which(shell)]
GUARDED = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"]
OTHERS = [event for event in GUARDED if event != "UserPromptSubmit"]
CLAUDE = {"CLAUDE_PID": "77", "CLAUDE_PLUGIN_ROOT": "/c"}
CODEX = {"CLAUDE_PLUGIN_ROOT": "/p", "PLUGIN_ROOT": "/p"}
EVENT = {"hook_event_name": "UserPromptSubmit", "prompt": 'it\'s \\ "quoted" %s\n\ttwice', "session_id": "s"}


def hook(event: str) -> dict[str, Any]:
    """The one hook of an event."""
    ((group,),) = [json.loads(HOOKS.read_text())["hooks"][event]]
    (only,) = group["hooks"]
    found: dict[str, Any] = only
    return found


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., str]:
    """Run an event's command as a client does, and return what it gave to `mailstop hook`."""
    noted = tmp_path / "noted"
    program = tmp_path / "bin" / "mailstop"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n[ \"$*\" = hook ] && cat > '{noted}'\n")
    program.chmod(0o700)

    def run(name: str, shell: str, prompt: str = "", **variables: str) -> str:
        noted.unlink(missing_ok=True)
        event = json.dumps({**EVENT, "prompt": EVENT["prompt"] + prompt}, ensure_ascii=False)
        environment = {"HOME": os.environ["HOME"], "PATH": f"{program.parent}:{os.environ['PATH']}", **variables}
        command = [shell, "-c", hook(name)["command"]]
        done = subprocess.run(command, input=event + "\n", env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        given = noted.read_text() if noted.exists() else ""
        assert given in ("", event + "\n"), "whole, or nothing at all"
        return given

    return run


def ring(name: str) -> None:
    path = Path(os.environ["HOME"], ".local/state/mailstop", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", GUARDED)
def test_a_guarded_hook_starts_nothing_while_no_bell_rings(runs: Callable[..., str], event: str, shell: str) -> None:
    assert not runs(event, shell, **CLAUDE)
    assert not runs(event, shell, **CODEX)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", GUARDED)
def test_a_guarded_hook_hears_its_own_clients_bell(runs: Callable[..., str], event: str, shell: str) -> None:
    ring("bells/claude-77")
    assert runs(event, shell, **CLAUDE)
    assert not runs(event, shell, **{**CLAUDE, **CODEX}), "Codex, started inside of Claude Code"

    ring(f"homes{os.environ['HOME']}/.codex/+bell")
    assert runs(event, shell, **CODEX)
    assert runs(event, shell, **{**CLAUDE, **CODEX})
    assert not runs(event, shell, **{**CLAUDE, "CLAUDE_PID": "78"}), "mail for Codex costs Claude Code nothing"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", GUARDED)
def test_only_the_hook_of_a_prompt_hears_the_prompt_bell(runs: Callable[..., str], event: str, shell: str) -> None:
    is_prompt = event == "UserPromptSubmit"
    ring("bells/claude-77-prompt")
    assert bool(runs(event, shell, **CLAUDE)) == is_prompt

    ring(f"homes{os.environ['HOME']}/.codex/+bell-prompt")
    assert bool(runs(event, shell, **CODEX)) == is_prompt


@pytest.mark.parametrize("shell", SHELLS)
def test_a_rings_own_prompt_passes_in_codex_though_no_bell_rings(runs: Callable[..., str], shell: str) -> None:
    """Codex may bring the line hours later, when no window is there; only the hook can keep that turn from starting."""
    assert runs("UserPromptSubmit", shell, prompt="mailstop: letter 7 from builder", **CODEX)
    assert runs("UserPromptSubmit", shell, prompt="mailstop: letters 7, 8", **CODEX)
    for event in OTHERS:
        assert not runs(event, shell, prompt="mailstop: letter 7 from builder", **CODEX)


@pytest.mark.parametrize("shell", SHELLS)
def test_claude_codes_guard_does_not_read_a_prompt_of_any_size(runs: Callable[..., str], shell: str) -> None:
    """A shell reads a pipe byte by byte. Claude Code's bell goes on ringing until the prompt of a ring has come."""
    assert not runs("UserPromptSubmit", shell, prompt="mailstop: letter 7 from builder", **CLAUDE)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_root_that_its_person_exported_does_not_make_claude_code_codex(runs: Callable[..., str], shell: str) -> None:
    ring("bells/claude-77")

    assert runs("PostToolBatch", shell, **CLAUDE, PLUGIN_ROOT="/the/persons/own")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("event", ["SessionStart", "Stop", "SessionEnd"])
def test_the_other_hooks_always_run(runs: Callable[..., str], event: str, shell: str) -> None:
    assert runs(event, shell)


@pytest.mark.parametrize("shell", SHELLS)
def test_without_mailstop_on_the_path_no_hook_fails_its_client(shell: str) -> None:
    ring("bells/claude-77")
    environment = {"HOME": os.environ["HOME"], "PATH": "/nonexistent", "CLAUDE_PID": "77"}
    for event in json.loads(HOOKS.read_text())["hooks"]:
        for prompt in ("typed", "mailstop: letter 7"):
            command = [shutil.which(shell) or shell, "-c", hook(event)["command"]]
            done = subprocess.run(command, input=prompt, env=environment, capture_output=True, text=True)
            assert (event, done.returncode, done.stdout, done.stderr) == (event, 0, "", "")


@pytest.mark.parametrize("event", GUARDED)
def test_the_guard_is_the_one_that_the_registry_keeps_its_links_for(event: str) -> None:
    test, _, stop = GUARD.rpartition(" || ")
    assert stop == "exit 0"
    heard = f'{test} || [ -e "$b{PROMPT_BELL}" ] || {{ '
    assert hook(event)["command"].startswith(heard if event == "UserPromptSubmit" else f"{GUARD}; ")


def test_codex_would_warn_of_a_longer_time_for_the_end_of_a_session() -> None:
    assert hook("SessionEnd")["timeout"] <= 3
