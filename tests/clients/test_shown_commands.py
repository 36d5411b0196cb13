"""Commands on the pages that only the clients themselves can show to be right."""

from __future__ import annotations

import json
import sys
import tomllib
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.clients.world import World
from tests.docs_worlds import AGREES
from tests.field import AT_TERMINAL
from tests.shown_commands import pages, shown

ADDRESS = "http://127.0.0.1:8471/mcp"


def shown_with(*starts: str) -> list[str]:
    """The commands on all pages that begin so, each once, without what is said of it behind."""
    texts = [command.text for page in pages() for block in shown(page) for command in block.commands]
    return sorted({text.partition("  #")[0].strip() for text in texts if text.startswith(starts)})


def typed(world: World, text: str, *, at_terminal: bool = False) -> CompletedProcess[str]:
    """Type a command in a project's folder, with both clients on PATH."""
    clients = f"{world.claude_binary.parent}:{world.codex_binary.parent}"
    env = {**world.claude_env, **world.codex_home().env, "PATH": f"{clients}:{world.env['PATH']}"}
    terminal = [sys.executable, "-c", AT_TERMINAL, json.dumps(AGREES)] if at_terminal else []
    return world.run(*terminal, "/bin/sh", "-ec", text, env=env, cwd=world.project("app"))


def server_of(world: World, client: str) -> dict[str, Any]:
    """What a client was told of the server called mailstop."""
    if client == "codex":
        server: dict[str, Any] = tomllib.loads(world.codex_home().config.read_text())["mcp_servers"]["mailstop"]
        return server
    told = json.loads((world.home / ".claude.json").read_text())
    of_project = told["projects"].get(str(world.project("app")), {}).get("mcpServers", {})
    server = {**told.get("mcpServers", {}), **of_project}["mailstop"]
    return server


@pytest.mark.parametrize("text", shown_with("claude mcp add", "codex mcp add"))
def test_a_client_has_the_server_that_a_page_says_to_add(world: World, text: str) -> None:
    done = typed(world, text)
    assert done.returncode == 0, done.stdout + done.stderr

    server = server_of(world, text.split()[0])
    if ADDRESS in text:
        assert server["url"] == ADDRESS
        assert ("BUILDER_TOKEN" in json.dumps(server)) == ("BUILDER_TOKEN" in text)
    else:
        assert (server["command"], server["args"]) == ("mailstop", ["mcp"])


@pytest.mark.parametrize("text", shown_with("mailstop setup codex"))
def test_setup_sets_up_codex_as_the_pages_show(world: World, text: str) -> None:
    done = typed(world, text, at_terminal=True)
    assert done.returncode == 0, done.stdout + done.stderr

    overview = json.loads(typed(world, "mailstop setup --json").stdout)
    (codex,) = [one for one in overview["clients"] if one["name"] == "codex"]
    assert codex["set_up_for"] == [str(world.project("app")) if "--scope project" in text else "user"]
