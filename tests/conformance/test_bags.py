"""Bags: conversations that do not mix, at most one seat of a session in each."""

from __future__ import annotations

import pytest

from mailstop.errors import InvalidName, MustJoin, UnknownBag, UnknownSeat
from tests.conformance.play import Play


def test_the_first_to_join_makes_the_bag(office: Play) -> None:
    office.as_("builder").join("builder", "side")

    with office.store() as store:
        assert store.index.bags() == ["default", "side"]


def test_one_session_may_have_a_seat_in_each_bag(office: Play) -> None:
    builder = office.as_("builder")
    builder.join("critic", "side")

    assert builder.seats() == ["builder", "critic"]


def test_seats_of_one_name_in_two_bags_are_two(office: Play) -> None:
    office.as_("builder", "one")
    office.as_("builder", "two")
    office.as_("writer", "one").send("builder", bag="one", body="only here")

    assert office.as_("builder", "one").peek() == ["only here"]
    assert office.as_("builder", "two").peek() == []


def test_a_check_covers_all_bags_oldest_first(office: Play) -> None:
    builder = office.as_("builder")
    builder.join("builder", "side")
    office.as_("writer").join("writer", "side")
    for bag, body in (("side", "1"), ("default", "2"), ("side", "3")):
        office.as_("writer").send("builder", bag=bag, body=body)

    assert builder.peek() == ["1", "2", "3"]
    assert [letter.body for letter in builder.check("side").letters] == ["1", "3"]
    assert [letter.body for letter in builder.hook().letters] == ["2"]


def test_leaving_one_bag_keeps_the_seat_in_another(office: Play) -> None:
    builder = office.as_("builder")
    builder.join("builder", "side")

    builder.leave()

    assert builder.seats() == ["builder"]
    with pytest.raises(MustJoin):
        builder.send("human")
    assert builder.send("human", bag="side").new


def test_a_bag_that_nobody_has_joined_is_unknown_with_its_nearest(office: Play) -> None:
    office.as_("builder").join("builder", "release")

    with pytest.raises(UnknownBag, match="nearest: release") as refusal:
        office.as_("builder").send("human", bag="relaese")
    with pytest.raises(UnknownBag):
        office.person.send("builder", bag="nowhere")
    with pytest.raises(UnknownBag), office.stranger.at_office() as at:
        at.reading.read(bag="nowhere")

    assert refusal.value.exit_code == 3
    with office.store() as store:
        assert store.index.bags() == ["default", "release"]


@pytest.mark.parametrize("bag", ["", "A", "a b", "a/b", "../x", "a'b", "x" * 64, "\ud800"], ids=ascii)
def test_what_is_no_name_is_no_bag(office: Play, bag: str) -> None:
    with pytest.raises(InvalidName):
        office.as_("builder").join("builder", bag)
    with pytest.raises(InvalidName):
        office.as_("builder").send("human", bag=bag)


def test_a_seat_is_known_in_its_own_bag_only(office: Play) -> None:
    office.as_("builder").join("builder", "side")
    office.as_("reviewer")

    with pytest.raises(UnknownSeat, match="in bag side"):
        office.as_("builder").send("reviewer", bag="side")


def test_checking_a_bag_without_a_seat_there_is_refused(office: Play) -> None:
    office.as_("other", "side")

    with pytest.raises(MustJoin, match="in bag side"):
        office.as_("builder").check("side")


def test_the_person_has_a_seat_in_every_bag(office: Play) -> None:
    office.as_("builder").send("human", body="1")
    office.as_("critic", "side").send("human", bag="side", body="2")

    assert office.person.reads() == ["1", "2"]


def test_the_history_of_a_bag_holds_letters_and_moves_and_nothing_of_others(office: Play) -> None:
    office.as_("builder", "one")
    office.as_("critic", "two").send("human", bag="two", body="elsewhere")
    office.as_("builder", "one").send("human", bag="one", body="here")
    office.as_("builder", "one").leave("one")

    with office.stranger.at_office() as at:
        records = at.reading.read(bag="one").records

    assert [getattr(record, "body", None) or getattr(record, "act", None) for record in records] == [
        "taken",
        "here",
        "left",
    ]


def test_history_is_read_in_pages_that_say_whether_there_is_more(office: Play) -> None:
    builder = office.as_("builder")
    numbers = [builder.send("human", body=str(count)).letter.n for count in range(5)]

    with office.stranger.at_office() as at:
        page = at.reading.read(bag="default", last=2)
        before = at.reading.read(bag="default", before=page.records[0].n, last=10)

    assert [record.n for record in page.records] == numbers[-2:]
    assert page.older
    assert [record.n for record in before.records if hasattr(record, "body")] == numbers[:-2]
    assert not before.older


def test_history_before_and_after_any_number_that_people_may_type(office: Play) -> None:
    n = office.as_("builder").send("human").letter.n

    with office.stranger.at_office() as at:
        assert at.reading.read(before=1 << 80, last=1 << 80).records[-1].n == n
        assert at.reading.read(before=1).records == ()
