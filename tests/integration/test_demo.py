"""`mailstop demo` by a real process."""

from __future__ import annotations

import json
import os
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


def test_a_program_gets_the_numbers_of_its_letters_and_nothing_else(folder: Path) -> None:
    told = json.loads(demo(folder, "--json").stdout)

    assert {name: told[name] for name in ("asked", "answered", "question", "budget")} == {
        "asked": 3,
        "answered": 6,
        "question": 9,
        "budget": 2,
    }
