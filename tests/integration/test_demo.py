"""`mailstop demo` by a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def demo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.environ["PATH"]}
    argv = [sys.executable, "-P", "-m", "mailstop", "demo", *words]
    return subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    return place


def test_it_shows_a_letter_its_answer_a_question_and_a_budget_that_ends(folder: Path) -> None:
    done = demo(folder)

    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout
    assert told.count("is woken:") == 4
    assert "answers 3" in told
    assert "parse" in told.partition("answer 9 --choice 1")[2]
    assert "The budget of 2 letters is used up" in told
    assert "answered: its reader wrote back" in told
    assert "Next, two sessions that wake each other" in told


def test_it_leaves_nothing_behind(folder: Path) -> None:
    demo(folder)

    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_whoever_ends_it_in_the_middle_finds_nothing_left(folder: Path, number: int) -> None:
    env = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.environ["PATH"]}
    argv = [sys.executable, "-P", "-m", "mailstop", "demo"]
    with subprocess.Popen(argv, env=env, cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        while "is woken" not in running.stdout.readline():
            assert running.poll() is None
        running.send_signal(number)
        running.stdout.read()

    assert running.returncode == 128 + number
    assert list(folder.iterdir()) == []


def test_a_program_gets_the_numbers_of_its_letters_and_nothing_else(folder: Path) -> None:
    told = json.loads(demo(folder, "--json").stdout)

    assert {name: told[name] for name in ("asked", "answered", "question", "budget")} == {
        "asked": 3,
        "answered": 6,
        "question": 9,
        "budget": 2,
    }


def test_without_a_client_it_says_what_to_install(folder: Path) -> None:
    env = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}
    argv = [sys.executable, "-P", "-m", "mailstop", "demo", "--clients"]
    done = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    assert done.returncode == 3
    assert "npm install --global @anthropic-ai/claude-code" in done.stderr
    assert "npm install --global @openai/codex" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_client_that_is_no_program_is_refused(folder: Path) -> None:
    done = demo(folder, "--codex", "/nowhere/codex")

    assert done.returncode == 2
    assert "/nowhere/codex cannot be run" in done.stderr


def test_a_client_that_ends_at_once_is_told_and_nothing_stays(folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 'out of order' >&2\nexit 3\n")
    program.chmod(0o755)
    env = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}
    argv = [sys.executable, "-P", "-m", "mailstop", "demo", "--claude", str(program)]

    done = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    assert done.returncode == 1
    assert "Claude Code has ended: out of order" in done.stderr
    assert list(folder.iterdir()) == []
