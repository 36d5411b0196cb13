"""claude-mailbox's checklist: what it delegates, and which tests show that mailstop's tasks do it better.

Numbers are its own conformance lines, W and H its weaknesses and lessons; a case is one that users of such tools
reported.
"""

from __future__ import annotations

from tests.checklists.line import shown

ANY_ORDER = "conformance/test_tasks_any_order.py"
TASKS = "conformance/test_tasks.py"
KILLS = "faults/test_killed_tasks.py"
COMMAND = "integration/test_cli_task.py"

LINES = {
    "39": shown(
        "who has no seat delegates nothing",
        f"{TASKS}::test_who_has_no_seat_gives_and_moves_nothing",
        f"{COMMAND}::test_a_stranger_looks_and_does_not_touch",
    ),
    "W2": shown(
        "no detail is parsed as structure, and none hides the rest",
        f"{TASKS}::test_a_detail_is_never_parsed_and_hides_nothing_else",
    ),
    "W3": shown(
        "a task carries from, to, title, detail and priority to its receiver by every route and has A2A's states; each "
        "change comes back to who delegated",
        f"{TASKS}::test_a_task_carries_giver_holder_title_detail_priority_artifacts_and_issue",
        f"{TASKS}::test_a_task_for_a_seat_that_nobody_knows_is_refused_with_the_nearest",
        f"{TASKS}::test_what_no_task_may_have_is_refused_and_nothing_is_stored",
        f"{COMMAND}::test_a_title_that_is_no_printable_line_is_refused_and_never_cut",
        f"{TASKS}::test_the_holder_is_told_in_one_letter_all_there_is_to_know",
        f"{TASKS}::test_a_task_goes_from_submitted_to_completed_and_the_giver_hears_of_it",
        f"{TASKS}::test_a_holder_may_do_all_but_accept_in_every_open_state",
        f"{TASKS}::test_the_giver_and_the_person_cancel_and_the_holder_hears_of_it",
        f"{TASKS}::test_what_is_over_never_goes_on_and_says_who_ended_it",
        f"{ANY_ORDER}::test_any_order_of_acts_keeps_every_task",
        f"{COMMAND}::test_a_task_is_given_accepted_asked_about_answered_and_completed",
    ),
    "H5": shown(
        "only the holder moves a task on, and only its giver and the person cancel it",
        f"{TASKS}::test_nobody_but_the_holder_moves_a_task_on",
        f"{TASKS}::test_the_person_reassigns_anything_and_others_do_not",
    ),
}

CASES = {
    "F9": shown(
        "how far a task is wakes nobody",
        f"{TASKS}::test_how_far_a_task_is_wakes_nobody_and_what_needs_the_other_side_does",
    ),
    "H7": shown(
        "of fifty claimants of one task one wins, and the others are told who",
        f"{TASKS}::test_of_fifty_claimants_of_one_task_one_wins_and_the_others_are_told_who",
        f"{TASKS}::test_of_fifty_that_take_what_is_next_each_gets_another_or_hears_that_nothing_is_left",
    ),
    "H8": shown(
        "a session that lost its seat, and a seat that lost a task, change nothing about it any more",
        f"{TASKS}::test_a_session_that_lost_its_seat_between_look_and_act_changes_nothing",
        f"{TASKS}::test_a_reassigned_task_has_a_higher_epoch_and_the_old_holder_is_refused",
        f"{TASKS}::test_a_task_of_an_empty_seat_goes_back_to_the_pool_it_was_taken_from",
        f"{KILLS}::test_what_a_killed_holder_had_goes_back_once_and_no_change_is_half_done",
    ),
}
