"""Letters that come while a turn of Claude Code runs: shown by its hooks, proved by what follows."""

from __future__ import annotations

import re
import time
from threading import Thread

from mailstop.office import OPENING_MS
from tests.clients.claude_session import ClaudeSession
from tests.clients.dialogs import is_open
from tests.clients.mail import RULE, claude_with_mail
from tests.clients.peer import Peer, rings, times, wait_until_at_rest, wait_until_listening
from tests.clients.plan import Plan, shell_step, tool_step
from tests.clients.request import Request
from tests.clients.waiting import wait_for
from tests.clients.world import World

ANY_COMMAND = ("Bash", "Read", "Agent")


def test_a_letter_that_comes_while_a_tool_runs_is_shown_in_the_same_turn_without_a_ring(world: World) -> None:
    gate = world.gate("tool")
    session = claude_with_mail(world, "reviewer", shell_step(gate.command), allow=ANY_COMMAND)
    peer = Peer(world)
    gate.wait_until_reached()

    told = peer.writes("reviewer", "the parser is wrong")
    gate.open()
    request = session.wait_for_request("the parser is wrong")
    proof = peer.wait_until("shown", told["n"])

    assert told["recipients"][0]["way"] == "turn"
    assert request.answers_given == 1, "in the request that carries the tool's result"
    assert proof.evidence == "Stop after PostToolBatch hook"
    wait_until_at_rest(session)
    assert len([request for request in session.requests if not request.is_side]) == 2
    assert rings(session) == []


def test_a_letter_that_comes_while_the_last_answer_is_written_goes_on_with_the_turn(world: World) -> None:
    session = claude_with_mail(world, "reviewer", "PUPPET: WAIT answer")
    peer = Peer(world)
    world.wait_until_model_waits("answer")

    n = peer.send("reviewer", "one more thing")
    world.model.release("answer")
    request = session.wait_for_request("one more thing")
    proof = peer.wait_until("shown", n)

    assert "Stop hook additional context" in request.news
    assert proof.evidence == "Stop after Stop hook"
    wait_until_at_rest(session)
    assert times(session.requests[-1], "one more thing") == 1
    assert rings(session) == []


def test_a_letter_that_comes_while_a_dialog_is_open_is_shown_once_the_person_agrees(world: World) -> None:
    session = claude_with_mail(world, "reviewer", shell_step("touch made"), allow=(RULE,))
    peer = Peer(world)
    wait_for("the dialog", lambda: is_open(session))

    told = peer.writes("reviewer", "mind the gap")
    session.terminal.press("enter")
    request = session.wait_for_request("mind the gap")

    assert told["recipients"][0]["way"] == "turn"
    assert request.answers_given == 1
    assert (session.project / "made").exists()
    peer.wait_until("shown", told["n"])
    assert rings(session) == []


def test_a_letter_that_comes_while_a_dialog_is_open_comes_by_itself_when_the_person_refuses(world: World) -> None:
    session = claude_with_mail(world, "reviewer", shell_step("touch made"), allow=(RULE,))
    peer = Peer(world)
    wait_for("the dialog", lambda: is_open(session))

    n = peer.send("reviewer", "mind the gap")
    session.terminal.press("escape")
    request = session.wait_for_request("mind the gap")

    assert f"<event>mailstop: letter {n} from peer</event>" in request.news
    assert not (session.project / "made").exists()
    peer.wait_until("shown", n)
    assert times(session.requests[-1], "mind the gap") == 1


def test_no_letter_is_missed_or_doubled_that_comes_just_as_a_turn_ends(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    world.model.decide = lambda request: Plan(text="done", wait=ends(request))
    turns = 8

    for turn in range(turns):
        wait_until_at_rest(session)
        session.say(f"turn-{turn}-")
        world.wait_until_model_waits(f"turn-{turn}-")
        sender = Thread(target=peer.send, args=("reviewer", f"letter-of-{turn}-"))
        # Sometimes the sender is ahead, sometimes the turn is: its end takes about as long as a send.
        if turn % 2:
            sender.start()
        world.model.release(f"turn-{turn}-")
        if not turn % 2:
            sender.start()
        session.wait_for_request(f"letter-of-{turn}-")
        sender.join()

    wait_until_at_rest(session)
    assert [times(session.requests[-1], f"letter-of-{turn}-") for turn in range(turns)] == [1] * turns


def ends(request: Request) -> str:
    """The gate of the prompt that a request is about; a letter's request has none."""
    found = re.findall(r"^turn-\d+-$", request.news, re.MULTILINE)
    return found[-1] if found else ""


def test_a_turn_that_stop_goes_on_with_is_let_end_and_the_next_letter_rings(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    gates = {"start-now": "first", "letter one": "second"}

    def decide(request: Request) -> Plan:
        return Plan(text="done", wait=next((gate for text, gate in gates.items() if text in request.news), ""))

    world.model.decide = decide
    session.say("start-now")
    world.wait_until_model_waits("first")
    peer.send("reviewer", "letter one")
    world.model.release("first")
    world.wait_until_model_waits("second")

    n = peer.send("reviewer", "letter two")
    world.model.release("second")
    request = session.wait_for_request("letter two")

    assert f"<event>mailstop: letter {n} from peer</event>" in request.news
    peer.wait_until("shown", n)
    last = session.requests[-1]
    assert times(last, "Stop hook additional context") == 1
    assert (times(last, "letter one"), times(last, "letter two")) == (1, 1)


def test_a_letter_whose_turn_was_interrupted_is_shown_again_with_the_next_prompt(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    world.model.decide = lambda request: Plan(text="done", wait="" if "go on" in request.news else "never")
    wait_until_listening(session)
    n = peer.send("reviewer", "do not lose me")
    world.wait_until_model_waits("never")
    peer.wait_until("handed", n)

    session.terminal.press("escape")
    wait_until_at_rest(session)
    assert "shown" not in peer.states(n), "nobody knows whether the model took it in"
    session.say("go on")
    request = session.wait_for_request("go on")

    assert "do not lose me" in request.news
    peer.wait_until("shown", n)
    assert peer.states(n).count("shown") == 1


def test_a_letter_that_comes_with_text_typed_while_a_tool_runs_is_proved_by_the_answer_to_both(world: World) -> None:
    gate = world.gate("tool")
    session = claude_with_mail(world, "reviewer", shell_step(gate.command), allow=ANY_COMMAND)
    peer = Peer(world)
    gate.wait_until_reached()
    wait_until_long_busy(session)

    n = peer.send("reviewer", "before you type")
    session.say("by the way")
    peer.wait_until("handed", n)
    gate.open()
    request = session.wait_for_request("by the way")
    proof = peer.wait_until("shown", n)

    assert times(request, "before you type") == 1
    assert proof.evidence == "Stop after UserPromptSubmit hook"
    assert peer.states(n) == ["handed", "shown"]


def test_a_letter_that_comes_with_text_typed_while_the_last_answer_is_written_is_proved_in_the_next_turn(
    world: World,
) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    world.model.decide = lambda request: Plan(text="done", wait="second" if "by the way" in request.news else "first")
    session.say("start-now")
    world.wait_until_model_waits("first")
    wait_until_long_busy(session)

    n = peer.send("reviewer", "before you type")
    session.say("by the way")
    peer.wait_until("handed", n)
    world.model.release("first")
    world.wait_until_model_waits("second")
    before = peer.states(n)
    world.model.release("second")
    peer.wait_until("shown", n)

    assert before == ["handed"], "the end of the turn in which it was typed proves nothing"
    assert times(session.requests[-1], "before you type") == 1
    assert peer.states(n) == ["handed", "shown"]


def wait_until_long_busy(session: ClaudeSession) -> None:
    """Wait until a turn has run for so long that nobody could take a prompt for the one that opened it."""
    wait_for("a long turn", lambda: time.time() * 1000 - session.registry.get("statusUpdatedAt", 1e15) > OPENING_MS)


def test_letters_that_come_in_a_burst_arrive_in_order_each_once(world: World) -> None:
    session = claude_with_mail(world, "reviewer")
    peer = Peer(world)
    wait_until_listening(session)

    numbers = [peer.send("reviewer", f"letter-{place}-") for place in range(6)]
    for n in numbers:
        peer.wait_until("shown", n)

    wait_until_at_rest(session)
    told = "\n".join(session.requests[-1].heard)
    assert re.findall(r"^letter-(\d)-$", told, re.MULTILINE) == list("012345")


def test_what_one_of_two_parallel_calls_fetched_is_not_proved_by_the_other(world: World) -> None:
    gate = world.gate("tool")
    first = world.gate("first")
    check = shell_step(f"{first.command}; mailstop check")
    also = shell_step(gate.command).replace("SHELL", "AND SHELL")
    session = claude_with_mail(world, "reviewer", f"{check}\n{also}", allow=ANY_COMMAND)
    peer = Peer(world)
    first.wait_until_reached()

    n = peer.send("reviewer", "fetched by a command")
    first.open()
    peer.wait_until("handed", n)
    gate.wait_until_reached()
    before = peer.states(n)
    gate.open()
    request = session.wait_for_request("fetched by a command")
    proof = peer.wait_until("shown", n)

    assert before == ["handed"]
    assert times(request, "fetched by a command") == 1
    assert proof.evidence == "Stop after mailstop check"


def test_hooks_in_a_subagent_show_nothing_and_the_parent_gets_the_letter(world: World) -> None:
    gate = world.gate("child")
    task = f"{shell_step(gate.command)}\n{shell_step('echo child done')}"
    session = claude_with_mail(
        world,
        "reviewer",
        tool_step("Agent", description="a task", prompt=task, subagent_type="general-purpose"),
        allow=ANY_COMMAND,
    )
    peer = Peer(world)
    gate.wait_until_reached()

    n = peer.send("reviewer", "for the parent")
    request = session.wait_for_request("for the parent")
    gate.open()
    peer.wait_until("shown", n)

    session.wait_for_request('Agent "a task" finished')
    children = [request for request in session.requests if is_of_subagent(request)]
    assert not is_of_subagent(request)
    assert len(children) == 3, "its prompt, and after each of two tools"
    assert not any(request.holds("for the parent") for request in children)


def is_of_subagent(request: Request) -> bool:
    """Whether a subagent asks."""
    return "x-claude-code-agent-id" in request.headers
