"""Questions: one seat is asked, and gives one answer; what its asker sees meanwhile, and who may do what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from mailstop import bells
from mailstop.acts.asks import EMPTY, IDLE, PENDING
from mailstop.ask import ANSWERED, CANCELED
from mailstop.engines.memory.store import World
from mailstop.errors import (
    AlreadyAnswered,
    AskCanceled,
    InvalidField,
    KeyReused,
    MailstopError,
    MustJoin,
    NoChoices,
    NotAQuestion,
    NotAsked,
    NotOneOfTheChoices,
    OwnSeat,
    UnknownNumber,
    UnknownQuestion,
    UnknownSeat,
)
from mailstop.letter import Letter
from mailstop.names import PERSON
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer


def pair(office: Play) -> tuple[SessionPlayer, SessionPlayer]:
    """A builder, who asks, and a reviewer."""
    return office.as_("builder"), office.as_("reviewer")


def shown(player: SessionPlayer) -> list[str]:
    """What a turn of the player's shows it: it is prompted, and goes on."""
    bodies = [letter.body for letter in player.prompted().letters]
    player.goes_on()
    return bodies


# -- asking and answering


def test_a_question_says_that_it_asks_and_of_what_to_choose(office: Play) -> None:
    builder, reviewer = pair(office)

    asked = builder.ask("reviewer", "may I?", choices=[" yes ", "no"])

    (question,) = reviewer.check().letters
    assert question == asked.question
    assert (question.kind, question.needs_reply, question.asks) == ("question", True, True)
    assert question.choices == ("yes", "no")
    assert builder.look(asked).state == PENDING


def test_the_answer_comes_back_to_who_asked_and_ends_the_wait(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")

    answer = reviewer.answer(asked.question.n, "go ahead").letter

    outcome = builder.look(asked)
    assert (outcome.state, outcome.answer, outcome.by) == (ANSWERED, answer, "reviewer")
    assert (answer.to, answer.kind, answer.ref, answer.final) == (("builder",), "answer", asked.question.n, True)
    assert [letter.body for letter in builder.check().letters] == ["go ahead"]


def test_an_answer_rings_for_who_waits(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    bells.silence(builder.found.bell)

    reviewer.answer(asked.question.n)

    assert bells.is_ringing(builder.found.bell)


def test_an_answer_rings_also_for_who_waits_at_another_seat_by_now(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    builder.join("elsewhere")
    bells.silence(builder.found.bell)

    reviewer.answer(asked.question.n)

    assert bells.is_ringing(builder.found.bell)


def test_a_second_answer_is_refused_and_names_the_first(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    first = reviewer.answer(n, "yes").letter

    with pytest.raises(AlreadyAnswered, match=f"letter {first.n}, by reviewer"):
        reviewer.answer(n, "no")

    assert [letter.body for letter in builder.check().letters] == ["yes"]


def test_of_many_answers_at_once_one_counts(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n

    def answer(body: str) -> object:
        try:
            return reviewer.answer(n, body)
        except AlreadyAnswered as refusal:
            return refusal

    outcomes = at_once(*(partial(answer, body) for body in "abcdefgh"))

    assert sum(isinstance(outcome, AlreadyAnswered) for outcome in outcomes) == 7
    (letter,) = builder.check().letters
    with pytest.raises(AlreadyAnswered, match=f"letter {letter.n},"):
        reviewer.answer(n)


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_an_answer_between_a_look_and_an_append_refuses_the_second(office: Play, world: World) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    world.meanwhile(lambda: reviewer.answer(n, "first"))

    with pytest.raises(AlreadyAnswered):
        reviewer.answer(n, "second")

    assert [letter.body for letter in builder.check().letters] == ["first"]


def test_an_answer_that_is_repeated_with_its_key_is_stored_once(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n

    first = reviewer.answer(n, "yes", key="k")
    again = reviewer.answer(n, "yes", key="k")

    assert (first.new, again.new, again.letter.n) == (True, False, first.letter.n)
    with pytest.raises(KeyReused):
        reviewer.answer(n, "no", key="k")


def test_a_question_that_is_repeated_with_its_key_is_asked_once_and_waited_for_again(office: Play) -> None:
    builder, reviewer = pair(office)
    first = builder.ask("reviewer", key="k", choices=["yes", "no"])
    builder.rest(first)

    again = builder.ask("reviewer", key="k", choices=["yes", "no"])

    assert (again.question.n, again.new) == (first.question.n, False)
    assert again.wait
    with pytest.raises(KeyReused):
        builder.ask("reviewer", key="k", choices=["yes", "perhaps"])
    assert len(reviewer.check().letters) == 1


def test_a_letter_of_the_same_words_and_key_is_no_question(office: Play) -> None:
    builder, _ = pair(office)
    builder.send("reviewer", body="may I?", kind="question", needs_reply=True, key="k")

    with pytest.raises(KeyReused):
        builder.ask("reviewer", "may I?", key="k")


def test_a_reply_of_the_seat_that_was_asked_is_the_answer_and_a_second_reply_a_letter(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")

    answer = reviewer.reply(asked.question.n, "by reply").letter
    reviewer.reply(asked.question.n, "and another thing")

    outcome = builder.look(asked)
    assert (outcome.state, outcome.answer) == (ANSWERED, answer)
    assert [letter.body for letter in builder.check().letters] == ["by reply", "and another thing"]


def test_a_reply_that_is_repeated_with_its_key_is_one_answer(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")

    first = reviewer.reply(asked.question.n, key="k")
    again = reviewer.reply(asked.question.n, key="k")

    assert (again.new, again.letter.n) == (False, first.letter.n)
    assert builder.look(asked).answer == first.letter


def test_a_reply_of_somebody_else_answers_nothing(office: Play) -> None:
    builder, _ = pair(office)
    asked = builder.ask("reviewer")

    office.as_("tester").reply(asked.question.n, "I think so")

    assert builder.look(asked).state == PENDING


# -- choices


def test_a_choice_is_given_by_its_number_or_by_its_words(office: Play) -> None:
    builder, reviewer = pair(office)
    one, two, three = (builder.ask("reviewer", choices=["2", "no", "later"]).question.n for _ in range(3))

    assert reviewer.answer(one, choice=2).letter.body == "no"
    assert reviewer.answer(two, "2\n").letter.body == "2"
    assert reviewer.reply(three, "later").letter.body == "later"


def test_what_is_none_of_the_choices_is_refused_with_their_list(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer", choices=["yes", 'say "no"'])
    attempts: list[Callable[[], object]] = [
        lambda: reviewer.answer(asked.question.n, "perhaps"),
        lambda: reviewer.answer(asked.question.n, choice=3),
        lambda: reviewer.reply(asked.question.n, "perhaps"),
    ]

    for attempt in attempts:
        with pytest.raises(NotOneOfTheChoices) as refusal:
            attempt()
        assert """1 "yes", 2 "say 'no'\"""" in refusal.value.message
    assert builder.look(asked).state == PENDING


def test_a_choice_where_there_are_none_is_refused(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n

    with pytest.raises(NoChoices):
        reviewer.answer(n, choice=1)


@pytest.mark.parametrize("choices", [["x" * 81], ["two\nlines"], [" "], ["a", " a"], [str(k) for k in range(9)]])
def test_choices_that_cannot_be_shown_are_refused_and_nothing_is_stored(office: Play, choices: list[str]) -> None:
    builder, _ = pair(office)

    with pytest.raises(InvalidField):
        builder.ask("reviewer", choices=choices)

    assert office.letters() == []
    assert office.rows("waits") == []


# -- who may


def test_an_answer_that_is_no_choice_to_a_question_that_has_its_answer_is_told_of_the_first(office: Play) -> None:
    n = office.as_("builder").ask("human", choices=("yes", "no"), wait_s=0).question.n
    first = office.person.answer(n, "yes").letter

    with pytest.raises(AlreadyAnswered, match=str(first.n)):
        office.person.answer(n, "perhaps")


def test_only_the_seat_that_was_asked_answers(office: Play) -> None:
    builder, _ = pair(office)
    asked = builder.ask("reviewer")
    before = office.entries()

    for other in (office.as_("tester"), office.person, builder):
        with pytest.raises(NotAsked, match="asked of seat 'reviewer'"):
            other.answer(asked.question.n)
    with pytest.raises(MustJoin):
        office.stranger.answer(asked.question.n)

    assert office.entries() == before + 1  # the tester sat down
    assert builder.look(asked).state == PENDING


def test_nobody_answers_for_a_seat_that_nobody_has_taken(office: Play) -> None:
    builder = office.as_("builder")
    n = builder.ask("reviewer", hold=True).question.n

    for other in (office.as_("tester"), office.person, builder):
        with pytest.raises(NotAsked):
            other.answer(n)
    with builder.at_office() as at:
        assert [each.ask.n for each in at.asks.listed()[0]] == [n]


def test_a_question_never_expires(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    office.clock.advance(366 * 24 * 3600)
    with office.stranger.at_office() as at:
        at.do_due_work()

    assert [letter.n for letter in reviewer.check().letters] == [asked.question.n]
    assert reviewer.answer(asked.question.n).new
    assert builder.look(asked).state == ANSWERED


def test_a_letter_that_was_not_asked_is_no_question(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.send("reviewer", kind="question", needs_reply=True).letter.n

    with pytest.raises(NotAQuestion):
        reviewer.answer(n)
    with pytest.raises(UnknownNumber):
        reviewer.answer(n + 100)


def gone(player: Player, n: int) -> str:
    """What one is told who looks at that question."""
    with player.at_office() as office, pytest.raises(UnknownQuestion) as refusal:
        office.asks.look(n)
    return str(refusal.value.message)


def test_another_than_the_asker_is_told_what_is_told_of_a_missing_question(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    reviewer.answer(n)

    for other in (reviewer, office.as_("tester"), office.person, office.stranger):
        assert gone(other, n) == gone(other, n + 100).replace(str(n + 100), str(n))
        with pytest.raises(UnknownQuestion):
            other.resume(n)


def test_a_mistyped_number_is_answered_with_the_nearest_of_ones_own(office: Play) -> None:
    builder, _ = pair(office)
    n = builder.ask("reviewer").question.n

    assert f"(nearest: {n})" in gone(builder, n + 1)


def test_nobody_asks_their_own_seat_or_one_that_is_not_there(office: Play) -> None:
    builder, _ = pair(office)

    with pytest.raises(OwnSeat):
        builder.ask("builder")
    with pytest.raises(UnknownSeat, match="nearest: reviewer"):
        builder.ask("reviewr")
    with pytest.raises(MustJoin):
        office.stranger.ask("reviewer")
    assert office.letters() == []
    assert office.rows("waits") == []


def test_a_question_in_another_bag_is_answered_there(office: Play) -> None:
    builder, reviewer = pair(office)
    for player, name in ((builder, "builder"), (reviewer, "reviewer")):
        player.join(name, "side")

    asked = builder.ask("reviewer", bag="side")

    assert reviewer.answer(asked.question.n).letter.bag == "side"
    assert builder.look(asked).state == ANSWERED


# -- an empty seat


def test_a_seat_that_is_empty_ends_the_wait_and_the_question_is_kept(office: Play) -> None:
    builder, reviewer = pair(office)
    reviewer.leave()
    since = office.seat("reviewer").since

    outcome = builder.look(builder.ask("reviewer"))

    assert (outcome.state, outcome.since) == (EMPTY, since)
    assert office.letters() == ["may I?"]


@pytest.mark.parametrize("how", ["leaves", "dies", "ends", "moves"])
def test_a_seat_that_becomes_empty_ends_the_wait(office: Play, how: str) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    bells.silence(builder.found.bell)

    acts: dict[str, Callable[[], object]] = {
        "leaves": reviewer.leave,
        "dies": reviewer.die,
        "ends": reviewer.end,
        "moves": lambda: reviewer.join("other"),
    }
    acts[how]()

    assert builder.look(asked).state == EMPTY
    assert bells.is_ringing(builder.found.bell) == (how != "dies")  # of which the system tells


def test_the_seats_next_holder_answers_once_and_wakes_the_asker(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    reviewer.die()
    assert builder.rest(asked).state == EMPTY
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reviewer")
    bells.silence(builder.found.bell)

    answer = successor.answer(asked.question.n, "late").letter

    assert bells.is_ringing(builder.found.bell)
    assert builder.look(asked).answer == answer
    with pytest.raises(AlreadyAnswered):
        successor.answer(asked.question.n)


def test_a_question_may_wait_for_a_seat_that_nobody_has_taken_yet(office: Play) -> None:
    asked = office.as_("builder").ask("reviewer", hold=True)

    assert office.as_("builder").look(asked).state == EMPTY
    assert office.as_("reviewer").answer(asked.question.n).new


def test_the_askers_successor_gets_the_answer_too(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    builder.die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("builder")
    reviewer.answer(asked.question.n, "for whoever sits there")

    assert successor.look(successor.resume(asked.question.n)).state == ANSWERED
    assert successor.peek() == ["for whoever sits there"]


# -- a session that comes to rest without an answer


def test_who_waits_hears_that_the_session_came_to_rest(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    shown(reviewer)
    bells.silence(builder.found.bell)

    reviewer.stops()

    assert bells.is_ringing(builder.found.bell)
    assert builder.look(asked).state == IDLE
    assert builder.rest(asked).state == IDLE
    assert builder.peek() == []


def test_what_came_just_before_the_time_was_over_is_heard_at_the_end(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer", wait_s=10)
    shown(reviewer)
    reviewer.stops()
    office.clock.advance(11)

    assert builder.rest(asked).state == IDLE
    assert office.rows("waits") == []


def test_who_waits_no_longer_is_told_once(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    builder.rest(asked)

    for _ in range(3):
        shown(reviewer)
        reviewer.stops()

    (notice,) = builder.check().letters
    assert (notice.sender, notice.kind, notice.ref, notice.final) == ("postmaster", "fyi", asked.question.n, True)
    assert f"question {asked.question.n} and ended its turn without an answer" in notice.body
    assert builder.look(asked).state == PENDING


@pytest.mark.parametrize("waits", [True, False])
def test_who_has_heard_that_a_session_came_to_rest_is_not_rung_again(office: Play, waits: bool) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    if not waits:
        builder.rest(asked)
    shown(reviewer)
    reviewer.stops()
    assert bells.is_ringing(builder.found.bell)
    bells.silence(builder.found.bell)

    reviewer.turn = "another"
    reviewer.stops()

    assert not bells.is_ringing(builder.found.bell)
    assert len(builder.peek()) == (0 if waits else 1)


def test_a_session_that_was_not_shown_the_question_has_left_nothing_unanswered(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    reviewer.turn = "1"

    reviewer.stops()

    assert builder.look(asked).state == PENDING


def test_a_successor_that_was_not_shown_the_question_has_left_nothing_unanswered(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    shown(reviewer)
    reviewer.die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reviewer")
    successor.turn = "1"

    successor.stops()

    assert builder.look(asked).state == PENDING


@pytest.mark.parametrize("why", ["goes_on", "agents"])
def test_a_session_that_still_works_has_not_come_to_rest(office: Play, why: str) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    shown(reviewer)

    with reviewer.at_office() as at:
        at.end_turn(**{why: True})

    assert builder.look(asked).state == PENDING


def test_a_session_that_answered_is_at_rest_with_nothing_to_tell(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    shown(reviewer)
    reviewer.answer(asked.question.n)
    reviewer.stops()

    assert builder.rest(asked).state == ANSWERED
    assert len(builder.check().letters) == 1


# -- withdrawing


def notices(player: SessionPlayer) -> list[Letter]:
    return [letter for letter in player.check().letters if letter.sender == "postmaster"]


def test_a_question_that_was_withdrawn_is_not_answered_any_more(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    bells.silence(builder.found.bell)

    builder.cancel(asked.question.n)

    assert bells.is_ringing(builder.found.bell)
    assert (builder.look(asked).state, builder.look(asked).by) == (CANCELED, "builder")
    with pytest.raises(AskCanceled, match="withdrawn by builder at"):
        reviewer.answer(asked.question.n)
    with pytest.raises(AskCanceled):
        builder.cancel(asked.question.n)
    assert builder.peek() == []


def test_who_has_not_seen_the_question_is_not_told_that_it_was_withdrawn_but_sees_so_when_it_is_shown(
    office: Play,
) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n

    assert builder.cancel(n) is False

    offer = reviewer.check()
    assert [letter.n for letter in offer.letters] == [n]
    assert "This question was withdrawn by builder at" in offer.text
    assert "mailstop answer" not in offer.text


@pytest.mark.parametrize("how", ["shown", "handed", "being written"])
def test_who_may_have_seen_the_question_is_told_that_it_was_withdrawn(office: Play, how: str) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    acts: dict[str, Callable[[], object]] = {
        "shown": lambda: shown(reviewer),
        "handed": reviewer.check,
        "being written": reviewer.offered,
    }
    acts[how]()

    assert builder.cancel(n) is True

    (notice,) = notices(reviewer)
    assert (notice.kind, notice.ref, notice.final) == ("fyi", n, True)
    assert notice.body == f"Question {n} was withdrawn by builder: no answer is needed any more."
    reviewer.goes_on()
    assert reviewer.clear().owed == ()


def test_the_person_withdraws_any_question(office: Play) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    shown(reviewer)

    office.person.cancel(asked.question.n)

    assert "withdrawn by the person" in notices(reviewer)[0].body
    assert builder.look(asked).by == PERSON


def test_nobody_else_withdraws_a_question(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n

    for other in (reviewer, office.as_("tester"), office.stranger):
        with pytest.raises(UnknownQuestion):
            other.cancel(n)


def test_what_was_answered_is_not_withdrawn(office: Play) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    reviewer.answer(n)

    with pytest.raises(AlreadyAnswered):
        builder.cancel(n)
    with pytest.raises(AlreadyAnswered):
        office.person.cancel(n)


def test_who_withdraws_too_late_is_told_how_to_write_to_the_other_side_and_not_to_itself(office: Play) -> None:
    builder, reviewer = pair(office)
    answered, withdrawn = (builder.ask("reviewer").question.n for _ in range(2))
    answer = reviewer.answer(answered).letter.n
    builder.cancel(withdrawn)

    with pytest.raises(AlreadyAnswered, match=f": mailstop reply {answer} -$"):
        builder.cancel(answered)
    with pytest.raises(AskCanceled, match=f": mailstop send reviewer --ref {withdrawn} -$"):
        builder.cancel(withdrawn)
    with pytest.raises(AlreadyAnswered, match=f": mailstop reply {answered} -$"):
        reviewer.answer(answered)


def test_of_an_answer_and_a_withdrawal_at_once_one_counts(office: Play) -> None:
    builder, reviewer = pair(office)

    def attempt(act: Callable[[int], object], n: int) -> bool:
        try:
            act(n)
        except (AlreadyAnswered, AskCanceled):
            return False
        return True

    for _ in range(5):
        asked = builder.ask("reviewer")
        shown(reviewer)
        n = asked.question.n

        done = at_once(partial(attempt, reviewer.answer, n), partial(attempt, builder.cancel, n))

        assert sorted(map(bool, done)) == [False, True]
        assert builder.rest(asked).state == (ANSWERED if done[0] else CANCELED)


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_question_that_is_shown_while_it_is_withdrawn_is_told_of(office: Play, world: World) -> None:
    builder, reviewer = pair(office)
    n = builder.ask("reviewer").question.n
    world.meanwhile(lambda: shown(reviewer))

    assert builder.cancel(n) is True

    assert len(notices(reviewer)) == 1


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("seen", [False, True])
def test_a_seat_that_was_lost_withdraws_nothing(office: Play, world: World, seen: bool) -> None:
    builder, reviewer = pair(office)
    asked = builder.ask("reviewer")
    if seen:
        shown(reviewer)
    world.meanwhile(builder.leave)

    with pytest.raises(MailstopError):
        builder.cancel(asked.question.n)

    assert reviewer.answer(asked.question.n).new


# -- the person


def test_the_person_is_asked_and_answers(office: Play) -> None:
    builder = office.as_("builder")
    asked = builder.ask(PERSON, choices=["yes", "no"])
    assert builder.look(asked).state == PENDING

    office.person.answer(asked.question.n, choice=1)

    assert builder.look(asked).state == ANSWERED


def test_the_person_asks_and_waits(office: Play) -> None:
    reviewer = office.as_("reviewer")
    asked = office.person.ask("reviewer")
    bells.silence(PERSON)

    reviewer.answer(asked.question.n, "done")

    assert bells.is_ringing(PERSON)
    assert office.person.look(asked).state == ANSWERED
    assert office.person.reads() == ["done"]


def test_what_waits_for_the_person_is_counted_with_its_age(office: Play) -> None:
    builder = office.as_("builder")
    first = builder.ask(PERSON).question
    office.clock.advance(3600)
    second = builder.ask(PERSON).question
    builder.ask("reviewer", hold=True)

    with office.person.at_office() as at:
        assert at.reading.myself().asked == (first, second)
        found, left = at.asks.listed(given=True)
    assert ([each.ask.n for each in found], left) == ([first.n, second.n], 0)
    assert [office.clock() - each.ask.at for each in found] == [3_600_000, 0]


# -- the list


def test_open_questions_are_listed_and_ended_ones_are_not(office: Play) -> None:
    builder, reviewer = pair(office)
    one, two, three, four = (builder.ask("reviewer", wait_s=0).question.n for _ in range(4))
    five = reviewer.ask("builder").question.n
    reviewer.answer(two)
    builder.cancel(three)

    def listed(player: Player, *, mine: bool = False, given: bool = False) -> list[int]:
        with player.at_office() as at:
            return [each.ask.n for each in at.asks.listed(mine=mine, given=given)[0]]

    assert listed(office.stranger) == [one, four, five]
    assert listed(builder, mine=True) == listed(reviewer, given=True) == [one, four]
    assert listed(builder, given=True) == [five]
    assert listed(office.as_("tester"), given=True) == []
    with office.person.at_office() as at:
        found, left = at.asks.listed(limit=1)
    assert ([each.ask.n for each in found], left) == ([one], 2)


def test_the_list_says_who_waits_and_what_was_seen(office: Play) -> None:
    builder, reviewer = pair(office)
    builder.ask("reviewer", wait_s=0)
    shown(reviewer)
    builder.ask("reviewer")

    with builder.at_office() as at:
        found, _ = at.asks.listed()

    assert [(each.shown, each.waits) for each in found] == [(True, False), (False, True)]
