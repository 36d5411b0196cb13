"""claude-mailbox's checklist: what claude-mailbox 0.7.0 does, and which tests show that mailstop does it too.

Words: what claude-mailbox calls a broadcast is said in a channel here, a DM is a letter to a seat. W4, W11 and W15 are
weaknesses of claude-mailbox that mailstop must not have; F1, F2, F6 and F9 are loops and storms that users of other
tools have met.
"""

from __future__ import annotations

from tests.checklists.line import OVERRIDDEN, Line, shown

ANY_ORDER = "conformance/test_channels_any_order.py"
AUTOMATIC_SEATS = "conformance/test_automatic_seats.py"
CHANNELS = "conformance/test_channels.py"
RECEIPTS = "conformance/test_receipts.py"
SAY = "integration/test_cli_say.py"
FENCE = "unit/test_fence.py"

DELIVERY = {
    "17": shown(
        "one look is one indexed query, over letters to the seat and all its channels, without a window of time",
        f"{CHANNELS}::test_a_look_is_one_query",
        f"{CHANNELS}::test_looking_for_what_is_new_goes_through_no_table",
        f"{CHANNELS}::test_what_was_said_long_ago_is_unread_as_it_was",
    ),
    "18": shown(
        "a look is bounded, and says what it left out",
        f"{CHANNELS}::test_what_is_left_out_of_a_check_is_counted",
    ),
    "19": shown(
        "its own words do not come back to who said them; letters are sorted by kind, and shown only by evidence",
        f"{CHANNELS}::test_what_is_said_reaches_all_readers_and_not_who_said_it",
        f"{CHANNELS}::test_one_who_only_writes_has_heard_itself",
        f"{CHANNELS}::test_a_reader_killed_between_handing_and_showing_is_offered_it_again",
        f"{FENCE}::test_letters_stand_in_the_order_in_which_they_came_with_an_overview",
        but=f"{OVERRIDDEN}nothing is closed by being delivered (W1)",
    ),
    "20": shown(
        "what was shown is not shown again",
        f"{CHANNELS}::test_reading_moves_the_position_and_consumes_nothing_of_the_others",
        f"{CHANNELS}::test_what_was_heard_out_of_order_is_not_shown_again_and_the_rest_is",
        f"{CHANNELS}::test_sixteen_that_say_something_at_once_are_each_heard_once",
        f"{ANY_ORDER}::test_in_any_order_each_reader_is_shown_each_letter_once",
    ),
    "21": shown(
        "who joins is not woken by what was said before; what waits at a seat is announced once, never lost",
        f"{CHANNELS}::test_a_late_joiner_is_shown_nothing_that_was_said_before",
        f"{CHANNELS}::test_a_late_joiner_is_not_woken_by_what_was_said_before",
        f"{CHANNELS}::test_what_was_said_meanwhile_is_announced_to_who_takes_a_folders_seat_over_by_itself",
        f"{AUTOMATIC_SEATS}::test_inherited_mail_is_announced_and_not_shown_by_hooks",
    ),
    "22": shown(
        "what is remembered of what was shown does not grow: a position, and numbers only behind a gap",
        f"{CHANNELS}::test_nothing_is_stored_for_each_reader_of_what_is_said",
        f"{ANY_ORDER}::test_in_any_order_each_reader_is_shown_each_letter_once",
    ),
    "23": shown(
        "a project of any name gets a channel, and no name damages a query",
        f"{CHANNELS}::test_every_folder_gets_a_valid_channel_of_its_own",
        f"{CHANNELS}::test_what_is_no_name_is_no_channel",
        but=f"{OVERRIDDEN}a project with a malformed name has a channel too (W4)",
    ),
}

END_TO_END = {
    "36": shown(
        "what is said in any channel is read back",
        f"{CHANNELS}::test_what_is_a_name_is_a_channel_and_what_is_said_there_is_read_back",
        f"{SAY}::test_anybody_reads_a_channels_history_newest_last_and_consumes_nothing",
        but=f"{OVERRIDDEN}a channel that nobody has subscribed to is refused with the nearest: it is mistyped",
    ),
}

VALIDATION = {
    "71": shown(
        "my-repo_1.x is a name",
        f"{CHANNELS}::test_what_is_a_name_is_a_channel_and_what_is_said_there_is_read_back",
    ),
    "72": shown("x OR status=closed is none", f"{CHANNELS}::test_what_is_no_name_is_no_channel"),
    "73": shown("blanks are in no name", f"{CHANNELS}::test_what_is_no_name_is_no_channel"),
    "74": shown("the empty text is no name", f"{CHANNELS}::test_what_is_no_name_is_no_channel"),
    "75": shown(
        "a channel is read in order, each letter with its time",
        f"{SAY}::test_anybody_reads_a_channels_history_newest_last_and_consumes_nothing",
        f"{SAY}::test_a_line_of_a_channels_history_has_its_time",
        but=f"{OVERRIDDEN}the newest stands last, as in every history of mailstop",
    ),
    "76": shown(
        "without a channel it is said in the sender's project",
        f"{CHANNELS}::test_without_a_channel_it_is_said_in_the_senders_project",
    ),
    "77": shown(
        "in general only when asked",
        f"{CHANNELS}::test_without_a_channel_it_is_said_in_the_senders_project",
        f"{CHANNELS}::test_a_channel_is_named_with_or_without_its_sign",
    ),
    "78": shown(
        "to read a channel that is none is an error of its own",
        f"{SAY}::test_a_history_that_is_none_is_refused",
    ),
}

WEAKNESSES = {
    "W4": shown(
        "a project is its repository: worktrees share a channel, repositories of one name have two, every path has one",
        f"{CHANNELS}::test_worktrees_of_one_repository_share_a_channel",
        f"{CHANNELS}::test_two_repositories_of_one_name_have_two_channels",
        f"{CHANNELS}::test_a_project_never_takes_a_channel_that_each_bag_has",
        f"{CHANNELS}::test_a_project_keeps_its_channel_under_another_name",
        f"{CHANNELS}::test_every_folder_gets_a_valid_channel_of_its_own",
    ),
    "W11": shown(
        "unread is a position, not a time; a session that finds itself missing registers again",
        f"{CHANNELS}::test_what_was_said_long_ago_is_unread_as_it_was",
        f"{CHANNELS}::test_the_next_holder_of_a_seat_reads_on_where_the_last_one_stopped",
        f"{SAY}::test_a_session_whose_registration_is_lost_registers_again_and_hears_what_was_said",
    ),
    "W15": shown(
        "no silent limit: what is left out is counted, and can be had",
        f"{CHANNELS}::test_what_is_left_out_of_a_check_is_counted",
        f"{CHANNELS}::test_many_such_letters_hide_none_that_wakes",
        f"{SAY}::test_an_older_page_names_the_command_that_shows_it",
        f"{SAY}::test_of_many_who_are_woken_some_are_named_and_the_rest_are_counted",
    ),
}

STORMS = {
    "F1": shown(
        "an acknowledgement wakes nobody",
        f"{CHANNELS}::test_such_a_letter_claims_no_route_and_no_monitor_rings_for_it",
        f"{CHANNELS}::test_a_kind_that_wakes_nobody_wakes_nobody_not_even_all",
        f"{SAY}::test_what_wakes_nobody_does_not_make_a_turn_go_on_and_is_shown_in_a_running_one",
    ),
    "F2": shown(
        "a reply is optional, and the letter says so",
        f"{FENCE}::test_a_letter_that_asks_for_nothing_says_that_no_reply_is_needed",
        f"{FENCE}::test_what_was_said_in_a_channel_names_it_and_an_answer_goes_to_its_author",
        f"{CHANNELS}::test_what_is_asked_of_all_obliges_none",
    ),
    "F6": shown(
        "an answer to all wakes its author alone; how many are woken is shown before it is confirmed",
        f"{CHANNELS}::test_an_answer_goes_to_its_author_alone_and_proves_that_it_was_read",
        f"{CHANNELS}::test_an_answer_to_all_is_refused_for_what_was_said_to_all",
        f"{CHANNELS}::test_it_wakes_readers_of_the_senders_project_and_no_others",
        f"{CHANNELS}::test_all_are_woken_only_by_one_who_knows_how_many_they_are",
        f"{SAY}::test_all_are_woken_by_one_who_knows_how_many_they_are",
    ),
    "F9": shown(
        "signs of presence and what is only for information wake nobody",
        f"{CHANNELS}::test_such_a_letter_claims_no_route_and_no_monitor_rings_for_it",
        f"{SAY}::test_a_writer_is_told_that_the_kind_wakes_nobody",
    ),
}

LINES: dict[str, Line] = {**DELIVERY, **END_TO_END, **VALIDATION, **WEAKNESSES}
CASES: dict[str, Line] = STORMS
