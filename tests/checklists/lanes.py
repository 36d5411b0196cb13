"""The checklist of lanes: what the original guarantees, by number, and what it does badly, L1 to L20.

79 to 104 are the original's own tests, without their reach into its private names: the same is shown on disk. L1 to L20
are faults of the original that mailstop must not have. `both` is the run in which the two share one lane.
"""

from __future__ import annotations

from tests.checklists.line import Line, shown

FORMAT = "unit/test_lanes.py"
BETTER = "unit/test_lanes_better.py"
BYTES = "faults/test_lanes_any_bytes.py"
AT_ONCE = "faults/test_lanes_at_once.py"
KILLED = "faults/test_lanes_killed.py"
FULL_DISK = "faults/test_lanes_full_disk.py"
FENCE = "unit/test_fence_lanes.py"
CLI = "integration/test_cli_lane.py"

SEND = {
    "79": shown(
        "send makes the folder and the file; the line says who, to whom, kind and text",
        f"{FORMAT}::test_send_makes_the_folder_and_one_line_with_who_to_whom_what",
        f"{FORMAT}::test_both_sides_write_the_same_line_but_for_id_and_time",
    ),
    "80": shown(
        "ids are unique, times are ISO 8601",
        f"{FORMAT}::test_ids_are_unique_and_of_the_same_instant_as_the_time",
    ),
    "81": shown("letters keep their order", f"{FORMAT}::test_letters_keep_the_order_in_which_they_were_sent"),
    "82": shown(
        "ref and artifacts are absent unless given",
        f"{FORMAT}::test_ref_and_artifacts_are_there_only_when_given",
    ),
    "83": shown(
        "ref, artifacts and needs_reply are there when given",
        f"{FORMAT}::test_ref_and_artifacts_are_there_only_when_given",
        f"{FORMAT}::test_an_empty_list_of_artifacts_is_given",
    ),
    "84": shown(
        "one write for each letter, ending in a newline",
        f"{FORMAT}::test_a_letter_is_one_write_that_ends_with_a_newline",
    ),
}

CHECK = {
    "85": shown("unread letters of one sender, in order", f"{FORMAT}::test_check_gives_what_one_sender_wrote_in_order"),
    "86": shown(
        "an empty lane gives three empty results",
        f"{FORMAT}::test_an_empty_lane_gives_three_empty_results",
        f"{FORMAT}::test_without_a_file_no_cursor_is_written_and_a_named_sender_is_noted_as_zero",
    ),
    "87": shown("a second check gives only what is new", f"{FORMAT}::test_a_second_check_gives_only_what_is_new"),
    "88": shown(
        "letters are grouped by kind",
        f"{FORMAT}::test_letters_are_grouped_by_kind_in_order_of_first_appearance",
    ),
    "89": shown(
        "the cursor is replaced through a sibling, once, and is valid JSON",
        f"{FORMAT}::test_a_cursor_is_replaced_whole_once_from_a_sibling",
        f"{FORMAT}::test_a_cursor_that_cannot_be_replaced_leaves_the_old_one_and_no_leftovers",
    ),
    "90": shown(
        "the cursor never moves backward, and counts lines",
        f"{FORMAT}::test_a_cursor_never_moves_backward_and_keeps_other_files_keys",
        f"{FORMAT}::test_lines_are_counted_as_the_other_side_counts_them",
        f"{FORMAT}::test_the_two_halves_of_an_end_may_come_apart",
    ),
    "91": shown("no cursor: all is unread", f"{FORMAT}::test_without_a_cursor_everything_is_unread_silently"),
    "92": shown(
        "a corrupt cursor: all is unread, no crash",
        f"{FORMAT}::test_a_corrupt_cursor_is_told_once_and_everything_is_unread",
    ),
    "93": shown(
        "letters of several senders are merged by time",
        f"{FORMAT}::test_letters_of_several_senders_are_merged_by_time",
    ),
    "94": shown("only files to the role are touched", f"{FORMAT}::test_only_files_to_the_role_are_touched"),
}

KINDS = {
    "95": shown("a known kind gets its hint", f"{FORMAT}::test_each_known_kind_has_its_hint_and_its_reply"),
    "96": shown("an unknown kind gets the generic hint", f"{FORMAT}::test_an_unknown_kind_gets_the_generic_hint"),
    "97": shown("tasks and questions ask for action, others do not", f"{FORMAT}::test_what_asks_for_action_by_default"),
    "98": shown(
        "needs_reply asks for action whatever the kind",
        f"{FORMAT}::test_a_reply_that_is_asked_for_needs_action_whatever_the_kind",
    ),
    "99": shown("terminal kinds ask for nothing by default", f"{FORMAT}::test_terminal_kinds_ask_for_nothing"),
}

DAMAGE = {
    "100": shown(
        "a torn last line is withheld, then given when it is complete",
        f"{FORMAT}::test_a_torn_last_line_is_withheld_until_its_newline_has_come",
        f"{BYTES}::test_bytes_that_come_in_pieces_give_the_same_lines",
    ),
    "101": shown(
        "a malformed line is given as one, and the cursor passes it",
        f"{FORMAT}::test_a_malformed_line_is_given_as_one_and_passed",
    ),
    "102": shown(
        "8 threads that check 40 letters: no error, the cursor says 40, all are given, nothing is left",
        f"{AT_ONCE}::test_8_threads_that_check_40_letters_get_all_of_them",
    ),
    "103": shown(
        "10 threads that send 20 letters each: 200 valid lines",
        f"{AT_ONCE}::test_10_threads_that_send_20_letters_each_leave_200_whole_lines",
        f"{AT_ONCE}::test_16_processes_at_once_lose_and_tear_nothing",
    ),
    "104": shown(
        "on a copy of a real lane every letter has a hint, and the live one is untouched",
        f"{FORMAT}::test_a_live_lane_is_untouched_by_a_check_on_its_copy",
    ),
}

BETTER_LINES = {
    "L1": shown(
        "a line that is JSON and no object jams nothing",
        f"{BETTER}::test_a_line_that_is_json_and_no_object_is_passed_as_unparsable",
        f"{BYTES}::test_a_check_of_any_bytes_gives_every_well_formed_line_once",
    ),
    "L2": shown(
        "no field of a wrong type, no depth and no number jams a lane",
        f"{BETTER}::test_an_object_with_fields_of_the_wrong_type_is_a_letter",
        f"{BETTER}::test_what_the_parser_cannot_take_is_a_malformed_line",
    ),
    "L3": shown("invalid UTF-8 spoils its own line", f"{BETTER}::test_invalid_utf_8_spoils_only_its_own_line"),
    "L4": shown(
        "a cursor's wrong number counts as 0 for that file, an unreadable cursor as corrupt",
        f"{BETTER}::test_a_wrong_number_in_a_cursor_counts_as_zero_for_that_file_alone",
        f"{BETTER}::test_a_cursor_that_may_not_be_read_counts_as_corrupt",
        f"{BYTES}::test_any_cursor_gives_at_least_what_lies_behind_it",
    ),
    "L5": shown(
        "roles that escape or collide are refused; in files that collide each line goes to its role",
        f"{BETTER}::test_a_role_that_escapes_or_collides_is_refused_before_the_disk_is_touched",
        f"{BETTER}::test_names_that_only_look_odd_are_told_apart",
        f"{BETTER}::test_a_pair_that_makes_too_long_a_name_is_refused",
        f"{BETTER}::test_a_pair_that_differs_only_in_case_is_refused",
        f"{BETTER}::test_in_a_file_whose_name_can_be_read_in_two_ways_each_line_goes_to_the_role_it_names",
        f"{BETTER}::test_a_role_does_not_get_what_is_for_a_role_that_ends_like_it",
    ),
    "L6": shown("a path is no pattern", f"{BETTER}::test_a_lane_whose_path_is_a_pattern_is_a_lane"),
    "L7": shown(
        "a torn line does not swallow the next letter",
        f"{BETTER}::test_a_torn_line_does_not_swallow_the_next_letter",
        f"{BETTER}::test_a_slow_writer_s_late_newline_is_a_blank_line",
        f"{KILLED}::test_a_send_that_is_killed_at_any_byte_spoils_no_other_letter",
    ),
    "L8": shown(
        "a file that was cut off or replaced is read from its start",
        f"{BETTER}::test_a_file_that_is_another_now_is_read_from_its_start_and_told_once",
        f"{BETTER}::test_a_file_shorter_than_the_other_side_s_cursor_is_read_from_its_start",
        f"{BETTER}::test_a_file_that_went_and_came_back_shorter_is_read_from_its_start",
        f"{BETTER}::test_what_was_not_read_of_a_replaced_file_stays_unread_when_only_some_of_it_is_shown",
    ),
    "L9": shown(
        "a look consumes nothing, and what was shown is acknowledged on its own",
        f"{BETTER}::test_a_peek_gives_the_same_and_leaves_nothing_behind",
        f"{BETTER}::test_only_what_was_shown_is_acknowledged",
        f"{BETTER}::test_a_watch_gives_letters_as_they_come_and_consumes_nothing",
        f"{CLI}::test_a_watch_prints_a_line_for_each_letter_and_no_word_of_its_text",
    ),
    "L10": shown(
        "a check costs the same however much was read before",
        f"{BETTER}::test_a_check_reads_only_what_is_new",
        f"{BETTER}::test_behind_the_other_side_s_cursor_a_file_is_counted_once",
        f"{BETTER}::test_a_spoilt_note_of_places_costs_a_count_and_nothing_else",
        f"{BETTER}::test_the_cursor_wins_over_the_note_of_places",
        f"{BETTER}::test_a_limit_bounds_what_is_read",
    ),
    "L11": shown(
        "what send and check return is on disk",
        f"{BETTER}::test_send_returns_after_file_and_folders_are_synced",
        f"{BETTER}::test_a_file_that_could_not_be_synced_is_in_doubt",
    ),
    "L12": shown(
        "large letters are refused, larger lines shown shortened with bounded memory",
        f"{BETTER}::test_a_message_over_the_limit_is_refused_before_anything_is_made",
        f"{BETTER}::test_a_line_beyond_all_limits_is_shown_shortened_with_bounded_memory",
        f"{CLI}::test_too_large_a_letter_is_refused_with_the_way_out",
    ),
    "L13": shown(
        "appends and cursors are locked",
        f"{BETTER}::test_an_append_waits_for_the_lock_and_gives_up_in_the_end",
        f"{AT_ONCE}::test_16_processes_at_once_lose_and_tear_nothing",
        f"{FORMAT}::test_a_cursor_never_moves_backward_and_keeps_other_files_keys",
    ),
    "L14": shown(
        "who dies before it has shown its letters has not consumed them",
        f"{BETTER}::test_a_reader_that_is_killed_before_it_acknowledges_is_given_the_letters_again",
        f"{CLI}::test_a_reader_that_is_killed_before_it_has_printed_loses_nothing",
        f"{CLI}::test_output_that_cannot_be_written_loses_nothing",
        f"{KILLED}::test_a_check_that_is_killed_leaves_a_whole_cursor_and_gives_the_letters_or_has_given_them",
    ),
    "L15": shown(
        "a short write is finished, or an error",
        f"{BETTER}::test_the_rest_of_a_short_write_is_written",
        f"{BETTER}::test_a_letter_that_cannot_be_finished_is_an_error_and_spoils_none",
        f"{FULL_DISK}::test_a_send_to_a_full_disk_is_an_error_and_spoils_nothing",
        f"{FULL_DISK}::test_a_check_on_a_full_disk_is_an_error_or_moves_the_cursor_and_loses_nothing",
        f"{FULL_DISK}::test_on_a_read_only_disk_letters_are_shown_and_stay_unread",
    ),
    "L16": shown(
        "what is made is the user's alone; no symlink is followed, no FIFO waited for",
        f"{BETTER}::test_what_is_made_is_the_user_s_alone_whatever_the_umask",
        f"{BETTER}::test_modes_that_are_there_stay",
        f"{BETTER}::test_what_is_no_file_is_neither_written_nor_read_nor_waited_for",
        f"{BETTER}::test_what_is_planted_in_place_of_our_own_files_stops_no_reader",
    ),
    "L17": shown(
        "what a model or a terminal is shown is cleaned, fenced, and named as a peer's",
        f"{CLI}::test_a_check_shows_letters_fenced_and_cleaned_and_moves_the_cursor",
        f"{FENCE}::test_no_letter_breaks_out_of_its_fence_or_its_bytes",
        f"{FENCE}::test_a_line_that_rings_is_one_line_of_plain_words",
    ),
    "L18": shown(
        "a watcher sleeps on notices of the kernel; a plain lane claims no more than stored",
        f"{BETTER}::test_a_watch_gives_letters_as_they_come_and_consumes_nothing",
        f"{BETTER}::test_a_watch_without_notices_of_the_kernel_looks_each_second",
        f"{CLI}::test_a_watch_uses_no_processor_while_nothing_comes",
        f"{CLI}::test_a_letter_is_stored_as_the_format_says_and_no_more_is_claimed",
    ),
    "L19": shown("no module is called mailbox", f"{BETTER}::test_no_module_of_ours_is_called_mailbox"),
    "L20": shown(
        "wrong arguments are refused before anything is made",
        f"{BETTER}::test_a_wrong_argument_is_refused_before_anything_is_made",
        f"{BETTER}::test_artifacts_that_hold_themselves_or_are_too_deep_or_large_are_refused",
        f"{BETTER}::test_nothing_of_the_argument_that_may_be_kept_is_changed",
    ),
    "both": shown(
        "the original's side and mailstop's share a lane in both directions",
        f"{FORMAT}::test_one_lane_is_shared_by_both_in_both_directions",
        f"{BETTER}::test_copied_alone_next_to_a_script_it_serves_both_sides",
    ),
}

LINES: dict[str, Line] = {**SEND, **CHECK, **KINDS, **DAMAGE, **BETTER_LINES}
