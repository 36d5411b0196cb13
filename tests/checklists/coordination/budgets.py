"""claude-mailbox's weaknesses that mailstop must not have, users' cases beside them, and which tests show that."""

from __future__ import annotations

from tests.checklists.line import Line, shown

BRAKES = "conformance/test_brakes.py"
BUDGETS = "conformance/test_budgets.py"
COMMANDS = "integration/test_postbag_commands.py"
LIMITS = "integration/test_cli_limits.py"
ORDERS = "conformance/test_budgets_any_order.py"

LINES: dict[str, Line] = {
    "W12": shown(
        "text comes by standard input or a file, within a size; a budget, a rate and hops bound what loops may do",
        f"{COMMANDS}::test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else",
        f"{BUDGETS}::test_a_spent_budget_refuses_and_stores_nothing",
        f"{BRAKES}::test_beyond_the_limit_a_letter_is_refused_with_why_and_how_to_go_on",
        f"{BRAKES}::test_a_seat_writes_thirty_letters_a_minute_and_is_told_when_it_may_go_on",
        f"{BRAKES}::test_a_clock_that_is_put_back_holds_up_nobody_for_longer_than_a_minute",
        f"{ORDERS}::test_any_order_of_acts_keeps_to_budgets_and_hops",
    ),
}

CASES: dict[str, Line] = {
    "F3": shown(
        "two sides that exchange a sign for ever come to rest by hops, whatever their prompts say",
        f"{BRAKES}::test_two_sessions_that_answer_each_other_come_to_rest",
        f"{LIMITS}::test_a_prompt_that_the_person_did_not_type_does_not",
    ),
    "F4": shown(
        "the limit is on the chain of letters, not on a pair: A, B and C in a circle come to rest as soon as two",
        f"{BRAKES}::test_three_sessions_in_a_circle_come_to_rest_as_soon_as_two",
        f"{BRAKES}::test_three_sessions_that_answer_every_letter_to_everybody_come_to_rest",
        f"{BRAKES}::test_a_program_comes_to_rest_too",
    ),
}
