"""Receipts: what becomes of a letter, each state only on evidence; what is not proved shown is offered again."""

from __future__ import annotations

import pytest

from mailstop.errors import InvalidName, UnknownSeat
from mailstop.receipt import RANK
from mailstop.rules.proofs import ANSWER_OVER, CALL, PROMPT, STOP, TOOL, Event
from tests.conformance.play import Play


def sent(office: Play, body: str = "look", to: str = "reader") -> int:
    """A letter of the writer's to a reader who sits there; its number."""
    office.as_(to)
    return office.as_("writer").send(to, body=body).letter.n


# -- check: hand out, record, show


def test_a_check_leases_what_it_gives(office: Play) -> None:
    n = sent(office)

    first = office.as_("reader").offered()
    second = office.as_("reader").offered()

    assert [letter.n for letter in first.letters] == [n]
    assert second.letters == ()
    assert office.state(n, "reader") == "stored"


def test_a_look_leases_nothing(office: Play) -> None:
    n = sent(office)

    for _ in range(2):
        assert [letter.n for letter in office.as_("reader").offered(hands_out=False).letters] == [n]

    assert office.states(n) == []


def test_what_was_written_completely_is_handed_and_not_yet_shown(office: Play) -> None:
    n = sent(office)

    office.as_("reader").check()

    (receipt,) = office.receipts(n)
    assert (receipt.seat, receipt.state, receipt.evidence) == ("reader", "handed", "mailstop check")
    assert receipt.at == office.clock()
    assert office.as_("reader").account(n).deliveries[0].shown is False


def test_what_did_not_reach_its_reader_stays_stored_and_is_offered_again(office: Play) -> None:
    first = sent(office)
    reader = office.as_("reader")
    kept = reader.check()
    second = sent(office, "another")
    lost = reader.offered()

    for _ in range(2):
        with reader.at_office() as own:
            own.given_back(lost)

    assert office.states(second) == []
    assert [letter.n for letter in kept.letters] == [first]
    assert reader.goes_on() == (first,), "what reached it before is still in hand"
    assert [letter.n for letter in reader.offered().letters] == [second]


def test_what_was_handed_is_shown_by_what_only_a_later_request_can_cause(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()

    assert reader.prove(TOOL) == ()
    assert reader.prove(ANSWER_OVER) == ()
    assert reader.prove(TOOL, "PreToolUse") == (n,)

    assert office.states(n) == ["handed", "shown"]
    assert office.receipts(n)[-1].evidence == "PreToolUse after mailstop check"
    assert reader.peek() == []


def test_one_event_proves_once(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()
    reader.goes_on()

    assert reader.goes_on() == ()
    assert office.states(n) == ["handed", "shown"]


def test_letters_are_given_oldest_first_and_proved_by_one_entry(office: Play) -> None:
    numbers = [sent(office, str(count)) for count in range(3)]
    reader = office.as_("reader")
    before = office.entries()

    assert [letter.n for letter in reader.check().letters] == numbers
    reader.goes_on()

    assert office.entries() == before + 2
    assert all(office.states(n) == ["handed", "shown"] for n in numbers)


def test_a_check_killed_before_its_end_gives_up_what_it_leased(office: Play) -> None:
    n = sent(office)

    killed = office.as_("reader").check_killed_before_its_end()
    again = office.as_("reader").check()

    assert [letter.n for letter in killed.letters] == [n]
    assert [letter.n for letter in again.letters] == [n]
    assert office.states(n) == ["handed"]


def test_a_check_that_is_still_writing_keeps_what_it_leased(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    writing = reader.offered()

    reader.prove(ANSWER_OVER)
    reader.prove(TOOL)
    reader.prove(STOP)

    assert reader.peek() == []
    assert office.states(n) == []
    reader.hand(writing)
    assert reader.goes_on() == (n,)


def test_handed_letters_of_a_session_that_dies_are_offered_to_the_next_holder(office: Play) -> None:
    n = sent(office)
    office.as_("reader").check()
    office.as_("reader").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reader")

    assert [letter.n for letter in successor.check().letters] == [n]
    assert office.state(n, "reader") == "handed"


def test_handed_letters_of_a_session_that_ends_are_offered_when_it_resumes(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()
    reader.end()

    assert [letter.n for letter in reader.resumed().check().letters] == [n]


def test_shown_letters_are_not_offered_to_the_next_holder(office: Play) -> None:
    sent(office)
    office.as_("reader").reads()
    office.as_("reader").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reader")

    assert successor.peek() == []


def test_only_letters_of_a_seat_can_be_asked_for(office: Play) -> None:
    sent(office, "by the writer")
    office.as_("other").send("reader", body="by the other")
    reader = office.as_("reader")

    assert [letter.body for letter in reader.offered(sender="other", hands_out=False).letters] == ["by the other"]
    with pytest.raises(UnknownSeat, match="'othr' \\(nearest: other\\)"):
        reader.offered(sender="othr", hands_out=False)
    with pytest.raises(InvalidName):
        reader.offered(sender="no'body\ud800")


def test_one_delivery_keeps_within_its_bytes_and_says_what_is_left(office: Play) -> None:
    for count in range(8):
        sent(office, f"{count} " + "x" * 2000)
    reader = office.as_("reader")
    given: list[str] = []
    while (offer := reader.check()).letters:
        assert len(offer.text.encode()) <= 8000
        given += [letter.body[0] for letter in offer.letters]
        assert offer.more == 8 - len(given)

    assert given == list("01234567")


def test_a_letter_too_large_for_one_delivery_is_shown_in_part(office: Play) -> None:
    n = sent(office, "x" * 20_000)
    reader = office.as_("reader")

    assert [letter.n for letter in reader.check().letters] == [n]
    reader.goes_on()

    assert office.states(n) == ["handed", "shown in part"]
    assert reader.peek() == []


def test_more_letters_than_one_look_takes_are_all_given_once(office: Play) -> None:
    office.person.lifts_limits()
    numbers = [sent(office, f"{count}") for count in range(120)]
    reader = office.as_("reader")
    given: list[int] = []
    while (offer := reader.check(limit_bytes=4000)).letters:
        given += [letter.n for letter in offer.letters]
        assert offer.more == 120 - len(given)

    assert given == numbers


# -- the person


def test_what_the_persons_terminal_printed_is_shown(office: Play) -> None:
    n = office.as_("writer").send("human", body="hello").letter.n

    assert office.person.reads() == ["hello"]

    assert office.states(n) == ["shown"]
    assert office.person.peek() == []


def test_what_was_leased_for_the_person_and_not_printed_is_offered_again(office: Play) -> None:
    office.as_("writer").send("human", body="hello")

    office.person.check_killed_before_its_end()

    assert office.person.reads() == ["hello"]


# -- programs


def test_a_program_proves_what_it_was_given_by_its_next_call(office: Play) -> None:
    script = office.player("program")
    script.start(automatic=False)
    script.join("script")
    n = office.as_("writer").send("script").letter.n
    script.check()

    with script.at_office() as at:
        at.called()

    assert office.states(n) == ["handed", "shown"]
    assert office.receipts(n)[-1].evidence == "its next call after mailstop check"


def test_the_call_of_a_client_proves_nothing(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()

    with reader.at_office() as at:
        at.called()

    assert office.states(n) == ["handed"]


# -- turns: docs/clients-claude-code.md, section 1


def test_what_a_prompt_that_opens_a_turn_brought_is_shown_by_the_next_event(office: Play) -> None:
    for kind in (TOOL, ANSWER_OVER, STOP):
        n = sent(office, kind)
        reader = office.as_("reader")
        reader.turn = kind
        reader.hook(ready=True)

        assert reader.prove(kind) == (n,)


def test_what_was_given_in_an_interrupted_turn_is_offered_again_in_the_next(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.prompted()

    again = reader.prompted()

    assert [letter.n for letter in again.letters] == [n]
    assert office.states(n) == ["handed", "handed"]


def test_an_event_of_another_turn_proves_nothing(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.turn = "1"
    reader.hook()
    reader.turn = "2"

    assert reader.prove(TOOL) == ()
    assert office.states(n) == ["handed"]
    assert reader.peek() == ["look"]


def test_what_a_stop_hook_gave_is_shown_by_the_next_stop_of_its_turn(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.turn = "1"
    reader.prove(STOP)
    reader.hook(act="Stop hook")

    assert reader.prove(STOP, "Stop") == (n,)


# -- states


def test_a_state_never_moves_back(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()
    reader.clear()
    with reader.monitor():
        reader.monitor_rings()

    assert office.states(n) == ["handed", "notified"]
    assert office.state(n, "reader") == "handed"
    reader.reads()
    assert office.state(n, "reader") == "shown"
    reader.reply(n)
    assert office.state(n, "reader") == "answered"


def test_every_state_that_is_recorded_has_its_rank(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.reads()
    reader.reply(n)

    assert {*office.states(n), "stored"} <= set(RANK)


def test_the_account_of_a_letter_says_all_that_is_proved(office: Play) -> None:
    for name in ("first", "second"):
        office.as_(name)
    n = office.as_("writer").send("first", "second").letter.n
    office.as_("first").reads()
    office.as_("second").die()

    account = office.stranger.account(n)

    assert [delivery.state for delivery in account.deliveries] == ["shown", "stored"]
    assert [holder.alive for holder in account.holders] == [True, False]
    assert [(receipt.seat, receipt.state) for receipt in account.receipts] == [("first", "handed"), ("first", "shown")]


# -- whoever lost the seat


def test_a_session_that_lost_its_seat_proves_nothing_there(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()
    reader.leave()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("reader")

    assert reader.goes_on() == ()

    assert office.states(n) == ["handed"]
    assert successor.peek() == ["look"]


def test_a_session_that_comes_back_to_its_seat_may_prove_what_it_was_given(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.check()
    reader.leave()
    reader.join("reader")

    assert reader.goes_on() == (n,)


def test_two_events_at_once_judge_each_hand_once(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.turn = "1"
    reader.hook()
    with reader.at_office() as one, reader.at_office() as other:
        proved = [*one.prove(Event(TOOL, "1", "one")), *other.prove(Event(TOOL, "1", "other"))]

    assert proved == [n]
    assert office.states(n) == ["handed", "shown"]


def test_two_checks_of_one_session_at_once_give_each_letter_once(office: Play) -> None:
    for count in range(4):
        sent(office, str(count) + "x" * 3000)
    reader = office.as_("reader")
    with reader.at_office() as one, reader.at_office() as other:
        from mailstop.rules.offers import Terms

        first = one.offer(Terms("one", limit_bytes=5000))
        second = other.offer(Terms("other", limit_bytes=5000))

    assert [letter.body[0] for letter in (*first.letters, *second.letters)] == ["0", "1"]


def test_a_prompt_proves_nothing(office: Play) -> None:
    n = sent(office)
    reader = office.as_("reader")
    reader.turn = "1"
    reader.hook()

    assert reader.prove(PROMPT) == ()
    assert office.states(n) == ["handed"]


def test_a_call_of_a_program_does_not_prove_what_another_of_its_processes_still_writes(office: Play) -> None:
    script = office.player("program")
    script.start(automatic=False)
    script.join("script")
    n = office.as_("writer").send("script").letter.n
    script.offered()

    assert script.prove(CALL) == ()
    assert office.states(n) == []


def test_two_terminals_of_the_person_share_what_was_leased(office: Play) -> None:
    office.as_("writer").send("human", body="hello")

    first, second = office.person.offered(), office.person.offered()

    assert [letter.body for letter in first.letters] == ["hello"]
    assert second.letters == ()
