"""claude-mailbox's checklist: the lines about the mail itself and its store, and which tests show them.

Its store is another program's; here each line means the equivalent on mailstop's own.
"""

from __future__ import annotations

from tests.checklists.line import ELSEWHERE, OVERRIDDEN, Line, left_out, shown

SECRETS = "faults/test_secrets.py"
SENDERS = "integration/test_eight_senders.py"
HOT_PATH = "integration/test_hot_path.py"
LAUNCH = "integration/test_launch.py"
LETTERS = "conformance/test_letters.py"
RECEIPTS = "conformance/test_receipts.py"
SEATS = "conformance/test_seats.py"
SELECTION = "integration/test_postbag_selection.py"
SESSIONS = "conformance/test_sessions.py"
STATUS = "integration/test_cli_status.py"
STORE = "conformance/test_store.py"
CONFIG = "unit/test_config.py"

FACE = f"{ELSEWHERE}the server that speaks MCP has this line"
OWN_STORE = f"{OVERRIDDEN}a store is chosen by its URL, and no variable with a truth value selects one"

STORES = {
    "4": shown(
        "one store for the user by default, whatever the folder",
        f"{CONFIG}::test_the_data_folder_is_the_one_that_platformdirs_knows",
        f"{CONFIG}::test_no_test_reaches_the_store_of_who_runs_it",
    ),
    "5": shown(
        "another store is chosen by its URL",
        f"{CONFIG}::test_the_option_beats_the_variable",
        f"{SELECTION}::test_the_option_comes_before_the_variable_and_that_before_the_default",
    ),
    **{number: left_out("words that select the local store, or the machine's", OWN_STORE) for number in "6789"},
    "10": shown(
        "what a letter says is never in the arguments of a program that mailstop starts",
        f"{SECRETS}::test_a_program_that_a_door_starts_gets_no_secret",
    ),
}

GATE = {
    "39": shown("who has no seat writes nothing", f"{SEATS}::test_a_process_without_a_session_must_join_first"),
    "40": shown("who has one does", f"{SEATS}::test_a_session_that_joins_holds_the_seat"),
    "41": shown("the refusal says how to take one", f"{SEATS}::test_a_process_without_a_session_must_join_first"),
    "49": shown(
        "a letter to a seat that is not there is refused, and nothing says that it was delivered",
        f"{LETTERS}::test_all_names_are_resolved_first_and_all_unknown_ones_are_told_with_their_nearest",
    ),
}

FACES = {
    number: left_out("what the server tells a client, who may reach it, and whose connection it is", FACE)
    for number in map(str, (*range(11, 17), 34, *range(51, 54), *range(55, 58), 60))
}

WEAKNESSES = {
    "W1": shown(
        "a letter that was pushed is unread until the client's own events prove that it was shown",
        f"{RECEIPTS}::test_what_was_written_completely_is_handed_and_not_yet_shown",
        f"{RECEIPTS}::test_handed_letters_of_a_session_that_dies_are_offered_to_the_next_holder",
    ),
    "W2": shown(
        "no body is parsed as structure, and an entry that is none hides no other",
        f"{LETTERS}::test_a_body_comes_back_byte_for_byte",
        f"{STORE}::test_an_entry_of_an_unknown_type_is_kept_and_skipped",
    ),
    "W8": shown(
        "the door is rung after the commit, and nothing polls",
        f"{LETTERS}::test_a_letter_is_stored_before_anything_else_and_waits",
        "clients/test_main_job.py::test_a_letter_wakes_an_idle_claude_and_its_answer_wakes_the_writer",
    ),
    "W10": shown(
        "mail belongs to a seat, which outlives the process; hooks register the session",
        f"{SESSIONS}::test_clear_keeps_session_seat_and_epoch",
        f"{SESSIONS}::test_resume_keeps_session_seat_and_epoch",
        f"{SEATS}::test_the_mail_of_a_taken_over_seat_is_the_new_holders",
    ),
    "W13": shown(
        "an unknown seat is refused with near names; an empty one stores, and says empty since when",
        f"{LETTERS}::test_all_names_are_resolved_first_and_all_unknown_ones_are_told_with_their_nearest",
        f"{LETTERS}::test_an_empty_seat_is_named_as_such_and_its_mail_waits",
    ),
    "W16": shown(
        "what every session pays is the standard library, and little of that",
        f"{HOT_PATH}::test_a_check_that_finds_nothing_is_lean",
        f"{HOT_PATH}::test_every_hook_of_a_session_is_lean",
        f"{LAUNCH}::test_the_second_run_of_a_command_takes_all_its_modules_from_the_image",
        but=f"{ELSEWHERE}the memory of a server in each session is the MCP face's",
    ),
}

HISTORY = {
    "H4": shown(
        "two sessions of one user act each as itself",
        f"{SESSIONS}::test_two_live_processes_of_one_client_session_are_two_sessions",
        but=f"{ELSEWHERE}connections of one server are the MCP face's",
    ),
    "H7": shown(
        "many at once lose nothing and hide nothing, and one recipient's trouble touches no other",
        f"{SENDERS}::test_of_eight_senders_every_letter_arrives_once_and_none_fails",
        f"{LETTERS}::test_one_recipients_trouble_never_touches_another_or_what_is_stored",
    ),
    "H8": shown(
        "a first run without set-up works, or says what to type",
        f"{SELECTION}::test_who_would_write_into_a_store_that_nobody_has_made_is_told_how_one_is_made",
        f"{SELECTION}::test_the_first_to_join_makes_the_store_for_this_user_alone_whatever_the_umask",
    ),
}

CASES: dict[str, Line] = {
    "F7": shown(
        "what became of a letter costs one short command, for anybody",
        f"{STATUS}::test_each_recipient_has_a_line_of_its_own_before_all_details",
        f"{STATUS}::test_anybody_may_ask",
    ),
}

LINES: dict[str, Line] = {**STORES, **GATE, **FACES, **WEAKNESSES, **HISTORY}
