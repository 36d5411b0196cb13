"""postbag's lines of its 1.x versions about budgets, which it calls exchanges, and which tests show each of them."""

from __future__ import annotations

from tests.checklists.line import ELSEWHERE, OVERRIDDEN, Line, shown

BUDGETS = "conformance/test_budgets.py"
ORDERS = "conformance/test_budgets_any_order.py"
COMMAND = "integration/test_cli_budget.py"
FENCE = "unit/test_fence.py"

LINES: dict[str, Line] = {
    "B130": shown(
        "only the person opens a budget, also where a variable of a client is no id",
        f"{BUDGETS}::test_only_the_person_opens_closes_and_sets_limits",
        f"{COMMAND}::test_no_session_no_program_and_no_stranger_opens_or_closes_one",
        f"{COMMAND}::test_a_person_with_a_variable_of_a_client_opens_none",
    ),
    "B131": shown(
        "the budget is the one that was opened; 12 letters by default, at least one",
        f"{BUDGETS}::test_a_budget_has_twelve_letters_unless_the_person_says_otherwise",
        f"{BUDGETS}::test_a_budget_has_at_least_one_letter_and_at_most_9999",
        f"{BUDGETS}::test_in_a_budgeted_bag_sessions_write_only_while_a_budget_is_open",
        f"{COMMAND}::test_what_is_no_budget_is_wrong_usage",
        but=f"{OVERRIDDEN}only a bag that is `--budgeted` needs one",
    ),
    "B132": shown(
        "the last letter asks for no reply and has no command; the next is refused, and nothing is spent or rung for",
        f"{BUDGETS}::test_the_last_letter_asks_its_reader_for_no_reply",
        f"{BUDGETS}::test_the_last_letter_is_not_owed_a_reply_after_a_compaction",
        f"{BUDGETS}::test_a_spent_budget_refuses_and_stores_nothing",
        f"{FENCE}::test_the_last_letter_of_a_budget_has_one_sentence_and_no_command_and_no_reply_is_due",
    ),
    "B133": shown(
        "letters are numbered within a budget, and one is a letter; opening drops the rest and begins at 1",
        f"{BUDGETS}::test_each_letter_of_a_session_says_which_of_the_budget_it_is",
        f"{BUDGETS}::test_opening_starts_the_next_budget_and_drops_the_rest",
        f"{COMMAND}::test_a_writer_is_told_what_is_left_and_then_that_only_the_person_can_continue",
    ),
    "B134": shown(
        "joins and what is refused cost nothing; a stored letter costs one, whatever becomes of it",
        f"{BUDGETS}::test_joins_and_checks_cost_nothing",
        f"{BUDGETS}::test_what_another_rule_refuses_costs_nothing",
        f"{BUDGETS}::test_a_letter_that_is_stored_again_with_its_key_costs_nothing",
        f"{BUDGETS}::test_a_letter_to_several_costs_one",
        f"{BUDGETS}::test_a_letter_costs_one_however_often_its_reader_is_rung_for_it",
    ),
    "B135": shown(
        "all who write at once share the budget; the last letter is won once",
        f"{BUDGETS}::test_two_that_race_for_the_last_letter_do_not_both_win",
        f"{BUDGETS}::test_a_letter_on_its_way_while_the_last_one_is_stored_is_refused",
        f"{COMMAND}::test_of_processes_that_race_for_the_last_letter_one_wins",
        f"{ORDERS}::test_any_order_of_acts_keeps_to_budgets_and_hops",
        but=f"{ELSEWHERE}the same by the MCP server",
    ),
    "B136": shown(
        "opening makes a bag; a look makes none, nor a store",
        f"{BUDGETS}::test_opening_a_budget_makes_its_bag",
        f"{BUDGETS}::test_a_look_and_a_close_make_no_bag",
        f"{COMMAND}::test_a_store_that_is_not_there_is_made_by_no_budget",
        but=f"{OVERRIDDEN}joining makes one too",
    ),
    "B137": shown(
        "history says of each letter which budget covered it, also of the last few, and where the bag's budget stands",
        f"{COMMAND}::test_read_and_bags_say_where_the_budgets_stand",
        f"{COMMAND}::test_a_budgeted_bag_without_a_budget_says_so",
    ),
    "B138": shown(
        "letters that no budget covered read as history; the list of bags says what is left, spent, never opened",
        f"{BUDGETS}::test_letters_before_the_first_budget_and_between_two_read_as_history",
        f"{BUDGETS}::test_all_seats_of_a_bag_share_its_budget",
        f"{COMMAND}::test_read_and_bags_say_where_the_budgets_stand",
        f"{COMMAND}::test_a_budgeted_bag_without_a_budget_says_so",
    ),
    "B139": shown(
        "whoever is refused for want of a budget is told that the person opens one, and in which bag",
        f"{BUDGETS}::test_the_refusal_leads_to_the_bag_that_it_is_about",
        f"{BUDGETS}::test_in_a_budgeted_bag_sessions_write_only_while_a_budget_is_open",
        f"{COMMAND}::test_a_writer_is_told_what_is_left_and_then_that_only_the_person_can_continue",
        but=f"{ELSEWHERE}that no tool of the MCP server opens one",
    ),
}
