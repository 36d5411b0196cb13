"""Guards: what a session decided on what it saw is refused once its seat is another's, whatever the engine."""

from __future__ import annotations

import pytest

from mailstop.engines.memory.store import World
from mailstop.errors import MustJoin, SeatLost, SeatTaken
from mailstop.letter import Draft
from mailstop.rules.offers import Terms
from mailstop.rules.proofs import TOOL, Event
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer


def taken_over(office: Play, name: str) -> SessionPlayer:
    """Another session in that seat, after its holder has died."""
    office.as_(name).die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join(name)
    return successor


def test_a_session_that_lost_its_seat_cannot_write(office: Play) -> None:
    builder = office.as_("builder")
    with builder.at_office() as late:
        writer = late.writer("default")
        taken_over(office, "builder")
        late.writer = lambda bag: writer  # type: ignore[method-assign]  # it looked before the seat was lost

        with pytest.raises(SeatLost, match="a session of claude took it"):
            late.send(Draft(("human",), "from the past"))

    assert office.letters() == []


def test_a_session_that_left_its_seat_meanwhile_cannot_write(office: Play) -> None:
    builder = office.as_("builder")
    with builder.at_office() as late:
        writer = late.writer("default")
        builder.leave()
        late.writer = lambda bag: writer  # type: ignore[method-assign]

        with pytest.raises(SeatLost, match="it was left"):
            late.send(Draft(("human",), "from the past"))

    assert office.letters() == []


def test_a_session_that_lost_its_seat_can_neither_write_nor_check_any_more(office: Play) -> None:
    builder = office.as_("builder")
    successor = taken_over(office, "builder")
    office.as_("writer").send("builder", body="for the new one")

    with pytest.raises(MustJoin):
        builder.send("human")
    with pytest.raises(MustJoin):
        builder.check()
    assert successor.peek() == ["for the new one"]


def test_a_session_that_lost_its_seat_cannot_hand_or_prove_what_it_leased(office: Play) -> None:
    builder = office.as_("builder")
    n = office.as_("writer").send("builder", body="secret").letter.n
    builder.turn = "1"
    with builder.at_office() as late:
        offer = late.offer(Terms("a hook", turn="1", ready=True))
        successor = taken_over(office, "builder")
        late.handed(offer)
        assert late.prove(Event(TOOL, "1")) == ()

    assert office.states(n) == []
    assert successor.peek() == ["secret"]


def test_a_writer_whose_own_session_took_the_seat_anew_writes(office: Play) -> None:
    builder = office.player()
    builder.start()
    with builder.at_office() as at:
        at.seats()
        builder.join("app")  # on purpose now: the same holder, another entry

        assert at.send(Draft(("human",), "still me")).new


def test_of_two_that_race_for_a_seat_one_wins(office: Play) -> None:
    one, two = office.player(), office.player()
    for player in (one, two):
        player.start(automatic=False)
    with one.at_office() as first, two.at_office() as second:
        first.join("builder")
        with pytest.raises(SeatTaken):
            second.join("builder")  # where an index lags, it has not seen the first

    assert office.seat("builder").session == one.id


def test_of_two_that_race_for_a_dead_holders_seat_one_wins(office: Play) -> None:
    office.as_("builder").die()
    one, two = office.player(), office.player()
    for player in (one, two):
        player.start(automatic=False)
    with one.at_office() as first, two.at_office() as second:
        second.join("builder")
        with pytest.raises(SeatTaken):
            first.join("builder")

    assert office.seat("builder").session == two.id


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_seat_taken_between_a_look_and_an_append_refuses_the_append(office: Play, world: World) -> None:
    builder = office.as_("builder")
    office.as_("reviewer")
    world.meanwhile(lambda: taken_over(office, "builder"))

    with pytest.raises(SeatLost):
        builder.send("reviewer", body="from the past")

    assert office.letters() == []


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_seat_taken_between_an_event_and_its_receipt_leaves_the_letter_to_the_new_holder(
    office: Play, world: World
) -> None:
    reader = office.as_("reader")
    n = office.as_("writer").send("reader", body="look").letter.n
    reader.turn = "1"
    reader.hook()
    successors: list[SessionPlayer] = []
    world.meanwhile(lambda: successors.append(taken_over(office, "reader")))

    assert reader.prove(TOOL) == ()

    assert office.states(n) == ["handed"]
    assert successors[0].peek() == ["look"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_an_event_between_another_event_and_its_receipt_proves_nothing_again(office: Play, world: World) -> None:
    reader = office.as_("reader")
    n = office.as_("writer").send("reader", body="look").letter.n
    reader.turn = "1"
    reader.hook()
    proved: list[tuple[int, ...]] = []
    world.meanwhile(lambda: proved.append(reader.prove(TOOL)))

    proved.append(reader.prove(TOOL))

    assert proved == [(), (n,)]
    assert office.states(n) == ["handed", "shown"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_seat_taken_between_a_look_and_ones_own_taking_is_refused(office: Play, world: World) -> None:
    claimant = office.player()
    claimant.start(automatic=False)
    world.meanwhile(lambda: office.as_("builder"))

    with pytest.raises(SeatTaken):
        claimant.join("builder")
