"""The permission mode with which a Claude Code was started: its command line, then its settings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mailstop.clients.claude_code import launched_mode

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="command lines are read from /proc")


@contextmanager
def started(*words: str) -> Iterator[int]:
    """A process with these words on its command line."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()", *words], stdin=pipe, stdout=pipe
    ) as process:
        assert process.stdout
        process.stdout.readline()  # before that its command line may not be there yet
        yield process.pid
        process.communicate(b"end\n")


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        (("--permission-mode", "plan"), "plan"),
        (("--permission-mode=acceptEdits",), "acceptEdits"),
        (("--dangerously-skip-permissions",), "bypassPermissions"),
        (("--permission-mode",), ""),
        ((), ""),
    ],
)
def test_the_command_line_says_it(words: tuple[str, ...], mode: str, tmp_path: Path) -> None:
    with started(*words) as pid:
        assert launched_mode(pid, {"HOME": str(tmp_path)}, str(tmp_path)) == mode


def test_else_the_settings_of_the_project_say_it_before_those_of_the_user(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    write(home / ".claude" / "settings.json", {"permissions": {"defaultMode": "bypassPermissions"}})

    with started() as pid:
        assert launched_mode(pid, {"HOME": str(home)}, str(project)) == "bypassPermissions"
        write(project / ".claude" / "settings.json", {"permissions": {"defaultMode": "plan"}})
        assert launched_mode(pid, {"HOME": str(home)}, str(project)) == "plan"


@pytest.mark.parametrize("settings", [[], {"permissions": []}, {"permissions": {"defaultMode": 3}}, {}])
def test_settings_that_say_something_else_say_nothing(settings: object, tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "settings.json", settings)

    with started() as pid:
        assert launched_mode(pid, {"HOME": str(tmp_path)}, str(tmp_path)) == ""


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
