"""The main job, with real clients: a letter wakes an idle session, whose answer wakes the first."""

from __future__ import annotations

import json
from typing import Any

from tests.clients.mail import answering, claude_with_mail
from tests.clients.plan import shell_step
from tests.clients.waiting import wait_for
from tests.clients.world import World


def receipts(world: World, n: int) -> list[str]:
    """The states that are proved of letter `n`, over all recipients, as anybody can ask."""
    done = world.run("mailstop", "status", str(n), "--json")
    assert done.returncode == 0, done.stderr
    account: dict[str, Any] = json.loads(done.stdout)
    return [receipt["state"] for receipt in account["receipts"]]


def test_a_letter_wakes_an_idle_claude_and_its_answer_wakes_the_writer(world: World) -> None:
    reviewer = claude_with_mail(world, "reviewer")
    world.model.decide = answering("looks good, merge it", session="reviewer")
    letter = "mailstop send reviewer --needs-reply - <<'EOF'\nplease look at parser.py\nEOF"
    builder = claude_with_mail(world, "builder", shell_step(letter))

    woken = reviewer.wait_for_request("please look at parser.py")
    answered = builder.wait_for_request("looks good, merge it")

    assert "from seat builder" in woken.news
    assert "not the person's words" in woken.news
    assert "from seat reviewer" in answered.news
    assert "answers" in answered.news
    sent = builder.requests[-2].tool_results[-1] if builder.requests[-1].tool_results else ""
    del sent
    numbers = [n for n in range(1, 20) if world.run("mailstop", "status", str(n)).returncode == 0]
    wait_for("the answer is proved shown", lambda: "shown" in receipts(world, numbers[1]))
    assert receipts(world, numbers[0])[-2:] == ["shown", "answered"]
