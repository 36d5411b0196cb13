"""Replies: to the author, in the letter's bag, part of its conversation."""

from __future__ import annotations

import pytest

from mailstop.errors import MustJoin, NoReply, UnknownNumber
from tests.conformance.play import Play


def test_a_reply_goes_to_the_author_and_refers_to_the_letter(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer", body="fine?").letter

    answer = office.as_("reviewer").reply(asked.n, "yes").letter

    assert (answer.sender, answer.to, answer.ref, answer.thread) == ("reviewer", ("builder",), asked.n, asked.n)
    assert office.as_("builder").reads() == ["yes"]


def test_a_reply_to_all_goes_to_the_other_recipients_too(office: Play) -> None:
    for name in ("reviewer", "tester"):
        office.as_(name)
    asked = office.as_("builder").send("reviewer", "tester", "human").letter

    assert office.as_("reviewer").reply(asked.n, to_all=True).letter.to == ("builder", "tester", "human")
    assert office.as_("tester").reply(asked.n).letter.to == ("builder",)


def test_a_reply_answers_the_letter(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer").letter
    office.as_("reviewer").reads()

    answer = office.as_("reviewer").reply(asked.n).letter

    assert office.state(asked.n, "reviewer") == "answered"
    assert office.receipts(asked.n)[-1].evidence == f"letter {answer.n}"
    (delivery,) = office.as_("builder").account(asked.n).deliveries
    assert delivery.answered == answer.n


def test_an_answered_letter_is_not_offered_again_though_nothing_else_proved_it(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer").letter
    office.as_("reviewer").check()
    office.as_("reviewer").reply(asked.n)
    office.as_("reviewer").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reviewer")

    assert successor.peek() == []


def test_of_several_answers_the_first_counts(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer").letter
    first = office.as_("reviewer").reply(asked.n).letter
    office.as_("reviewer").reply(asked.n, "and another thing")

    (delivery,) = office.as_("builder").account(asked.n).deliveries
    assert delivery.answered == first.n
    assert office.states(asked.n).count("answered") == 1


def test_a_letter_to_others_that_only_refers_to_one_does_not_answer_it(office: Play) -> None:
    for name in ("reviewer", "tester"):
        office.as_(name)
    asked = office.as_("builder").send("reviewer", needs_reply=True).letter
    office.as_("reviewer").reads()

    office.as_("reviewer").send("tester", body="can you take this?", ref=asked.n)

    assert office.state(asked.n, "reviewer") == "shown"
    assert [letter.n for letter in office.as_("reviewer").start().owed] == [asked.n]


def test_the_reply_of_somebody_else_does_not_answer_for_a_recipient(office: Play) -> None:
    for name in ("reviewer", "tester"):
        office.as_(name)
    asked = office.as_("builder").send("reviewer").letter

    office.as_("tester").reply(asked.n, "I saw it too")

    assert office.state(asked.n, "reviewer") == "stored"


def test_replies_of_replies_are_one_conversation(office: Play) -> None:
    office.as_("reviewer")
    first = office.as_("builder").send("reviewer").letter
    second = office.as_("reviewer").reply(first.n).letter
    office.as_("builder").send("reviewer", body="something else")
    third = office.as_("builder").reply(second.n).letter

    with office.stranger.at_office() as at:
        thread = [record.n for record in at.reading.read(thread=third.n).records]

    assert thread == [first.n, second.n, third.n]


def test_a_reply_goes_into_the_bag_of_its_letter(office: Play) -> None:
    for name in ("builder", "reviewer"):
        office.as_(name).join(name, "side")
    asked = office.as_("builder").send("reviewer", bag="side").letter

    answer = office.as_("reviewer").reply(asked.n).letter

    assert answer.bag == "side"
    assert office.as_("builder").check("default").letters == ()
    assert [letter.n for letter in office.as_("builder").check("side").letters] == [answer.n]


def test_a_reply_goes_to_the_seat_though_its_author_has_left(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer").letter
    office.as_("builder").die()
    office.as_("reviewer").reply(asked.n, "for your successor")
    successor = office.player()
    successor.start(automatic=False)
    successor.join("builder")

    assert successor.reads() == ["for your successor"]


def test_nobody_answers_their_own_letter(office: Play) -> None:
    office.as_("reviewer")
    asked = office.as_("builder").send("reviewer").letter

    with pytest.raises(NoReply):
        office.as_("builder").reply(asked.n)
    assert office.as_("builder").reply(asked.n, "one more thing", to_all=True).letter.to == ("reviewer",)


def test_a_reply_to_no_letter_is_refused(office: Play) -> None:
    with pytest.raises(UnknownNumber):
        office.as_("builder").reply(99)


def test_a_reply_needs_a_seat_in_the_letters_bag(office: Play) -> None:
    for name in ("builder", "reviewer"):
        office.as_(name).join(name, "side")
    asked = office.as_("builder").send("reviewer", bag="side").letter

    with pytest.raises(MustJoin, match="--bag side"):
        office.as_("outsider").reply(asked.n)


def test_the_person_answers_as_the_person(office: Play) -> None:
    asked = office.as_("builder").send("human", kind="question").letter

    office.person.reply(asked.n, "go on")

    (letter,) = office.as_("builder").check().letters
    assert (letter.sender, letter.body) == ("human", "go on")
    assert office.state(asked.n, "human") == "answered"
