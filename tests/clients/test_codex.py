"""Codex both ways, in its default sandbox: woken by `codex queue`, shown by hooks, answering from the sandbox."""

from __future__ import annotations

import pytest

from tests.clients.codex_mail import codex_with_mail, drawn, folders, install, trust
from tests.clients.codex_session import CodexSession
from tests.clients.mail import answering, claude_with_mail
from tests.clients.peer import Peer
from tests.clients.plan import shell_step
from tests.clients.seats import seated
from tests.clients.waiting import wait_for
from tests.clients.world import World


def send(to: str, body: str, *words: str) -> str:
    """A command by which a model writes a letter, as mailstop tells it to."""
    return f"mailstop send {to} {' '.join(words)} - <<'MAIL'\n{body}\nMAIL"


def told(session: CodexSession) -> str:
    """What the session's last command printed."""
    return wait_for("a command's result", lambda: [text for one in session.requests for text in one.tool_results])[-1]


# -- both ways


def test_a_letter_wakes_an_idle_codex_which_answers_from_its_sandbox(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    peer = Peer(world)
    world.model.decide = answering("merge it", session=session.thread)

    n = peer.send("reviewer", "please look at parser.py", "--needs-reply")
    woken = session.wait_for_request("please look at parser.py")
    peer.wait_until("answered", n)

    assert woken.holds(f"mailstop: letter {n} from peer"), "the fixed line, in the same request"
    assert "from seat peer" in woken.news
    assert peer.states(n) == ["notified", "handed", "shown", "answered"]


def test_codex_writes_to_an_idle_claude_whose_answer_wakes_codex(world: World) -> None:
    claude = claude_with_mail(world, "builder")
    seated(world, "builder")
    world.model.decide = answering("it is built", session="builder")
    session = codex_with_mail(world, "reviewer", "ask\n" + shell_step(send("builder", "is it built?", "--needs-reply")))

    woken = claude.wait_for_request("is it built?")
    answered = session.wait_for_request("it is built")

    assert "from seat reviewer" in woken.news
    assert "from seat builder" in answered.news


def test_a_codex_wakes_another_by_the_hook_that_follows_its_command(world: World) -> None:
    reviewer = codex_with_mail(world, "reviewer")
    world.model.decide = answering("merge it", session=reviewer.thread)
    ask = "ask\n" + shell_step(send("reviewer", "may I merge?")) + "\nPUPPET: WAIT answer"
    builder = codex_with_mail(world, "builder", ask, home="codex-work")  # whose bell is another

    woken = reviewer.wait_for_request("may I merge?")
    world.model.release("answer")
    answered = builder.wait_for_request("merge it")

    assert "this sandbox may not ring" in builder.requests[1].tool_results[-1]
    assert "from seat builder" in woken.news
    assert "from seat reviewer" in answered.news


def test_a_codex_without_a_sandbox_rings_by_itself(world: World) -> None:
    reviewer = codex_with_mail(world, "reviewer")
    ask = "ask\n" + shell_step(send("reviewer", "may I merge?"))
    builder = codex_with_mail(world, "builder", ask, sandbox="danger-full-access")

    reviewer.wait_for_request("may I merge?")

    assert "reviewer: notified; queued by codex" in told(builder)


# -- the sandbox


@pytest.mark.parametrize("missing", ["both", "bells", "store"])
def test_without_its_writable_roots_each_verb_exits_5_and_says_which_line_to_add(world: World, missing: str) -> None:
    store, bells = folders(world)
    install(world, roots={"both": [], "bells": [store], "store": [bells]}[missing])
    verbs = (
        ["send peer hi", "check", "status", "read", "who", "reply 1 hi", "join x"] if missing == "both" else ["check"]
    )
    session = world.codex("reviewer", wait=False)
    trust(world, session)
    session.say("try\n" + shell_step("; ".join(f"mailstop {verb}; echo =$?" for verb in verbs)))

    printed = told(session)

    assert printed.count("=5") == len(verbs)
    assert f'writable_roots = ["{store}", "{bells}"]' in printed
    assert (str(store) in printed.split(". Nothing")[0]) == (missing != "bells")


def test_in_a_sandbox_that_lets_nothing_be_written_a_verb_names_the_mode_that_does(world: World) -> None:
    session = codex_with_mail(world, "reviewer", "try\n" + shell_step("mailstop check; echo =$?"), sandbox="read-only")

    printed = told(session)

    assert "=5" in printed
    assert "sandbox mode workspace-write" in printed


# -- a running turn


def test_a_busy_codex_is_shown_a_letter_in_its_running_turn_without_a_ring(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    gate = world.gate("tool")
    session.say("\n".join(["work", shell_step(gate.command), shell_step("echo next"), "PUPPET: SAY done"]))
    gate.wait_until_reached()

    sent = peer.writes("reviewer", "the parser is wrong")
    gate.open()
    request = session.wait_for_request("the parser is wrong")
    proof = peer.wait_until("shown", sent["n"])
    session.wait_until_idle()

    assert sent["recipients"][0]["way"] == "turn"
    assert request.tool_results, "in the request that carries the tool's result"
    assert proof.evidence == "PreToolUse after PostToolUse hook", "long before the turn is over"
    assert not any(one.holds("mailstop: letter") for one in session.requests)


def test_a_letter_that_comes_while_the_last_answer_is_written_goes_on_with_the_turn(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    session.say("think\nPUPPET: WAIT answer")
    world.wait_until_model_waits("answer")

    n = peer.send("reviewer", "one more thing")
    world.model.release("answer")
    session.wait_for_request("one more thing")
    proof = peer.wait_until("shown", n)

    assert proof.evidence == "Stop after Stop hook"
    assert not any(one.holds("mailstop: letter") for one in session.requests)


def test_a_letter_that_comes_when_a_turn_has_gone_on_once_is_rung_for_at_its_end(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    session.say("think\nPUPPET: WAIT first")
    world.wait_until_model_waits("first")
    peer.send("reviewer", "one more thing\nPUPPET: WAIT second")
    world.model.release("first")
    world.wait_until_model_waits("second")

    n = peer.send("reviewer", "and another")
    world.model.release("second")
    request = session.wait_for_request("and another")
    peer.wait_until("shown", n)

    assert request.holds(f"mailstop: letter {n} from peer")


def test_what_is_shown_beside_one_of_two_parallel_tools_is_not_proved_by_the_other(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    first, second = world.gate("first"), world.gate("second")
    both = [shell_step(first.command), "PUPPET: AND SHELL " + shell_step(second.command).removeprefix("PUPPET: SHELL ")]
    session.say("\n".join(["work", *both, "PUPPET: WAIT answer", "PUPPET: SAY done"]))
    first.wait_until_reached()
    second.wait_until_reached()

    n = peer.send("reviewer", "the parser is wrong")
    first.open()
    peer.wait_until("handed", n)
    second.open()
    world.wait_until_model_waits("answer")
    before = peer.states(n)
    world.model.release("answer")

    peer.wait_until("shown", n)
    assert before == ["handed"]


def test_letters_that_a_command_printed_are_proved_by_the_models_next_words(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    gate = world.gate("tool")
    session.say("\n".join(["look", shell_step(gate.command + "; mailstop check"), "PUPPET: SAY done"]))
    gate.wait_until_reached()

    n = peer.send("reviewer", "the parser is wrong")
    gate.open()
    proof = peer.wait_until("shown", n)
    session.wait_until_idle()

    assert proof.evidence == "Stop after mailstop check"
    assert sum(one.news.count("the parser is wrong") for one in session.requests) == 1


def test_a_ring_for_letters_that_were_shown_meanwhile_takes_no_request(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    n = peer.send("reviewer", "read me once")
    peer.wait_until("shown", n)
    session.wait_until_idle()
    before = len(session.requests)

    session.queue(f"mailstop: letter {n} from peer")
    wait_for("the answer to the line", lambda: f"letter {n} was shown already" in drawn(session))

    assert len(session.requests) == before


def test_a_letter_that_an_interrupted_turn_did_not_show_comes_with_the_next_prompt(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    gate = world.gate("tool")
    session.say("work\n" + shell_step(gate.command))
    gate.wait_until_reached()
    n = peer.send("reviewer", "the parser is wrong")

    session.terminal.press("escape")
    session.wait_until_idle()
    session.say("never mind")
    request = session.wait_for_request("never mind")
    peer.wait_until("shown", n)

    assert request.news.count("the parser is wrong") == 1


def test_a_window_without_the_daemon_is_woken_at_its_next_poll(world: World) -> None:
    session = codex_with_mail(world, "reviewer", args=("--no-daemon",))
    session.wait_until_idle()
    peer = Peer(world)

    n = peer.send("reviewer", "please look")
    session.wait_for_request("please look")
    peer.wait_until("shown", n)
    session.kill()
    (recipient,) = peer.writes("reviewer", "still there?")["recipients"]

    assert (recipient["state"], recipient["way"]) == ("stored", "none")
