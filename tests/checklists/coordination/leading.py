"""claude-mailbox's checklist: who is there and who leads, and which tests show that mailstop keeps its lines.

A registered session is a session here, its sid a seat; the leader's slot is the post of a project. What section 9 of
the reference says against a line wins. CASES are users' cases about presence and leading.
"""

from __future__ import annotations

from tests.checklists.line import Line, shown

GUARDS = "conformance/test_guards.py"
LEADERS = "conformance/test_leaders.py"
ORDERS = "conformance/test_leading_in_any_order.py"
PRESENCE = "conformance/test_presence.py"
KILLED = "faults/test_leading.py"
CALLER = "integration/test_clients_caller.py"
LEAD = "integration/test_cli_lead.py"
ME = "integration/test_cli_me.py"
WHO = "integration/test_cli_who.py"
CONFIG = "unit/test_config.py"

LINES: dict[str, Line] = {
    "24": shown(
        "who leads is read from the entries about that post alone, whatever projects, seats and letters are called",
        f"{LEADERS}::test_names_are_data_whatever_they_hold",
        f"{LEADERS}::test_who_gets_a_leaders_seat_does_not_lead_by_that",
        f"{ORDERS}::test_in_any_order_of_acts_one_leads_at_most",
    ),
    "25": shown(
        "that a leader lives is nowhere written: it is looked at",
        f"{LEADERS}::test_looking_writes_nothing_however_often",
        f"{LEADERS}::test_a_dead_leaders_post_is_vacant_at_once_and_nothing_is_written_for_it",
    ),
    "26": shown(
        "off the default branch, whichever that is, nobody claims by itself, and the post says why it is vacant",
        f"{LEADERS}::test_a_session_off_the_default_branch_does_not_lead_by_itself_but_may",
        f"{LEADERS}::test_who_is_in_no_repository_or_in_no_window_does_not_lead_by_itself",
        f"{LEAD}::test_a_worker_claims_a_vacant_post_and_releases_it",
    ),
    "27": shown(
        "a vacant post is granted and read back",
        f"{LEADERS}::test_a_vacant_post_is_claimed_in_a_term_that_is_the_number_of_its_entry",
        f"{LEAD}::test_a_worker_claims_a_vacant_post_and_releases_it",
    ),
    "28": shown(
        "of claimants at once one leads, all readers agree, and each loser is told who",
        f"{LEADERS}::test_of_many_who_claim_at_once_one_leads_and_the_others_are_told_who",
        f"{LEADERS}::test_many_who_start_at_once_on_the_default_branch_have_one_leader",
        f"{LEADERS}::test_a_living_leader_is_not_replaced_and_the_refusal_says_who_leads_since_when",
    ),
    "29": shown(
        "release by another is without effect, by the leader it vacates the post",
        f"{LEADERS}::test_release_by_another_is_without_effect_and_says_who_leads",
        f"{LEADERS}::test_a_leader_releases_the_post_and_nobody_leads",
    ),
    "30": shown(
        "a second post of one project cannot arise",
        f"{ORDERS}::test_in_any_order_of_acts_one_leads_at_most",
        f"{KILLED}::test_leaders_killed_at_random_moments_are_followed_by_one_at_a_time",
    ),
    "31": shown(
        "force by a session is refused before anything is looked at, with the reason",
        f"{LEADERS}::test_force_is_refused_to_sessions_before_anything_is_looked_at",
        f"{LEAD}::test_a_claim_against_a_living_leader_is_refused_and_says_who_leads",
    ),
    "32": shown(
        "force by the person passes",
        f"{LEADERS}::test_the_person_may_replace_a_living_leader",
        f"{LEAD}::test_the_person_says_who_leads_and_that_nobody_does",
    ),
    "33": shown(
        "a claim without force passes, whoever claims",
        f"{LEADERS}::test_a_vacant_post_is_claimed_in_a_term_that_is_the_number_of_its_entry",
        f"{LEADERS}::test_without_force_the_person_fills_a_vacant_post_only",
    ),
    "35": shown(
        "a session that starts is listed with what it is and where it works",
        f"{PRESENCE}::test_a_session_that_starts_is_listed_with_its_place",
        f"{PRESENCE}::test_a_session_without_a_seat_is_listed_until_it_takes_one",
        f"{WHO}::test_a_client_is_listed_with_its_session",
    ),
    "37": shown(
        "the look at the post has `vacant` and never fails",
        f"{LEAD}::test_looking_never_fails_and_makes_no_store",
        f"{LEAD}::test_what_leads_elsewhere_in_the_bag_is_listed_too",
    ),
    "38": shown(
        "a session that ends leaves the list, by its own word or by its death",
        f"{PRESENCE}::test_a_session_that_ends_vanishes_at_once_and_its_mail_waits",
        f"{PRESENCE}::test_a_session_that_dies_vanishes_at_once",
    ),
    "50": shown(
        "two sessions at once are two: what each starts again, says and sets is its own",
        f"{PRESENCE}::test_two_who_speak_at_once_change_only_their_own",
        "conformance/test_sessions.py::test_two_live_processes_of_one_client_session_are_two_sessions",
    ),
    "54": shown(
        "saying something ten times writes no entry, and it reads as it was said last",
        f"{PRESENCE}::test_saying_it_writes_nothing_into_the_ledger_and_wakes_nobody",
        f"{LEADERS}::test_looking_writes_nothing_however_often",
    ),
    "W5": shown(
        "a lead that was granted stands until it is released, ends with its session, or is taken by the person",
        f"{LEADERS}::test_a_leader_whom_the_person_chose_stays_also_off_the_default_branch",
        f"{LEADERS}::test_what_a_leader_has_checked_out_is_not_asked_again",
        f"{LEADERS}::test_clear_and_compaction_keep_the_term",
        f"{LEADERS}::test_who_takes_another_seat_leads_on_from_there_in_a_new_term",
    ),
    "W6": shown(
        "a post is taken by compare-and-set in a term that only grows; no living holder loses it but by its own act or "
        "the person's, which is recorded; nothing waits",
        f"{LEADERS}::test_a_living_leader_is_not_replaced_and_the_refusal_says_who_leads_since_when",
        f"{LEADERS}::test_a_leader_of_whose_life_nothing_can_be_known_is_not_replaced",
        f"{LEADERS}::test_the_next_term_is_higher_than_each_before_it",
        f"{LEADERS}::test_the_person_may_replace_a_living_leader",
        f"{ORDERS}::test_in_any_order_of_acts_one_leads_at_most",
    ),
    "W7": shown(
        "a leader for each project of each bag, by the repository's default branch; elsewhere it acts as none",
        f"{LEADERS}::test_each_project_has_a_leader_of_its_own_whatever_its_name",
        f"{LEADERS}::test_worktrees_of_one_repository_have_one_leader",
        f"{LEADERS}::test_each_bag_has_a_leader_of_its_own",
        f"{LEADERS}::test_who_leads_acts_in_its_term_and_for_its_own_project_only",
        f"{LEAD}::test_a_session_on_the_default_branch_leads_and_its_start_says_so",
    ),
    "W14": shown(
        "who somebody is follows from the kernel and the client's own folder; project and branch are the client's",
        f"{CALLER}::test_the_nearest_of_two_nested_sessions_is_calling",
        f"{PRESENCE}::test_a_session_that_starts_is_listed_with_its_place",
        f"{PRESENCE}::test_the_branch_is_what_is_checked_out_now_not_at_the_start",
        f"{LEAD}::test_a_worker_in_a_worktree_is_told_who_leads_and_reaches_it_as_leader",
    ),
    "H1": shown(
        "compare-and-set; the end of a process by any signal counts; a list shows what is so now",
        f"{LEADERS}::test_of_many_who_claim_at_once_one_leads_and_the_others_are_told_who",
        f"{LEAD}::test_the_death_of_a_leader_frees_the_post_at_once",
        f"{PRESENCE}::test_the_branch_is_what_is_checked_out_now_not_at_the_start",
    ),
    "H2": shown(
        "names are data in every query; who leads changes only under its guard; an unknown name is an error",
        f"{LEADERS}::test_names_are_data_whatever_they_hold",
        f"{LEADERS}::test_an_act_of_a_term_that_ends_meanwhile_is_refused_and_nothing_is_stored",
        f"{LEADERS}::test_a_project_is_named_by_its_name_or_where_two_share_it_by_channel_or_id",
    ),
    "H3": shown(
        "the end of a session, and the leaving of a seat, free what it leads in one append",
        f"{LEADERS}::test_a_session_that_ends_frees_the_post_by_the_append_that_ends_it",
        f"{LEADERS}::test_a_session_that_ends_frees_the_posts_of_all_bags",
        f"{LEADERS}::test_who_leaves_the_seat_leaves_the_post_by_the_same_append",
        f"{LEADERS}::test_an_append_that_fails_leaves_seat_and_post_together",
        f"{KILLED}::test_a_session_killed_as_it_ends_leads_on_or_has_ended_and_leads_no_more",
        f"{KILLED}::test_a_leader_killed_as_it_leaves_sits_and_leads_or_does_neither",
    ),
    "H6": shown(
        "nothing that beats enters the ledger; no test reaches the store of who runs it",
        f"{PRESENCE}::test_saying_it_writes_nothing_into_the_ledger_and_wakes_nobody",
        f"{LEADERS}::test_looking_writes_nothing_however_often",
        f"{CONFIG}::test_no_test_reaches_the_store_of_who_runs_it",
    ),
}

CASES: dict[str, Line] = {
    "F9": shown(
        "what a session is at is presence, no letter, and wakes nobody; nor does a change of the leader",
        f"{PRESENCE}::test_saying_it_writes_nothing_into_the_ledger_and_wakes_nobody",
        f"{LEADERS}::test_each_change_is_told_in_the_channel_by_mailstop_and_wakes_nobody",
        f"{ME}::test_me_says_what_the_session_works_on_to_itself_and_to_others",
    ),
    "H8": shown(
        "a session that lost its seat, or its term, while it was away can neither act nor lead by what it had",
        f"{GUARDS}::test_a_session_that_lost_its_seat_cannot_write",
        f"{LEADERS}::test_a_leader_that_is_resumed_after_another_has_claimed_leads_no_longer",
        f"{LEADERS}::test_who_gets_a_leaders_seat_does_not_lead_by_that",
    ),
    "H10": shown(
        "each act of a leader expects its term: one of a term that is over is refused, and nothing of it stored",
        f"{LEADERS}::test_an_act_of_a_term_that_ends_meanwhile_is_refused_and_nothing_is_stored",
        f"{LEADERS}::test_whoever_believes_to_lead_in_another_term_is_refused",
        f"{LEADERS}::test_a_dead_leaders_term_is_over_also_before_another_leads",
        f"{KILLED}::test_leaders_killed_at_random_moments_are_followed_by_one_at_a_time",
    ),
}
