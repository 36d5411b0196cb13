"""The plugin in the real clients: what they say of it, and what a session gets from it beside its hooks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.clients.mail import PLUGIN, claude_with_mail
from tests.clients.plan import tool_step
from tests.clients.seats import seated
from tests.clients.world import World

SERVER = "mcp__plugin_mailstop_mailstop"


@pytest.mark.parametrize("profile", [[], ["--profile", "directory"]], ids=["plain", "directory"])
def test_claude_code_finds_the_plugin_valid_where_it_is_installed(world: World, profile: list[str]) -> None:
    market = world.home / "market"
    shutil.copytree(PLUGIN.parent, market)  # away from this repository, as in a wheel

    done = world.run(
        world.claude_binary, "plugin", "validate", *profile, market / PLUGIN.name, env=world.claude_env, cwd=world.home
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout
    assert "_MISSING" not in done.stdout  # README, LICENSE, icon


def test_claude_code_finds_the_marketplace_valid_without_a_warning(world: World) -> None:
    done = world.run(world.claude_binary, "plugin", "validate", PLUGIN.parent, env=world.claude_env)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout


def test_a_session_has_the_tools_of_mcp_and_the_skills(world: World) -> None:
    session = claude_with_mail(world, "builder", tool_step(f"{SERVER}__me"), allow=(SERVER,))

    result = session.wait_for_request('"seat"')

    assert "builder" in result.news
    assert session.wait_for_request("mailstop:mailstop-lead").holds("mailstop:mailstop:")


@pytest.mark.parametrize("command", ["mail", "who", "send"])
def test_a_slash_command_tells_the_model_which_command_to_run(world: World, command: str) -> None:
    session = claude_with_mail(world, "builder")
    seated(world, "builder")
    said = Path(PLUGIN, "commands", f"{command}.md").read_text().split("---\n")[2].strip().splitlines()[0]

    session.say(f"/mailstop:{command} reviewer the parser is done")

    assert session.wait_for_request(said.partition(" $ARGUMENTS")[0]).holds(
        said.replace("$ARGUMENTS", "reviewer the parser is done")
    )
