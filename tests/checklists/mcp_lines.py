"""The MCP lines of both checklists, for the server over standard input and output.

postbag's B39, B109 to B129, and P11; of claude-mailbox's lines those on channels, discovery, validation and isolation
that a server of one connection can show. Its HTTP lines, and those on asks, tasks and leaders, are not here.
"""

from __future__ import annotations

from tests.checklists.line import ELSEWHERE, OVERRIDDEN, Line, left_out, shown

CALLERS = "integration/test_mcp_callers.py"
CHANNEL = "integration/test_mcp_channel.py"
HOT_PATH = "integration/test_hot_path.py"
LETTERS = "integration/test_mcp_letters.py"
LIFETIME = "integration/test_mcp_lifetime.py"
PROTOCOL = "integration/test_mcp_protocol.py"
SDK = "integration/test_mcp_sdk.py"
REFUSALS = "unit/test_mcp_refusals.py"
TOOLS = "unit/test_mcp_tools.py"
KILLS = "faults/test_mcp_kills.py"
QUEUE = "integration/test_doors_codex_queue.py"

POSTBAG: dict[str, Line] = {
    "B39": shown(
        "`mailstop mcp` prints nothing first, refuses other verbs' arguments, needs no SDK, and is listed in the help",
        f"{LIFETIME}::test_the_verb_refuses_what_is_no_option_of_it_and_is_listed_in_the_help",
        f"{LIFETIME}::test_it_says_nothing_before_it_is_asked",
        f"{HOT_PATH}::test_the_tools_of_a_session_are_lean_and_their_start_leaner",
        but=f"{OVERRIDDEN}there is one entry point, and no extra to miss",
    ),
    "B109": shown(
        "the SDK lists the tools; an empty store is read as empty, and not made",
        f"{SDK}::test_a_session_is_agreed_in_either_era_and_its_tools_are_listed",
        f"{CALLERS}::test_a_look_makes_no_store",
    ),
    "B110": shown(
        "each call says its sender by metadata, what the server was started with says nothing, and no argument does",
        f"{CALLERS}::test_a_thread_of_codex_is_told_by_each_call",
        f"{CALLERS}::test_what_the_server_was_started_with_says_nothing_of_a_thread",
        f"{CALLERS}::test_a_call_without_a_right_thread_of_codex_writes_nothing",
        f"{CALLERS}::test_no_argument_says_who_writes",
        f"{PROTOCOL}::test_no_line_keeps_the_next_one_from_being_served",
    ),
    "B111": shown(
        "reading in pages; what does not fit is named; no vendor's id and no path of a door is shown",
        f"{LETTERS}::test_an_answer_stays_within_8000_bytes_and_the_rest_comes_with_the_next",
        f"{LETTERS}::test_a_long_letter_is_shown_in_part_and_read_to_its_end",
        f"{LETTERS}::test_who_says_what_it_left_out",
        f"{CALLERS}::test_no_answer_tells_a_vendors_id_or_a_door",
    ),
    "B112": shown(
        "what no letter may be leaves nothing and reaches no door",
        f"{LETTERS}::test_what_no_letter_may_be_leaves_nothing",
        f"{LETTERS}::test_what_cannot_be_read_is_refused",
        but=f"{ELSEWHERE}legacy budgets, with the import",
    ),
    "B113": shown(
        "a bag that is not there is neither read nor written, and made by who joins",
        f"{LETTERS}::test_a_bag_is_made_by_who_joins_it_and_by_nobody_else",
    ),
    "B114": shown(
        "final is a boolean, and nothing else; it is seen by the reader and said to the writer, and closes nothing",
        f"{LETTERS}::test_a_final_letter_says_so_and_closes_nothing",
        f"{TOOLS}::test_arguments_are_taken_exactly_where_json_schema_takes_them",
    ),
    "B115": shown(
        "the limit is in bytes of UTF-8, and exact; half of a surrogate pair is refused; any locale does",
        f"{LETTERS}::test_the_limit_of_a_body_is_in_bytes_and_exact",
        f"{TOOLS}::test_half_a_surrogate_pair_is_no_text",
        f"{LETTERS}::test_letters_of_any_script_pass_where_the_locale_is_ascii",
    ),
    "B116": shown(
        "what is under way is done when the call is cancelled or the input ends, and the server goes on serving",
        f"{LETTERS}::test_calls_that_are_under_way_are_answered_when_the_input_ends",
        f"{LETTERS}::test_a_send_that_is_cancelled_is_stored_all_the_same",
        f"{LETTERS}::test_a_check_that_waits_can_be_cancelled_and_gets_no_answer",
        f"{LETTERS}::test_an_answer_that_the_client_throws_away_was_never_given",
    ),
    "B117": shown(
        "nothing is imported from the folder it runs in",
        f"{LIFETIME}::test_no_module_comes_from_the_folder_it_runs_in",
        but=f"{OVERRIDDEN}PYTHONPATH counts as for any program in Python, and MAILSTOP_STORE as for any of our verbs",
    ),
    "B118": shown(
        "many write at once, each letter once and under its own sender",
        f"{LIFETIME}::test_ten_servers_write_to_one_store_at_once",
        f"{CALLERS}::test_each_connection_is_a_session_of_its_own",
    ),
    "B119": shown(
        "a restarted server goes on as the same session; a seat is taken over and left in words",
        f"{CALLERS}::test_a_thread_goes_on_with_its_seat_in_another_server",
        f"{CALLERS}::test_after_clear_the_same_server_goes_on_as_the_same_seat",
        f"{LETTERS}::test_a_seat_is_taken_over_and_left_in_words",
    ),
    "B120": shown(
        "a busy store is waited for, and then refused by name, with the same call as the next",
        f"{LETTERS}::test_a_store_that_stays_busy_is_refused_and_the_server_goes_on",
        f"{REFUSALS}::test_an_error_has_a_code_a_message_and_a_next_call_that_the_tools_take",
    ),
    "B121": shown(
        "no vendor's output is shown, and what is started sees its own session only",
        f"{QUEUE}::test_the_program_sees_the_receiver_s_home_of_codex_and_no_secret",
        f"{QUEUE}::test_what_the_program_prints_is_not_passed_on",
    ),
    "B122": shown(
        "Claude Code is known by its process; mixed evidence is refused",
        f"{CALLERS}::test_claude_code_is_the_session_that_its_hook_told_of",
        f"{CALLERS}::test_a_thread_of_codex_that_a_claude_code_started_is_refused",
        f"{CALLERS}::test_a_thread_that_no_codex_is_above_is_refused",
        f"{CALLERS}::test_a_session_that_is_not_this_process_is_refused",
    ),
    "B123": shown(
        "what a tool writes and what a command writes go one way", f"{LETTERS}::test_a_letter_carries_all_its_fields"
    ),
    "B124": shown(
        "hostile recipients are refused; an @ is taken away; a thread is a UUID, in small letters",
        f"{LETTERS}::test_what_no_letter_may_be_leaves_nothing",
        f"{LETTERS}::test_a_letter_goes_to_one_seat_or_a_list",
        f"{CALLERS}::test_a_thread_goes_on_with_its_seat_in_another_server",
        f"{CALLERS}::test_a_call_without_a_right_thread_of_codex_writes_nothing",
    ),
    "B125": shown(
        "a server that is killed while it writes leaves each acknowledged letter once, and a key settles the others",
        f"{KILLS}::test_every_letter_that_a_killed_server_has_acknowledged_is_there_once",
        f"{REFUSALS}::test_a_send_in_doubt_is_repeated_only_with_its_key",
    ),
    "B126": shown(
        "the version of the protocol is agreed on or refused by name",
        f"{PROTOCOL}::test_each_published_version_of_the_old_era_is_agreed_to_and_kept",
        f"{PROTOCOL}::test_a_wrong_envelope_is_refused_by_name",
        f"{PROTOCOL}::test_an_unknown_version_gets_the_newest_of_the_old_era",
    ),
    "B127": left_out(
        "an answer of the worker that is malformed", f"{OVERRIDDEN}there is no worker: calls run in process"
    ),
    "B128": shown(
        "a refusal carries the call to make instead",
        f"{REFUSALS}::test_an_error_has_a_code_a_message_and_a_next_call_that_the_tools_take",
        f"{REFUSALS}::test_a_caller_without_a_seat_is_told_of_the_tool_and_not_of_a_shell",
        but=f"{OVERRIDDEN}connections that share one thread are one session, which needs no word in the instructions",
    ),
    "B129": shown(
        "leaving takes a bag at most; the mail stays; nobody is put back who left",
        f"{LETTERS}::test_a_seat_is_taken_over_and_left_in_words",
        f"{REFUSALS}::test_a_session_that_left_its_seat_is_not_sent_back_to_it",
        f"{TOOLS}::test_a_tool_is_described_as_the_protocol_wants_it",
    ),
    "P11": shown(
        "a server of a session takes milliseconds and megabytes, not the SDK's",
        f"{LIFETIME}::test_it_is_small",
        f"{HOT_PATH}::test_the_tools_of_a_session_are_lean_and_their_start_leaner",
    ),
}

CLAUDE_MAILBOX: dict[str, Line] = {
    "11": shown(
        "the capability claude/channel is declared", f"{CHANNEL}::test_the_capability_is_declared_in_both_eras"
    ),
    "12": shown("what else is declared is kept", f"{CHANNEL}::test_the_capability_is_declared_in_both_eras"),
    "13": shown(
        "what stands beside the line are texts under fixed names",
        f"{CHANNEL}::test_a_letter_is_told_of_by_the_fixed_line_with_texts_beside_it",
    ),
    "14": shown(
        "a client that said nothing is told of nothing",
        f"{CHANNEL}::test_a_client_that_does_not_take_part_is_told_of_nothing",
    ),
    "15": shown(
        "nor one that declares something else",
        f"{CHANNEL}::test_a_client_that_does_not_take_part_is_told_of_nothing",
    ),
    "16": left_out(
        "capturing outside of a running loop", f"{OVERRIDDEN}nothing is captured: a connection is an object"
    ),
    "19": shown(
        "kinds are told; a notification proves nothing, and the letter stays unread",
        f"{CHANNEL}::test_a_letter_is_told_of_by_the_fixed_line_with_texts_beside_it",
        f"{CHANNEL}::test_it_proves_nothing_and_the_letter_is_given_as_any",
        but=f"{ELSEWHERE}broadcasts and requests, with channels and asks",
    ),
    "20": shown(
        "each letter is told of once",
        f"{CHANNEL}::test_each_letter_is_told_of_once_and_what_waited_at_the_start_too",
    ),
    "21": shown(
        "what waited is told of once, and never lost",
        f"{CHANNEL}::test_each_letter_is_told_of_once_and_what_waited_at_the_start_too",
    ),
    "22": shown(
        "the memory for it is bounded: one number",
        f"{CHANNEL}::test_more_letters_than_one_look_finds_are_all_told_of",
    ),
    "34": shown(
        "the tools can be discovered",
        f"{SDK}::test_a_session_is_agreed_in_either_era_and_its_tools_are_listed",
    ),
    "50": shown(
        "two connections are two sessions",
        f"{CALLERS}::test_each_connection_is_a_session_of_its_own",
        but=f"{ELSEWHERE}over HTTP",
    ),
    "56": shown(
        "each connection is told of its own letters",
        f"{CHANNEL}::test_two_connections_are_each_told_of_their_own",
    ),
    "57": shown("standard input and output without arguments", f"{SDK}::test_letters_go_to_and_fro"),
}
