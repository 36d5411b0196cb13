"""What a server over HTTP shows of claude-mailbox's lines: connections that are sessions, their end, waiting, push."""

from __future__ import annotations

from tests.checklists.line import Line, shown

CALLERS = "integration/test_serve_callers.py"
LIFETIME = "integration/test_serve_lifetime.py"
PROTOCOL = "integration/test_serve_protocol.py"
STRAIN = "integration/test_serve_strain.py"
WAITING = "integration/test_serve_waiting.py"

LINES: dict[str, Line] = {
    "34": shown(
        "over HTTP the SDK's client finds the tools that it finds over pipes",
        f"{PROTOCOL}::test_the_tools_their_schemas_and_their_hints_are_those_of_the_server_over_pipes",
        f"{PROTOCOL}::test_every_tool_can_be_called_and_answers_as_its_schema_says",
    ),
    "50": shown(
        "two connections at once are two sessions: what each writes, reads, leaves is its own",
        f"{CALLERS}::test_of_two_connections_at_once_each_acts_and_reads_as_itself",
        f"{CALLERS}::test_leaving_by_one_connection_touches_no_other",
    ),
    "51": shown(
        "calls without a connection share nothing: each stands alone, and may look",
        f"{CALLERS}::test_a_request_of_the_new_era_without_a_token_belongs_to_nobody_and_may_look",
        f"{CALLERS}::test_an_id_that_a_request_of_the_new_era_names_makes_no_session",
    ),
    "52": shown(
        "a connection without a call for half an hour is over; its mail stays at its seat",
        f"{CALLERS}::test_a_connection_without_a_call_for_half_an_hour_is_over_and_its_mail_stays",
        f"{CALLERS}::test_an_idle_connection_that_calls_again_goes_on_where_nobody_has_sat_down",
    ),
    "53": shown(
        "one that calls, or whose call waits, is not",
        f"{CALLERS}::test_a_connection_without_a_call_for_half_an_hour_is_over_and_its_mail_stays",
        f"{CALLERS}::test_a_call_that_waits_is_not_idle",
    ),
    "56": shown(
        "each connection is told of its own letters by its own stream, and one that takes no part is told nothing",
        f"{PROTOCOL}::test_a_channel_is_told_of_a_letter_by_its_line_and_what_it_is_about",
        f"{PROTOCOL}::test_a_client_that_takes_no_part_in_channels_is_told_nothing",
    ),
    "60": shown(
        "127.0.0.1, port 8471, no token, unless something else is said",
        f"{LIFETIME}::test_host_and_port_come_from_the_options_else_the_environment_else_the_default",
    ),
    "W1": shown(
        "what a call gave is shown once a later call of the same session proves it, and offered again where it was not"
        " written",
        f"{WAITING}::test_what_a_call_gave_is_proved_by_the_next_call_of_the_same_session",
        f"{WAITING}::test_a_client_that_is_gone_while_its_call_waits_has_been_given_nothing",
        f"{WAITING}::test_letters_whose_answer_the_client_throws_away_are_offered_again",
    ),
    "W9": shown(
        "forty-five calls that wait hold no thread of the server's, and slow no other",
        f"{WAITING}::test_forty_five_calls_that_wait_hold_no_thread_and_slow_nothing",
        f"{WAITING}::test_waiting_costs_no_processor_time",
        f"{WAITING}::test_a_question_whose_asker_is_gone_is_waited_for_by_nobody_and_kept",
    ),
    "W11": shown(
        "a client that had hung up goes on as the same session when it calls again",
        f"{CALLERS}::test_a_client_that_had_hung_up_and_calls_again_goes_on_where_it_was",
        f"{CALLERS}::test_a_client_that_had_hung_up_and_listens_again_is_there_again",
    ),
    "W14": shown(
        "the server's folder says nothing about its clients'; a connection is nobody's who brings another token",
        f"{CALLERS}::test_where_the_server_works_says_nothing_of_where_its_clients_do",
        f"{CALLERS}::test_a_connection_is_nobody_elses_who_brings_another_token",
        f"{CALLERS}::test_who_bears_a_seats_token_sits_there_from_the_first_call_on",
    ),
    "W16": shown(
        "the SDK is for HTTP only, an extra that no other verb needs",
        f"{LIFETIME}::test_no_other_verb_needs_what_serve_needs",
        f"{LIFETIME}::test_without_what_it_needs_it_says_what_to_type",
    ),
    "H1": shown(
        "told to end, and killed, the server's sessions end with it",
        f"{LIFETIME}::test_asked_to_stop_it_ends_and_frees_all_that_was_held_there",
        f"{CALLERS}::test_when_the_server_is_killed_all_its_sessions_are_over_at_once",
    ),
    "H3": shown(
        "the end of a connection frees its seat and its leases",
        f"{CALLERS}::test_a_connection_that_is_closed_frees_its_seat_at_once_and_its_mail_stays",
        f"{CALLERS}::test_a_client_that_hangs_up_frees_its_seat_at_once",
        f"{WAITING}::test_what_a_connection_had_taken_is_free_when_it_closes",
    ),
    "H4": shown(
        "of several connections each acts as itself",
        f"{CALLERS}::test_of_two_connections_at_once_each_acts_and_reads_as_itself",
        f"{STRAIN}::test_a_thousand_sessions_of_the_protocol_each_have_their_own",
    ),
    "H7": shown(
        "one client that is slow or bad keeps no other waiting",
        f"{STRAIN}::test_a_client_that_never_reads_keeps_nobody_waiting",
        f"{STRAIN}::test_a_client_that_listens_and_never_reads_keeps_nobody_waiting",
        f"{STRAIN}::test_a_thousand_connections_at_once_and_all_others_are_served",
    ),
}
