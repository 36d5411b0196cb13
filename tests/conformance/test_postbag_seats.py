"""Seats, as postbag's checklist asks for them; tests/checklists/postbag.py says which line asks for what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mailstop.engines.entry import Entry
from mailstop.errors import (
    MailstopError,
    MustJoin,
    NotSeated,
    SeatWasLeft,
    SeatWasTaken,
    UnknownBag,
)
from mailstop.history import Move
from mailstop.letter import new_id
from mailstop.rules.tenure import seat_subject
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer


def newcomer(office: Play) -> SessionPlayer:
    """A session without a seat."""
    player = office.player()
    player.start(automatic=False)
    return player


def taken_over(office: Play, name: str, by: SessionPlayer) -> SessionPlayer:
    """The session that held the seat: it has ended, another has taken the seat, and its process still runs."""
    holder = office.as_(name)
    with holder.at_office() as at:
        at.end()
    by.join(name)
    return holder


# -- taking a seat


def test_a_process_without_a_session_takes_no_seat(office: Play) -> None:
    with pytest.raises(MustJoin), office.stranger.at_office() as at:
        at.join("builder")

    assert office.entries() == 0


def test_who_sits_down_at_a_dead_holders_seat_learns_whose_it_was_and_since_when(office: Play) -> None:
    first = office.as_("builder")
    since = office.seat("builder").since
    first.die()

    ended = newcomer(office).join("builder").ended

    assert ended is not None
    assert ended.session is not None
    assert ended.session.client_session == first.found.client_session
    assert ended.seat.since == since


def test_who_sits_down_at_a_seat_that_was_left_is_told_of_nobody(office: Play) -> None:
    office.as_("builder").leave()

    assert newcomer(office).join("builder").ended is None


def test_a_lost_seat_does_not_come_back_when_its_taker_leaves(office: Play) -> None:
    taker = newcomer(office)
    lost = taken_over(office, "builder", by=taker)

    taker.leave()

    assert lost.seats() == []
    with pytest.raises(MustJoin):
        lost.send("human")


def test_history_keeps_the_names_under_which_letters_were_written(office: Play) -> None:
    builder = office.as_("builder")
    n = builder.send("human", body="from the builder").letter.n
    builder.join("reviewer")
    newcomer(office).join("builder")

    with office.stranger.at_office() as at:
        letter = at.letter(n)
        moves = [(each.seat, each.act) for each in at.reading.read(bag="default").records if isinstance(each, Move)]

    assert (letter.sender, letter.to) == ("builder", ("human",))
    assert moves == [("builder", "taken"), ("reviewer", "taken"), ("builder", "left"), ("builder", "taken")]


# -- writing to a seat that was left


def test_who_writes_to_a_seat_that_was_left_for_another_is_told_where_its_holder_sits_now(office: Play) -> None:
    office.as_("builder").join("reviewer")

    told = office.as_("tester").send("builder").recipients[0]

    assert "the seat is empty since" in told.detail
    assert "at seat reviewer" in told.detail


@pytest.mark.parametrize("bag", ["default", "side"])
def test_who_writes_to_a_seat_that_was_left_altogether_is_told_since_when(office: Play, bag: str) -> None:
    office.as_("builder", bag).leave(bag)
    office.as_("builder", bag).join("elsewhere", "another")

    told = office.as_("tester", bag).send("builder", bag=bag).recipients[0]

    assert "the seat is empty since" in told.detail
    assert "elsewhere" not in told.detail


# -- writing without a seat


def test_a_session_that_left_is_told_when_and_not_to_sit_down_again_of_its_own_accord(office: Play) -> None:
    builder = office.as_("builder")
    builder.leave()

    for act in (lambda: builder.send("human"), builder.check):
        with pytest.raises(SeatWasLeft, match="Only if the person asks for it") as refusal:
            act()
        assert "left seat 'builder' at " in refusal.value.message
        assert "mailstop read" in refusal.value.message


def test_a_session_whose_seat_was_taken_is_told_at_its_next_act_by_whom_and_when(office: Play) -> None:
    lost = taken_over(office, "builder", by=newcomer(office))

    for act in (lambda: lost.send("human"), lost.check):
        with pytest.raises(SeatWasTaken) as refusal:
            act()
        assert "Seat 'builder' of this session was taken by a session of claude at " in refusal.value.message


def test_a_session_hears_that_its_seat_was_taken_although_its_taker_has_left_since(office: Play) -> None:
    taker = newcomer(office)
    lost = taken_over(office, "builder", by=taker)
    taker.leave()

    with pytest.raises(SeatWasTaken, match="'builder'"):
        lost.send("human")


def test_of_several_seats_a_session_hears_of_the_one_that_it_lost_last(office: Play) -> None:
    office.as_("builder").join("reviewer")
    with office.as_("builder").at_office() as at:
        at.end()
    newcomer(office).join("reviewer")

    with pytest.raises(SeatWasTaken, match="'reviewer'"):
        office.as_("builder").send("human")


def test_a_session_that_never_had_a_seat_hears_only_how_to_take_one(office: Play) -> None:
    with pytest.raises(MustJoin) as refusal:
        newcomer(office).send("human")

    assert type(refusal.value) is MustJoin
    assert "mailstop join NAME" in refusal.value.message


@pytest.mark.parametrize("name", ["builder", "another"])
def test_who_has_left_may_sit_down_again_under_the_same_name_or_another(office: Play, name: str) -> None:
    builder = office.as_("builder")
    builder.leave()

    builder.join(name)

    assert builder.send("human").letter.sender == name


# -- leaving


def test_leaving_twice_is_refused_and_appends_nothing(office: Play) -> None:
    builder = office.as_("builder")
    builder.leave()
    before = office.entries()

    with pytest.raises(NotSeated):
        builder.leave()

    assert office.entries() == before


@pytest.mark.parametrize("who", ["newcomer", "person", "stranger"])
def test_who_has_no_seat_leaves_none_and_is_not_told_to_take_one(office: Play, who: str) -> None:
    player: Player = newcomer(office) if who == "newcomer" else getattr(office, who)

    for bag in ("default", "nowhere"):
        with pytest.raises(NotSeated) as refusal, player.at_office() as at:
            at.leave(bag=bag)
        assert "join" not in refusal.value.message

    with office.store() as store:
        assert store.index.bags() == []


def test_leaving_changes_no_letter_no_number_and_no_other_bag(office: Play) -> None:
    office.as_("reviewer")
    builder = office.as_("builder")
    builder.join("builder", "side")
    n = builder.send("reviewer", body="stays").letter.n

    builder.leave()

    with office.store() as store:
        assert store.index.count("default") == 1
    assert office.as_("reviewer").account(n).letter.body == "stays"
    assert builder.seats() == ["builder"]
    assert office.seat("builder", "side").session == builder.id


def test_a_leaving_that_is_another_sessions_moves_nobody(office: Play) -> None:
    builder = office.as_("builder")
    foreign = {"seat": "builder", "session": new_id(), "reason": ""}
    with office.store() as store:
        store.ledger.append([Entry(seat_subject("default", "builder"), "left", "default", new_id(), 1, foreign)])

    assert builder.seats() == ["builder"]
    assert builder.send("human").new


# -- what a refusal says


def refusals(office: Play, bag: str) -> dict[str, MailstopError]:
    """A refusal of each kind that a bag may give."""
    builder = office.as_("builder", bag)
    left = office.as_("left", bag)
    left.leave(bag)
    lost = office.as_("lost", bag)
    with lost.at_office() as at:
        at.end()
    newcomer(office).join("lost", bag)
    acts: dict[str, Callable[[], object]] = {
        "own seat": lambda: builder.send("builder", bag=bag),
        "unknown seat": lambda: builder.send("nobody", bag=bag),
        "seat taken": lambda: newcomer(office).join("builder", bag),
        "must join": lambda: newcomer(office).send("builder", bag=bag),
        "a stranger must join": lambda: office.stranger.send("builder", bag=bag),
        "was left": lambda: left.send("builder", bag=bag),
        "was taken": lambda: lost.send("builder", bag=bag),
        "nothing to leave": lambda: left.leave(bag),
        "nothing to check": lambda: newcomer(office).check(bag),
    }
    found: dict[str, MailstopError] = {}
    for name, act in acts.items():
        with pytest.raises(MailstopError) as refusal:
            act()
        found[name] = refusal.value
    return found


def test_each_refusal_names_the_bag_once_and_stores_nothing(office: Play) -> None:
    found = refusals(office, "side")

    for name, refusal in found.items():
        assert refusal.message.count("in bag side") == 1, name
    with office.store() as store:
        assert store.index.count("side") == 0


def test_the_bag_that_is_not_mentioned_is_named_by_no_refusal(office: Play) -> None:
    for name, refusal in refusals(office, "default").items():
        assert "bag" not in refusal.message, name


def test_the_command_in_a_refusal_is_the_callers_own_and_leads_to_the_bag(office: Play) -> None:
    found = refusals(office, "side")

    for name in ("must join", "was left", "was taken", "nothing to check"):
        assert ": mailstop join NAME --bag side" in found[name].message, name
    assert ': eval "$(mailstop join NAME --bag side' in found["a stranger must join"].message


def test_each_refusal_is_one_line(office: Play) -> None:
    for name, refusal in refusals(office, "side").items():
        assert "\n" not in refusal.message, name


def test_no_refusal_speaks_of_a_budget_where_none_is_set(office: Play) -> None:
    for name, refusal in refusals(office, "side").items():
        assert not {"budget", "limit", "exchange", "spent"} & set(refusal.message.lower().split()), name


def test_an_unknown_bag_is_refused_with_all_bags_and_the_command_that_makes_it(office: Play) -> None:
    for player in (office.as_("builder"), office.person):
        with pytest.raises(UnknownBag, match=r"All bags: mailstop bags\..* mailstop join NAME --bag nowhere"):
            player.send("builder", bag="nowhere")


def test_the_person_hears_that_a_session_makes_a_bag(office: Play) -> None:
    with pytest.raises(UnknownBag, match="run by a session"):
        office.person.send("builder", bag="nowhere")
