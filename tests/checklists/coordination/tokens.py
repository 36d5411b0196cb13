"""claude-mailbox's lines on who may reach a server over HTTP, for the gate and its tokens."""

from __future__ import annotations

from tests.checklists.line import OVERRIDDEN, Line, left_out, shown

CLI = "integration/test_cli_token.py"
EXPOSURE = "unit/test_resident_exposure.py"
GATE = "integration/test_http_gate.py"
SECRETS = "faults/test_token_secrets.py"
SHARED = "unit/test_resident_shared_token.py"
TOKENS = "conformance/test_tokens.py"

LINES: dict[str, Line] = {
    "58": shown(
        "what is open to others than this machine's processes refuses to start without a token, with what to type",
        f"{EXPOSURE}::test_any_other_without_a_token_refuses_to_start_with_what_to_type",
    ),
    "59": shown(
        "with a token that counts it starts, and each request needs one, over a real socket",
        f"{EXPOSURE}::test_a_shared_token_lets_it_start",
        f"{EXPOSURE}::test_a_stored_token_lets_it_start_while_it_counts",
        f"{GATE}::test_no_other_path_answers_without_a_token",
    ),
    "61": shown(
        "on loopback too a token that is there is asked for",
        f"{GATE}::test_what_is_no_token_that_counts_is_refused_before_the_server_hears_of_it",
        f"{GATE}::test_the_first_token_closes_a_server_that_runs",
    ),
    "62": shown(
        "the token of the environment is stripped, and taken out of it",
        f"{SHARED}::test_the_variable_s_token_is_stripped_and_gone_from_the_environment",
    ),
    "63": shown(
        "a token comes from a file that nobody else may get at",
        f"{SHARED}::test_the_file_s_token_is_stripped",
        f"{SHARED}::test_a_file_that_others_may_get_at_refuses_to_start",
        f"{SHARED}::test_a_file_of_another_user_refuses_to_start",
    ),
    "64": left_out(
        "the environment beats the file",
        f"{OVERRIDDEN}of two tokens it is not known which is meant: refused",
    ),
    "65": shown("without either there is none", f"{SHARED}::test_without_a_variable_there_is_none"),
    "66": shown("a blank variable refuses to start", f"{SHARED}::test_a_blank_token_refuses_to_start"),
    "67": shown("and so does a blank file", f"{SHARED}::test_a_blank_token_refuses_to_start"),
    "68": shown(
        "a token that matches is let in",
        f"{GATE}::test_the_shared_token_says_nothing_of_who_it_is",
        f"{GATE}::test_a_seats_token_says_seat_and_bag",
        f"{GATE}::test_the_persons_token_says_that_it_is_the_person",
    ),
    "69": shown(
        "a wrong one, and an empty one, are not",
        f"{GATE}::test_what_is_no_token_that_counts_is_refused_before_the_server_hears_of_it",
        f"{TOKENS}::test_only_the_whole_text_counts",
    ),
    "70": shown(
        "one beyond ASCII is refused as any other",
        f"{GATE}::test_what_is_no_token_that_counts_is_refused_before_the_server_hears_of_it",
        f"{GATE}::test_no_bytes_in_place_of_a_token_let_anybody_in_or_break_the_server",
        f"{SHARED}::test_no_text_breaks_the_comparison",
    ),
    "W14": shown(
        "over the network a token for each seat, kept as a digest, revoked at once, made by the person alone",
        f"{TOKENS}::test_a_token_counts_for_its_seat_in_its_bag",
        f"{TOKENS}::test_neither_ledger_nor_board_holds_the_text",
        f"{TOKENS}::test_only_the_person_creates_lists_and_revokes",
        f"{TOKENS}::test_a_store_that_is_open_already_sees_a_revocation_at_once",
        f"{GATE}::test_a_revoked_token_opens_nothing_from_the_next_request_on",
        f"{GATE}::test_a_stream_ends_before_anything_is_told_to_a_revoked_token",
        f"{CLI}::test_no_session_no_program_and_no_stranger_has_to_do_with_tokens",
    ),
    "H5": shown(
        "one place lets in, tried over a real socket; blank secrets refuse; no secret is where it should not be",
        f"{GATE}::test_what_is_no_token_that_counts_is_refused_before_the_server_hears_of_it",
        f"{GATE}::test_whatever_else_it_is_called_is_refused_whoever_asks",
        f"{GATE}::test_pages_of_elsewhere_may_not_whatever_token_they_have",
        f"{SHARED}::test_a_blank_token_refuses_to_start",
        f"{SECRETS}::test_a_shared_token_is_nowhere_but_in_its_file",
        f"{CLI}::test_its_text_is_nowhere_but_where_it_was_printed",
    ),
}
