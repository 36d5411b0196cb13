"""Permission modes of Claude Code: a letter arrives in each, and is answered under one allow rule without a dialog."""

from __future__ import annotations

import pytest

from tests.clients.dialogs import noting_dialogs
from tests.clients.mail import RULE, answering, claude_with_mail
from tests.clients.peer import Peer, rings, wait_until_at_rest, wait_until_listening
from tests.clients.plan import shell_step
from tests.clients.waiting import wait_for
from tests.clients.world import World

MODES = ["manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]


@pytest.mark.parametrize("mode", MODES)
def test_in_every_mode_a_letter_wakes_an_idle_session_and_is_answered_as_printed_without_a_dialog(
    world: World, mode: str
) -> None:
    asked = world.directory / "asked"
    session = claude_with_mail(world, "reviewer", mode=mode, allow=(RULE,), settings=noting_dialogs(asked))
    world.model.decide = answering("it is; $(date) `id` \"quoted\" 'so' #\n# done", session="reviewer")
    peer = Peer(world)
    wait_until_listening(session)

    told = peer.writes("reviewer", "is it ready?", "--needs-reply")
    request = session.wait_for_request("is it ready?")
    peer.wait_until("answered", told["n"])

    assert told["recipients"][0]["way"] == "monitor"
    assert "not the person's words" in request.news
    assert not asked.exists(), "no permission dialog was about to open"
    wait_until_at_rest(session)
    assert "it is; $(date) `id` \"quoted\" 'so' #\n# done\n" in peer.run("check").stdout


def test_without_any_allow_rule_a_letter_is_at_the_models_input_although_no_tool_runs(world: World) -> None:
    asked = world.directory / "asked"
    session = claude_with_mail(world, "reviewer", mode="manual", allow=(), settings=noting_dialogs(asked))
    peer = Peer(world)
    wait_until_listening(session)

    n = peer.send("reviewer", "read this, whatever you may do")
    request = session.wait_for_request("read this, whatever you may do")
    proof = peer.wait_until("shown", n)

    assert request.tool_results == []
    assert proof.evidence == "Stop after UserPromptSubmit hook"
    assert rings(session) != []
    assert not asked.exists()


def test_the_rule_lets_no_other_command_pass_without_a_dialog(world: World) -> None:
    asked = world.directory / "asked"
    claude_with_mail(world, "reviewer", shell_step("touch made"), allow=(RULE,), settings=noting_dialogs(asked))

    wait_for("the question", asked.exists)

    assert not (world.project("reviewer") / "made").exists()
