"""claude-mailbox's checklist: the lines about asking, and which tests show that mailstop keeps them.

A request is a question here, its assignee the seat that was asked; `request_info` is `ask`, `respond_info` is `answer`,
and `check_request` is `ask --resume`. CASES are those of the acceptance cases that are about asking.
"""

from __future__ import annotations

from tests.checklists.line import Line, shown

ASKS = "conformance/test_asks.py"
WAITS = "conformance/test_waits.py"
ANY_ORDER = "conformance/test_waits_in_any_order.py"
ASK = "integration/test_cli_ask.py"
KILLED = "faults/test_killed_asks.py"

LINES: dict[str, Line] = {
    "1": shown(
        "answering a question that another was asked: refused with who was asked, and nothing is written",
        f"{ASKS}::test_only_the_seat_that_was_asked_answers",
    ),
    "2": shown(
        "the same while nobody sits at the seat that was asked, or ever has",
        f"{ASKS}::test_nobody_answers_for_a_seat_that_nobody_has_taken",
    ),
    "3": shown(
        "who was asked: the answer is stored and the question closed, in one append",
        f"{ASKS}::test_the_answer_comes_back_to_who_asked_and_ends_the_wait",
        f"{KILLED}::test_a_killed_answer_is_repeated_with_its_key_and_counts_once",
    ),
    "42": shown(
        "round trip: answered, with the answer and its number",
        f"{ASKS}::test_the_answer_comes_back_to_who_asked_and_ends_the_wait",
        f"{ASK}::test_a_wait_is_woken_by_the_answer_and_prints_it",
    ),
    "43": shown(
        "a question that cannot be put to its seat is refused at once, and nobody waits",
        f"{ASKS}::test_nobody_asks_their_own_seat_or_one_that_is_not_there",
        f"{WAITS}::test_a_question_that_is_refused_leaves_no_wait",
    ),
    "44": shown(
        "a missing question: there is none",
        f"{ASKS}::test_another_than_the_asker_is_told_what_is_told_of_a_missing_question",
    ),
    "45": shown(
        "another than the asker is told exactly that, before anything of the question is looked at",
        f"{ASKS}::test_another_than_the_asker_is_told_what_is_told_of_a_missing_question",
        f"{ASK}::test_another_than_the_asker_finds_no_question",
    ),
    "46": shown(
        "the asker gets the answer, also from another process and as often as it asks",
        f"{ASK}::test_another_process_of_the_session_waits_on_and_gets_the_answer",
        f"{ASK}::test_what_was_answered_meanwhile_is_there_at_once_and_as_often_as_it_is_asked_for",
    ),
    "47": shown(
        "a store that cannot be read is reported, and never looks like a question without an answer",
        f"{ASK}::test_a_store_that_cannot_be_read_is_reported_and_not_called_pending",
    ),
    "48": shown(
        "so is one that fails when the answer is fetched",
        f"{ASK}::test_a_store_that_cannot_be_read_is_reported_and_not_called_pending",
    ),
    "W9": shown(
        "waiting holds no worker, costs no poll, and is bounded",
        f"{ASK}::test_many_who_wait_are_in_nobodys_way_and_each_gets_its_own_answer",
        f"{ASK}::test_a_wait_uses_no_processor",
        f"{ASK}::test_a_wait_lasts_45_seconds_unless_told_otherwise",
        f"{ASK}::test_no_answer_in_time_is_pending_and_says_how_to_wait_on",
    ),
    "H1": shown(
        "a second answer never counts; what somebody waits for never expires; what was not stored is not waited for",
        f"{ASKS}::test_of_many_answers_at_once_one_counts",
        f"{ASKS}::test_a_question_never_expires",
        f"{WAITS}::test_a_question_that_is_refused_leaves_no_wait",
        f"{WAITS}::test_a_question_of_which_it_is_not_known_whether_it_is_stored_leaves_no_wait",
    ),
    "H5": shown(
        "only who was asked answers, only who asked gets the answer; who has no seat does neither",
        f"{ASKS}::test_only_the_seat_that_was_asked_answers",
        f"{ASKS}::test_another_than_the_asker_is_told_what_is_told_of_a_missing_question",
        f"{ASKS}::test_nobody_else_withdraws_a_question",
    ),
}

CASES: dict[str, Line] = {
    "H1": shown(
        "two questions cross: the one that closes the circle is refused at once with the circle named, at any length",
        f"{WAITS}::test_of_two_who_would_ask_each_other_the_second_is_refused_and_the_circle_named",
        f"{WAITS}::test_a_circle_of_any_length_is_refused_and_named",
        f"{WAITS}::test_two_who_ask_each_other_at_the_same_instant_do_not_both_wait",
        f"{ANY_ORDER}::test_a_wait_is_refused_when_it_closes_a_circle_and_only_then",
        f"{ASK}::test_a_circle_exits_1_and_is_named",
    ),
    "H2": shown(
        "a session does not wait for the one that waits for the command it was started by",
        f"{WAITS}::test_a_session_does_not_wait_for_the_one_that_waits_for_its_command",
        f"{WAITS}::test_a_command_is_part_of_longer_circles_too",
        f"{WAITS}::test_a_session_whose_turn_is_over_waits_for_no_command",
    ),
    "H4": shown(
        "pending with its number before a client gives up the call; a later wait by that number gets the answer",
        f"{ASK}::test_a_wait_lasts_45_seconds_unless_told_otherwise",
        f"{ASK}::test_no_answer_in_time_is_pending_and_says_how_to_wait_on",
        f"{ASK}::test_another_process_of_the_session_waits_on_and_gets_the_answer",
        f"{KILLED}::test_the_answer_that_a_killed_ask_did_not_print_is_given_to_the_next",
    ),
    "H5": shown(
        "one wait that sleeps, not polls",
        f"{ASK}::test_a_wait_uses_no_processor",
        f"{ASK}::test_other_letters_do_not_end_a_wait_and_wait_for_a_check",
    ),
    "H12": shown(
        "what waits for the person is a queue with ages, and every verb at a terminal says so",
        f"{ASKS}::test_what_waits_for_the_person_is_counted_with_its_age",
        f"{ASK}::test_the_person_is_told_at_a_terminal_what_waits_for_their_answer",
    ),
}
