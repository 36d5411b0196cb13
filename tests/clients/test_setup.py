"""mailstop setup with the real clients: on a home that knows nothing of mailstop, and without a trace afterwards."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.clients.codex_mail import REVIEW, drawn, trust
from tests.clients.codex_session import CodexSession
from tests.clients.dialogs import noting_dialogs
from tests.clients.mail import answering
from tests.clients.peer import Peer, wait_until_listening
from tests.clients.plan import tool_step
from tests.clients.seats import seated
from tests.clients.waiting import wait_for
from tests.clients.world import World

MODES = ["manual", "acceptEdits", "plan", "auto", "bypassPermissions"]
# Odd on purpose. The last key is what the client would write by itself into any home that has agreed to bypass mode.
SETTINGS = '{\n\t "model":"opus",\n  "permissions" : {"allow": []},\n      "skipDangerousModePermissionPrompt": true}\n'
OF_MAIL = (".local/share/mailstop", ".local/state/mailstop")  # letters and bells: they are no configuration
OF_OURS = ("mailstop send SEAT", "mailstop:mailstop-lead")  # what hooks announce, and what skills a session has


def setup(world: World, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> dict[str, Any]:
    """Run setup as the person does, with the clients on PATH."""
    done = run_setup(world, *words, "--json", env=env, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def run_setup(
    world: World, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> CompletedProcess[str]:
    clients = f"{world.claude_binary.parent}:{world.codex_binary.parent}"
    path = {"PATH": f"{clients}:{world.env['PATH']}"}
    return world.run("mailstop", "setup", *words, env={**world.claude_env, **path, **(env or {})}, cwd=cwd)


def files(world: World) -> dict[str, bytes]:
    """The files of the home, but for mail and the program of Codex's daemon."""
    return {
        name: path.read_bytes()
        for path in world.home.rglob("*")
        if path.is_file() and not path.is_symlink()
        for name in [str(path.relative_to(world.home))]
        if not name.startswith(OF_MAIL) and "app-server-daemon" not in name
    }


def states(told: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["state"] for one in told["offers"]}


# -- Claude Code -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_claude_that_was_set_up_has_a_seat_is_woken_and_answers_and_nothing_stays_of_it(
    world: World, mode: str
) -> None:
    settings = world.claude_config / "settings.json"
    settings.write_text(SETTINGS)
    before = files(world)
    assert set(states(setup(world, "claude", "--yes")).values()) == {"done"}
    after = settings.read_bytes()

    asked = world.directory / "asked"
    session = world.claude("reviewer", mode=mode, settings=noting_dialogs(asked))
    world.model.decide = answering("merge it", session="reviewer")
    seated(world, "reviewer")
    peer = Peer(world)
    wait_until_listening(session)
    told = peer.writes("reviewer", "is it ready?", "--needs-reply")
    session.wait_for_request("is it ready?")
    peer.wait_until("answered", told["n"])
    session.close()

    assert told["recipients"][0]["way"] == "monitor"
    assert not asked.exists(), "no permission dialog was about to open"
    assert settings.read_bytes() == after, "the client did not write it anew: what follows is about ours"
    setup(world, "--remove", "--yes")
    left = files(world)
    assert {name: left.get(name) for name in before if name != ".claude.json"} == {
        name: content for name, content in before.items() if name != ".claude.json"
    }
    by_client = (".claude/", ".claude.json", ".cache/claude-cli-nodejs/")
    assert [name for name in left if name not in before and not name.startswith(by_client)] == []
    assert not (world.home / ".config").exists()
    known = json.loads((world.claude_config / "plugins/known_marketplaces.json").read_text())
    assert "mailstop" not in known


def test_a_claude_of_which_it_was_taken_out_knows_nothing_of_mailstop(world: World) -> None:
    setup(world, "claude", "--yes")
    world.claude("first").close()
    setup(world, "claude", "--remove", "--yes")

    session = world.claude("second", "hello")
    session.wait_for_request("hello")

    assert not any(session.wait_for_request("hello").holds(text) for text in OF_OURS)
    assert "second" not in world.run("mailstop", "who", "--all").stdout


def test_a_claude_is_set_up_for_one_project_alone(world: World) -> None:
    project, other = world.project("reviewer"), world.project("builder")
    setup(world, "claude", "--scope", "project", "--yes", cwd=project)

    world.claude("reviewer", tool_step("mcp__plugin_mailstop_mailstop__me"))
    session = world.claude("builder", "hello", project=other)

    assert seated(world, "reviewer")
    assert not any(session.wait_for_request("hello").holds(text) for text in OF_OURS)
    world.wait_for_request('"seat"', session="reviewer")


def test_a_moved_configuration_of_claude_is_the_one_that_is_set_up(world: World) -> None:
    moved = world.home / "moved"
    moved.mkdir()
    (world.home / ".claude.json").rename(moved / ".claude.json")
    world.claude_config = moved
    env = {"CLAUDE_CONFIG_DIR": str(moved)}

    setup(world, "claude", "--yes", env=env)
    world.claude("reviewer", env=env)

    assert seated(world, "reviewer")
    assert not (world.home / ".claude/settings.json").exists()


# -- Codex -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("home", [".codex", "moved"])
@pytest.mark.parametrize("how", ["by setup", "by the window"])
def test_a_codex_that_was_set_up_has_a_seat_is_woken_and_answers_and_nothing_stays_of_it(
    world: World, home: str, how: str
) -> None:
    codex_home = world.codex_home(home)
    codex_home.trust(world.project("reviewer"))
    codex_home.configure("# mine\n[sandbox_workspace_write] # also mine\nnetwork_access = false")
    before = codex_home.config.read_text()
    words = ["--with", "trust"] if how == "by setup" else []
    told = setup(world, "codex", "--yes", *words, env=codex_home.env)
    assert states(told) == {
        "plugin": "done",
        "sandbox": "done",
        "tools": "done",
        "trust": "done" if how == "by setup" else "left out",
    }

    session = world.codex("reviewer", home=home, wait=how == "by setup")
    if how == "by the window":
        trust(world, session)
    session.say("hello")
    session.wait_for_request("hello")
    peer = Peer(world)
    world.model.decide = answering("merge it", session=session.thread)
    n = peer.send("reviewer", "please look at parser.py", "--needs-reply")
    session.wait_for_request("please look at parser.py")
    peer.wait_until("answered", n)
    assert (REVIEW.decode() in drawn(session)) == (how == "by the window")
    session.close()
    codex_home.end_daemon()

    written = tomllib.loads(codex_home.config.read_text())
    setup(world, "codex", "--remove", "--yes", env=codex_home.env)
    left = tomllib.loads(codex_home.config.read_text())
    assert codex_home.config.read_text().startswith(before.rstrip())
    own = tomllib.loads(before)
    by_codex = {key: value for key, value in written.items() if key not in own} | own
    if how == "by setup":
        by_codex.pop("hooks")
    assert left == {key: value for key, value in by_codex.items() if key not in ("marketplaces", "plugins")}
    assert not (codex_home.folder / "plugins/cache/mailstop").exists()
    assert not (world.home / ".config").exists()


def test_taken_out_at_once_a_codex_home_is_byte_for_byte_what_it_was(world: World) -> None:
    codex_home = world.codex_home()
    codex_home.configure('[sandbox_workspace_write]\nwritable_roots = [\n  "/q", # mine\n]')
    before = files(world)

    setup(world, "codex", "--yes", "--with", "trust", env=codex_home.env)
    setup(world, "codex", "--yes", "--with", "trust", env=codex_home.env)
    setup(world, "codex", "--remove", "--yes", env=codex_home.env)

    left = files(world)
    assert {name: left.get(name) for name in before} == before
    assert [name for name in left if "mailstop" in name] == []


def test_once_more_nothing_is_done_and_the_trust_is_that_of_codex_itself(world: World) -> None:
    codex_home = world.codex_home()
    setup(world, "codex", "--yes", "--with", "trust", env=codex_home.env)
    config = codex_home.config.read_bytes()

    again = setup(world, "codex", "--yes", "--with", "trust", env=codex_home.env)

    assert set(states(again).values()) == {"done before"}
    assert codex_home.config.read_bytes() == config
    overview = setup(world, env=codex_home.env)
    (told,) = [one for one in overview["clients"] if one["name"] == "codex"]
    assert (told["set_up_for"], told["plugin_is_current"], told["version"]) == (["user"], True, "0.171.0")
    with pytest.raises(AssertionError, match="no hooks to trust"):
        codex_home.trust_hooks(world.project("reviewer"), world.env)


def test_a_codex_is_set_up_for_one_project_alone(world: World) -> None:
    codex_home = world.codex_home()
    project = world.project("reviewer")
    before = codex_home.config.read_text()
    setup(world, "codex", "--scope", "project", "--yes", "--with", "trust", env=codex_home.env, cwd=project)

    session: CodexSession = world.codex("reviewer", "hello")
    session.wait_for_request("hello")
    seated(world, "reviewer")
    peer = Peer(world)
    world.model.decide = answering("merge it", session=session.thread)
    n = peer.send("reviewer", "please look", "--needs-reply")
    peer.wait_until("answered", n)
    other = world.codex("builder", "hello again")
    assert not other.wait_for_request("hello again").holds("mailstop: this session")

    assert "[plugins" not in codex_home.config.read_text()
    setup(world, "codex", "--scope", "project", "--remove", "--yes", env=codex_home.env, cwd=project)
    assert not (project / ".codex").exists()
    assert "mailstop@mailstop" not in codex_home.config.read_text()
    assert codex_home.config.read_text().startswith(before)


def test_without_codex_on_the_path_nothing_is_changed(world: World) -> None:
    codex_home = world.codex_home()
    before = files(world)

    done = world.run("mailstop", "setup", "codex", "--yes", env=codex_home.env)

    assert (done.returncode, "Codex is not on PATH" in done.stderr) == (3, True)
    assert files(world) == before


def test_a_configuration_of_codex_that_is_broken_is_left_untouched(world: World) -> None:
    codex_home = world.codex_home()
    for broken in (
        "a = 1\na = 2\n",
        "[marketplaces.mailstop]\nsource_type = 'git'\nsource = 'https://example.org/x'\n",
    ):
        codex_home.config.write_text(broken)
        done = run_setup(world, "codex", "--yes", env=codex_home.env)
        assert (done.returncode, "Nothing was changed" in done.stderr) == (1, True)
        assert codex_home.config.read_text() == broken
    wait_for("nothing of ours", lambda: not (world.home / ".config").exists())
