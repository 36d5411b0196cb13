"""Sessions of Codex and their seats: closed windows, resume, /new, /clear, several windows, exec, subagents."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.clients.app_server import AppServer
from tests.clients.codex_mail import codex_with_mail, drawn, install, transcript, wait_until_at_rest
from tests.clients.codex_session import CodexSession
from tests.clients.peer import Peer
from tests.clients.plan import shell_step, tool_step
from tests.clients.seats import seat, seat_of
from tests.clients.waiting import wait_for
from tests.clients.world import World


def wait_until_blocked(session: CodexSession) -> None:
    """Wait until a hook has ended the turn of a prompt before its first request."""
    wait_for("a turn that ended without an answer", lambda: b'"last_agent_message":null' in transcript(session))


def unload_after(world: World, seconds: int) -> None:
    """Let Codex unload a thread that no window shows after so long, instead of a minute."""
    config = world.codex_home().config
    config.write_text(f"thread_unload_delay_secs = {seconds}\n" + config.read_text())


def wait_until_unloaded(session: CodexSession) -> None:
    """Wait until no server has the session's thread loaded."""
    lock = session.codex_home / "thread-writer-locks" / f"{session.thread}.lock"
    wait_for("the thread unloaded", lambda: not lock.exists())


def queued(session: CodexSession) -> int:
    """How many lines wait in Codex's own queue."""
    with closing(sqlite3.connect(f"file:{session.codex_home}/queue_1.sqlite?mode=ro", uri=True)) as database:
        ((count,),) = database.execute("SELECT count(*) FROM queued_items").fetchall()
    return int(count)


# -- closed windows


@pytest.mark.parametrize("others", [0, 1], ids=["the only window", "one of two windows"])
def test_mail_for_a_codex_whose_window_was_killed_waits_and_no_turn_starts(world: World, others: int) -> None:
    session = codex_with_mail(world, "reviewer")
    other = [codex_with_mail(world, "builder") for _ in range(others)]
    for each in (session, *other):
        each.wait_until_idle()
    before = asked(world)
    session.kill()
    peer = Peer(world)

    sent = peer.writes("reviewer", "are you there?")

    (recipient,) = sent["recipients"]
    assert (recipient["state"], recipient["way"]) == ("stored", "none")
    assert "no Codex window shows it" in recipient["detail"]
    session.queue(f"mailstop: letter {sent['n']} from peer")  # as a sender would that saw the window a moment before
    wait_until_blocked(session)
    assert asked(world) == before
    assert peer.states(sent["n"]) == []


def test_a_resumed_codex_has_its_seat_and_epoch_and_the_letters_that_waited(world: World) -> None:
    first = codex_with_mail(world, "reviewer")
    first.wait_until_idle()
    before = seat(world, "reviewer")
    peer = Peer(world)
    first.kill()
    n = peer.send("reviewer", "are you there?")

    second = world.codex("again", resume=first.thread, project=first.project)
    second.say("good morning")
    request = second.wait_for_request("good morning")
    peer.wait_until("shown", n)

    assert request.holds("are you there?")
    assert seat(world, "reviewer") == before


def test_mail_for_a_codex_that_was_unloaded_waits_and_is_not_queued(world: World) -> None:
    unload_after(world, 0)
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    session.close()
    wait_until_unloaded(session)

    (recipient,) = Peer(world).writes("reviewer", "are you there?")["recipients"]

    assert (recipient["state"], recipient["way"]) == ("stored", "none")
    assert queued(session) == 0


def test_a_resumed_codex_is_woken_before_anything_is_typed_into_its_new_window(world: World) -> None:
    first = codex_with_mail(world, "reviewer")
    first.wait_until_idle()
    peer = Peer(world)
    first.kill()
    second = world.codex("again", resume=first.thread, project=first.project)

    peer.send("reviewer", "are you there?")

    assert second.wait_for_request("are you there?").holds("mailstop: letter")


def test_a_codex_that_joined_for_the_background_is_woken_without_a_window(world: World) -> None:
    unload_after(world, 2)  # with 0 Codex would unload the thread again before its turn has begun
    session = codex_with_mail(world, "reviewer", "join\n" + shell_step("mailstop join watchdog --background"))
    session.wait_for_request("you sit at seat watchdog")
    session.wait_until_idle()
    session.kill()
    wait_until_unloaded(session)

    Peer(world).send("watchdog", "anything new?")

    session.wait_for_request("anything new?")


# -- another thread in the same window


@pytest.mark.parametrize("command", ["/new", "/clear"])
def test_a_window_keeps_its_seat_and_epoch_when_it_goes_on_with_a_new_thread(world: World, command: str) -> None:
    session = codex_with_mail(world, "reviewer")
    wait_until_at_rest(session)
    before = seat(world, "reviewer")
    old = session.thread
    session.clear(command)
    peer = Peer(world)

    session.say("start afresh")
    session.wait_for_request("start afresh")
    session.wait_until_idle()
    peer.send("reviewer", "still there?")
    request = session.wait_for_request("still there?")

    assert session.thread != old
    assert request.session == session.thread
    assert seat(world, "reviewer") == before


def test_a_window_that_cannot_be_told_from_others_gets_a_new_seat_for_its_new_thread(world: World) -> None:
    project = world.project("reviewer")
    session = codex_with_mail(world, "one", project=project)
    other = codex_with_mail(world, "two", project=project)
    for each in (session, other):
        wait_until_at_rest(each)

    session.clear()
    session.say("start afresh")
    session.wait_for_request("start afresh")

    assert [name for name in ("reviewer", "reviewer-2", "reviewer-3") if seat_of(world, name)] == [
        "reviewer",
        "reviewer-2",
        "reviewer-3",
    ]


# -- several windows of one daemon


def test_each_window_gets_the_seat_that_its_own_person_chose(world: World) -> None:
    first = codex_with_mail(world, "one", env={"MAILSTOP_SEAT": "builder"})
    second = codex_with_mail(world, "two")
    third = codex_with_mail(world, "three", env={"MAILSTOP_SEAT": "reviewer"})
    for each in (first, second, third):
        each.wait_until_idle()

    assert [seat_of(world, name) is not None for name in ("builder", "two", "reviewer")] == [True, True, True]


def test_a_window_that_asks_for_a_seat_that_is_held_gets_its_folders_and_is_told(world: World) -> None:
    codex_with_mail(world, "one", env={"MAILSTOP_SEAT": "builder"})
    second = codex_with_mail(world, "two", env={"MAILSTOP_SEAT": "builder"})

    wait_for("the refusal", lambda: "Seat 'builder' is held by" in drawn(second))

    assert "this window is seat two" in drawn(second)


def test_hooks_of_another_window_leave_the_bell_ringing_for_the_one_that_has_mail(world: World) -> None:
    session, other = codex_with_mail(world, "reviewer"), codex_with_mail(world, "builder")
    for each in (session, other):
        each.wait_until_idle()
    peer = Peer(world)
    gate = world.gate("tool")
    session.say("\n".join(["work", shell_step(gate.command), "PUPPET: WAIT answer"]))
    gate.wait_until_reached()
    n = peer.send("reviewer", "the parser is wrong")

    other.say("\n".join(["work too", shell_step("echo one"), shell_step("echo two")]))
    other.wait_for_request("work too")
    other.wait_until_idle()
    gate.open()
    request = session.wait_for_request("the parser is wrong")
    world.model.release("answer")
    peer.wait_until("shown", n)

    assert request.tool_results, "in the running turn: its hook heard the bell"
    assert not any(one.holds("mailstop: letter") for one in session.requests)


# -- who takes no seat, and who writes for another


def test_codex_exec_takes_no_seat_unless_it_is_asked_to(world: World) -> None:
    wait_until_at_rest(codex_with_mail(world, "reviewer"))  # whose person trusts the hooks

    for name, env in {"plain": {}, "asked": {"MAILSTOP_SEAT": "nightly"}}.items():
        world.codex_home().trust(world.project(name))
        words = ["exec", "--skip-git-repo-check", f"{name}\n{shell_step('mailstop status')}"]
        environment = {**world.codex_home().env, **env}
        done = world.run(world.codex_binary, *words, cwd=world.project(name), env=environment)
        assert done.returncode == 0, done.stderr

    assert seat_of(world, "plain") is None
    assert seat_of(world, "nightly") is not None


def test_a_subagent_writes_from_its_parents_seat_and_nothing_is_shown_to_it(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    gate = world.gate("sub")
    steps = [shell_step(gate.command), shell_step("mailstop send peer from-a-subagent")]
    session.say(tool_step("multi_agent_v1/spawn_agent", message="\n".join(["task", *steps])) + "\nPUPPET: WAIT answer")
    gate.wait_until_reached()
    world.wait_until_model_waits("answer")

    n = peer.send("reviewer", "only for the parent")
    gate.open()
    written = wait_for(
        "the subagent's letter", lambda: peer.run("check", "--json", "--peek").stdout.count("from-a-subagent")
    )
    world.model.release("answer")
    peer.wait_until("shown", n)

    assert written
    assert json.loads(peer.run("check", "--json").stdout)["letters"][0]["from"] == "reviewer"
    sub = [one for one in world.model.requests if one.session != session.thread and one.holds("task")]
    assert sub
    assert not any(one.holds("only for the parent") for one in sub)


# -- the plugin in Codex


def test_no_window_warns_about_our_hooks(world: World) -> None:
    install(world)
    project = world.project("reviewer")
    with AppServer(world.codex_binary, {**world.env, **world.codex_home().env}, project) as server:
        listed = server.call("hooks/list", {"cwds": [str(project)]})["data"]

    assert [entry["warnings"] for entry in listed] == [[]]
    assert {hook["eventName"] for entry in listed for hook in entry["hooks"]} == {
        "sessionStart",
        "userPromptSubmit",
        "preToolUse",
        "postToolUse",
        "stop",
        "sessionEnd",
    }


def asked(world: World) -> int:
    """How many requests of turns the model has had; a title, say, is asked for whenever the client likes."""
    return len([request for request in world.model.requests if not request.is_side])
