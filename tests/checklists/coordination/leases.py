"""claude-mailbox's list: what it did badly (W) and learnt the hard way (H), and which tests show mailstop's answer.

CASES are users' complaints about other tools, by their own numbers.
"""

from __future__ import annotations

from tests.checklists.line import Line, shown

LEASES = "conformance/test_leases.py"
LEASES_IN_ANY_ORDER = "conformance/test_leases_in_any_order.py"
LEASE_KILLS = "faults/test_leases.py"
LEASE_COMMANDS = "integration/test_cli_lease.py"
RESOURCES = "integration/test_clients_resources.py"

LINES: dict[str, Line] = {
    "W6": shown(
        "what is held is taken by compare-and-set with a term that only grows; a living holder loses it only by its own"
        " release or by a takeover that is recorded; nobody sleeps in a taking",
        f"{LEASES}::test_of_fifty_takers_of_one_thing_one_wins_and_the_others_are_told_who",
        f"{LEASES}::test_terms_only_grow",
        f"{LEASES}::test_nobody_releases_what_another_holds",
        f"{LEASES}::test_only_the_person_ends_anothers_lease",
        f"{LEASES}::test_the_person_ends_anybodys_lease_and_its_holder_is_told",
        f"{LEASES_IN_ANY_ORDER}::test_leases_taken_and_let_go_in_any_order_are_what_a_simple_model_says",
    ),
    "H2": shown(
        "values are bound, never part of a query; a missing one is an error; errors are seen",
        f"{LEASES}::test_any_path_is_refused_with_the_rule_or_kept_exactly",
        f"{LEASES}::test_any_name_is_refused_with_the_rule_or_kept_exactly",
        f"{LEASES}::test_any_pattern_is_refused_with_the_rule_or_kept_exactly",
        f"{RESOURCES}::test_what_cannot_be_taken_is_refused_with_the_rule",
        f"{LEASE_COMMANDS}::test_a_wrong_command_is_refused_with_what_is_wrong",
        f"{LEASE_COMMANDS}::test_a_store_that_cannot_be_opened_is_not_taken_for_a_free_path",
    ),
    "H3": shown(
        "the end of a session frees all it holds",
        f"{LEASES}::test_the_end_of_a_session_frees_all_it_holds",
        f"{LEASES}::test_the_death_of_its_holder_frees_a_lease_at_once",
        f"{LEASES}::test_leaving_the_seat_frees_all_and_sitting_down_again_brings_nothing_back",
    ),
}

CASES: dict[str, Line] = {
    "H7": shown(
        "two take one thing: of fifty one wins, with a term",
        f"{LEASES}::test_of_fifty_takers_of_one_thing_one_wins_and_the_others_are_told_who",
        f"{LEASES}::test_of_those_who_race_for_a_folder_and_for_files_in_it_no_two_overlap",
    ),
    "H8": shown(
        "a crashed session takes nothing more: its seat's epoch is refused everywhere",
        f"{LEASES}::test_a_session_that_lost_its_seat_takes_renews_and_releases_nothing",
        f"{LEASES}::test_a_session_that_has_ended_takes_and_renews_nothing",
        f"{LEASES}::test_the_next_holder_of_a_seat_does_not_inherit_its_leases",
        f"{LEASE_KILLS}::test_of_sessions_killed_at_random_no_two_ever_have_one_lease",
    ),
    "H10": shown(
        "who acts by a stale term is refused",
        f"{LEASES}::test_a_stale_term_is_refused_by_renew_and_by_check",
        f"{LEASE_COMMANDS}::test_a_stale_term_is_refused",
        f"{LEASE_KILLS}::test_who_is_killed_while_it_takes_over_from_the_dead_has_it_or_leaves_it_free",
    ),
}
