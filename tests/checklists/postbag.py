"""postbag's checklist: every guarantee of postbag 2.3.0, and which tests show that mailstop gives it too.

B1 to B108 are postbag's own conformance lines without its MCP server and its budgets, which have lists of their own;
P1 to P17 are the weaknesses of postbag that mailstop must not have. Words: a path that selects a ledger is a store
here, a peer is a seat, and what postbag calls submitted is notified here, never shown.
"""

from __future__ import annotations

from tests.checklists.line import ELSEWHERE, OVERRIDDEN, POSTBAGS_FILE, Line, left_out, shown

AT_ONCE = "conformance/test_at_once.py"
BAGS = "conformance/test_bags.py"
BRAKES = "conformance/test_brakes.py"
BUDGETS = "conformance/test_budgets.py"
GUARDS = "conformance/test_guards.py"
KEYS = "conformance/test_keys.py"
LETTERS = "conformance/test_letters.py"
MORE_LETTERS = "conformance/test_postbag_letters.py"
MORE_SEATS = "conformance/test_postbag_seats.py"
RECEIPTS = "conformance/test_receipts.py"
REPLIES = "conformance/test_replies.py"
ROUTES = "conformance/test_routes.py"
SEATS = "conformance/test_seats.py"
SESSIONS = "conformance/test_sessions.py"
STORE = "conformance/test_store.py"
CRASHES = "faults/test_crash_points.py"
DAMAGE = "faults/test_damaged_stores.py"
FULL_DISK = "faults/test_full_disk.py"
GATE = "faults/test_gate.py"
LOST_OUTPUT = "faults/test_lost_output.py"
SECRETS = "faults/test_secrets.py"
STRANGERS = "faults/test_strangers.py"
CALLER = "integration/test_clients_caller.py"
COMMANDS = "integration/test_postbag_commands.py"
QUEUE = "integration/test_doors_codex_queue.py"
READ = "integration/test_cli_read.py"
SELECTION = "integration/test_postbag_selection.py"
SOCKET = "integration/test_doors_claude_socket.py"
STATUS = "integration/test_cli_status.py"
WHO = "integration/test_cli_who.py"
CODEX = "unit/test_clients_codex.py"
CONFIG = "unit/test_config.py"
FENCE = "unit/test_fence.py"
HISTORY = "unit/test_fence_history.py"

SELECTING = {
    "B1": shown(
        "which store: the option, then the variable, then the default",
        f"{SELECTION}::test_the_option_comes_before_the_variable_and_that_before_the_default",
    ),
    "B2": shown(
        "relative paths and ~ in the variable; shown as absolute ones; any suffix",
        f"{SELECTION}::test_a_relative_path_and_one_in_the_home_folder_are_shown_as_absolute_ones",
        f"{CONFIG}::test_a_path_is_made_absolute_once",
    ),
    "B3": shown(
        "what selects nothing is refused, and nothing is made",
        f"{SELECTION}::test_what_names_no_store_is_refused_in_one_printable_line_and_nothing_is_made",
        f"{SELECTION}::test_what_is_no_name_is_no_bag_and_nothing_is_made",
        f"{BAGS}::test_what_is_no_name_is_no_bag",
    ),
    "B4": shown(
        "sending into and reading of an absent bag is refused, and makes nothing",
        f"{SELECTION}::test_a_bag_that_nobody_has_joined_is_neither_written_to_nor_read_nor_made",
        f"{BAGS}::test_a_bag_that_nobody_has_joined_is_unknown_with_its_nearest",
    ),
    "B5": shown(
        "only a join makes a store",
        f"{SELECTION}::test_no_look_and_no_act_but_a_join_makes_a_store",
        f"{BAGS}::test_the_first_to_join_makes_the_bag",
    ),
    "B6": shown(
        "what is made is private; a folder that exists keeps its mode",
        f"{SELECTION}::test_the_first_to_join_makes_the_store_for_this_user_alone_whatever_the_umask",
    ),
    "B7": shown(
        "the command that answers a letter leads to its bag and store, whatever the reader's environment selects",
        f"{SELECTION}::test_the_command_that_answers_a_letter_leads_to_its_store_whatever_the_shell_of_the_client_says",
        f"{REPLIES}::test_a_reply_goes_into_the_bag_of_its_letter",
        f"{FENCE}::test_a_bag_is_named_unless_it_is_the_default",
    ),
    "B8": shown(
        "printed commands run in a shell, with quotes in the path and another store in the variable",
        f"{SELECTION}::test_the_command_that_answers_a_letter_runs_where_the_stores_path_has_quotes",
        f"{SELECTION}::test_the_command_that_gives_a_seat_leads_to_the_bag_and_store_of_the_refused_act",
        f"{FENCE}::test_the_command_runs_in_a_shell_as_it_is_printed",
    ),
    "B9": shown(
        "a link and .. in a path mean what the system says",
        f"{SELECTION}::test_dots_behind_a_link_lead_where_the_system_says",
    ),
    "B10": shown(
        "the command by which a refused caller goes on carries the bag",
        f"{MORE_SEATS}::test_the_command_in_a_refusal_is_the_callers_own_and_leads_to_the_bag",
        f"{SELECTION}::test_the_command_that_gives_a_seat_leads_to_the_bag_and_store_of_the_refused_act",
    ),
    "B11": shown(
        "who has not joined is told the command for its kind of client, and the bag once",
        f"{MORE_SEATS}::test_the_command_in_a_refusal_is_the_callers_own_and_leads_to_the_bag",
        f"{MORE_SEATS}::test_each_refusal_names_the_bag_once_and_stores_nothing",
    ),
    "B12": shown(
        "refusals name the bag that was chosen, and nothing is stored",
        f"{MORE_SEATS}::test_each_refusal_names_the_bag_once_and_stores_nothing",
        f"{MORE_SEATS}::test_the_bag_that_is_not_mentioned_is_named_by_no_refusal",
    ),
    "B13": shown(
        "what cannot be printed in option, variable or home folder is refused; the option beats a bad variable",
        f"{SELECTION}::test_what_names_no_store_is_refused_in_one_printable_line_and_nothing_is_made",
        f"{SELECTION}::test_a_home_folder_that_cannot_be_printed_is_refused_unless_the_store_is_chosen",
        f"{SELECTION}::test_the_option_comes_before_a_variable_that_names_no_store",
    ),
    "B14": shown(
        "letters of any language, spaces and apostrophes in a path are fine, and quoted in commands",
        f"{SELECTION}::test_the_command_that_answers_a_letter_runs_where_the_stores_path_has_quotes",
        f"{SELECTION}::test_the_command_that_gives_a_seat_leads_to_the_bag_and_store_of_the_refused_act",
    ),
    "B15": shown(
        "a choice counts for one command also where several run in one process",
        f"{SELECTION}::test_a_choice_counts_for_one_command_also_where_several_run_in_one_process",
    ),
    "B16": shown(
        "the option beats a variable whose ~ is nobody's home",
        f"{SELECTION}::test_the_option_comes_before_a_variable_that_names_no_store",
    ),
    "B17": shown(
        "a letter does not make a removed store anew; a join does",
        f"{SELECTION}::test_a_store_that_was_removed_is_not_made_again_by_a_letter_but_by_a_join",
    ),
    "B18": shown(
        "the store is chosen before the body is read",
        f"{SELECTION}::test_the_store_is_chosen_before_the_body_is_read",
    ),
    "B19": shown(
        "a usage error leaves the chosen bag alone",
        f"{SELECTION}::test_a_usage_error_touches_neither_the_chosen_bag_nor_another",
    ),
}

WRITING = {
    "B20": shown(
        "a session joins itself, from inside",
        f"{MORE_SEATS}::test_a_process_without_a_session_takes_no_seat",
        f"{MORE_LETTERS}::test_no_entry_of_the_ledger_names_a_door",
        f"{CALLER}::test_a_program_session_is_ignored_inside_of_a_client",
        but=f"{OVERRIDDEN}its door stands on the board, not in the ledger (P8)",
    ),
    "B21": shown(
        "no verb opens an exchange; the version",
        f"{COMMANDS}::test_the_version_is_one_line_and_no_verb_opens_an_exchange",
        "unit/test_version.py::test_the_installed_package_has_the_version_that_the_source_names",
    ),
    "B22": shown(
        "a letter needs a sender with a seat, a recipient and a text",
        f"{SEATS}::test_a_process_without_a_session_must_join_first",
        f"{LETTERS}::test_all_names_are_resolved_first_and_all_unknown_ones_are_told_with_their_nearest",
        f"{LETTERS}::test_a_body_that_is_blank_or_no_unicode_text_is_refused",
        f"{STRANGERS}::test_a_session_writes_as_its_own_seat_only",
        f"{LETTERS}::test_an_empty_seat_is_named_as_such_and_its_mail_waits",
        but=f"{OVERRIDDEN}an empty seat keeps the letter (P5); people and programs write too (P13)",
    ),
    "B23": shown(
        "a letter says how to answer it; a final one that no answer is wanted",
        f"{FENCE}::test_a_letter_says_what_it_is_who_wrote_it_and_how_to_answer",
        f"{FENCE}::test_a_final_letter_has_one_sentence_and_no_command",
    ),
    "B24": shown(
        "what became of a delivery is recorded",
        f"{LETTERS}::test_a_letter_is_stored_before_anything_else_and_waits",
        f"{ROUTES}::test_a_letter_that_cannot_be_rung_for_is_still_there_to_be_read",
        but=f"{OVERRIDDEN}a letter is stored first, whatever its doors then do (P1)",
    ),
    "B25": shown(
        "letters are numbered in their order, without a limit",
        f"{MORE_LETTERS}::test_letters_have_the_numbers_of_the_order_in_which_they_were_stored_and_no_other_act_changes_that",
        but=f"{OVERRIDDEN}one ledger numbers all that happens, so letters' numbers have gaps and stay (P1)",
    ),
    "B26": shown(
        "final is stored only when it is so, told to the writer, and set by --final",
        f"{MORE_LETTERS}::test_only_a_final_letter_says_so_in_the_ledger",
        f"{COMMANDS}::test_a_final_letter_is_named_so_to_its_writer_and_to_its_reader",
    ),
    "B27": shown(
        "final is yes or no; a body that says so makes no letter final",
        f"{COMMANDS}::test_whether_a_letter_is_final_is_yes_or_no_and_nothing_else",
        f"{FENCE}::test_the_sentence_of_a_final_letter_in_a_body_makes_it_none",
    ),
    "B28": shown("a final letter closes nothing", f"{MORE_LETTERS}::test_a_final_letter_closes_nothing"),
    "B29": shown(
        "history marks a final letter",
        f"{READ}::test_a_final_letter_is_marked",
        but=f"{POSTBAGS_FILE}rows whose final is no yes or no, or was written by hand",
    ),
    "B30": shown(
        "writing into an absent bag names the join that makes it, reading the list of bags; nothing is made",
        f"{MORE_SEATS}::test_an_unknown_bag_is_refused_with_all_bags_and_the_command_that_makes_it",
        f"{MORE_SEATS}::test_the_person_hears_that_a_session_makes_a_bag",
        f"{SELECTION}::test_a_bag_that_nobody_has_joined_is_neither_written_to_nor_read_nor_made",
    ),
    "B31": shown(
        "a join makes what it needs for this user alone; one that is refused makes nothing",
        f"{SELECTION}::test_the_first_to_join_makes_the_store_for_this_user_alone_whatever_the_umask",
        f"{SELECTION}::test_a_join_that_is_refused_makes_nothing",
    ),
    "B32": shown(
        "a store that others can get at is not written, and keeps its mode",
        f"{SELECTION}::test_a_store_that_others_can_get_at_is_read_but_not_written_and_keeps_its_mode",
        f"{SELECTION}::test_the_command_that_a_refused_writer_is_told_takes_the_store_from_others",
    ),
    "B33": shown(
        "a refused store leaves no descriptor open and its file as it was",
        f"{SELECTION}::test_a_refused_store_leaves_no_descriptor_open_and_its_file_as_it_was",
    ),
    "B34": shown(
        "an absent bag is refused, never read as an empty one",
        f"{BAGS}::test_a_bag_that_nobody_has_joined_is_unknown_with_its_nearest",
        f"{WHO}::test_an_unknown_bag_is_not_listed_as_an_empty_one",
    ),
    "B35": shown(
        "several that make the store at once all end in one",
        f"{SELECTION}::test_of_several_that_make_the_store_at_once_all_have_their_seats_in_it",
        f"{GATE}::test_sixteen_that_make_the_store_together_all_use_the_same",
    ),
    "B36": left_out("an old ledger keeps its numbers and is never rewritten", f"{POSTBAGS_FILE}import"),
    "B37": shown(
        "the text around a letter, exactly",
        f"{FENCE}::test_a_letter_says_what_it_is_who_wrote_it_and_how_to_answer",
        f"{FENCE}::test_a_bag_is_named_unless_it_is_the_default",
        f"{FENCE}::test_the_command_runs_in_a_shell_as_it_is_printed",
    ),
    "B38": shown("the list of bags and its counts", f"{WHO}::test_bags_are_listed_with_the_newest_letters_first"),
    "B39": left_out("the MCP server's launcher", f"{ELSEWHERE}the lines of the MCP server"),
    "B40": shown(
        "history names store and seats, no secret; bodies of several lines are indented",
        f"{COMMANDS}::test_nothing_that_is_printed_names_a_door_or_lets_another_act_as_the_session",
        f"{HISTORY}::test_a_person_reads_indented_bodies",
        f"{HISTORY}::test_the_line_of_a_letter_says_what_matters_of_it",
    ),
    "B41": shown(
        "a broken entry is refused by its number",
        f"{DAMAGE}::test_a_row_that_is_no_json_any_more_is_damage",
        f"{DAMAGE}::test_whichever_page_is_lost_no_letter_goes_missing_in_silence",
        f"{STORE}::test_an_entry_of_an_unknown_type_is_kept_and_skipped",
        but=f"{OVERRIDDEN}entries of unknown kinds are kept and skipped (P6)",
    ),
    "B42": left_out("old letters and old times still read", f"{POSTBAGS_FILE}import"),
    "B43": shown(
        "what codex prints is never passed on",
        f"{QUEUE}::test_what_the_program_prints_is_not_passed_on",
    ),
    "B44": shown(
        "the store is private; times carry their offset from UTC",
        f"{SELECTION}::test_the_first_to_join_makes_the_store_for_this_user_alone_whatever_the_umask",
        f"{COMMANDS}::test_each_time_that_machines_are_told_says_its_offset_from_utc",
        but=f"{POSTBAGS_FILE}times that its older versions wrote",
    ),
    "B45": shown(
        "which codex is run: the chosen one first",
        f"{QUEUE}::test_a_chosen_program_comes_before_the_receiver_s_own_and_that_before_the_path",
        f"{QUEUE}::test_the_chosen_program_is_the_one_that_runs",
    ),
    "B46": shown(
        "a body from standard input, also with lines that look like its end; the receipt, exactly",
        f"{COMMANDS}::test_a_letter_through_standard_input_comes_back_as_it_was_and_its_receipt_is_one_line",
        but=f"{OVERRIDDEN}newlines at the end stay: a body comes back byte for byte",
    ),
    "B47": shown(
        "a store is a regular file; what is none, or cannot be read, is refused and hangs nobody",
        f"{DAMAGE}::test_each_verb_says_in_one_sentence_that_the_store_cannot_be_used",
        f"{DAMAGE}::test_a_link_leads_to_the_store_and_to_its_lock",
        but=f"{OVERRIDDEN}a link is followed to the store's own file, where all who use it meet at one lock; one that "
        "leads nowhere is refused",
    ),
    "B48": left_out("a record that fails after its knock", f"{OVERRIDDEN}cannot arise: stored first, then rung (P1)"),
    "B49": shown(
        "a torn end loses nothing that was acknowledged",
        f"{DAMAGE}::test_a_torn_log_leaves_what_was_in_the_file",
        "integration/test_rescue.py::test_one_torn_frame_of_the_log_costs_none_behind_it",
        but=f"{OVERRIDDEN}what is torn is isolated and reported, not refused for ever (P6)",
    ),
    "B50": shown(
        "the end of a history has the numbers of the whole",
        f"{BAGS}::test_history_is_read_in_pages_that_say_whether_there_is_more",
        f"{READ}::test_a_bag_is_read_page_by_page_with_the_command_that_the_page_names",
    ),
    "B51": shown(
        "history is one sequence of letters, joins and leaves; an absent store is not made",
        f"{READ}::test_a_bag_reads_in_one_sequence_with_joins_and_leaves_in_between",
        f"{SELECTION}::test_no_look_and_no_act_but_a_join_makes_a_store",
        f"{SELECTION}::test_a_store_that_nobody_has_made_reads_as_an_empty_one",
    ),
    "B52": shown(
        "whose seat was taken is told; history keeps old names",
        f"{MORE_SEATS}::test_who_sits_down_at_a_dead_holders_seat_learns_whose_it_was_and_since_when",
        f"{COMMANDS}::test_a_join_says_which_seat_was_left_and_whose_was_taken",
        f"{MORE_SEATS}::test_history_keeps_the_names_under_which_letters_were_written",
        f"{HISTORY}::test_a_move_is_a_line_with_who_came_from_where",
    ),
    "B53": shown(
        "the list of seats shows clients and no doors; any number of seats",
        f"{WHO}::test_a_client_is_listed_with_its_session",
        f"{COMMANDS}::test_nothing_that_is_printed_names_a_door_or_lets_another_act_as_the_session",
        but=f"{OVERRIDDEN}more than two seats are nothing experimental (P4)",
    ),
    "B54": left_out("an old bag's names and openings as history", f"{POSTBAGS_FILE}import"),
}

NAMES = {
    "B55": shown(
        "two of one vendor write to each other; threads of one Codex have doors of their own",
        "clients/test_main_job.py::test_a_letter_wakes_an_idle_claude_and_its_answer_wakes_the_writer",
        "clients/test_codex.py::test_a_codex_wakes_another_by_the_hook_that_follows_its_command",
        f"{MORE_LETTERS}::test_each_thread_of_one_codex_home_is_rung_by_its_own_id",
    ),
    "B56": shown(
        "CODEX_THREAD_ID counts alone, in any case of letters",
        f"{CODEX}::test_a_thread_is_read_in_small_letters",
        f"{CALLER}::test_a_command_of_codex_is_its_thread",
        but=f"{POSTBAGS_FILE}ids that are no UUID, and ones in capital letters",
    ),
    "B57": shown(
        "a CODEX_THREAD_ID that is none never falls back to another",
        f"{CODEX}::test_a_thread_that_is_none_is_refused_and_never_falls_back",
        f"{CALLER}::test_codex_with_a_thread_that_is_none_is_refused",
    ),
    "B58": shown(
        "a join tells which seat was left and whose was taken, and names no door",
        f"{COMMANDS}::test_a_join_says_which_seat_was_left_and_whose_was_taken",
        f"{COMMANDS}::test_nothing_that_is_printed_names_a_door_or_lets_another_act_as_the_session",
    ),
    "B59": shown(
        "another seat releases the old one, and who writes there is told where its holder sits",
        f"{SEATS}::test_taking_another_seat_leaves_the_first_one",
        f"{MORE_SEATS}::test_who_writes_to_a_seat_that_was_left_for_another_is_told_where_its_holder_sits_now",
    ),
    "B60": shown(
        "a seat that was taken has the new holder's mail; what was lost does not come back by itself",
        f"{SEATS}::test_the_mail_of_a_taken_over_seat_is_the_new_holders",
        f"{GUARDS}::test_a_session_that_lost_its_seat_can_neither_write_nor_check_any_more",
        f"{MORE_SEATS}::test_a_lost_seat_does_not_come_back_when_its_taker_leaves",
        f"{SEATS}::test_a_seat_that_is_refused_leaves_the_old_one_as_it_was",
        but=f"{OVERRIDDEN}a living holder's seat is not taken (P15)",
    ),
    "B61": shown("joining again is no second seat", f"{SEATS}::test_joining_the_seat_that_one_holds_changes_nothing"),
    "B62": shown(
        "nobody writes to themselves, or without a seat",
        f"{LETTERS}::test_nobody_writes_to_their_own_seat",
        f"{SEATS}::test_a_process_without_a_session_must_join_first",
    ),
    "B63": shown(
        "who lost a seat hears how: taken, or left",
        f"{MORE_SEATS}::test_a_session_whose_seat_was_taken_is_told_at_its_next_act_by_whom_and_when",
        f"{MORE_SEATS}::test_a_session_that_left_is_told_when_and_not_to_sit_down_again_of_its_own_accord",
        f"{MORE_SEATS}::test_a_session_that_never_had_a_seat_hears_only_how_to_take_one",
    ),
    "B64": shown(
        "a process in two sessions is the nearest one's; evidence that contradicts itself is refused",
        f"{CALLER}::test_the_nearest_of_two_nested_sessions_is_calling",
        f"{CALLER}::test_claude_code_inside_of_codex_is_calling",
        f"{CALLER}::test_an_outer_sessions_pid_in_an_inner_session_is_a_contradiction",
        f"{CALLER}::test_claude_codes_variables_in_a_codex_that_tells_nothing_are_a_contradiction",
    ),
    "B65": shown(
        "other variables change nothing of who a session is",
        f"{SESSIONS}::test_resume_keeps_session_seat_and_epoch",
        f"{SESSIONS}::test_clear_keeps_session_seat_and_epoch",
        f"{CALLER}::test_a_stale_session_id_gives_way_to_the_registration",
        but=f"{OVERRIDDEN}the seat survives a restart (P7)",
    ),
    "B66": shown(
        "reserved and impossible names are refused before anything is stored; the longest are taken",
        f"{SEATS}::test_the_persons_seat_and_roles_are_not_taken",
        f"{SEATS}::test_what_is_no_name_is_refused_and_nothing_is_stored",
        f"{SEATS}::test_legal_names_are_seats",
        but=f"{OVERRIDDEN}no seat is a client's by its name, so none of theirs is reserved (P13)",
    ),
    "B67": shown(
        "three seats write in one sequence",
        f"{MORE_LETTERS}::test_letters_have_the_numbers_of_the_order_in_which_they_were_stored_and_no_other_act_changes_that",
        but=f"{POSTBAGS_FILE}doors of its old rows",
    ),
    "B68": shown(
        "each refusal is one line",
        f"{MORE_SEATS}::test_each_refusal_is_one_line",
        f"{COMMANDS}::test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else",
    ),
}

DOORS = {
    "B69": shown(
        "Claude Code's door is a real socket; one that is closed wakes nobody",
        f"{SOCKET}::test_a_line_that_the_session_read_is_notified",
        f"{SOCKET}::test_a_session_that_ended_is_unreachable",
        "clients/test_without_monitor.py::test_a_session_whose_monitor_does_not_run_is_rung_by_its_socket",
        but=f"{OVERRIDDEN}the letter stays stored (P1)",
    ),
    "B70": shown(
        "what Codex is told is one argument; a NUL and a body that is too long are refused as what they are",
        f"{QUEUE}::test_a_line_that_looks_like_an_option_stays_one_argument",
        f"{COMMANDS}::test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else",
        f"{LETTERS}::test_a_body_may_have_256_kib_and_not_one_byte_more",
        but=f"{OVERRIDDEN}no body is an argument (P10)",
    ),
    "B71": shown(
        "a codex that hangs, fails or is missing has an outcome of its own, and is not tried again blindly",
        f"{QUEUE}::test_a_program_that_does_not_end_is_ended_and_leaves_it_uncertain",
        f"{QUEUE}::test_another_failure_leaves_it_uncertain",
        f"{QUEUE}::test_a_missing_program_is_unreachable",
        f"{QUEUE}::test_a_line_that_no_argument_can_hold_is_refused",
        but=f"{OVERRIDDEN}the letter stays stored, and is offered again by another route (P1, P2)",
    ),
    "B72": shown(
        "no connection and half a letter are two outcomes",
        f"{SOCKET}::test_a_session_that_was_killed_is_unreachable",
        f"{SOCKET}::test_a_session_that_stops_reading_half_way_leaves_it_uncertain",
    ),
    "B73": shown(
        "send answers with numbers and states, no body, no secret; the last process of a session is rung",
        f"{COMMANDS}::test_what_send_says_to_machines_is_numbers_and_states_and_never_the_body",
        f"{ROUTES}::test_a_resumed_session_is_rung_for_what_its_first_process_was_rung_for",
    ),
    "B74": left_out("a warning when the record fails", f"{OVERRIDDEN}cannot arise: stored first, then rung (P1)"),
    "B75": shown(
        "a refused queue discloses nothing",
        f"{QUEUE}::test_what_the_program_prints_is_not_passed_on",
        f"{QUEUE}::test_a_thread_that_codex_does_not_know_is_unreachable",
        but=f"{OVERRIDDEN}the letter stays stored, and the outcome is recorded (P1, P2)",
    ),
    "B76": shown(
        "a busy store is refused before any door is rung",
        f"{GATE}::test_a_command_behind_one_that_was_stopped_gives_up_and_names_it",
        f"{GATE}::test_who_waits_too_long_is_told_who_holds_it",
        but=f"{OVERRIDDEN}after a short wait (P3)",
    ),
    "B77": shown(
        "the list of bags holds no secret",
        f"{COMMANDS}::test_nothing_that_is_printed_names_a_door_or_lets_another_act_as_the_session",
        f"{COMMANDS}::test_the_list_of_bags_shows_nothing_of_what_was_written",
    ),
    "B78": shown(
        "of many senders at once each letter has its own number",
        "integration/test_eight_senders.py::test_of_eight_senders_every_letter_arrives_once_and_none_fails",
        f"{AT_ONCE}::test_of_eight_senders_all_letters_arrive_once_and_in_each_ones_order",
    ),
    "B79": shown(
        "wrong usage is refused; help and version are not; help explains the arguments",
        f"{READ}::test_what_makes_no_sense_is_a_usage_error",
        f"{WHO}::test_each_verb_explains_itself",
        but=f"{OVERRIDDEN}with an exit code of its own (P13)",
    ),
    "B80": shown(
        "an empty name is refused and stands for no other",
        f"{COMMANDS}::test_an_empty_name_is_refused_and_stands_for_no_other",
    ),
    "B81": shown(
        "who reads sees whole letters, and may stop reading early",
        f"{COMMANDS}::test_who_only_reads_does_not_wait_for_a_writer",
        f"{COMMANDS}::test_a_reader_that_closes_the_pipe_early_is_no_error",
        f"{MORE_LETTERS}::test_a_door_that_is_stuck_holds_up_nobody_else",
        but=f"{OVERRIDDEN}no reader waits, for a writer or for a door (P3)",
    ),
    "B82": shown(
        "what is no UTF-8 is refused; control characters are shown, not obeyed",
        f"{COMMANDS}::test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else",
        f"{COMMANDS}::test_nothing_that_acts_on_a_terminal_comes_out_of_a_folders_name",
        f"{HISTORY}::test_nothing_that_others_wrote_can_open_or_close_a_fence",
        but=f"{POSTBAGS_FILE}control characters in its old times",
    ),
    "B83": shown(
        "a join does not change a store that others can get at; a door's program inherits nothing",
        f"{SELECTION}::test_a_store_that_others_can_get_at_is_read_but_not_written_and_keeps_its_mode",
        f"{QUEUE}::test_the_program_sees_the_receiver_s_home_of_codex_and_no_secret",
        f"{SECRETS}::test_a_program_that_a_door_starts_gets_no_secret",
    ),
}

RECOVERY = {
    "B84": shown(
        "a refusal says what to do next: join, look who is there, try again",
        f"{MORE_SEATS}::test_the_command_in_a_refusal_is_the_callers_own_and_leads_to_the_bag",
        f"{STATUS}::test_the_command_that_a_party_without_a_seat_is_told_gives_it_one",
        f"{LETTERS}::test_all_names_are_resolved_first_and_all_unknown_ones_are_told_with_their_nearest",
        f"{GATE}::test_who_waits_too_long_is_told_who_holds_it",
    ),
    "B85": shown(
        "no refusal speaks of a budget while none is set",
        f"{MORE_SEATS}::test_no_refusal_speaks_of_a_budget_where_none_is_set",
    ),
    "B86": shown(
        "what is no Unicode text is refused before anything is stored",
        f"{LETTERS}::test_a_body_that_is_blank_or_no_unicode_text_is_refused",
        f"{COMMANDS}::test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else",
        f"{COMMANDS}::test_what_is_no_unicode_text_is_refused_as_an_argument_too",
        but=f"{POSTBAGS_FILE}old bodies with half a surrogate pair",
    ),
    "B87": shown(
        "a failure before a letter is stored stores nothing; in doubt it says so",
        f"{FULL_DISK}::test_a_send_to_a_full_disk_stores_nothing_and_says_so",
        f"{FULL_DISK}::test_a_write_that_the_system_cuts_off_is_in_doubt_or_refused_and_then_stored_once",
        but=f"{OVERRIDDEN}repeating with the same key stores it once (P1)",
    ),
    "B88": shown(
        "a giant number is refused, in a sentence",
        f"{COMMANDS}::test_a_number_that_no_letter_can_have_is_refused_in_one_line",
        f"{LETTERS}::test_a_number_that_no_letter_has_is_unknown_however_large",
        "unit/test_json_text.py::test_an_overlong_number_is_refused_with_a_value_error",
    ),
    "B89": shown(
        "tests see nothing of the person who runs them",
        f"{COMMANDS}::test_a_test_has_a_home_of_its_own_and_no_variable_of_a_client",
        "clients/test_harness.py::test_tests_see_nothing_of_a_client_that_started_them",
        but=f"{ELSEWHERE}that a letter offers a tool, in the lines of the MCP server",
    ),
}

LEAVING = {
    "B90": shown(
        "leaving is recorded and frees the seat",
        f"{SEATS}::test_a_seat_that_was_left_is_free_and_keeps_its_mail",
        f"{MORE_LETTERS}::test_no_entry_of_the_ledger_names_a_door",
        but=f"{OVERRIDDEN}without the door (P8)",
    ),
    "B91": shown(
        "who writes to a seat that was left is told since when; who left cannot write, and is not told to come back",
        f"{MORE_SEATS}::test_who_writes_to_a_seat_that_was_left_altogether_is_told_since_when",
        f"{MORE_SEATS}::test_a_session_that_left_is_told_when_and_not_to_sit_down_again_of_its_own_accord",
    ),
    "B92": shown(
        "who left may join again; leaving twice is refused and appends nothing",
        f"{MORE_SEATS}::test_who_has_left_may_sit_down_again_under_the_same_name_or_another",
        f"{MORE_SEATS}::test_leaving_twice_is_refused_and_appends_nothing",
    ),
    "B93": shown(
        "who has no seat leaves none, and makes nothing",
        f"{MORE_SEATS}::test_who_has_no_seat_leaves_none_and_is_not_told_to_take_one",
        f"{SELECTION}::test_no_look_and_no_act_but_a_join_makes_a_store",
    ),
    "B94": shown(
        "of a leaving and a letter at once, whichever comes first counts",
        f"{GUARDS}::test_a_session_that_left_its_seat_meanwhile_cannot_write",
        f"{REPLIES}::test_a_reply_goes_to_the_seat_though_its_author_has_left",
        f"{LETTERS}::test_an_empty_seat_is_named_as_such_and_its_mail_waits",
        f"{GATE}::test_a_command_behind_one_that_was_stopped_gives_up_and_names_it",
    ),
    "B95": shown(
        "a store that others can get at is not written by leaving either",
        f"{SELECTION}::test_a_store_that_others_can_get_at_is_read_but_not_written_and_keeps_its_mode",
        f"{FULL_DISK}::test_a_write_that_the_system_cuts_off_is_in_doubt_or_refused_and_then_stored_once",
    ),
    "B96": shown(
        "a leaving of somebody else's moves nobody",
        f"{MORE_SEATS}::test_a_leaving_that_is_another_sessions_moves_nobody",
        "conformance/test_rebuild.py::test_entries_that_cannot_be_understood_are_kept_skipped_and_named",
        but=f"{OVERRIDDEN}that entry is ignored, not the whole bag refused (P6)",
    ),
    "B97": shown(
        "of several losses the last one is told, also when the taker has left",
        f"{MORE_SEATS}::test_of_several_seats_a_session_hears_of_the_one_that_it_lost_last",
        f"{MORE_SEATS}::test_a_session_hears_that_its_seat_was_taken_although_its_taker_has_left_since",
        f"{MORE_SEATS}::test_who_writes_to_a_seat_that_was_left_for_another_is_told_where_its_holder_sits_now",
    ),
    "B98": shown(
        "leaving changes no letter, no number, no other bag; the lists shrink, history grows by a line",
        f"{MORE_SEATS}::test_leaving_changes_no_letter_no_number_and_no_other_bag",
        f"{BAGS}::test_leaving_one_bag_keeps_the_seat_in_another",
        f"{COMMANDS}::test_who_leaves_is_in_no_list_any_more_and_has_nothing_to_resume",
    ),
    "B99": shown(
        "leave takes no words, and help names it",
        f"{COMMANDS}::test_a_verb_that_takes_no_more_words_says_so",
        f"{WHO}::test_help_lists_every_verb_once",
        but=f"{POSTBAGS_FILE}its old openings and doors in capital letters",
    ),
}

LISTS = {
    "B100": shown(
        "listing makes nothing, and lists what was joined or written in",
        f"{SELECTION}::test_no_look_and_no_act_but_a_join_makes_a_store",
        f"{WHO}::test_no_bag_yet_says_who_makes_one",
        f"{WHO}::test_bags_are_listed_with_the_newest_letters_first",
    ),
    "B101": shown(
        "letters are counted, the last one and the seats are told, and nothing that was written",
        f"{WHO}::test_bags_are_listed_with_the_newest_letters_first",
        f"{COMMANDS}::test_the_list_of_bags_shows_nothing_of_what_was_written",
        but=f"{POSTBAGS_FILE}its old openings and overruns",
    ),
    "B102": shown(
        "another store is listed when it is chosen; two ways to one file are one store",
        f"{SELECTION}::test_two_ways_to_one_file_are_one_store",
        f"{SELECTION}::test_dots_behind_a_link_lead_where_the_system_says",
        f"{SELECTION}::test_the_option_comes_before_the_variable_and_that_before_the_default",
        but=f"{OVERRIDDEN}a link is followed to the store's own file; see B47",
    ),
    "B103": shown(
        "no list prints what acts on a terminal",
        f"{COMMANDS}::test_nothing_that_acts_on_a_terminal_comes_out_of_a_folders_name",
        f"{COMMANDS}::test_each_time_that_machines_are_told_says_its_offset_from_utc",
    ),
    "B104": shown(
        "what cannot be listed is reported, with its mode unchanged",
        f"{DAMAGE}::test_each_verb_says_in_one_sentence_that_the_store_cannot_be_used",
        but=f"{OVERRIDDEN}all bags of a store lie in one file, so none is left out beside others (P4)",
    ),
    "B105": shown(
        "a list says what it is of; paths are checked; a closed pipe is no error",
        f"{SELECTION}::test_what_names_no_store_is_refused_in_one_printable_line_and_nothing_is_made",
        f"{COMMANDS}::test_a_reader_that_closes_the_pipe_early_is_no_error",
        f"{LOST_OUTPUT}::test_a_check_whose_reader_went_away_leaves_the_letters_unread",
    ),
    "B106": shown(
        "on a terminal a list fits; into a pipe it is the same whatever the terminal",
        f"{WHO}::test_a_table_fits_the_persons_terminal_and_is_full_in_a_pipe",
        "unit/test_table.py::test_no_line_is_wider_than_the_terminal_and_no_word_outside_of_free_text_is_cut",
        "unit/test_table.py::test_wide_characters_count_twice",
        f"{WHO}::test_bags_are_listed_with_the_newest_letters_first",
        f"{COMMANDS}::test_what_goes_into_a_pipe_does_not_depend_on_the_terminal",
    ),
    "B107": shown(
        "the client's session is known where it told one, and resumed by its own command",
        f"{WHO}::test_a_clients_session_is_resumed_by_its_own_command_also_when_it_has_ended",
        f"{COMMANDS}::test_a_session_without_an_id_that_its_client_knows_has_no_command_that_resumes_it",
        f"{COMMANDS}::test_who_leaves_is_in_no_list_any_more_and_has_nothing_to_resume",
        f"{SESSIONS}::test_resume_after_clear_goes_on_with_the_same_session",
        but=f"{OVERRIDDEN}Codex's sessions have a command too: its thread is what the client resumes (P7)",
    ),
    "B108": shown(
        "listing what can be resumed makes nothing, and says how many cannot",
        f"{WHO}::test_a_clients_session_is_resumed_by_its_own_command_also_when_it_has_ended",
        f"{SELECTION}::test_no_look_and_no_act_but_a_join_makes_a_store",
    ),
}

BETTER = {
    "P1": shown(
        "no letter is in doubt: stored before it is rung for, its number final, repeated with its key it is one letter",
        f"{CRASHES}::test_a_killed_send_is_repeated_with_its_key_and_stored_once",
        f"{KEYS}::test_what_is_not_known_to_be_stored_is_stored_once_by_the_same_key",
        f"{CRASHES}::test_a_ring_that_a_kill_prevented_is_made_at_its_deadline",
        "faults/test_random_kills.py::test_no_acknowledged_letter_is_lost_and_none_is_doubled",
    ),
    "P2": shown(
        "each state has its proof; what was not shown is offered again",
        f"{RECEIPTS}::test_the_account_of_a_letter_says_all_that_is_proved",
        f"{RECEIPTS}::test_what_was_written_completely_is_handed_and_not_yet_shown",
        f"{ROUTES}::test_a_ring_is_repeated_in_growing_intervals_and_never_given_up",
        f"{ROUTES}::test_what_was_given_in_an_interrupted_turn_is_rung_for_again",
        f"{ROUTES}::test_a_session_that_bypasses_permissions_is_not_rung_by_its_socket",
        f"{COMMANDS}::test_what_a_reader_did_not_take_from_the_pipe_is_offered_again",
    ),
    "P3": shown(
        "no lock is held during a ring; busy is a short wait and a clear answer",
        f"{MORE_LETTERS}::test_a_door_that_is_stuck_holds_up_nobody_else",
        f"{GATE}::test_a_command_behind_one_that_was_stopped_gives_up_and_names_it",
    ),
    "P4": shown(
        "nothing grows with history; unread, conversations, artifacts, search, any number of seats",
        f"{MORE_LETTERS}::test_what_a_check_and_a_send_cost_does_not_grow_with_what_was_stored_before",
        f"{REPLIES}::test_replies_of_replies_are_one_conversation",
        f"{LETTERS}::test_all_that_a_letter_says_comes_back",
        f"{LETTERS}::test_a_letter_to_several_is_one_letter_with_a_state_for_each",
        "conformance/test_search.py::test_letters_are_found_by_all_their_words_in_any_case_and_order",
        but=f"{ELSEWHERE}channels, with coordination",
    ),
    "P5": shown(
        "a letter waits for its seat, its sender is told, and waiting needs no polling",
        f"{LETTERS}::test_an_empty_seat_is_named_as_such_and_its_mail_waits",
        f"{SEATS}::test_the_mail_of_a_taken_over_seat_is_the_new_holders",
        f"{STATUS}::test_of_an_empty_seat_it_is_said_since_when_nobody_sits_there",
        "unit/test_bells.py::test_a_sleeping_watcher_wakes_when_its_bell_is_rung",
    ),
    "P6": shown(
        "damage is isolated, reported and repaired; unknown entries are kept; a newer store is refused",
        "integration/test_rescue.py::test_whichever_page_is_lost_only_what_lay_on_it_is_missing",
        "conformance/test_rebuild.py::test_what_was_wrong_with_the_index_is_right_again",
        f"{STORE}::test_an_entry_of_an_unknown_type_is_kept_and_skipped",
        f"{DAMAGE}::test_each_verb_says_in_one_sentence_that_the_store_cannot_be_used",
    ),
    "P7": shown(
        "who lives is proved by process and start time; sessions register themselves",
        f"{SEATS}::test_a_pid_that_another_process_has_now_is_not_the_holder",
        f"{SEATS}::test_a_dead_holders_seat_is_taken_over_at_once",
        f"{WHO}::test_a_seat_whose_holder_has_died_is_empty_and_left_out_until_a_letter_waits",
        "clients/test_claude_sessions.py::test_a_window_says_which_seat_it_is_and_the_model_is_told_how_to_write",
    ),
    "P8": shown(
        "no secret in ledger, arguments, logs or a child's environment",
        f"{SECRETS}::test_no_verb_and_no_hook_writes_a_secret_down_or_hands_it_on",
        f"{SECRETS}::test_a_program_that_a_door_starts_gets_no_secret",
        f"{MORE_LETTERS}::test_no_entry_of_the_ledger_names_a_door",
    ),
    "P9": shown(
        "what bounds a conversation: budgets, hops, rates, acknowledgements that wake nobody, a stop",
        f"{BUDGETS}::test_a_spent_budget_refuses_and_stores_nothing",
        f"{BUDGETS}::test_only_the_person_opens_closes_and_sets_limits",
        f"{BRAKES}::test_two_sessions_that_answer_each_other_come_to_rest",
        f"{BRAKES}::test_a_seat_writes_thirty_letters_a_minute_and_is_told_when_it_may_go_on",
        but=f"{ELSEWHERE}acknowledgements that wake nobody, and a stop",
    ),
    "P10": shown(
        "a long letter is stored whole and rung for by a short line; who cannot be woken is named; Windows is refused",
        f"{MORE_LETTERS}::test_a_door_carries_one_short_line_however_long_the_letter_is",
        f"{READ}::test_one_letter_is_printed_whole_however_long_it_is",
        f"{ROUTES}::test_a_program_is_told_of_as_one_that_nothing_wakes",
        f"{COMMANDS}::test_on_windows_each_verb_refuses_and_names_wsl",
    ),
    "P11": left_out("the weight of the MCP server", f"{ELSEWHERE}the lines of the MCP server"),
    "P12": shown(
        "tests wait on conditions, not on the clock, and run as any user",
        "unit/test_checklists.py::test_no_test_waits_by_sleeping",
        f"{DAMAGE}::test_each_verb_says_in_one_sentence_that_the_store_cannot_be_used",
    ),
    "P13": shown(
        "programs and people have seats; JSON from every verb; exit codes that scripts can tell apart",
        f"{COMMANDS}::test_every_verb_prints_one_json_value_where_it_is_asked_to",
        f"{COMMANDS}::test_a_refusal_is_one_json_value_too",
        f"{COMMANDS}::test_a_script_tells_by_the_exit_code_what_came_of_a_command",
        f"{LETTERS}::test_everybody_may_write_to_the_person_and_the_person_to_everybody",
        f"{CALLER}::test_a_program_that_joined_is_its_session",
    ),
    "P14": shown(
        "inherited variables make nobody a session; doubt is refused",
        f"{STRANGERS}::test_nobody_writes_or_takes_a_letter_by_a_claim",
        f"{CALLER}::test_variables_of_a_client_that_is_not_above_are_refused",
        f"{CALLER}::test_a_process_that_detached_from_its_client_has_no_sender",
    ),
    "P15": shown(
        "one living holder a seat; a takeover is recorded, raises the epoch, and is told to who lost it",
        f"{SEATS}::test_a_second_claimant_is_refused_with_who_holds_it_since_when",
        f"{SEATS}::test_each_taking_raises_the_epoch_and_each_holder_keeps_its_own",
        f"{MORE_SEATS}::test_a_session_whose_seat_was_taken_is_told_at_its_next_act_by_whom_and_when",
        f"{GUARDS}::test_a_session_that_lost_its_seat_cannot_write",
    ),
    "P16": shown(
        "no body can leave its fence, or play mailstop, the client or the person",
        f"{FENCE}::test_no_body_breaks_the_fence",
        f"{FENCE}::test_a_hostile_body_stays_inside_its_fence_and_harmless",
        f"{READ}::test_bodies_are_fenced_and_cannot_end_their_fence",
        "clients/test_hostile_bodies.py::test_a_hostile_body_stands_whole_between_the_lines_of_its_fence_and_nowhere_else",
    ),
    "P17": shown(
        "an empty variable counts as unset",
        f"{SELECTION}::test_an_empty_variable_counts_as_unset",
        f"{CONFIG}::test_an_empty_choice_of_store_counts_as_none",
    ),
}

LINES: dict[str, Line] = {
    **SELECTING,
    **WRITING,
    **NAMES,
    **DOORS,
    **RECOVERY,
    **LEAVING,
    **LISTS,
    **BETTER,
}
