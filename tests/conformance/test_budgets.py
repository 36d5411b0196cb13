"""Budgets: how many letters the sessions of a bag may still store until their person agrees to more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from mailstop.engines.memory.store import World
from mailstop.errors import (
    BudgetSpent,
    InvalidField,
    InvalidName,
    KeyReused,
    NoBudget,
    NoBudgetOpen,
    OwnSeat,
    PersonOnly,
    UnknownBag,
    UnknownSeat,
)
from mailstop.letter import Draft
from mailstop.limits import LARGEST
from mailstop.rules import letters
from mailstop.rules.brakes import charge
from tests.conformance.at_once import at_once
from tests.conformance.play import Play

RACERS = 16


def refused(act: Callable[[], Any]) -> bool:
    """Whether the bag's budget refuses an act, which then changes nothing."""
    try:
        act()
    except BudgetSpent:
        return True
    return False


def left(office: Play, bag: str = "default") -> int | None:
    """How many letters the open budget of a bag still covers."""
    with office.store() as store:
        budget = store.index.budgets.open(bag)
    return budget.left if budget else None


# -- what costs a letter


def test_a_budget_has_twelve_letters_unless_the_person_says_otherwise(office: Play) -> None:
    assert office.person.opens_budget().limit == 12
    assert office.person.opens_budget(40).limit == 40


@pytest.mark.parametrize("limit", [0, -1, LARGEST + 1])
def test_a_budget_has_at_least_one_letter_and_at_most_9999(office: Play, limit: int) -> None:
    with pytest.raises(InvalidField, match="1 to 9,999 letters"):
        office.person.opens_budget(limit)

    assert office.entries() == 0
    assert office.person.opens_budget(LARGEST).left == LARGEST


def test_each_letter_of_a_session_says_which_of_the_budget_it_is(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    office.person.opens_budget(3)

    sent = [builder.send("reviewer"), reviewer.send("builder"), builder.send("reviewer")]

    assert [each.letter.budget for each in sent] == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    stored = [office.person.account(each.letter.n).letter.budget for each in sent]
    assert stored == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]


def test_all_seats_of_a_bag_share_its_budget(office: Play) -> None:
    office.person.opens_budget(3)
    for seat in ("a", "b", "c"):
        office.as_(seat).send("human")

    for seat in ("a", "b", "c"):
        assert refused(partial(office.as_(seat).send, "human"))


def test_a_letter_to_several_costs_one(office: Play) -> None:
    for seat in ("a", "b"):
        office.as_(seat)
    office.person.opens_budget(2)

    office.as_("c").send("a", "b", "human")

    assert left(office) == 1


def test_a_spent_budget_refuses_and_stores_nothing(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)
    n = builder.send("human", body="the last").letter.n
    before = office.entries()

    for act in (partial(builder.send, "human"), partial(builder.send, "human", ref=n, key="k")):
        with pytest.raises(BudgetSpent) as refusal:
            act()
        assert refusal.value.message.startswith("The budget of 1 letter is used up. Nothing was stored")
        assert "Only the person can continue: mailstop budget open" in refusal.value.message

    assert office.entries() == before
    assert left(office) == 0


def test_the_refusal_leads_to_the_bag_that_it_is_about(office: Play) -> None:
    office.as_("builder", "side")
    office.person.opens_budget(1, "side")
    office.as_("builder", "side").send("human", bag="side")

    with pytest.raises(BudgetSpent, match=r"letter in bag side is used up\..*: mailstop budget open --bag side$"):
        office.as_("builder", "side").send("human", bag="side")


def test_the_persons_letters_cost_nothing_and_are_never_refused(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)
    first = office.person.send("builder").letter
    builder.send("human")

    second = office.person.send("builder").letter

    assert (first.budget, second.budget) == ((), ())
    assert left(office) == 0


def test_mailstops_own_notices_cost_nothing_and_are_never_refused(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)
    builder.send("human")

    with builder.at_office() as at:
        notice = at.notify(Draft(("builder",), "a notice", kind="fyi", final=True), bag="default").letter

    assert (notice.budget, notice.hops) == ((), 0)


def test_a_letter_that_is_stored_again_with_its_key_costs_nothing(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(2)
    first = builder.send("human", key="k1")

    assert builder.send("human", key="k1").letter == first.letter
    assert left(office) == 1
    builder.send("human")
    assert builder.send("human", key="k1").letter == first.letter, "also once nothing is left"
    with pytest.raises(KeyReused):
        builder.send("human", key="k1", body="another")


def test_what_another_rule_refuses_costs_nothing(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(2)

    with pytest.raises(OwnSeat):
        builder.send("builder")
    with pytest.raises(UnknownSeat):
        builder.send("nobody")

    assert left(office) == 2


def test_joins_and_checks_cost_nothing(office: Play) -> None:
    office.person.opens_budget(1)
    office.as_("writer").send("reader", hold=True)
    office.as_("reader").reads_all()
    office.as_("reader").leave()

    assert left(office) == 0


def test_where_no_budget_is_open_nothing_is_counted(office: Play) -> None:
    letter = office.as_("builder").send("human").letter

    assert letter.budget == ()
    assert left(office) is None


# -- the last letter


def test_the_last_letter_asks_its_reader_for_no_reply(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    office.person.opens_budget(2)
    builder.send("reviewer", kind="question", needs_reply=True)
    first = reviewer.check().text
    builder.send("reviewer", kind="question", needs_reply=True)
    last = reviewer.check().text

    assert "budget 1 of 2" in first
    assert "mailstop reply" in first
    assert "budget 2 of 2" in last
    assert last.endswith("The last letter of this bag's budget: send no reply; only the person can continue.")
    assert "mailstop reply" not in last


def test_the_last_letter_is_not_owed_a_reply_after_a_compaction(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    office.person.opens_budget(2)
    first = builder.send("reviewer", needs_reply=True).letter
    builder.send("reviewer", needs_reply=True)
    reviewer.reads()

    assert [letter.n for letter in reviewer.start().owed] == [first.n]


# -- opening and closing


def test_opening_starts_the_next_budget_and_drops_the_rest(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(5)
    builder.send("human")

    with office.person.at_office() as at:
        budget, dropped = at.budgets.open(2)

    assert dropped is not None
    assert (dropped.ordinal, dropped.left) == (1, 4)
    assert (budget.ordinal, budget.left) == (2, 2)
    assert builder.send("human").letter.budget == (2, 1, 2)


def test_a_spent_budget_is_continued_by_the_next(office: Play) -> None:
    builder = office.as_("builder")
    for ordinal in (1, 2, 3):
        office.person.opens_budget(1)
        assert builder.send("human").letter.budget == (ordinal, 1, 1)
        assert refused(partial(builder.send, "human"))


def test_after_closing_nothing_is_counted_and_the_next_one_is_numbered_on(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)
    builder.send("human")

    closed = office.person.closes_budget()

    assert (closed.ordinal, closed.left, closed.open) == (1, 0, False)
    assert builder.send("human").letter.budget == ()
    assert office.person.opens_budget(1).ordinal == 2


def test_where_none_is_open_there_is_nothing_to_close(office: Play) -> None:
    with pytest.raises(NoBudgetOpen, match="mailstop budget open"):
        office.person.closes_budget()
    office.person.opens_budget(1)
    office.person.closes_budget()
    with pytest.raises(NoBudgetOpen):
        office.person.closes_budget()


def test_each_bag_has_a_budget_of_its_own(office: Play) -> None:
    office.as_("builder"), office.as_("builder", "side")
    office.person.opens_budget(1, "side")
    office.as_("builder").send("human")
    office.as_("builder", "side").send("human", bag="side")

    assert refused(partial(office.as_("builder", "side").send, "human", bag="side"))
    assert not refused(partial(office.as_("builder").send, "human"))


def test_letters_before_the_first_budget_and_between_two_read_as_history(office: Play) -> None:
    builder = office.as_("builder")
    sent = [builder.send("human")]
    office.person.opens_budget(1)
    sent.append(builder.send("human"))
    office.person.closes_budget()
    sent.append(builder.send("human"))

    with office.stranger.at_office() as at:
        history = [record for record in at.reading.read().records if getattr(record, "body", None)]

    assert history == [each.letter for each in sent]


# -- whose it is


def test_only_the_person_opens_closes_and_sets_limits(office: Play) -> None:
    program = office.player("program")
    program.start()
    program.join("ci")
    before = office.entries()

    for player in (office.as_("builder"), program, office.stranger):
        with player.at_office() as at:
            for act in (at.budgets.open, at.budgets.close, at.budgets.set_limits):
                with pytest.raises(PersonOnly, match="from a terminal of their own"):
                    act()

    assert office.entries() == before + 1  # the builder has sat down


def test_everybody_may_look(office: Play) -> None:
    office.person.opens_budget(7)
    for player in (office.as_("builder"), office.stranger, office.person):
        with player.at_office() as at:
            budget = at.budgets.allowance().open
        assert budget is not None
        assert budget.left == 7


def test_opening_a_budget_makes_its_bag(office: Play) -> None:
    office.person.opens_budget(2, "review")

    with office.stranger.at_office() as at:
        assert [bag.name for bag in at.reading.bags()] == ["review"]
    assert office.as_("builder", "review").send("human", bag="review").letter.budget == (1, 1, 2)


def test_a_look_and_a_close_make_no_bag(office: Play) -> None:
    with office.person.at_office() as at:
        with pytest.raises(UnknownBag):
            at.budgets.allowance("review")
        with pytest.raises(UnknownBag):
            at.budgets.close(bag="review")
        with pytest.raises(InvalidName):
            at.budgets.open(bag="a b")
        assert at.reading.bags() == []


# -- bags that need one


def test_in_a_budgeted_bag_sessions_write_only_while_a_budget_is_open(office: Play) -> None:
    office.person.sets_limits("review", budgeted=True)
    builder = office.as_("builder", "review")

    with pytest.raises(NoBudget, match=r"In bag review .*: mailstop budget open --bag review$"):
        builder.send("human", bag="review")
    office.person.send("builder", bag="review")
    office.person.opens_budget(1, "review")
    builder.send("human", bag="review")
    office.person.closes_budget("review")
    with pytest.raises(NoBudget):
        builder.send("human", bag="review")
    office.person.sets_limits("review", budgeted=False)
    assert builder.send("human", bag="review").letter.budget == ()


def test_a_bag_is_budgeted_before_anybody_has_joined_it(office: Play) -> None:
    office.person.sets_limits("review", budgeted=True)

    with pytest.raises(NoBudget):
        office.as_("builder", "review").send("human", bag="review")


# -- several at once


def test_two_that_race_for_the_last_letter_do_not_both_win(office: Play) -> None:
    racers = [office.as_(f"racer-{number}") for number in range(RACERS)]
    office.person.opens_budget(1)

    outcomes = at_once(*(partial(refused, partial(racer.send, "human")) for racer in racers))

    assert sorted(map(bool, outcomes)) == [False, *[True] * (RACERS - 1)]
    assert len(office.letters()) == 1


def test_of_many_that_write_at_once_each_letter_has_a_place_of_its_own(office: Play) -> None:
    racers = [office.as_(f"racer-{number}") for number in range(RACERS)]
    office.person.opens_budget(2 * RACERS + 5)

    at_once(*(lambda racer=racer: [refused(partial(racer.send, "human")) for _ in range(3)] for racer in racers))

    with office.store() as store:
        found = store.index.history(limit=1000).records
    slots = sorted(budget[1] for record in found if (budget := getattr(record, "budget", None)))
    assert slots == list(range(1, 2 * RACERS + 6))


def test_one_key_used_by_many_at_once_costs_one_letter_and_is_refused_to_none(office: Play) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)

    outcomes = at_once(*[partial(builder.send, "human", body="once", key="k1")] * RACERS)

    assert {getattr(each, "letter", None) for each in outcomes} == {builder.send("human", body="once", key="k1").letter}


def test_a_letter_that_somebody_stores_with_the_same_key_meanwhile_is_no_refusal(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)

    def late(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(letters, "charge", charge)
        builder.send("human", body="once", key="k1")
        with office.store() as store:  # as the late one now sees it, too
            return charge(store, *arguments[1:], **named)

    monkeypatch.setattr(letters, "charge", late)
    sent = builder.send("human", body="once", key="k1")

    assert (sent.new, len(office.letters())) == (False, 1)


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_letter_on_its_way_while_a_budget_is_opened_is_counted_by_it(office: Play, world: World) -> None:
    builder = office.as_("builder")
    office.person.opens_budget(1)
    builder.send("human")
    office.person.closes_budget()
    world.meanwhile(lambda: office.person.opens_budget(1))

    assert builder.send("human").letter.budget == (2, 1, 1)


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_letter_on_its_way_while_the_last_one_is_stored_is_refused(office: Play, world: World) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    office.person.opens_budget(1)
    world.meanwhile(lambda: reviewer.send("human", body="faster"))

    assert refused(partial(builder.send, "human"))
    assert office.letters() == ["faster"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_of_two_openings_at_once_both_count_one_after_the_other(office: Play, world: World) -> None:
    world.meanwhile(lambda: office.person.opens_budget(3))

    assert office.person.opens_budget(4).ordinal == 2
    assert left(office) == 4


def test_a_letter_costs_one_however_often_its_reader_is_rung_for_it(office: Play) -> None:
    reader = office.as_("reader")
    office.person.opens_budget(2)
    with reader.monitor():
        n = office.as_("builder").send("reader").letter.n
        rung = [reader.monitor_rings()]
        office.clock.advance(3600)
        rung.append(reader.monitor_rings())

    assert rung == [[n], [n]]
    assert left(office) == 1
