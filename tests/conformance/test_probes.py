"""Probes: whether what listens for a session hears, and the queue of one in a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailstop import bells
from mailstop.letter import Draft, Letter
from mailstop.names import DEFAULT_BAG
from tests.conformance.codex_thread import rung, thread_in_a_turn
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

BELL = "doctor-1"


@pytest.fixture
def thread(office: Play, tmp_path: Path) -> SessionPlayer:
    """A thread of Codex at the seat `reviewer`, in a turn."""
    return thread_in_a_turn(office, tmp_path)


def letter_to(player: SessionPlayer) -> Letter:
    """A letter of mailstop's own that wakes nobody, as the doctor sends one."""
    with player.at_office() as office:
        draft = Draft(("reviewer",), "nothing to do", kind="reconnect", final=True)
        return office.notify(draft, bag=DEFAULT_BAG).letter


def test_a_probe_is_answered_once_and_its_asker_is_rung(office: Play) -> None:
    builder = office.as_("builder")
    with builder.at_office() as asking:
        asking.probes.ask(BELL)
        assert asking.probes.heard() == ""

    with builder.at_office() as monitor:
        monitor.probes.answer("1.0")
        rang = bells.silence(BELL)
        monitor.probes.answer("2.0")

    with builder.at_office() as asking:
        assert (rang, bells.is_ringing(BELL), asking.probes.heard()) == (True, False, "1.0")
        asking.probes.forget()
        assert asking.probes.heard() == ""
    assert office.rows("probe") == []


def test_where_nobody_asks_nothing_is_written(office: Play) -> None:
    builder = office.as_("builder")

    with builder.at_office() as monitor:
        monitor.probes.answer("1.0")

    assert office.rows("probe") == []


def test_another_session_answers_no_probe_that_is_not_its_own(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    with builder.at_office() as asking:
        asking.probes.ask(BELL)

    with reviewer.at_office() as other:
        other.probes.answer("1.0")

    with builder.at_office() as asking:
        assert asking.probes.heard() == ""


def test_what_a_sandbox_may_not_ring_is_rung_once_by_whoever_does_due_work(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    letter = letter_to(thread)
    with thread.at_office() as sealed:
        sealed.caller = sealed.caller.but(sandboxed=True)
        sealed.probes.ring_queue_later(office.seat("reviewer"), letter)
        sealed.do_due_work()
    before = rung(tmp_path)

    for _ in range(2):
        with office.as_("builder").at_office() as passing:
            passing.do_due_work()

    assert (before, rung(tmp_path)) == (0, 1)
    assert office.states(letter.n) == ["notified"]
    assert office.rows("probe") == []


def test_the_queue_is_not_rung_for_one_who_has_left_the_seat_meanwhile(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    letter = letter_to(thread)
    with thread.at_office() as sealed:
        sealed.probes.ring_queue_later(office.seat("reviewer"), letter)
    thread.leave()

    with office.as_("builder").at_office() as passing:
        passing.do_due_work()

    assert rung(tmp_path) == 0
    assert office.rows("probe") == []


def test_the_prompt_of_such_a_ring_is_answered_with_nothing_new_and_leaves_no_claim(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    letter = letter_to(thread)
    thread.check()
    with thread.at_office() as asking:
        seat = office.seat("reviewer")
        assert asking.probes.ring_queue(seat, letter).state == "notified"
        assert asking.probes.is_awaited(seat, letter)

    thread.rung(letter.n)

    with thread.at_office() as asking:
        assert not asking.probes.is_awaited(seat, letter)
    assert thread.reads() == []


def test_the_letter_wakes_nobody_by_itself(office: Play, thread: SessionPlayer, tmp_path: Path) -> None:
    letter = letter_to(thread)

    assert (rung(tmp_path), office.states(letter.n), office.rows("route")) == (0, [], [])
