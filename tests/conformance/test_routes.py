"""Routes: a letter is rung for by one way at a time, again and again while its recipient lives, and leaves no trace."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mailstop.doors.base import NOTIFIED, Outcome
from mailstop.engines.base import Board
from mailstop.engines.row import Row
from mailstop.rules.routes import MONITOR, QUEUE, SEALED, SOCKET, TURN, VISIT, Route
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer
from tests.faults.door import ListeningDoor

NO_SOCKET = "/nonexistent/claude.sock"


def seated(office: Play, name: str, **facts: str) -> SessionPlayer:
    """A living session of Claude Code in that seat."""
    player = office.player(**facts)  # type: ignore[arg-type]
    player.start(automatic=False)
    player.join(name)
    return player


def letter_to(office: Play, name: str, body: str = "look") -> int:
    """A letter to that seat; its number."""
    return office.as_("writer").send(name, body=body).letter.n


def route(office: Play, name: str) -> Route:
    """The one claim at that seat."""
    with office.store() as store:
        (row,) = store.board.under(f"route/default/{name}/")
    return Route.of(row)


def due_work(office: Play, *, sandboxed: bool = False) -> int:
    """Whoever comes by does what is due."""
    office.stranger.caller = office.stranger.caller.but(sandboxed=sandboxed)
    with office.stranger.at_office() as at:
        return at.do_due_work()


def rings_until(office: Play, player: SessionPlayer, seconds: int) -> list[int]:
    """After how many seconds, from now, the player's monitor rang: it looks now, and whenever work is due."""
    begin, rung = office.clock(), []
    while office.clock() < begin + seconds * 1000:
        if player.monitor_rings():
            rung.append((office.clock() - begin) // 1000)
        with office.store() as store:
            due = store.board.next_due()
        if due is None:
            break
        office.clock.now = max(due, office.clock() + 50)
    return rung


# -- the first way


def test_a_session_whose_monitor_listens_is_rung_by_it(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        sent = office.as_("writer").send("reader")
        rung = reader.monitor_rings()

    assert sent.recipients[0].way == MONITOR
    assert rung == [sent.letter.n]
    assert office.states(sent.letter.n) == ["notified"]


def test_a_monitor_rings_in_every_permission_mode(office: Play) -> None:
    reader = seated(office, "reader", mode="bypassPermissions", socket=NO_SOCKET)
    with reader.monitor():
        assert office.as_("writer").send("reader").recipients[0].way == MONITOR


def test_a_busy_session_is_left_to_the_hooks_of_its_turn(office: Play) -> None:
    reader = seated(office, "reader", socket=NO_SOCKET)
    reader.is_busy()
    with reader.monitor():
        sent = office.as_("writer").send("reader", body="look")

        assert sent.recipients[0].way == TURN
        assert reader.monitor_rings() == []
    assert [letter.body for letter in reader.hook(respect_claims=True).letters] == ["look"]


def test_a_session_without_a_monitor_is_rung_by_its_socket(office: Play) -> None:
    seated(office, "reader", socket=NO_SOCKET)

    told = office.as_("writer").send("reader").recipients[0]

    assert (told.way, told.state) == (SOCKET, "unreachable")


def test_a_session_that_bypasses_permissions_is_not_rung_by_its_socket(office: Play) -> None:
    seated(office, "reader", socket=NO_SOCKET, mode="bypassPermissions")

    told = office.as_("writer").send("reader").recipients[0]

    assert (told.way, told.state) == (VISIT, "stored")
    assert "nothing wakes it" in told.detail


def test_a_program_is_told_of_as_one_that_nothing_wakes(office: Play) -> None:
    script = office.player("program")
    script.start(automatic=False)
    script.join("script")

    told = office.as_("writer").send("script").recipients[0]

    assert (told.way, told.state) == (VISIT, "stored")


def test_a_sender_in_a_sandbox_rings_no_door_and_the_next_process_outside_does_it(office: Play) -> None:
    seated(office, "reader", socket=NO_SOCKET)
    writer = office.as_("writer")
    writer.caller = writer.caller.but(sandboxed=True)

    sent = writer.send("reader")

    assert (sent.recipients[0].way, sent.recipients[0].state) == (SEALED, "stored")
    assert due_work(office, sandboxed=True) == 0
    for _ in range(10):  # an append may conflict; whoever comes next tries again
        due_work(office)
        office.clock.advance(60)
    assert office.states(sent.letter.n) == ["unreachable"]


def test_a_letter_that_cannot_be_rung_for_is_still_there_to_be_read(office: Play) -> None:
    reader = seated(office, "reader", socket=NO_SOCKET)
    letter_to(office, "reader")

    assert reader.reads() == ["look"]


def test_what_nobody_can_ring_for_is_no_work(office: Play) -> None:
    seated(office, "reader")
    letter_to(office, "reader")

    with office.store() as store:
        assert store.board.next_due() is None


# -- claims


def test_a_hook_of_a_turn_leaves_to_a_door_what_is_the_doors(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")

    assert reader.hook(respect_claims=True).letters == ()
    office.clock.advance(21)
    assert [letter.body for letter in reader.hook(respect_claims=True).letters] == ["look"]


def test_a_prompts_hook_shows_whatever_waits(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")

    assert [letter.body for letter in reader.prompted().letters] == ["look"]


def test_a_letter_that_was_given_is_not_rung_for(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")
        reader.check()

        assert reader.monitor_rings() == []


class _Overtaken:
    """A board whose reader is overtaken by another between seeing what is due and doing it."""

    def __init__(self, board: Board, overtaking: Callable[[], object]) -> None:
        self._board = board
        self._overtaking = overtaking

    def due(self, now: int, **bounds: Any) -> list[Row]:
        found = self._board.due(now, **bounds)
        self._overtaking()
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._board, name)


def test_due_work_that_another_does_first_is_not_done_again(office: Play) -> None:
    seated(office, "reader", socket=NO_SOCKET)
    letter_to(office, "reader")
    office.clock.advance(21)
    done: list[int] = []

    with office.stranger.at_office() as late:
        late.store.board = _Overtaken(late.store.board, lambda: done.append(due_work(office)))  # type: ignore
        before = route(office, "reader").attempts
        done.append(late.do_due_work())

    assert done in ([1, 0], [0, 1], [0, 0])  # whoever meets a conflict leaves it to the next
    assert route(office, "reader").attempts == before + sum(done)


# -- again and again


def test_a_ring_is_repeated_in_growing_intervals_and_never_given_up(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")
        rung = rings_until(office, reader, 6 * 3600)

    gaps = [later - earlier for earlier, later in pairwise(rung)]
    assert gaps[:6] == [20, 40, 80, 160, 320, 640]
    assert set(gaps[6:]) == {900}
    assert len(gaps) > 20


def test_a_repeated_ring_is_one_receipt(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        n = letter_to(office, "reader")
        rings_until(office, reader, 3600)

    assert office.states(n) == ["notified"]


def test_a_repeated_ring_is_one_receipt_though_the_clock_was_put_back_since_its_recipient_sat_down(
    office: Play,
) -> None:
    office.clock.advance(24 * 3600)
    reader = seated(office, "reader")
    office.clock.advance(-24 * 3600)
    with reader.monitor():
        n = letter_to(office, "reader")
        assert len(rings_until(office, reader, 3600)) > 1

    assert office.states(n) == ["notified"]


def test_a_door_that_stays_unreachable_is_one_receipt(office: Play) -> None:
    seated(office, "reader", socket=NO_SOCKET)
    n = letter_to(office, "reader")
    for _ in range(20):
        office.clock.advance(1000)
        due_work(office)

    assert office.states(n) == ["unreachable"]
    assert route(office, "reader").attempts > 5


def test_a_monitor_that_comes_late_rings_once_for_all_that_waits(office: Play) -> None:
    reader = seated(office, "reader")
    numbers = [letter_to(office, "reader", str(count)) for count in range(3)]

    with reader.monitor():
        assert reader.monitor_rings() == numbers
        assert reader.monitor_rings() == []


def test_a_turn_of_half_an_hour_loses_nothing_and_its_end_is_rung_for_within_two_seconds(office: Play) -> None:
    reader = seated(office, "reader")
    reader.is_busy()
    with reader.monitor():
        n = letter_to(office, "reader")
        assert rings_until(office, reader, 1800) == []
        reader.stops()
        reader.is_busy(False)

        rung = rings_until(office, reader, 30)

    assert rung
    assert rung[0] <= 2
    assert office.states(n) == ["notified"]


def test_an_interrupted_turn_ends_without_an_event_and_is_rung_for_all_the_same(office: Play) -> None:
    reader = seated(office, "reader")
    reader.is_busy()
    with reader.monitor():
        letter_to(office, "reader")
        rings_until(office, reader, 600)
        reader.is_busy(False)

        assert rings_until(office, reader, 30)


def test_after_a_long_turn_the_first_ring_is_repeated_as_soon_as_any(office: Play) -> None:
    reader = seated(office, "reader")
    reader.is_busy()
    with reader.monitor():
        letter_to(office, "reader")
        rings_until(office, reader, 600)
        reader.is_busy(False)
        rung = rings_until(office, reader, 120)

    assert rung[1] - rung[0] == 20


def test_what_was_given_in_an_interrupted_turn_is_rung_for_again(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        n = letter_to(office, "reader")
        reader.monitor_rings()
        reader.prompted()  # its hook gives the letter; then Esc, of which no event tells
        reader.rung(n)

        assert rings_until(office, reader, 3600)
    assert reader.peek() == ["look"]


# -- others in the seat


def test_what_waits_for_a_dead_holder_is_no_work_any_more(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")
        reader.monitor_rings()
    reader.die()
    office.clock.advance(3600)
    due_work(office)

    assert office.rows("route/") == []


def test_a_new_holder_is_rung_for_what_its_predecessor_was_rung_for(office: Play) -> None:
    first = seated(office, "reader")
    with first.monitor():
        n = letter_to(office, "reader")
        rings_until(office, first, 600)
    first.die()

    second = seated(office, "reader")

    with second.monitor():
        assert second.monitor_rings() == [n]
    assert office.states(n) == ["notified", "notified"]


def test_the_hooks_of_a_new_holder_do_not_wait_for_its_predecessors_door(office: Play) -> None:
    first = seated(office, "reader")
    with first.monitor():
        letter_to(office, "reader")
        first.monitor_rings()
    first.die()

    second = seated(office, "reader")

    assert [letter.body for letter in second.hook(respect_claims=True).letters] == ["look"]


def test_a_resumed_session_is_rung_for_what_its_first_process_was_rung_for(office: Play) -> None:
    first = seated(office, "reader")
    with first.monitor():
        n = letter_to(office, "reader")
        rings_until(office, first, 600)
    first.die()

    second = first.resumed()

    with second.monitor():
        assert second.monitor_rings() == [n]


def test_inherited_mail_is_never_rung_for(office: Play) -> None:
    first = office.player(project="shop")
    first.start()
    with first.monitor():
        letter_to(office, "shop")
        first.monitor_rings()
    first.die()
    second = office.player(project="shop")
    second.start()

    with second.monitor():
        assert rings_until(office, second, 3600) == []
    assert office.rows("route/") == []


def test_a_claim_on_inherited_mail_that_comes_late_is_dropped(office: Play) -> None:
    first = office.player(project="shop")
    first.start()
    with first.monitor():
        letter_to(office, "shop")
    claim = route(office, "shop")
    first.die()
    second = office.player(project="shop")
    second.start()
    with office.store() as store:  # as where the claim is made after the append, and the seat was taken in between
        store.board.change([claim.put()])
    office.clock.advance(60)

    with second.monitor():
        assert rings_until(office, second, 600) == []
    assert office.rows("route/") == []


# -- no trace


def test_a_shown_letter_leaves_no_claim(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        n = letter_to(office, "reader")
        reader.monitor_rings()
        reader.rung(n)
        reader.prompted()
        reader.goes_on()
        office.clock.advance(3600)
        due_work(office)

    assert office.rows("route/") == []
    assert office.rows("handed/") == []


def test_a_ring_whose_prompt_comes_after_its_letter_was_shown_is_awaited_and_then_forgotten(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        n = letter_to(office, "reader")
        reader.monitor_rings()
        reader.check()
        reader.goes_on()

        assert route(office, "reader").shown
        reader.rung(n)
        assert office.rows("route/") == []


def test_a_ring_whose_prompt_never_comes_is_forgotten_too(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        letter_to(office, "reader")
        reader.monitor_rings()
        reader.check()
        reader.goes_on()
        office.clock.advance(3600)
        due_work(office)

    assert office.rows("route/") == []


def test_an_answered_letter_leaves_no_claim_though_nothing_else_proved_it(office: Play) -> None:
    reader = seated(office, "reader")
    with reader.monitor():
        n = letter_to(office, "reader")
        reader.reply(n)

    assert office.rows("route/") == []


def test_the_claim_of_each_recipient_is_its_own(office: Play) -> None:
    one, two = seated(office, "one"), seated(office, "two")
    with one.monitor(), two.monitor():
        n = office.as_("writer").send("one", "two").letter.n
        one.monitor_rings()
        one.check()
        one.goes_on()

        assert two.monitor_rings() == [n]
    assert office.state(n, "one") == "shown"
    assert office.state(n, "two") == "notified"


def test_rows_and_entries_stay_the_same_over_ten_thousand_wake_ups(office: Play) -> None:
    reader = seated(office, "reader")
    letter_to(office, "reader")
    with reader.monitor():
        reader.monitor_rings()
        rows, entries = office.rows(), office.entries()
        with reader.at_office() as at:
            for _ in range(10_000):
                office.clock.advance(901)
                found = at.to_announce()
                assert len(found) == 1
                at.announced(at.announcing(found), Outcome(NOTIFIED, "the session's monitor printed the line"))

    assert office.rows() == rows
    assert office.entries() == entries


@pytest.mark.parametrize("way", [MONITOR, SOCKET, QUEUE])
def test_a_route_that_was_rung_is_looked_at_again_after_twice_the_time_up_to_15_minutes(way: str) -> None:
    route = Route("default", "reader", "id", way)
    waits = []
    for _ in range(20):
        route = route.again(0)
        waits.append(route.due)

    assert waits[:6] == [20_000, 40_000, 80_000, 160_000, 320_000, 640_000]
    assert set(waits[6:]) == {900_000}


def test_a_monitor_that_starts_while_the_socket_rings_leaves_the_letter_to_it(office: Play) -> None:
    """Two lines for one letter are two prompts, and the second may open a turn of its own."""
    with tempfile.TemporaryDirectory() as folder, ListeningDoor(Path(folder, "inbox")) as door:
        reader = seated(office, "reader", socket=str(door.path))
        n = letter_to(office, "reader")
    assert office.states(n) == ["notified"]

    with reader.monitor():
        assert reader.monitor_rings() == []
        office.clock.advance(21)
        assert reader.monitor_rings() == [n]
