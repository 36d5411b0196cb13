"""The lines of postbag's checklist, and of lanes', that are about what those have written: `mailstop import` reads it.

Lines that other lists have too stand here for their part about old ledgers and lane files alone.
"""

from __future__ import annotations

from tests.checklists.line import OVERRIDDEN, Line, shown

IMPORTS = "conformance/test_imports.py"
KILLED = "faults/test_killed_imports.py"
CLI = "integration/test_cli_import.py"
LEDGERS = "unit/test_sources_postbag.py"
LANES = "unit/test_sources_lane.py"

LINES: dict[str, Line] = {
    "B29": shown(
        "a final that is no yes or no is no record; one that was written by hand as no is an ordinary letter",
        f"{LEDGERS}::test_only_a_letter_whose_row_says_true_is_final",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
    ),
    "B36": shown(
        "an old ledger is numbered over all its exchanges, and is never rewritten",
        f"{LEDGERS}::test_letters_are_counted_over_all_exchanges_and_also_before_and_beyond_them",
        f"{CLI}::test_a_ledger_of_each_generation_comes_across_and_stays_as_it_is",
        f"{CLI}::test_a_ledger_that_only_its_owner_may_read_is_read_by_its_owner_and_no_mode_is_changed",
    ),
    "B41": shown(
        "what is no record is told by the number of its line",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
        f"{LEDGERS}::test_a_record_that_is_on_another_line_than_it_says_is_taken_and_told",
        f"{CLI}::test_what_was_left_out_is_told_line_by_line",
        but=f"{OVERRIDDEN}such a line is left out and told, not the whole ledger refused (P6)",
    ),
    "B42": shown(
        "letters before any exchange and beyond one, and times without a zone, still read",
        f"{LEDGERS}::test_letters_are_counted_over_all_exchanges_and_also_before_and_beyond_them",
        f"{LEDGERS}::test_times_are_those_of_the_ledger",
    ),
    "B44": shown(
        "each time that any version wrote is taken, what is no time is not",
        f"{LEDGERS}::test_of_a_sound_ledger_of_any_generation_nothing_is_left_out",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
    ),
    "B47": shown(
        "a ledger is a regular file; what is none, or cannot be read, is refused and hangs nobody",
        f"{LEDGERS}::test_what_is_no_file_is_refused_and_hangs_nobody",
        f"{LEDGERS}::test_what_is_no_text_is_refused",
        f"{CLI}::test_a_source_that_may_not_be_read_is_refused",
        but=f"{OVERRIDDEN}a link is followed: nothing is written, and each file is read once",
    ),
    "B49": shown(
        "a torn end is left out, the file stays as it is",
        f"{LEDGERS}::test_a_torn_last_line_is_left_out_and_taken_when_it_is_whole",
        but=f"{OVERRIDDEN}all before it is taken, not the whole ledger refused (P6)",
    ),
    "B52": shown(
        "whose name was taken is told; letters keep the names under which they were written",
        f"{LEDGERS}::test_renames_and_takeovers_are_told_with_the_moves",
        f"{LEDGERS}::test_a_letter_tells_the_client_of_whoever_had_the_name_then",
    ),
    "B53": shown(
        "no door of a ledger is shown or kept",
        f"{LEDGERS}::test_nothing_that_opens_a_door_is_in_what_is_read",
        f"{CLI}::test_no_secret_of_a_ledger_gets_into_the_store_or_onto_the_screen",
    ),
    "B54": shown(
        "a ledger of the first pair shows its names, and openings as history",
        f"{LEDGERS}::test_a_name_without_a_vendor_is_the_vendors",
        f"{LEDGERS}::test_openings_of_exchanges_are_history_of_the_person",
        f"{CLI}::test_a_ledger_of_each_generation_comes_across_and_stays_as_it_is",
    ),
    "B56": shown(
        "a thread in capital letters is the one in small letters",
        f"{LEDGERS}::test_leaves_are_told_and_the_name_may_be_joined_again",
    ),
    "B67": shown(
        "doors of old rows replay",
        f"{LEDGERS}::test_renames_and_takeovers_are_told_with_the_moves",
    ),
    "B82": shown(
        "what is no UTF-8 is told; control characters of old times are shown, not obeyed",
        f"{LEDGERS}::test_a_line_that_is_not_utf_8_is_left_out_and_all_others_are_taken",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
        f"{CLI}::test_what_stands_in_a_source_acts_on_no_terminal",
    ),
    "B86": shown(
        "an old body with half a surrogate pair still comes across",
        f"{LEDGERS}::test_half_a_surrogate_pair_is_replaced_and_told",
    ),
    "B88": shown(
        "a giant integer is no record",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
    ),
    "B96": shown(
        "a leave of another, of a stale door, or without a vendor is told",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
        but=f"{OVERRIDDEN}that line is left out, not the whole ledger refused (P6)",
    ),
    "B99": shown(
        "old openings and leaves read together; a thread in capital letters is left by small ones",
        f"{LEDGERS}::test_of_a_sound_ledger_of_any_generation_nothing_is_left_out",
        f"{LEDGERS}::test_leaves_are_told_and_the_name_may_be_joined_again",
    ),
    "B100": shown(
        "of all ledgers the default one and those with a bag's name are found, and nothing is made",
        f"{LEDGERS}::test_all_ledgers_are_the_default_one_the_named_ones_and_the_selected_one_each_file_once",
        f"{CLI}::test_a_preview_makes_no_store",
    ),
    "B101": shown(
        "letters of old ledgers are counted, overruns among them",
        f"{CLI}::test_all_ledgers_come_each_into_the_bag_of_its_name",
    ),
    "B102": shown(
        "the selected ledger is among all of them, each file once",
        f"{LEDGERS}::test_all_ledgers_are_the_default_one_the_named_ones_and_the_selected_one_each_file_once",
    ),
    "B104": shown(
        "a ledger that cannot be read does not hide the others, and the exit code says so",
        f"{CLI}::test_one_ledger_that_cannot_be_read_does_not_keep_the_others_out",
    ),
    "B112": shown(
        "a budget of an old ledger bounds nothing here",
        f"{IMPORTS}::test_it_spends_no_budget_and_counts_for_no_rate",
    ),
    "B138": shown(
        "letters beyond a budget and before the first one read as history",
        f"{LEDGERS}::test_which_letter_of_which_exchange_one_was_is_noted",
    ),
    "P6": shown(
        "one bad line costs that line",
        f"{LEDGERS}::test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken",
        f"{LEDGERS}::test_a_line_without_bounds_is_left_out_in_bounded_memory",
        f"{KILLED}::test_an_import_that_is_killed_is_gone_on_with_by_doing_it_again",
    ),
    "P8": shown(
        "no token of a ledger gets into the store; its owner is told that they lie there",
        f"{CLI}::test_no_secret_of_a_ledger_gets_into_the_store_or_onto_the_screen",
        f"{CLI}::test_whoever_imports_is_told_that_secrets_lie_in_the_ledger",
        f"{LEDGERS}::test_a_ledger_whose_owner_has_taken_the_secrets_out_reads_the_same",
    ),
    "L1": shown(
        "a line that is no object is told, all others are taken",
        f"{LANES}::test_a_line_that_is_no_letter_is_left_out_and_all_others_are_taken",
    ),
    "L2": shown(
        "fields of the wrong kind keep no letter out",
        f"{LANES}::test_what_a_letter_here_cannot_have_is_noted_and_told",
        f"{LANES}::test_a_letter_without_a_time_has_that_of_its_id",
    ),
    "L5": shown(
        "a file that can be read in several ways: each letter goes to whom it names",
        f"{LANES}::test_of_a_file_that_can_be_read_in_two_ways_a_letter_goes_to_whom_it_names",
    ),
    "L7": shown(
        "a torn last line is told, and taken once it is whole",
        f"{LANES}::test_a_torn_last_line_is_not_there_yet",
    ),
    "L16": shown(
        "links and pipes in a lane are told, and hang nobody",
        f"{LANES}::test_a_file_that_cannot_be_read_is_left_out_and_all_others_are_taken",
    ),
    "104": shown("a lane that is read stays untouched", f"{CLI}::test_a_lane_comes_across_and_stays_as_it_is"),
}
