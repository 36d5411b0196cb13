"""The MCP lines of both checklists, for the server over standard input and output.

postbag's B39, B109 to B129, P11, and what B89, B135 and B139 ask of the tools; of claude-mailbox's lines all that a
server of one connection can show, W and H among them. What only a server with many connections can show waits in HTTP.
"""

from __future__ import annotations

from tests.checklists.line import ELSEWHERE, OVERRIDDEN, Line, left_out, shown

ASKS = "integration/test_mcp_asks.py"
CALLERS = "integration/test_mcp_callers.py"
CHANNEL = "integration/test_mcp_channel.py"
HOT_PATH = "integration/test_hot_path.py"
LETTERS = "integration/test_mcp_letters.py"
LIFETIME = "integration/test_mcp_lifetime.py"
PROTOCOL = "integration/test_mcp_protocol.py"
SDK = "integration/test_mcp_sdk.py"
REFUSALS = "unit/test_mcp_refusals.py"
TOOLS = "unit/test_mcp_tools.py"
WORK = "integration/test_mcp_work.py"
CLIENTS = "clients/test_mcp.py"
FENCE = "unit/test_fence_tools.py"
FOLLOWER = "unit/test_follower.py"
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
    "B89": shown(
        "a letter names the tool that goes on with it, and no command",
        f"{FENCE}::test_how_to_answer_is_said_as_a_call",
        f"{FENCE}::test_a_letter_about_a_task_names_the_tool_and_no_command",
        f"{ASKS}::test_the_text_of_a_question_names_the_tool_that_answers_it",
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
    "B135": shown(
        "connections share a budget; the last letter is won once",
        f"{WORK}::test_connections_that_race_for_the_last_letter_of_a_budget_win_it_once",
    ),
    "B139": shown(
        "every tool that writes tells that the person opens a budget, and none does it",
        f"{WORK}::test_a_spent_budget_is_told_by_every_tool_that_writes_and_no_tool_opens_another",
    ),
    "P11": shown(
        "a server of a session takes milliseconds and megabytes, not the SDK's",
        f"{LIFETIME}::test_it_is_small",
        f"{HOT_PATH}::test_the_tools_of_a_session_are_lean_and_their_start_leaner",
    ),
}

HTTP_ONLY = f"{ELSEWHERE}http: what a server with many connections shows"

REQUESTS: dict[str, Line] = {
    "1": shown(
        "answering a question that another was asked is refused, and nothing is written",
        f"{ASKS}::test_only_who_was_asked_answers_and_only_who_asked_reads",
    ),
    "2": shown(
        "so is answering what nobody was asked",
        f"{SDK}::test_each_tool_refuses_with_a_code_a_message_and_the_next_call",
    ),
    "3": shown(
        "who was asked: the answer is stored, and the question closed",
        f"{ASKS}::test_an_ask_is_answered_while_it_waits_and_the_answer_is_handed_once",
    ),
    "42": shown(
        "round trip: answered, with answer and number",
        f"{ASKS}::test_an_ask_is_answered_while_it_waits_and_the_answer_is_handed_once",
        f"{CLIENTS}::test_a_model_calls_every_tool_and_the_end_of_its_client_frees_what_it_held",
    ),
    "43": shown("what cannot be asked is refused at once", f"{ASKS}::test_one_seat_is_asked_and_named"),
    "44": shown(
        "a missing question: there is none", f"{SDK}::test_each_tool_refuses_with_a_code_a_message_and_the_next_call"
    ),
    "45": shown(
        "another than the asker is told the same", f"{ASKS}::test_only_who_was_asked_answers_and_only_who_asked_reads"
    ),
    "46": shown(
        "the asker gets the answer, also later", f"{ASKS}::test_the_text_of_a_question_names_the_tool_that_answers_it"
    ),
    "47": shown(
        "a store that fails is reported by name",
        f"{LETTERS}::test_a_store_that_stays_busy_is_refused_and_the_server_goes_on",
    ),
    "48": shown(
        "whichever call meets it", f"{LETTERS}::test_a_store_that_stays_busy_is_refused_and_the_server_goes_on"
    ),
    "49": shown(
        "a letter to a seat that is not there is refused, and never said to be delivered",
        f"{SDK}::test_letters_go_to_and_fro",
    ),
}

GATE: dict[str, Line] = {
    "39": shown(
        "every tool that writes refuses who has no seat with one code, and the call that gives one",
        f"{WORK}::test_every_tool_that_writes_refuses_who_has_no_seat_alike_and_lets_others_through",
        but=f"{OVERRIDDEN}reading a channel is a look, which anybody may have",
    ),
    "40": shown(
        "and lets whoever has one through",
        f"{WORK}::test_every_tool_that_writes_refuses_who_has_no_seat_alike_and_lets_others_through",
    ),
    "41": shown(
        "the refusal is an answer with `isError`, a code, a message and the next call",
        f"{SDK}::test_each_tool_refuses_with_a_code_a_message_and_the_next_call",
    ),
}

LEADING: dict[str, Line] = {
    "27": shown(
        "a vacant post is granted and read back",
        f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released",
    ),
    "28": shown(
        "who comes second is told who leads", f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released"
    ),
    "29": shown(
        "release by another is without effect", f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released"
    ),
    "31": shown("no tool takes it by force", f"{WORK}::test_no_tool_does_what_is_the_persons_alone"),
    "32": left_out("force over standard input and output", f"{OVERRIDDEN}force is the person's, who is at a terminal"),
    "33": shown("a claim without force passes", f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released"),
}

CHANNELS: dict[str, Line] = {
    "71": shown("a name", f"{WORK}::test_a_channel_is_subscribed_to_and_left"),
    **{number: shown("no name", f"{WORK}::test_no_name_that_is_none_names_a_channel") for number in ("72", "73", "74")},
    "75": shown("a channel is read in pages, with times", f"{WORK}::test_a_letter_is_said_in_a_channel_and_read_there"),
    "76": shown("the own project's by default", f"{WORK}::test_a_bare_sign_means_the_channel_of_the_project"),
    "77": shown("to #general only when asked", f"{WORK}::test_a_letter_is_said_in_a_channel_and_read_there"),
    "78": shown("no channel is read by no name", f"{WORK}::test_no_name_that_is_none_names_a_channel"),
}

HTTP: dict[str, Line] = {
    **{number: left_out("an idle connection is reaped, an active one not", HTTP_ONLY) for number in ("52", "53")},
    **{number: left_out("binding, tokens and authentication", HTTP_ONLY) for number in map(str, range(58, 71))},
}

WEAKNESSES: dict[str, Line] = {
    "W1": shown(
        "a notification proves nothing; a letter is shown by the client's own next call",
        f"{CHANNEL}::test_it_proves_nothing_and_the_letter_is_given_as_any",
        f"{LETTERS}::test_letters_are_handed_by_the_answer_and_shown_by_the_next_call",
    ),
    "W2": shown(
        "what others wrote is data, whatever it holds",
        f"{LETTERS}::test_a_hostile_body_stays_within_its_fence",
        f"{WORK}::test_what_others_wrote_into_a_task_stays_within_its_fence_and_8000_bytes",
    ),
    "W3": shown(
        "a task says what, from whom and how to go on, and each of its states comes back",
        f"{WORK}::test_a_task_goes_its_way_and_each_side_is_told",
        f"{WORK}::test_a_task_is_reassigned_rejected_and_canceled_by_who_may",
    ),
    "W6": shown(
        "a living leader is not replaced", f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released"
    ),
    "W8": shown(
        "a call that waits is woken by the letter, the answer, the release, the end of who was waited for",
        f"{LETTERS}::test_a_check_that_waits_is_answered_when_a_letter_comes_and_others_are_served_meanwhile",
        f"{ASKS}::test_an_ask_ends_at_once_when_the_session_that_was_asked_is_killed",
        f"{WORK}::test_a_take_that_waits_gets_it_at_once_when_its_holder_is_gone",
        f"{FOLLOWER}::test_an_end_before_anybody_listened_is_told_once",
    ),
    "W9": shown(
        "waiting holds no worker, keeps no call from being served, costs no poll, and is bounded",
        f"{ASKS}::test_other_calls_are_served_while_several_wait_and_each_gets_its_own_answer",
        f"{ASKS}::test_a_waiting_ask_uses_no_processor",
        f"{TOOLS}::test_a_number_out_of_its_range_is_refused_before_anything_is_done",
        f"{ASKS}::test_a_cancelled_ask_gets_no_answer_and_leaves_the_question_without_its_wait",
    ),
    "W10": shown(
        "mail belongs to a seat, which outlives the server and its client's `/clear`",
        f"{LIFETIME}::test_at_the_end_of_its_input_it_ends_and_leaves_nothing_but_its_mail",
        f"{CALLERS}::test_after_clear_the_same_server_goes_on_as_the_same_seat",
    ),
    "W12": shown(
        "text travels by the pipe, has its limits, and whatever is over them is refused",
        f"{PROTOCOL}::test_ten_megabytes_are_refused_by_every_tool_and_cost_nobody_else",
    ),
    "W13": shown("an unknown seat is refused, with the call that lists them", f"{SDK}::test_letters_go_to_and_fro"),
    "W14": shown(
        "who calls is never an argument",
        f"{CALLERS}::test_no_argument_says_who_writes",
        f"{CALLERS}::test_a_server_at_the_persons_terminal_is_not_the_person",
        but=f"{ELSEWHERE}http: a token for each seat",
    ),
    "W15": shown(
        "what an answer leaves out is said",
        f"{LETTERS}::test_who_says_what_it_left_out",
        f"{LETTERS}::test_an_answer_stays_within_8000_bytes_and_the_rest_comes_with_the_next",
    ),
    "W16": shown(
        "milliseconds and megabytes, with the standard library alone",
        f"{LIFETIME}::test_it_is_small",
        f"{HOT_PATH}::test_the_tools_of_a_session_are_lean_and_their_start_leaner",
    ),
}

HISTORY: dict[str, Line] = {
    "H1": shown(
        "SIGTERM and the end of the input let go of all that a session held",
        f"{LIFETIME}::test_told_to_end_it_ends_well_and_leaves_nothing_but_its_mail",
        f"{ASKS}::test_a_client_that_leaves_waits_no_more",
    ),
    "H2": shown(
        "what is missing is an error; a look changes nothing",
        f"{TOOLS}::test_an_action_takes_its_own_arguments_and_no_other",
        f"{LETTERS}::test_reading_proves_nothing",
    ),
    "H3": shown(
        "the end of a session frees all that it held, at once",
        f"{WORK}::test_the_lead_is_vacant_at_once_when_its_leader_is_killed",
        f"{CLIENTS}::test_a_model_calls_every_tool_and_the_end_of_its_client_frees_what_it_held",
        f"{CLIENTS}::test_what_a_killed_client_held_is_free_at_once",
    ),
    "H4": shown(
        "two connections act each as itself",
        f"{CALLERS}::test_each_connection_is_a_session_of_its_own",
        f"{WORK}::test_two_connections_that_speak_at_once_change_each_its_own",
        but=f"{ELSEWHERE}http: of one server",
    ),
    "H5": shown(
        "only who was asked answers, only who asked reads; who has no seat does neither",
        f"{ASKS}::test_only_who_was_asked_answers_and_only_who_asked_reads",
        f"{WORK}::test_every_tool_that_writes_refuses_who_has_no_seat_alike_and_lets_others_through",
        but=f"{ELSEWHERE}http: authentication",
    ),
    "H6": shown("looks enter no ledger", f"{WORK}::test_the_beat_of_many_looks_enters_no_ledger"),
    "H7": shown(
        "a server that has nothing to do does nothing; many at once lose nothing",
        f"{LIFETIME}::test_while_nothing_happens_it_uses_no_processor_and_never_wakes",
        f"{KILLS}::test_every_letter_that_a_killed_server_has_acknowledged_is_there_once",
    ),
    "H8": shown("a first call without a store says what to call", f"{CALLERS}::test_a_look_makes_no_store"),
}

CLAUDE_MAILBOX: dict[str, Line] = {
    **REQUESTS,
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
    "35": shown("who has joined is listed", f"{CALLERS}::test_a_look_makes_no_store"),
    "36": shown("what is said in a channel is read back", f"{WORK}::test_a_letter_is_said_in_a_channel_and_read_there"),
    "37": shown(
        "the look at the post has `vacant`", f"{WORK}::test_a_project_is_led_by_who_claims_it_until_it_is_released"
    ),
    "38": shown(
        "who has left is no holder any more",
        f"{LETTERS}::test_a_seat_is_taken_over_and_left_in_words",
        f"{LIFETIME}::test_killed_it_is_no_holder_from_that_moment_on",
    ),
    **GATE,
    **LEADING,
    **CHANNELS,
    **HTTP,
    **WEAKNESSES,
    **HISTORY,
    "50": shown(
        "two connections are two sessions, and what each says changes only its own",
        f"{CALLERS}::test_each_connection_is_a_session_of_its_own",
        f"{WORK}::test_two_connections_that_speak_at_once_change_each_its_own",
        but=f"{ELSEWHERE}http: of one server",
    ),
    "51": left_out("calls without a connection", f"{OVERRIDDEN}there are none: a call comes by a connection"),
    "54": shown("what beats enters no ledger", f"{WORK}::test_the_beat_of_many_looks_enters_no_ledger"),
    "55": shown(
        "outside of HTTP nothing is reaped for being idle",
        f"{LIFETIME}::test_while_nothing_happens_it_uses_no_processor_and_never_wakes",
    ),
    "56": shown(
        "each connection is told of its own letters",
        f"{CHANNEL}::test_two_connections_are_each_told_of_their_own",
    ),
    "57": shown("standard input and output without arguments", f"{SDK}::test_letters_go_to_and_fro"),
}
