"""Codex both ways, in its default sandbox: woken by `codex queue`, shown by hooks, answering from the sandbox."""

from __future__ import annotations

from tests.clients.codex_mail import codex_with_mail
from tests.clients.mail import answering
from tests.clients.peer import Peer
from tests.clients.world import World


def test_a_letter_wakes_an_idle_codex_which_answers_from_its_sandbox(world: World) -> None:
    session = codex_with_mail(world, "reviewer")
    session.wait_until_idle()
    peer = Peer(world)
    world.model.decide = answering("merge it", session=session.thread)

    n = peer.send("reviewer", "please look at parser.py", "--needs-reply")
    woken = session.wait_for_request("please look at parser.py")
    peer.wait_until("answered", n)

    assert "from seat peer" in woken.news
    assert peer.states(n) == ["notified", "handed", "shown", "answered"]
