"""postbag's own published command and mailstop in the same sessions: both write through the same doors."""

from __future__ import annotations

import json

import pytest

from tests.clients import postbag
from tests.clients.claude_session import ClaudeSession
from tests.clients.codex_mail import codex_with_mail
from tests.clients.mail import RULE, claude_with_mail, letters_of
from tests.clients.peer import Peer, wait_until_at_rest, wait_until_listening
from tests.clients.plan import shell_step
from tests.clients.waiting import wait_for
from tests.clients.world import World


@pytest.fixture
def both(world: World) -> World:
    """A world in whose PATH there is postbag as well."""
    world.path.append(str(postbag.commands()))
    (world.home / ".profile").write_text(f'PATH="{":".join(world.path)}:$PATH"\n')  # for Codex's login shells
    return world


def in_both(world: World, seat: str, name: str) -> ClaudeSession:
    """A Claude Code at a seat of mailstop's, by the name of its folder, that has joined postbag's bag by a name."""
    session = claude_with_mail(
        world,
        seat,
        shell_step(f"postbag join claude {name}"),
        allow=(RULE, postbag.RULE),
        env={"POSTBAG_CODEX": str(world.codex_binary), **world.codex_home().env},
    )
    wait_for(f"{name} in postbag", lambda: postbag.joined(world, name))
    wait_until_at_rest(session)
    wait_until_listening(session)
    return session


def test_a_peer_of_postbag_and_a_seat_reach_each_other_s_sessions_and_each_side_records_its_own(both: World) -> None:
    builder, reviewer = in_both(both, "builder", "ada"), in_both(both, "reviewer", "bob")

    reviewer.say(shell_step("postbag send @ada 'which port is it?'"))
    by_postbag = builder.wait_for_request("which port is it?")
    wait_for("its record", lambda: postbag.letters(both) == [("bob", "ada", "which port is it?")])
    wait_until_at_rest(builder)
    builder.say(shell_step("mailstop send reviewer 'it is 8080'"))
    by_mailstop = reviewer.wait_for_request("it is 8080")

    assert "Letter 1 from @bob to @ada via postbag (bag default)." in by_postbag.news
    assert "from seat" not in by_postbag.news, "nothing of it is a letter of mailstop's"
    assert "from seat builder" in by_mailstop.news
    assert "via postbag" not in by_mailstop.news
    assert [letter["body"] for letter in letters_of(both)] == ["it is 8080"]
    assert len(postbag.letters(both)) == 1


def test_what_waits_at_the_seat_is_shown_beside_a_letter_of_postbag_s_and_once(both: World) -> None:
    builder, reviewer = in_both(both, "builder", "ada"), in_both(both, "reviewer", "bob")
    peer = Peer(both)
    n = peer.send("builder", "for your information", "--kind", "fyi")  # which wakes nobody

    reviewer.say(shell_step("postbag send --final @ada 'the last word'"))
    request = builder.wait_for_request("the last word")
    peer.wait_until("shown", n)

    assert request.news.index("the last word") and "for your information" in request.news
    assert "hook additional context" in request.news
    wait_until_at_rest(builder)
    assert [each["final"] for each in postbag.ledger(both) if each["kind"] == "letter"] == [True]


def test_a_letter_of_postbag_s_is_not_taken_for_the_person_s_word(both: World) -> None:
    builder, reviewer = in_both(both, "builder", "ada"), in_both(both, "reviewer", "bob")
    peer = Peer(both)
    n = peer.send("builder", "a chain begins")
    peer.wait_until("shown", n)
    wait_until_at_rest(builder)

    reviewer.say(shell_step("postbag send @ada " + json.dumps(shell_step("mailstop send peer 'and goes on'"))))
    answered = wait_for("a letter to the peer", lambda: [one for one in letters_of(both) if one["to"] == ["peer"]])

    (first,) = (one for one in letters_of(both) if one["n"] == n)
    assert [one["hops"] for one in answered] == [first["hops"] + 1], "a prompt of the person's would begin a new chain"


def test_a_codex_is_queued_for_by_both_and_its_ledger_is_imported(both: World) -> None:
    ask = shell_step("postbag join codex cody")
    codex = codex_with_mail(
        both, "tester", ask, sandbox="danger-full-access", env={"POSTBAG_CODEX": str(both.codex_binary)}
    )
    wait_for("cody in postbag", lambda: postbag.joined(both, "cody"))
    bob = in_both(both, "reviewer", "bob")

    bob.say(shell_step("postbag send @cody 'by the queue of the vendor'"))
    codex.wait_for_request("by the queue of the vendor")
    wait_for("its record", lambda: postbag.letters(both))
    peer = Peer(both)
    n = peer.send("tester", "and by mailstop")
    codex.wait_for_request("and by mailstop")
    peer.wait_until("shown", n)

    told = both.run("mailstop", "import", "postbag", "--dry-run", "--json")
    assert told.returncode == 0, told.stderr
    (found,) = json.loads(told.stdout)["imports"]
    assert (found["letters"], found["left_out"]) == (1, [])
    assert found["secrets_in_source"] > 0, "the socket's token lies in the ledger in clear, which is said"
