"""The built wheel, installed by each of the tools that the documentation names, in a home that has nothing else."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import mailstop
from tests.distribution.conftest import NEWER, ROOT, UVX
from tests.distribution.user import INSTALLERS, ONCE, Installer, Program, User

pytestmark = pytest.mark.timeout(240)  # an environment is made, and on a busy machine that takes its time


@pytest.fixture(scope="module", params=list(INSTALLERS))
def installer(request: pytest.FixtureRequest) -> Installer:
    return INSTALLERS[request.param]


@pytest.fixture(scope="module")
def user(installer: Installer, shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """Give a user who has installed it."""
    with User(tmp_path_factory.mktemp("user") / "home", shelf) as user:
        installer.install(user)
        yield user


@pytest.fixture
def passer_by(shelf: Path, tmp_path: Path) -> Iterator[User]:
    """Give a user who has installed nothing."""
    with User(tmp_path / "passer-by", shelf) as user:
        yield user


def test_two_programs_write_to_each_other(user: User) -> None:
    assert letter_between_two_programs(user, [str(user.shim)]) == "Does it survive?"


def test_setup_gives_clients_the_path_that_the_tool_keeps(user: User) -> None:
    told = user.mailstop_says("setup", "claude", "--preview")

    assert told.code == 0
    assert f"what it starts is {user.shim}" in told.out
    assert "nothing was changed" in told.out


def test_what_clients_start_is_there_after_an_upgrade_and_is_the_new_one(
    installer: Installer, newer: Path, own_shelf: Path, tmp_path: Path
) -> None:
    with User(tmp_path / "upgrading", own_shelf) as user:
        installer.install(user)
        assert user.mailstop_says("setup", "claude", "--yes").code == 0
        before = recorded(user)
        shutil.copy(newer, own_shelf)

        installer.upgrade(user)

        assert recorded(user) == before == {str(user.shim)}
        for command in before:
            assert user.call([command, "--version"]).lines[0].startswith(f"mailstop {NEWER} ")


@pytest.mark.parametrize("once", ONCE.values(), ids=list(ONCE))
def test_without_being_installed_it_works_but_clients_are_not_given_a_path_that_goes_away(
    passer_by: User, once: list[str]
) -> None:
    assert passer_by.call([*once, "--version"]).lines[0].startswith(f"mailstop {mailstop.__version__} ")
    assert letter_between_two_programs(passer_by, once) == "Does it survive?"

    for words in (["--preview"], ["--yes"]):
        told = passer_by.call([*once, "setup", "claude", *words])

        assert told.code == 1
        assert "is in a cache that its tool clears" in told.err
        assert "Install it first: uv tool install mailstop, or pipx install mailstop" in told.err
    assert not (passer_by.home / ".claude").exists()


def test_what_the_registry_tells_clients_to_start_is_the_server_of_tools(passer_by: User) -> None:
    (package,) = json.loads((ROOT / "server.json").read_text())["packages"]
    words = [argument["value"] for argument in package["packageArguments"]]
    started = [{"uvx": UVX}[package["runtimeHint"]], f"{package['identifier']}@{package['version']}", *words]
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}

    answered = passer_by.call(started, input=json.dumps(asked) + "\n")

    assert answered.code == 0, answered.err
    assert json.loads(answered.lines[0])["result"]["serverInfo"]["version"] == package["version"]


def letter_between_two_programs(user: User, command: list[str]) -> str:
    """Have one program of a user write to another; return what that one is shown."""
    with ExitStack() as ending:
        builder, reviewer = (ending.enter_context(Program(user, seat, command)) for seat in ("builder", "reviewer"))
        sent = builder.mailstop_says("send", "reviewer", "Does it survive?", "--json")
        shown = reviewer.mailstop_says("check", "--json")
    assert (sent.code, shown.code) == (0, 0), sent.err + shown.err
    (letter,) = shown.json["letters"]
    assert letter["n"] == sent.json["n"]
    body: str = letter["body"]
    return body


def recorded(user: User) -> set[str]:
    """The commands that the plugin in a user's home starts: by a server of tools, by hooks, and by a monitor."""
    plugin = user.home / ".config/mailstop/plugin/mailstop"
    servers = json.loads((plugin / ".mcp.json").read_text())["mcpServers"].values()
    shell = (plugin / "hooks/hooks.json").read_text() + (plugin / "monitors/monitors.json").read_text()
    started = re.findall(r"exec (\S+) (?:hook|watch)", shell)
    assert started
    return {server["command"] for server in servers} | {shlex.split(word)[0] for word in started}
