"""The table of docs/clients-claude-code.md, section 1: what was handed by which event, and what proves it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.clients.life import my_life
from mailstop.rules.hands import Hand
from mailstop.rules.proofs import ANSWER_OVER, CALL, PROMPT, STOP, TOOL, Event, judge

LATER = (TOOL, ANSWER_OVER, STOP)  # what only a later request of the model can cause, once this answer is over

OPENING = Hand("opening prompt", "default", "reader", (1,), turn="T", ready=True)
ANSWER_END = Hand("end of an answer", "default", "reader", (2,), turn="T", ready=True)
STOPPED = Hand("stop", "default", "reader", (3,), turn="T", ready=True)
AFTER_TOOL = Hand("after a tool", "default", "reader", (4,), turn="T")
TYPED = Hand("text typed into a running turn", "default", "reader", (5,), turn="T")
PRINTED = Hand("a command's output", "default", "reader", (6,))


def after(hand: Hand, *events: Event) -> str:
    """What has become of a hand: shown, open or given up."""
    for event in events:
        verdict = judge([hand], event)
        if verdict.shown:
            return "shown"
        if verdict.given_up:
            return "given up"
        (hand,) = verdict.kept
    return "open"


def of_turn(*kinds: str, turn: str = "T") -> list[Event]:
    """Events of one turn."""
    return [Event(kind, turn) for kind in kinds]


@pytest.mark.parametrize("hand", [OPENING, ANSWER_END, STOPPED], ids=lambda hand: str(hand.id))
@pytest.mark.parametrize("kind", LATER)
def test_what_goes_with_the_next_request_is_shown_by_the_next_event(hand: Hand, kind: str) -> None:
    assert after(hand, *of_turn(kind)) == "shown"


@pytest.mark.parametrize("hand", [AFTER_TOOL, TYPED, PRINTED], ids=lambda hand: str(hand.id))
@pytest.mark.parametrize("kind", LATER)
def test_what_may_wait_for_the_end_of_an_answer_is_shown_by_what_comes_after_that(hand: Hand, kind: str) -> None:
    assert after(hand, *of_turn(TOOL, TOOL)) == "open"
    assert after(hand, *of_turn(TOOL, ANSWER_OVER)) == "open"
    assert after(hand, *of_turn(TOOL, ANSWER_OVER, kind)) == "shown"


def test_text_typed_while_the_last_answer_comes_is_shown_by_the_turn_that_follows() -> None:
    assert after(TYPED, *of_turn(STOP)) == "open"
    for kind in LATER:
        assert after(TYPED, *of_turn(STOP), *of_turn(kind, turn="U")) == "shown"


def test_text_typed_while_the_last_answer_comes_is_offered_again_when_that_turn_was_cut() -> None:
    assert after(TYPED, *of_turn(STOP), *of_turn(PROMPT, turn="U")) == "given up"


def test_a_commands_output_in_an_answer_that_never_ended_is_offered_again() -> None:
    assert after(PRINTED, *of_turn(STOP)) == "given up"


@pytest.mark.parametrize("hand", [OPENING, ANSWER_END, STOPPED, AFTER_TOOL, TYPED], ids=lambda hand: str(hand.id))
@pytest.mark.parametrize("kind", [PROMPT, *LATER])
def test_an_event_of_another_turn_proves_nothing_and_ends_the_lease(hand: Hand, kind: str) -> None:
    assert after(hand, *of_turn(kind, turn="U")) == "given up"


@pytest.mark.parametrize(
    "hand", [OPENING, ANSWER_END, STOPPED, AFTER_TOOL, TYPED, PRINTED], ids=lambda hand: str(hand.id)
)
def test_a_prompt_in_the_same_turn_proves_nothing(hand: Hand) -> None:
    assert after(hand, *of_turn(PROMPT, PROMPT)) == "open"


@pytest.mark.parametrize("kind", [PROMPT, CALL, *LATER])
def test_nothing_is_proved_of_what_is_still_being_written(kind: str) -> None:
    writing = OPENING.but(writer={"pid": 1})

    assert judge([writing], Event(kind, "T")).kept == (writing,)
    assert judge([writing], Event(kind, "U")).kept == (writing,)


def test_what_a_process_was_writing_that_nobody_can_see_is_offered_again_when_the_turn_is_over() -> None:
    hidden = PRINTED.but(writer=my_life().but(namespace="another").as_dict())

    assert after(hidden, *of_turn(TOOL, ANSWER_OVER)) == "open"
    assert after(hidden, *of_turn(STOP)) == "given up"


def test_the_call_of_a_program_proves_whatever_it_was_given() -> None:
    assert after(PRINTED, Event(CALL)) == "shown"


def test_what_the_clients_own_record_shows_is_shown_whatever_the_turn() -> None:
    for hand in (OPENING, AFTER_TOOL, PRINTED):
        assert after(hand, Event(PROMPT, "U", sent=frozenset({hand.id}))) == "shown"


def test_each_hand_is_judged_by_itself() -> None:
    verdict = judge([OPENING, AFTER_TOOL, OPENING.but(id="old", turn="S")], Event(ANSWER_OVER, "T"))

    assert [hand.id for hand in verdict.shown] == ["opening prompt"]
    assert [hand.id for hand in verdict.kept] == ["after a tool"]
    assert [hand.id for hand in verdict.given_up] == ["old"]


_hands = st.builds(
    Hand,
    st.uuids().map(str),
    st.just("default"),
    st.just("reader"),
    st.just((1,)),
    turn=st.sampled_from(("", "T", "U")),
    ready=st.booleans(),
    writer=st.none() | st.just({"pid": 1}),
)
_events = st.builds(Event, st.sampled_from((PROMPT, CALL, *LATER)), st.sampled_from(("", "T", "U")))


@given(st.lists(_hands, max_size=5, unique_by=lambda hand: hand.id), _events)
def test_no_hand_is_lost_or_doubled_by_any_event(hands: list[Hand], event: Event) -> None:
    verdict = judge(hands, event)

    assert sorted(hand.id for hand in (*verdict.shown, *verdict.kept, *verdict.given_up)) == sorted(
        hand.id for hand in hands
    )


@given(_hands, st.lists(_events, max_size=6))
def test_a_prompt_alone_never_shows_anything(hand: Hand, events: list[Event]) -> None:
    assert after(hand, *(event.but(kind=PROMPT) for event in events)) != "shown"
