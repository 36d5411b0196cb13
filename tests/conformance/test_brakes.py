"""Brakes: what ends conversations of sessions while nobody watches: hops of a chain of letters, and a rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mailstop import bells
from mailstop.errors import InvalidField, TooFast, TooManyHops
from mailstop.letter import Draft, Letter
from mailstop.limits import LARGEST, Limits
from mailstop.rules.chains import chain_of
from mailstop.rules.sweeps import sweep
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

HOPS, RATE = Limits.hops, Limits.rate
FEW = 4


@pytest.fixture
def few(office: Play) -> Play:
    """A play in whose default bag a chain has few hops."""
    office.person.sets_limits(hops=FEW)
    return office


def hops_of(office: Play, player: SessionPlayer) -> int:
    """The most hops of what a session was given since the person's last word."""
    with office.store() as store:
        return chain_of(store, player.id).hops


def a_chain(office: Play, hops: int, *seats: str) -> Letter:
    """A letter of so many hops: these seats write to each other in turn, each what it makes of the last."""
    letter = None
    for hop in range(hops):
        writer, reader = seats[hop % len(seats)], seats[(hop + 1) % len(seats)]
        office.as_(reader)
        letter = office.as_(writer).send(reader, body=f"{hop}").letter
        office.as_(reader).reads()
        office.clock.advance(60)
    assert letter is not None
    assert letter.hops == hops
    return letter


# -- hops


def test_the_first_letter_of_a_session_has_one_hop_and_the_persons_has_none(office: Play) -> None:
    assert office.as_("builder").send("human").letter.hops == 1
    assert office.person.send("builder").letter.hops == 0


def test_a_letter_has_one_hop_more_than_the_one_it_refers_to(office: Play) -> None:
    office.as_("reviewer")
    first = office.as_("builder").send("reviewer").letter

    assert office.as_("reviewer").reply(first.n).letter.hops == 2
    assert office.as_("builder").send("reviewer", ref=first.n).letter.hops == 2


def test_a_letter_has_one_hop_more_than_the_most_of_those_its_session_was_given(office: Play) -> None:
    a_chain(office, 3, "a", "b")
    office.as_("c").send("b")
    assert office.as_("b").send("c").letter.hops == 4
    office.as_("b").reads()

    assert office.as_("b").send("human").letter.hops == 4, "a letter of fewer hops lowers nothing"


def test_an_answer_to_the_person_goes_on_from_none(office: Play) -> None:
    n = office.person.send("builder", hold=True).letter.n
    office.as_("builder").reads()

    assert office.as_("builder").reply(n).letter.hops == 1


def test_what_was_only_looked_at_counts_nothing(office: Play) -> None:
    office.as_("builder")
    office.as_("writer").send("builder")
    office.as_("builder").peek()

    assert office.as_("builder").send("writer").letter.hops == 1


def test_what_was_given_counts_although_its_giver_was_killed_before_it_could_say_so(office: Play) -> None:
    office.as_("builder")
    office.as_("writer").send("builder")
    office.as_("builder").check_killed_before_its_end()

    assert office.as_("builder").send("writer").letter.hops == 2


def test_hooks_give_as_a_check_does(office: Play) -> None:
    office.as_("builder")
    office.as_("writer").send("builder")
    office.as_("builder").hook()

    assert office.as_("builder").send("writer").letter.hops == 2


def test_hops_are_stored_with_the_letter(office: Play) -> None:
    letter = a_chain(office, 3, "a", "b")

    assert office.person.account(letter.n).letter.hops == 3


def test_beyond_the_limit_a_letter_is_refused_with_why_and_how_to_go_on(office: Play) -> None:
    a_chain(office, HOPS, "a", "b")
    before = office.entries()

    with pytest.raises(TooManyHops) as refusal:
        office.as_("a").send("b")

    assert office.entries() == before
    message = refusal.value.message
    assert "number 25 of a chain of letters" in message
    assert "more than 24 are refused" in message
    assert "a prompt of their own in this session's window" in message
    assert "a letter to seat a" in message
    assert message.endswith("mailstop limits --hops 48")


def test_the_refusal_leads_to_the_bag_that_it_is_about(office: Play) -> None:
    office.person.sets_limits("side", hops=1)
    office.as_("b", "side")
    office.as_("a", "side").send("b", bag="side")
    office.as_("b", "side").check()

    with pytest.raises(TooManyHops, match=r"in bag side have caused.*: mailstop limits --hops 2 --bag side$"):
        office.as_("b", "side").send("a", bag="side")


def test_to_answer_a_letter_at_the_limit_without_having_been_given_it_is_refused_as_well(few: Play) -> None:
    last = a_chain(few, FEW, "a", "b")

    with pytest.raises(TooManyHops):
        few.as_("c").send("a", ref=last.n)
    few.as_("c").send("a")


def test_two_sessions_that_answer_each_other_come_to_rest(office: Play) -> None:
    """A pause sign, exchanged for ever in spite of prompts."""
    office.as_("a"), office.as_("b")

    assert rounds_until_rest(office, "a", "b") == HOPS


def test_three_sessions_in_a_circle_come_to_rest_as_soon_as_two(office: Play) -> None:
    """A→B→C→A evades a limit for each pair."""
    for seat in "abc":
        office.as_(seat)

    assert rounds_until_rest(office, "a", "b", "c") == HOPS


@pytest.mark.parametrize("how", ["answers", "writes anew"])
def test_three_sessions_that_answer_every_letter_to_everybody_come_to_rest(office: Play, how: str) -> None:
    """However many letters that are: they all grow from one, and none is further from it than the limit."""
    office.person.sets_limits(hops=4, rate=LARGEST)
    players = [office.as_(seat) for seat in "abc"]
    others = {player: [seat for seat in "abc" if [seat] != player.seats()] for player in players}
    players[0].send("b", "c", body="ping")
    refusals = 0
    while given := [(player, letter) for player in players for letter in player.check().letters]:
        for player, letter in given:
            try:
                if how == "answers":
                    player.reply(letter.n, to_all=True)
                else:
                    player.send(*others[player])
            except TooManyHops:
                refusals += 1
    with office.store() as store:
        letters = [record for record in store.index.history(limit=10_000).records if isinstance(record, Letter)]

    assert max(letter.hops for letter in letters) == 4
    assert refusals > 0


def rounds_until_rest(office: Play, *seats: str) -> int:
    """How many letters are written when each seat answers the last one to the next, nobody in a hurry."""
    for count in range(10 * HOPS):
        writer, reader = seats[count % len(seats)], seats[(count + 1) % len(seats)]
        try:
            office.as_(writer).send(reader, body="⏸")
        except TooManyHops:
            return count
        assert [letter.body for letter in office.as_(reader).check().letters] == ["⏸"]
        office.clock.advance(60)
    raise AssertionError("there is no end of it")


# -- how the person lifts it


def test_a_prompt_of_the_persons_own_lets_the_session_go_on(few: Play) -> None:
    last = a_chain(few, FEW, "a", "b")

    few.as_("a").prompted(own=True)

    assert few.as_("a").send("b").letter.hops == 1
    assert few.as_("a").reply(last.n).letter.hops == 1, "also with what it was refused"
    few.as_("b").reads()
    assert few.as_("b").send("a").letter.hops == FEW, "the other one has heard nothing"


def test_another_prompt_does_not(few: Play) -> None:
    a_chain(few, FEW, "a", "b")

    few.as_("a").prompted()

    with pytest.raises(TooManyHops):
        few.as_("a").send("b")


def test_what_the_persons_prompt_brings_counts_again(few: Play) -> None:
    a_chain(few, FEW - 1, "a", "b")
    few.as_("b").send("a")

    assert few.as_("a").prompted(own=True).letters

    with pytest.raises(TooManyHops):
        few.as_("a").send("b")


def test_a_letter_of_the_persons_lets_the_session_go_on(few: Play) -> None:
    last = a_chain(few, FEW, "a", "b")

    few.person.send("a", body="go on")
    few.as_("a").reads()

    assert few.as_("a").reply(last.n).letter.hops == 1


def test_what_came_with_the_persons_letter_counts_only_where_it_was_written_later(office: Play) -> None:
    a_chain(office, 4, "a", "b")
    office.as_("c"), office.as_("b").send("c")
    office.person.send("c")
    office.as_("d").send("c")
    office.as_("c").reads()

    assert office.as_("c").send("human").letter.hops == 2


def test_the_person_allows_longer_chains(few: Play) -> None:
    a_chain(few, FEW, "a", "b")

    few.person.sets_limits(hops=FEW + 1)

    assert few.as_("a").send("b").letter.hops == FEW + 1
    few.as_("b").reads()
    with pytest.raises(TooManyHops):
        few.as_("b").send("a")


def test_the_person_is_never_refused(few: Play) -> None:
    last = a_chain(few, FEW, "a", "b")
    for _ in range(RATE + 1):
        assert few.person.send("a", ref=last.n).letter.hops == 0


def test_mailstops_own_notices_are_never_refused(office: Play) -> None:
    office.as_("a")
    with office.as_("a").at_office() as at:
        for count in range(RATE + 1):
            assert at.notify(Draft(("a",), f"{count}", kind="fyi", final=True), bag="default").letter.hops == 0


# -- how long a session is in a chain


def test_clearing_and_compaction_begin_no_new_chain(office: Play) -> None:
    a_chain(office, 3, "a", "b")
    player = office.as_("b")
    player.clear()
    player.start()

    assert player.send("a").letter.hops == 4


def test_threads_of_codex_that_share_a_bell_are_each_heard_when_the_person_prompts_them(office: Play) -> None:
    threads = [office.player("codex") for _ in range(2)]
    for thread, seat in zip(threads, ("x", "y"), strict=True):
        thread.start(automatic=False)
        thread.join(seat)
        office.as_("a").send(seat)
        thread.check()
    bell = bells.prompt_bell(threads[0].found.bell)
    heard = [bells.is_ringing(bell)]
    for thread in threads:
        thread.prompted(own=True)
        with thread.at_office() as at:
            at.set_bell()
        heard.append(bells.is_ringing(bell))

    assert heard == [True, True, False]


def test_the_end_of_a_session_ends_its_part_in_a_chain(office: Play) -> None:
    a_chain(office, 3, "a", "b")
    office.as_("b").end()

    assert office.as_("b").resumed().send("a").letter.hops == 1
    assert office.rows("chain/") == [f"chain/{office.as_('a').id}"]


def test_of_a_session_that_was_killed_a_sweep_takes_it_away(office: Play) -> None:
    a_chain(office, 3, "a", "b")
    office.as_("b").die()
    with office.store() as store:
        sweep(store, now=office.clock())

    assert office.rows("chain/") == [f"chain/{office.as_('a').id}"]


def test_a_program_answers_what_it_was_given_last(office: Play) -> None:
    """It has no window in which the person could speak to it, and may run for years."""
    program = office.player("program")
    program.start()
    program.join("ci")
    office.as_("a").send("ci")
    program.check()
    assert program.send("a").letter.hops == 2
    office.as_("a").reads()
    office.as_("a").send("ci")
    program.check()
    assert program.send("a").letter.hops == 4
    with office.as_("a").at_office() as at:
        at.notify(Draft(("ci",), "a notice", kind="fyi", final=True), bag="default")
    program.check()
    assert program.send("a").letter.hops == 4, "a notice of mailstop's own is no new beginning"
    office.as_("b").send("ci")
    program.check()

    assert program.send("b").letter.hops == 2


def test_a_program_comes_to_rest_too(few: Play) -> None:
    program = few.player("program")
    program.start()
    program.join("ci")
    few.as_("a")
    letters = 0
    with pytest.raises(TooManyHops):
        for _ in range(10 * FEW):
            few.as_("a").send("ci")
            program.check()
            letters += 1
            program.send("a")
            few.as_("a").check()
            letters += 1
            few.clock.advance(60)

    assert letters == FEW


# -- rate


def write(player: Player, count: int, bag: str = "default") -> None:
    for number in range(count):
        player.send("human", body=f"{number}", bag=bag)


def test_a_seat_writes_thirty_letters_a_minute_and_is_told_when_it_may_go_on(office: Play) -> None:
    builder = office.as_("builder")
    write(builder, 1)
    office.clock.advance(20)
    write(builder, RATE - 1)
    before = office.entries()

    with pytest.raises(TooFast) as refusal:
        write(builder, 1)

    assert office.entries() == before
    assert "has written 30 letters within a minute" in refusal.value.message
    assert "Try again in 40 s." in refusal.value.message
    assert refusal.value.message.endswith("mailstop limits --rate 60")
    office.clock.advance(40)
    write(builder, 1)
    with pytest.raises(TooFast, match="Try again in 20 s"):
        write(builder, 1)


def test_the_rate_is_of_one_seat_in_one_bag(office: Play) -> None:
    office.as_("builder").join("builder", "side")
    write(office.as_("builder"), RATE)

    write(office.as_("builder"), 1, "side")
    write(office.as_("reviewer"), 1)


def test_a_letter_that_is_stored_again_with_its_key_is_not_too_fast(office: Play) -> None:
    builder = office.as_("builder")
    builder.send("human", body="first", key="k1")
    write(builder, RATE - 1)

    assert not builder.send("human", body="first", key="k1").new


def test_the_person_sets_another_rate(office: Play) -> None:
    office.person.sets_limits(rate=2)
    write(office.as_("builder"), 2)
    with pytest.raises(TooFast, match="2 letters within a minute"):
        write(office.as_("builder"), 1)

    office.person.sets_limits(rate=RATE + 2)

    write(office.as_("builder"), RATE)
    with pytest.raises(TooFast):
        write(office.as_("builder"), 1)


def test_the_person_is_never_too_fast(office: Play) -> None:
    office.as_("builder")
    for _ in range(2 * RATE):
        office.person.send("builder")


@pytest.mark.parametrize("back", [1, 59, 61, 3_600, 400 * 24 * 3_600])
def test_a_clock_that_is_put_back_holds_up_nobody_for_longer_than_a_minute(office: Play, back: int) -> None:
    builder = office.as_("builder")
    write(builder, RATE)
    office.clock.advance(-back)
    write(builder, RATE)
    with pytest.raises(TooFast):
        write(builder, 1)
    office.clock.advance(60)

    write(builder, 1)


def test_a_clock_that_was_ahead_for_a_while_holds_up_nobody_for_longer_than_a_minute(office: Play) -> None:
    builder = office.as_("builder")
    office.clock.advance(3_600)
    write(builder, RATE)
    office.clock.advance(-3_600)

    for _ in range(120):
        office.clock.advance(60)
        write(builder, 1)


# -- limits


def test_limits_that_nobody_has_set_are_the_defaults(office: Play) -> None:
    with office.stranger.at_office() as at:
        assert at.budgets.allowance().limits == Limits(24, 30, False, 600_000)


def test_each_limit_is_set_by_itself_and_for_one_bag(office: Play) -> None:
    office.person.sets_limits("side", hops=5)
    office.person.sets_limits("side", rate=6)
    office.person.sets_limits("side", budgeted=True)
    office.person.sets_limits("side", task_return_min=7)

    with office.store() as store:
        assert store.index.budgets.limits("side") == Limits(5, 6, True, 420_000)
        assert store.index.budgets.limits("default") == Limits()
    assert office.person.sets_limits("side", budgeted=False, hops=9) == Limits(9, 6, False, 420_000)


@pytest.mark.parametrize(
    "setting", [{"hops": 0}, {"hops": LARGEST + 1}, {"rate": 0}, {"rate": LARGEST + 1}, {"task_return_min": 10_081}]
)
def test_a_limit_out_of_all_reason_is_refused(office: Play, setting: dict[str, Any]) -> None:
    with pytest.raises(InvalidField, match="it may be 1 to"):
        office.person.sets_limits(**setting)

    assert office.entries() == 0


def test_no_query_of_a_letters_cost_reads_a_whole_table(office: Play) -> None:
    office.person.opens_budget(5)
    found: list[str] = []
    with office.store() as store:
        tables: Any = store.index
        rows: Callable[..., Any] = tables._tables.rows

        def explained(statement: str, values: Any = ()) -> Any:
            found.extend(row[3] for row in rows(f"EXPLAIN QUERY PLAN {statement}", values))
            return rows(statement, values)

        tables._tables.rows = explained
        tables.standing("default", "builder")
        tables.budgets.last("default")
        tables.budgets.limits("default")

    assert found
    scanned = {line.split()[1] for line in found if line.startswith("SCAN")}
    assert scanned & {"entries", "letters", "budgets", "limits", "l", "b"} == set()
