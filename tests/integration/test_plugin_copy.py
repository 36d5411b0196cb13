"""The plugin as clients get it: what it starts is one command at one path, whatever PATH its client has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import mailstop
from mailstop.setup import plugin_copy
from tests.party import MAILSTOP

SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh") if shutil.which(shell)]


def hooks(files: dict[str, bytes]) -> dict[str, str]:
    """The command of each event's only hook."""
    events = json.loads(files["mailstop/hooks/hooks.json"])["hooks"]
    return {event: group["hooks"][0]["command"] for event, (group,) in events.items()}


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """Give a command at a path that a shell has to have quoted, which notes what it is given."""
    path = tmp_path / "it's a $HOME" / "mailstop"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n/bin/cat > '{tmp_path}/noted'\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("shell", SHELLS)
def test_every_hook_runs_the_command_at_its_path_though_path_does_not_name_it(
    command: Path, tmp_path: Path, shell: str
) -> None:
    bells = Path(os.environ["HOME"], ".local/state/mailstop/bells")
    bells.mkdir(parents=True)
    (bells / "claude-77").touch()
    environment = {"HOME": os.environ["HOME"], "PATH": "/nonexistent", "CLAUDE_PID": "77", "CLAUDE_PLUGIN_ROOT": "/c"}
    for event, line in hooks(plugin_copy.files(str(command))).items():
        (tmp_path / "noted").unlink(missing_ok=True)
        argv = [shutil.which(shell) or shell, "-c", line]
        done = subprocess.run(argv, input="the event\n", env=environment, capture_output=True, text=True)
        assert (event, done.returncode, done.stderr) == (event, 0, "")
        assert (event, (tmp_path / "noted").read_text()) == (event, "the event\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_once_the_command_is_gone_no_hook_fails_its_client(tmp_path: Path, shell: str) -> None:
    for event, line in hooks(plugin_copy.files(str(tmp_path / "gone" / "mailstop"))).items():
        argv = [shutil.which(shell) or shell, "-c", line]
        done = subprocess.run(argv, input="x\n", env={"HOME": os.environ["HOME"]}, capture_output=True, text=True)
        assert (event, done.returncode, done.stdout, done.stderr) == (event, 0, "", "")


def test_nothing_in_the_copy_calls_mailstop_by_its_name_alone() -> None:
    files = plugin_copy.files(MAILSTOP)
    lines = [*hooks(files).values(), json.loads(files["mailstop/monitors/monitors.json"])[0]["command"]]

    assert json.loads(files["mailstop/.mcp.json"])["mcpServers"]["mailstop"]["command"] == MAILSTOP
    for line in lines:
        words = line.replace(MAILSTOP, "COMMAND")
        assert "COMMAND" in words
        assert not any(f"{before}mailstop " in words for before in ("command -v ", "exec ", "&& ", "| ", "; "))


def test_what_starts_nothing_is_the_wheels_own_and_the_versions_are_this_ones() -> None:
    market = Path(mailstop.plugin_folder()).parent
    files = plugin_copy.files(MAILSTOP)
    started = {"mailstop/.mcp.json", "mailstop/hooks/hooks.json", "mailstop/monitors/monitors.json"}

    assert set(files) == {str(path.relative_to(market)) for path in market.rglob("*") if path.is_file()}
    assert all(files[path] == (market / path).read_bytes() for path in set(files) - started)
    told = json.loads(files[".claude-plugin/marketplace.json"])["plugins"][0]
    assert json.loads(files["mailstop/.claude-plugin/plugin.json"])["version"] == mailstop.__version__
    assert told["version"] == mailstop.__version__


def test_a_copy_of_another_command_is_brought_up_to_date_and_loses_what_is_no_part_of_it(own_home: Path) -> None:
    plugin_copy.write("/old/bin/mailstop")
    folder = own_home / ".config/mailstop/plugin"
    (folder / "mailstop/commands/old.md").write_text("gone")
    assert not plugin_copy.is_current(MAILSTOP)

    plugin_copy.write(MAILSTOP)

    assert plugin_copy.is_current(MAILSTOP)
    assert not (folder / "mailstop/commands/old.md").exists()
    assert (folder / "mailstop/.mcp.json").stat().st_mode & 0o077 == 0
