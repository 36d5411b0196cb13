"""The tools in real clients: a scripted model calls every one; asserted at what it received, and in the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mailstop.mcp import tools
from tests.clients.codex_session import CodexSession
from tests.clients.mail import PLUGIN, letters_of
from tests.clients.mcp_tools import Results, Session, Step, calling, claude_with_tools, configure_codex, results
from tests.clients.peer import Peer
from tests.clients.plan import Json
from tests.clients.seats import seated
from tests.clients.waiting import wait_for
from tests.clients.world import World


def claude(world: World) -> Session:
    return claude_with_tools(world, "builder", allow=("Bash",))


def claude_with_plugin(world: World) -> Session:
    return claude_with_tools(world, "builder", allow=("Bash",), plugins=(PLUGIN,))


def codex(world: World) -> Session:
    configure_codex(world)
    return world.codex("builder", approval="never")


def codex_in_read_only(world: World) -> Session:
    configure_codex(world)
    return world.codex("builder", sandbox="read-only", approval="never")


Start = Callable[[World], Session]
each_client = pytest.mark.parametrize("start", [claude, claude_with_plugin, codex, codex_in_read_only])

NOTE, QUESTION = "a note for you", "may I merge?"


def steps(numbers: dict[str, int]) -> list[Step]:
    """One call of each tool, in an order in which they make sense. numbers: what the test tells of its own letters."""

    def fixed(tool: str, **arguments: Any) -> Step:
        return lambda _results: (tool, arguments)

    def read(results: Results) -> tuple[str, Json]:
        return "read", {"number": results[4]["n"]}

    def answer(_results: Results) -> tuple[str, Json]:
        return "answer", {"number": numbers["question"], "body": "You may."}

    return [
        fixed("me", action="join", name="builder", objective="the parser"),
        fixed("SHELL", command="mailstop check; echo =$?"),
        fixed("check"),
        fixed("who"),
        fixed("send", to="peer", body="a letter by a tool"),
        read,
        fixed("ask", to="peer", body="Does it build?", wait=40),
        answer,
        fixed("task", action="give", to="peer", title="Fix the parser"),
        fixed("lead", action="claim"),
        fixed("lease", action="take", resources=["name:deploy", "src/parser.py"]),
    ]


def shown(peer: Peer, *words: str) -> Any:
    done = peer.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@each_client
def test_a_model_calls_every_tool_and_the_end_of_its_client_frees_what_it_held(world: World, start: Start) -> None:
    numbers: dict[str, int] = {}
    calls = steps(numbers)
    world.model.decide = calling(calls, {2: "the peer to have written"})
    peer = Peer(world)
    session = start(world)
    session.say("use the tools")
    seated(world, "builder")
    world.wait_until_model_waits("the peer to have written")
    note = peer.send("builder", NOTE)
    numbers["question"] = shown_number(peer, "ask", "builder", "--wait", "0", QUESTION)
    world.model.release("the peer to have written")
    asked = wait_for("the question", lambda: next(iter(open_questions(peer)), None), timeout_s=60)
    assert peer.run("answer", str(asked), "It does.").returncode == 0

    got = results(session, len(calls))

    # what the model received
    me, shell, check, who, send, read, ask, answer, task, lead, lease = got
    assert me["seats"][0]["seat"] == "builder"
    assert ("=5" in str(shell)) == (start is codex_in_read_only or start is codex), "its commands cannot open the store"
    every = session.requests[-1]
    assert every.holds(NOTE)
    assert every.holds(QUESTION)
    assert check["letters"] == [note, numbers["question"]] or start is claude_with_plugin  # whose hooks may be faster
    assert {each["seat"] for each in who["seats"]} == {"builder", "peer"}
    assert send["recipients"][0]["seat"] == "peer"
    assert "a letter by a tool" in read["text"]
    assert (ask["n"], ask["state"]) == (asked, "answered")
    assert "It does." in ask["text"]
    assert answer["recipients"][0]["seat"] == "peer"
    assert task["state"] == "submitted"
    assert lead["granted"] is True
    assert [each["done"] for each in lease["leases"]] == ["taken", "taken"]
    called = {name for name, _ in (each(got) for each in calls)} - {"SHELL"}
    assert called == set(tools.NAMES)

    # what the store has of it
    bodies = {letter["body"]: letter["from"] for letter in letters_of(world)}
    for body in ("a letter by a tool", "Does it build?", "You may."):
        assert bodies[body] == "builder"
    assert [each["title"] for each in shown(peer, "task", "list", "--mine")["tasks"]] == ["Fix the parser"]
    held = shown(peer, "lease", "list")["leases"]
    assert {each["seat"] for each in held} == {"builder"}
    assert len(held) == 2
    assert shown(peer, "lead", "--project", held[0]["project"])["seat"] == "builder"
    (builder,) = [each for each in shown(peer, "who")["seats"] if each["seat"] == "builder"]
    assert (builder["client"], builder["objective"]) == (
        "codex" if isinstance(session, CodexSession) else "claude",
        "the parser",
    )

    # and what is left of it when the client is gone
    session.close()
    assert shown(peer, "lease", "list")["leases"] == []
    assert shown(peer, "lead", "--project", held[0]["project"])["vacant"] is True


@pytest.mark.parametrize("start", [claude, codex])
def test_what_a_killed_client_held_is_free_at_once(world: World, start: Start) -> None:
    world.model.decide = calling(
        [
            lambda _results: ("me", {"action": "join", "name": "builder"}),
            lambda _results: ("lease", {"action": "take", "resources": ["name:deploy"]}),
        ],
        {},
    )
    peer = Peer(world)
    session = start(world)
    session.say("use the tools")
    results(session, 2)
    assert len(shown(peer, "lease", "list")["leases"]) == 1

    session.kill()

    assert shown(peer, "lease", "list")["leases"] == []
    assert peer.run("lease", "take", "name:deploy").returncode == 0


def shown_number(peer: Peer, *words: str) -> int:
    """The number of the question that a command asked; it does not wait for the answer."""
    done = peer.run(*words, "--json")
    assert done.returncode == 4, done.stderr
    return int(json.loads(done.stdout)["n"])


def open_questions(peer: Peer) -> list[int]:
    return [int(each["n"]) for each in shown(peer, "asks", "--given")["questions"]]
