"""Clocks that are put back or forward: order is by number, and what has a deadline recovers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailstop.engines.row import Delete, Put
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import Conflict
from mailstop.letter import new_id
from tests.conformance.play import Play
from tests.faults.door import ListeningDoor

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400


@pytest.fixture
def play(own_home: Path, tmp_path: Path) -> Iterator[Play]:
    """Players at one store on the disk, with a clock that moves only when a test says so."""
    play = Play(lambda: SQLiteStore(str(tmp_path / "mail.db")), str(tmp_path / "claude"))
    yield play
    play.close()


def test_letters_come_in_the_order_of_their_numbers(play: Play) -> None:
    reader = play.as_("reader")
    for body, jump in (("first", -HOUR_S), ("second", DAY_S), ("third", -2 * DAY_S), ("fourth", 0)):
        play.as_("builder").send("reader", body=body)
        play.clock.advance(jump)

    offer = reader.offered()

    assert [letter.body for letter in offer.letters] == ["first", "second", "third", "fourth"]
    assert play.letters() == ["first", "second", "third", "fourth"]
    assert "-" not in [line for line in offer.text.splitlines() if "ago" in line]


@pytest.mark.parametrize("back_s", [MINUTE_S, HOUR_S, DAY_S])
def test_a_letter_claimed_by_a_door_is_free_for_hooks_soon_after_the_clock_was_put_back(
    play: Play, back_s: int
) -> None:
    reader = play.as_("reader")
    with reader.monitor():
        play.as_("builder").send("reader")
        assert reader.hook(respect_claims=True).letters == ()

        play.clock.advance(-back_s)
        play.clock.advance(15 * MINUTE_S)

        assert len(reader.hook(respect_claims=True).letters) == 1


@pytest.mark.parametrize("back_s", [MINUTE_S, HOUR_S, DAY_S])
def test_a_monitor_rings_again_soon_after_the_clock_was_put_back(play: Play, back_s: int) -> None:
    reader = play.as_("reader")
    with reader.monitor():
        play.as_("builder").send("reader")
        assert len(reader.monitor_rings()) == 1
        assert reader.monitor_rings() == []

        play.clock.advance(-back_s)
        play.clock.advance(15 * MINUTE_S)

        assert len(reader.monitor_rings()) == 1


def test_a_ring_that_nobody_answered_is_repeated_although_the_clock_was_put_back(play: Play, tmp_path: Path) -> None:
    with ListeningDoor(tmp_path / "door") as door:
        reader = play.player(socket=str(door.path))
        reader.start(seat="reader")
        play.as_("builder").send("reader")
        assert len(door.lines) == 1

        play.clock.advance(-DAY_S)
        with play.as_("builder").at_office() as office:
            assert office.do_due_work() == 1
            assert office.do_due_work() == 0

    assert len(door.lines) == 2


@pytest.mark.parametrize("jump_s", [-DAY_S, DAY_S])
def test_what_was_handed_before_a_jump_is_proved_after_it_and_not_given_twice(play: Play, jump_s: int) -> None:
    reader = play.as_("reader")
    n = play.as_("builder").send("reader").letter.n
    reader.prompted()

    play.clock.advance(jump_s)

    assert reader.hook().letters == ()
    assert n in reader.goes_on()
    assert play.state(n, "reader") == "shown"


@pytest.mark.parametrize("jump_s", [-DAY_S, DAY_S])
def test_a_seat_stays_with_its_holder_over_a_jump(play: Play, jump_s: int) -> None:
    holder = play.as_("builder")
    epoch = play.seat("builder").epoch

    play.clock.advance(jump_s)
    holder.send("human", body="still here")

    assert play.seat("builder").epoch == epoch
    assert play.letters() == ["still here"]


@pytest.mark.parametrize("now_ns", [lambda before: before, lambda before: before - DAY_S * 1_000_000_000])
def test_a_row_of_the_board_is_never_mistaken_for_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now_ns: object
) -> None:
    before = time.time_ns()
    with SQLiteStore(str(tmp_path / "mail.db")) as store:
        monkeypatch.setattr(time, "time_ns", lambda: before)
        store.board.change([Put("key", {"written": 1})])
        first = store.board.get("key")
        assert first is not None and callable(now_ns)

        monkeypatch.setattr(time, "time_ns", lambda: now_ns(before))
        store.board.change([Put("key", {"written": 2})], expect={"key": first.revision})

        for changes in ([Put("key", {"written": 3})], [Delete("key")]):
            with pytest.raises(Conflict):
                store.board.change(changes, expect={"key": first.revision})
        second = store.board.get("key")
        assert second is not None
        assert (second.value, second.revision > first.revision) == ({"written": 2}, True)


def test_ids_stay_unique_when_the_clock_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    now, now_ns = time.time(), time.time_ns()
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    assert len({new_id() for _ in range(10_000)}) == 10_000
