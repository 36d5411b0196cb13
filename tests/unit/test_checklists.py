"""Checklists: each line is shown by tests that exist, or says why it is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.checklists import claude_mailbox, lanes, mcp_lines, postbag, postbag_budgets, postbag_ledgers
from tests.checklists.line import POSTBAGS_FILE, REASONS

TESTS = Path(__file__).parents[1]
CHECKLISTS = {
    "postbag": (postbag.LINES, [*(f"B{n}" for n in range(1, 109)), *(f"P{n}" for n in range(1, 18))]),
    "postbag, budgets": (postbag_budgets.LINES, [f"B{n}" for n in range(130, 140)]),
    "postbag, ledgers": (postbag_ledgers.LINES, list(postbag_ledgers.LINES)),
    "postbag's tools": (mcp_lines.POSTBAG, ["B39", "B89", *(f"B{n}" for n in range(109, 130)), "B135", "B139", "P11"]),
    "claude-mailbox's tools": (mcp_lines.CLAUDE_MAILBOX, list(mcp_lines.CLAUDE_MAILBOX)),
    "claude-mailbox": (
        claude_mailbox.LINES,
        [*map(str, range(1, 79)), *(f"W{n}" for n in range(1, 17)), *(f"H{n}" for n in range(1, 9))],
    ),
    "lanes": (lanes.LINES, [*map(str, range(79, 105)), *(f"L{n}" for n in range(1, 21)), "both"]),
    "cases": (
        claude_mailbox.CASES,
        [*(f"F{n}" for n in (1, 2, 3, 4, 6, 7, 9)), *(f"H{n}" for n in (1, 2, 4, 5, 7, 8, 10, 12))],
    ),
}


@cache
def defined_in(file: str) -> frozenset[str]:
    """The names of the tests in a file, which is read and not run."""
    tree = ast.parse((TESTS / file).read_text())
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize("checklist", CHECKLISTS)
def test_each_line_has_its_entry_and_no_entry_is_of_no_line(checklist: str) -> None:
    lines, numbers = CHECKLISTS[checklist]

    assert list(lines) == numbers


def test_what_a_list_leaves_to_the_import_is_on_its_list() -> None:
    left = {
        number
        for lines in (postbag.LINES, postbag_budgets.LINES)
        for number, line in lines.items()
        if line.but.startswith(POSTBAGS_FILE)
    }

    assert left - set(postbag_ledgers.LINES) == set()


@pytest.mark.parametrize("checklist", CHECKLISTS)
def test_a_line_says_what_it_asks_and_is_shown_or_says_why_it_is_not(checklist: str) -> None:
    for number, line in CHECKLISTS[checklist][0].items():
        assert line.asks, number
        assert line.tests or line.but, number
        assert not line.but or line.but.startswith(REASONS), number
        assert line.but not in REASONS, number


@pytest.mark.parametrize("checklist", CHECKLISTS)
def test_each_test_that_a_line_names_is_there(checklist: str) -> None:
    for number, line in CHECKLISTS[checklist][0].items():
        for test in line.tests:
            file, _, name = test.partition("::")
            assert (TESTS / file).is_file(), f"{number}: {test}"
            assert name in defined_in(file), f"{number}: {test}"


def test_no_test_waits_by_sleeping() -> None:
    sleeping = [
        f"{file.relative_to(TESTS)}:{line}"
        for file in TESTS.rglob("test_*.py")
        for line in sleeps(ast.parse(file.read_text()))
    ]

    assert sleeping == []


def sleeps(node: ast.AST) -> Iterator[int]:
    """The lines that sleep without looking, in a loop, whether what they wait for has come."""
    if isinstance(node, ast.While):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "sleep":
        yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from sleeps(child)
