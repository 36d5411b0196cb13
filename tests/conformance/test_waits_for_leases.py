"""Waits for leases: nobody waits in a circle, whether it goes along leases, questions or both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import pytest

from mailstop.errors import LeasesInCircle, LeaseStillTaken, LeaseTaken, MailstopError, WouldWaitInCircle
from mailstop.rules.leases import Took
from mailstop.rules.waits import KEY
from tests.clients.waiting import wait_for
from tests.conformance.at_once import at_once
from tests.conformance.leasing import HOUR_S, holders, release, state, take
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer
from tests.conformance.process import Process

WAIT_S = 50.0


class Waiter:
    """A player that waits for something, in a thread of its own."""

    def __init__(
        self, office: Play, player: Player, word: str, *, wait_s: float = WAIT_S, shared: bool = False
    ) -> None:
        self.got: list[Took | MailstopError] = []
        before = registered(office)

        def wait() -> None:
            try:
                self.got.append(take(player, word, wait_s=wait_s, shared=shared))
            except MailstopError as refusal:
                self.got.append(refusal)

        self.thread = threading.Thread(target=wait)
        self.thread.start()
        wait_for("it waits", lambda: self.got or registered(office) > before)

    def outcome(self) -> Took | MailstopError:
        """What became of it."""
        self.thread.join(20)
        (outcome,) = self.got
        return outcome


def registered(office: Play) -> int:
    """How many waits there are."""
    with office.store() as store:
        row = store.board.get(KEY)
    return len(row.value["waits"]) if row else 0


def holding(office: Play, **what: str) -> list[SessionPlayer]:
    """Players that each have taken something."""
    players = [office.as_(seat) for seat in what]
    for player, word in zip(players, what.values(), strict=True):
        take(player, word)
    return players


@contextmanager
def in_a_process_of_its_own(office: Play) -> Iterator[Process]:
    """What waits inside the block, waits in that process."""
    process = office.process()
    with patch("mailstop.acts.leases.my_life", lambda: process.life):
        yield process


def test_of_two_who_wait_for_each_others_leases_the_second_is_refused_at_once_and_the_circle_named(
    office: Play,
) -> None:
    a, b = holding(office, a="left", b="right")
    first = Waiter(office, a, "right")

    with pytest.raises(LeasesInCircle) as refusal:
        take(b, "left", wait_s=WAIT_S)

    assert refusal.value.exit_code == 1
    assert "b -> a (has /srv/app/left) -> b (has /srv/app/right)" in refusal.value.message
    assert "Release first what a waits for: mailstop lease release PATH" in refusal.value.message
    assert holders(office.person, "left") == ["a"]
    release(b)
    assert isinstance(first.outcome(), Took)
    assert registered(office) == 0


def test_a_circle_of_any_length_is_refused(office: Play) -> None:
    seats = holding(office, a="one", b="two", c="three", d="four")
    waiters = [Waiter(office, player, word) for player, word in zip(seats, ("two", "three", "four"), strict=False)]

    with pytest.raises(LeasesInCircle, match=r"d -> a .* -> b .* -> c .* -> d "):
        take(seats[-1], "one", wait_s=WAIT_S)

    for player in reversed(seats):
        release(player)
        if waiters:
            assert isinstance(waiters.pop().outcome(), Took)


def test_two_who_begin_to_wait_for_each_other_at_the_same_instant_do_not_both_wait(office: Play) -> None:
    a, b = holding(office, a="left", b="right")

    def waits(player: SessionPlayer, word: str) -> Took:
        try:
            return take(player, word, wait_s=WAIT_S)
        except LeasesInCircle:
            release(player)  # as it is told to
            raise

    outcomes = at_once(partial(waits, a, "right"), partial(waits, b, "left"), refusal=LeasesInCircle)

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["LeasesInCircle", "Took"]


def test_who_waits_for_anothers_lease_is_not_asked_by_that_one_with_a_wait(office: Play) -> None:
    a, b = holding(office, a="left", b="right")
    first = Waiter(office, a, "right")
    letters = office.letters()

    with pytest.raises(WouldWaitInCircle, match=r"b -> a -> b \(has /srv/app/right\).*Release first what a waits for"):
        b.ask("a")

    assert office.letters() == letters
    assert b.ask("a", wait_s=0).question
    release(b)
    assert isinstance(first.outcome(), Took)


def test_who_is_waited_for_with_a_question_does_not_wait_for_the_askers_lease(office: Play) -> None:
    a, b = holding(office, a="left", b="right")
    asked = a.ask("b")

    with pytest.raises(LeasesInCircle, match=rf"Answer question {asked.question.n} first"):
        take(b, "left", wait_s=WAIT_S)

    b.answer(asked.question.n)
    waiter = Waiter(office, b, "left")
    release(a)
    assert isinstance(waiter.outcome(), Took)


def test_a_lease_that_runs_out_before_the_wait_is_over_closes_no_circle(office: Play) -> None:
    a, b = office.as_("a"), office.as_("b")
    take(a, "left", ttl=60_000)
    take(b, "right")
    first = Waiter(office, a, "right", wait_s=100)

    second = Waiter(office, b, "left", wait_s=100)

    assert registered(office) == 2
    release(a)
    assert isinstance(second.outcome(), Took)
    release(b)
    assert isinstance(first.outcome(), Took)


def test_what_can_be_shared_closes_no_circle(office: Play) -> None:
    a, b = office.as_("a"), office.as_("b")
    take(a, "left", shared=True)
    take(office.as_("c"), "left", shared=True)
    take(b, "right")
    first = Waiter(office, a, "right")

    assert take(b, "left", shared=True, wait_s=WAIT_S).leases
    release(b)
    assert isinstance(first.outcome(), Took)


def test_a_wait_for_the_person_or_of_the_persons_closes_no_circle(office: Play) -> None:
    b = office.as_("b")
    take(office.person, "left")
    take(b, "right")
    first = Waiter(office, b, "left")

    second = Waiter(office, office.person, "right")

    assert registered(office) == 2
    release(office.person)
    assert isinstance(first.outcome(), Took)
    release(b)
    assert isinstance(second.outcome(), Took)


def test_a_wait_is_gone_with_the_process_that_waited(office: Play) -> None:
    a, b = holding(office, a="left", b="right")
    with in_a_process_of_its_own(office) as process:
        first = Waiter(office, a, "right")
        with pytest.raises(LeasesInCircle):
            take(b, "left", wait_s=WAIT_S)

        process.end()

        second = Waiter(office, b, "left", wait_s=1)
        assert isinstance(second.outcome(), LeaseStillTaken)
    release(b)
    first.outcome()


def test_what_was_renewed_for_longer_than_a_wait_closes_the_circle_for_who_looks_again(office: Play) -> None:
    a, b = office.as_("a"), office.as_("b")
    take(a, "left", ttl=60_000)
    take(b, "right")
    first = Waiter(office, a, "right", wait_s=100)
    second = Waiter(office, b, "left", wait_s=100)

    take(a, "left", ttl=HOUR_S * 1000)

    assert isinstance(second.outcome(), LeasesInCircle)
    release(b)
    assert isinstance(first.outcome(), Took)


def test_who_only_tries_is_refused_as_ever(office: Play) -> None:
    a, b = holding(office, a="left", b="right")
    first = Waiter(office, a, "right")

    with pytest.raises(LeaseTaken):
        take(b, "left")

    assert state(b, "right") == "mine"
    release(b)
    first.outcome()


def test_no_wait_is_left_behind_whatever_ends_it(office: Play) -> None:
    a, b = holding(office, a="left", b="right")
    ends: list[Callable[[], object]] = [lambda: take(a, "right", wait_s=0.1), lambda: take(b, "left", wait_s=0.1)]
    for end in ends:
        with pytest.raises(LeaseStillTaken):
            end()

    assert registered(office) == 0
    assert office.rows("waiting/") == []
