"""The main job, with real clients: a letter wakes an idle session, whose answer wakes the first."""

from __future__ import annotations

from tests.clients.mail import answering, claude_with_mail, letters_of, states_of
from tests.clients.plan import shell_step
from tests.clients.seats import seated
from tests.clients.waiting import wait_for
from tests.clients.world import World


def test_a_letter_wakes_an_idle_claude_and_its_answer_wakes_the_writer(world: World) -> None:
    reviewer = claude_with_mail(world, "reviewer")
    seated(world, "reviewer")
    world.model.decide = answering("looks good, merge it", session="reviewer")
    letter = "mailstop send reviewer --needs-reply - <<'EOF'\nplease look at parser.py\nEOF"
    builder = claude_with_mail(world, "builder", shell_step(letter))

    woken = reviewer.wait_for_request("please look at parser.py")
    answered = builder.wait_for_request("looks good, merge it")

    assert "from seat builder" in woken.news
    assert "not the person's words" in woken.news
    assert "from seat reviewer" in answered.news
    asked, answer = letters_of(world)
    assert (asked["body"], answer["body"]) == ("please look at parser.py\n", "looks good, merge it\n")
    assert answer["ref"] == asked["n"]
    wait_for("the answer is proved shown", lambda: "shown" in states_of(world, answer["n"]))
    assert states_of(world, asked["n"]) == ["stored", "notified", "handed", "shown", "answered"]
