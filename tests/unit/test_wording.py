"""How often something is there: one function says it, everywhere."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

import mailstop
from mailstop.lines import is_line, line_rule
from mailstop.wording import counted, wait_text

PACKAGE = Path(mailstop.__file__).parent
FILES = sorted({*PACKAGE.rglob("*.py")} - {PACKAGE / "lanes.py"})  # which imports nothing of ours
THINGS = "letters|bytes|seconds|minutes|characters|hops|seats|readers|tasks|questions|leases|sessions|entries|channels"
PLURAL = re.compile(rf" (more )?({THINGS})\b")


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 letters"), (1, "1 letter"), (2, "2 letters"), (1.0, "1 letter"), (0.5, "0.5 letters")]
)
def test_one_is_one_and_all_else_are_many(number: float, told: str) -> None:
    assert counted(number, "letter") == told


def test_a_plural_may_be_another_word() -> None:
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]
    assert [wait_text(n, "letter") for n in (1, 2)] == ["1 letter waits", "2 letters wait"]


def written_by_hand(tree: ast.AST) -> list[int]:
    """The lines at which a text puts a number that is no constant before the name of many things."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for number, text in pairwise(node.values):
            if not isinstance(number, ast.FormattedValue) or not isinstance(text, ast.Constant):
                continue
            constant = isinstance(number.value, ast.Name) and number.value.id.isupper()
            if PLURAL.match(str(text.value)) and not constant:
                found.append(node.lineno)
    return found


def test_no_text_says_by_hand_how_many_there_are() -> None:
    found = {str(file.relative_to(PACKAGE)): written_by_hand(ast.parse(file.read_text())) for file in FILES}

    assert {file: lines for file, lines in found.items() if lines} == {}


def test_no_message_does() -> None:
    by_hand = re.compile(rf"{{(?!bag|where)\w+(?::\w+)?}}{PLURAL.pattern}")
    found = {file.name: by_hand.findall(file.read_text()) for file in (PACKAGE / "errors").glob("*.py")}

    assert {file: words for file, words in found.items() if words} == {}


def test_what_is_no_line_is_told_by_its_first_character_that_is_none() -> None:
    assert is_line("a title", 10)
    assert line_rule("a\x1b[2Jb\n", 10).endswith("; character 2 of this one is U+001B")
    assert line_rule("right\u202eleft", 20).endswith("; character 6 of this one is U+202E")
    assert line_rule("x" * 11, 10) == "one printable line of at most 10 characters; this one has 11"
    assert line_rule(" ", 10).endswith("; this one is blank")
