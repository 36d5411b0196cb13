"""Waits: nobody waits in a circle, whatever its length, and nothing else is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import pytest

from mailstop import bells
from mailstop.acts.asks import CIRCLE, PENDING, Asked
from mailstop.clients.ancestry import Ancestor
from mailstop.engines.memory.store import World
from mailstop.errors import Uncertain, UnknownSeat, WaitsInCircle, WouldWaitInCircle
from mailstop.letter import Draft
from mailstop.names import PERSON
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer
from tests.conformance.process import Process


def seated(office: Play, *names: str) -> list[SessionPlayer]:
    return [office.as_(name) for name in names]


@contextmanager
def in_a_process_of_its_own(office: Play) -> Iterator[Process]:
    """What waits inside the block, waits in that process."""
    process = office.process()
    with patch("mailstop.acts.asks.my_life", lambda: process.life):
        yield process


# -- circles


def test_of_two_who_would_ask_each_other_the_second_is_refused_and_the_circle_named(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    n = builder.ask("reviewer", "mine").question.n

    with pytest.raises(WouldWaitInCircle) as refusal:
        reviewer.ask("builder", "yours")

    assert "reviewer -> builder -> reviewer" in refusal.value.message
    assert f"Answer question {n} first: mailstop read {n}." in refusal.value.message
    assert "mailstop ask builder --wait 0 -" in refusal.value.message
    assert office.letters() == ["mine"]


@pytest.mark.parametrize("length", [3, 7])
def test_a_circle_of_any_length_is_refused_and_named(office: Play, length: int) -> None:
    names = [f"seat-{number}" for number in range(length)]
    players = seated(office, *names)
    for player, name in zip(players, names[1:], strict=False):
        player.ask(name)

    with pytest.raises(WouldWaitInCircle) as refusal:
        players[-1].ask(names[0])

    assert " -> ".join([names[-1], *names]) in refusal.value.message


def test_who_does_not_wait_closes_no_circle(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    builder.ask("reviewer")

    assert reviewer.ask("builder", wait_s=0).question.n


def test_a_chain_and_two_ways_to_the_same_seat_are_no_circle(office: Play) -> None:
    one, two, three, _ = seated(office, "one", "two", "three", "four")

    one.ask("two")
    one.ask("three")
    two.ask("four")
    three.ask("four")
    two.ask("three")


def test_two_who_ask_each_other_at_the_same_instant_do_not_both_wait(office: Play) -> None:

    def attempt(player: SessionPlayer, other: str) -> Asked | None:
        try:
            return player.ask(other)
        except WouldWaitInCircle:
            return None

    for round_ in range(10):
        names = (f"left-{round_}", f"right-{round_}")
        left, right = seated(office, *names)

        waits = at_once(partial(attempt, left, names[1]), partial(attempt, right, names[0]))

        assert sum(asked is not None for asked in waits) == 1


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_wait_that_begins_between_a_look_and_an_append_is_seen(office: Play, world: World) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    refused: list[bool] = []

    def meanwhile() -> None:  # the builder's wait is registered by now, and its letter is not stored
        with pytest.raises(WouldWaitInCircle):
            reviewer.ask("builder")
        refused.append(True)

    world.meanwhile(meanwhile)

    assert builder.ask("reviewer").wait
    assert refused == [True]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_seat_that_is_taken_between_a_look_and_an_append_is_seen(office: Play, world: World) -> None:
    builder, reviewer, tester = seated(office, "builder", "reviewer", "tester")
    tester.leave()
    reviewer.ask("builder")
    world.meanwhile(lambda: reviewer.join("tester"))

    with pytest.raises(WouldWaitInCircle):
        builder.ask("tester")

    assert office.letters() == ["may I?"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_an_index_that_lags_sees_who_sits_where_now(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    seated(office, "tester")[0].leave()
    with builder.at_office() as late:
        late.seats()
        reviewer.join("tester")
        reviewer.ask("builder")

        with pytest.raises(WouldWaitInCircle, match="builder -> tester -> builder"):
            late.asks.ask(Draft(("tester",), "?"), wait_ms=1000)


# -- what counts


@pytest.mark.parametrize("how", ["answered", "canceled", "over", "rested", "killed", "session ended", "seat left"])
def test_a_wait_that_is_over_is_in_nobodys_way(office: Play, how: str) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    with in_a_process_of_its_own(office) as process:
        asked = builder.ask("reviewer", wait_s=45)
    if how == "answered":
        reviewer.answer(asked.question.n)
    elif how == "canceled":
        builder.cancel(asked.question.n)
    elif how == "over":
        office.clock.advance(46)
    elif how == "rested":
        builder.rest(asked)
    elif how == "killed":
        process.end()
    elif how == "session ended":
        builder.die()
    else:
        reviewer.join("tester")

    assert reviewer.ask("builder").wait


def test_a_clock_that_is_put_back_makes_no_wait_last_longer_than_any_may(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    builder.ask("reviewer", wait_s=45)
    office.clock.advance(-30 * 24 * 3600)

    assert reviewer.ask("builder").wait


def test_what_a_dead_process_registered_is_gone_with_the_next_wait(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    with in_a_process_of_its_own(office) as process:
        builder.ask("reviewer")
    process.end()

    reviewer.rest(reviewer.ask("builder"))

    assert office.rows("waits") == []


def test_a_question_that_is_refused_leaves_no_wait(office: Play) -> None:
    (builder,) = seated(office, "builder")

    with pytest.raises(UnknownSeat):
        builder.ask("nobody")

    assert office.rows("waits") == []


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_question_of_which_it_is_not_known_whether_it_is_stored_leaves_no_wait(office: Play, world: World) -> None:
    builder, _ = seated(office, "builder", "reviewer")
    world.lose_contact(stored=True)

    with pytest.raises(Uncertain):
        builder.ask("reviewer", key="k")
    world.lose_nothing()

    assert office.rows("waits") == []
    assert builder.ask("reviewer", key="k").new is False


def test_who_waits_for_the_person_or_is_the_person_stands_in_no_circle(office: Play) -> None:
    (builder,) = seated(office, "builder")
    office.person.ask("builder")

    assert builder.ask(PERSON).wait


# -- seats that change hands


def test_a_wait_leads_to_whoever_holds_the_seat_now(office: Play) -> None:
    builder, reviewer, tester = seated(office, "builder", "reviewer", "tester")
    builder.ask("reviewer")
    reviewer.join("retired")
    tester.join("reviewer")

    assert reviewer.ask("builder").wait
    with pytest.raises(WouldWaitInCircle):
        tester.ask("builder")


def test_who_waits_sees_a_circle_that_a_change_of_seats_has_closed(office: Play) -> None:
    builder, reviewer, tester = seated(office, "builder", "reviewer", "tester")
    waits = builder.ask("reviewer")
    tester.ask("builder")
    reviewer.join("retired")
    bells.silence(builder.found.bell)

    tester.join("reviewer")  # which one of its other commands does

    assert bells.is_ringing(builder.found.bell)
    assert builder.look(waits).state == CIRCLE
    assert builder.rest(waits).state == CIRCLE
    with pytest.raises(WaitsInCircle, match="builder -> reviewer -> builder"):
        builder.resume(waits.question.n)


def test_who_waits_on_is_refused_where_that_would_close_a_circle(office: Play) -> None:
    builder, reviewer = seated(office, "builder", "reviewer")
    asked = builder.ask("reviewer")
    builder.rest(asked)
    reviewer.ask("builder")

    with pytest.raises(WaitsInCircle):
        builder.resume(asked.question.n)
    assert builder.look(builder.resume(asked.question.n, wait_s=0)).state == PENDING


# -- sessions that started sessions


def started_by(parent: SessionPlayer, child: SessionPlayer) -> None:
    """Let the child's client have been started by a command of the parent."""
    own, above = child.process.life, parent.process.life
    chain = (
        Ancestor(own.pid, own.start, "claude"),
        Ancestor(1234567, 5, "bash"),
        Ancestor(above.pid, above.start, "claude"),
    )
    child.caller = child.caller.but(ancestry=chain)


def test_a_session_does_not_wait_for_the_one_that_waits_for_its_command(office: Play) -> None:
    lead, worker = seated(office, "lead", "worker")
    started_by(lead, worker)
    lead.is_busy()

    with pytest.raises(WouldWaitInCircle) as refusal:
        worker.ask("lead")

    assert "worker -> lead -> worker, which its command runs" in refusal.value.message
    assert worker.ask("lead", wait_s=0).question.n
    assert lead.ask("worker").wait  # another of its commands may


def test_a_session_whose_client_tells_nothing_may_be_waiting_for_its_command(office: Play) -> None:
    lead, worker = seated(office, "lead", "worker")
    started_by(lead, worker)

    with pytest.raises(WouldWaitInCircle):
        worker.ask("lead")


def test_a_session_whose_turn_is_over_waits_for_no_command(office: Play) -> None:
    lead, worker = seated(office, "lead", "worker")
    started_by(lead, worker)
    lead.is_busy(False)

    assert worker.ask("lead").wait


def test_a_command_is_part_of_longer_circles_too(office: Play) -> None:
    lead, worker, reviewer = seated(office, "lead", "worker", "reviewer")
    started_by(lead, worker)
    lead.is_busy()
    worker.ask("reviewer")

    with pytest.raises(WouldWaitInCircle) as refusal:
        reviewer.ask("lead")

    assert "reviewer -> lead -> worker, which its command runs -> reviewer" in refusal.value.message


def test_a_program_does_not_wait_for_what_it_starts(office: Play) -> None:
    lead = office.player(client="program")
    lead.start(automatic=False)
    lead.join("lead")
    (worker,) = seated(office, "worker")
    started_by(lead, worker)

    assert worker.ask("lead").wait


def test_of_threads_that_share_a_process_it_is_not_known_whose_command_it_is(office: Play) -> None:
    threads = [office.player(client="codex") for _ in range(2)]
    for number, thread in enumerate(threads):
        thread.found = thread.found.but(life=threads[0].process.life.as_dict(), details={}, background=True)
        thread.start(automatic=False)
        thread.join(f"thread-{number}")
    (worker,) = seated(office, "worker")
    started_by(threads[0], worker)

    assert worker.ask("thread-0").wait
    threads[1].leave()
    with pytest.raises(WouldWaitInCircle):
        worker.ask("thread-0")


def test_many_begin_and_end_to_wait_at_once(office: Play) -> None:
    office.as_("reader")
    players = seated(office, *(f"asker-{number}" for number in range(8)))

    def ask_and_rest(player: SessionPlayer) -> None:
        player.rest(player.ask("reader"))

    at_once(*(partial(ask_and_rest, player) for player in players))

    assert office.rows("waits") == []
    assert len(office.letters()) == 8
