"""kill -9 of who says something in a channel, of who hears it, and of who subscribes."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.faults import VARIABLE
from tests.faults.soundness import assert_sound, everything_new, stored_bodies
from tests.faults.test_crash_points import CHECKING, SENDING, killed
from tests.party import MAILSTOP, CompletedRun, Party

SeatAt = Callable[[str], Party]


@pytest.mark.parametrize("point", SENDING)
def test_what_a_killed_say_said_is_said_once_and_each_reader_hears_it_once(
    point: str, seat: SeatAt, store: Path
) -> None:
    builder, readers = seat("builder"), [seat("reviewer"), seat("tester")]
    bodies: list[str] = []

    def say(environment: dict[str, str]) -> CompletedRun:
        bodies.append(f"letter {len(bodies)}")
        words = ["say", "general", bodies[-1], "--key", f"key {len(bodies)}"]
        return builder.call([MAILSTOP, *words], environment=environment)

    for run in killed(point, say):
        known = stored_bodies(store)
        assert builder.run("say", "general", bodies[-1], "--key", f"key {len(bodies)}").code == 0
        if run.out:  # acknowledged: it was there before anybody repeated it
            assert bodies[-1] in known
        assert_sound(store)

    assert Counter(stored_bodies(store)) == Counter(bodies)
    for reader in readers:
        assert everything_new(reader) == bodies


@pytest.mark.parametrize("point", CHECKING)
def test_what_a_killed_check_did_not_print_of_a_channel_is_offered_again(point: str, seat: SeatAt, store: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    bodies: list[str] = []

    def check(environment: dict[str, str]) -> CompletedRun:
        everything_new(reviewer)
        bodies.append(f"letter {len(bodies)}")
        assert builder.run("say", bodies[-1]).code == 0
        return reviewer.call([MAILSTOP, "check", "--json"], environment=environment)

    for run in killed(point, check):
        assert builder.run("say", "next").code == 0
        offered = everything_new(reviewer)
        assert offered in ([bodies[-1], "next"], ["next"])
        if bodies[-1] not in offered:
            assert [letter["body"] for letter in run.json["letters"]] == bodies[-1:]
        assert_sound(store)


def test_what_was_said_and_not_proved_shown_is_offered_to_the_next_holder(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    assert builder.run("say", "please look").code == 0

    died = reviewer.call([MAILSTOP, "check"], environment={VARIABLE: "recorded as handed"})
    reviewer.close()

    assert died.code == -signal.SIGKILL
    assert everything_new(seat("reviewer")) == ["please look"]


@pytest.mark.parametrize("point", ["entry written", "entry folded", "before commit", "committed", "closed"])
def test_a_killed_subscribe_is_done_or_not(point: str, seat: SeatAt, store: Path) -> None:
    builder = seat("builder")

    died = builder.call([MAILSTOP, "subscribe", "releases"], environment={VARIABLE: point})

    assert died.code == -signal.SIGKILL
    assert_sound(store)
    new = builder.run("subscribe", "releases", "--json").json["new"]
    assert new == (point not in ("committed", "closed"))
