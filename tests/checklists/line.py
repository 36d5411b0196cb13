"""A line of a checklist: what is asked, and which tests show it; or why it is not asked of mailstop."""

from __future__ import annotations

from dataclasses import dataclass

# Why a line may have no test.
OVERRIDDEN = "overridden: "  # what postbag does badly, mailstop does otherwise on purpose
ELSEWHERE = "elsewhere: "  # another part of mailstop has this line on its own list
POSTBAGS_FILE = "postbag's file: "  # about reading a ledger that postbag wrote, which the import does
REASONS = (OVERRIDDEN, ELSEWHERE, POSTBAGS_FILE)


@dataclass(frozen=True)
class Line:
    """One line. asks: in mailstop's words. but: what of the original line does not hold here, and why.

    tests: `folder/file.py::test_name`, below tests/.
    """

    asks: str
    tests: tuple[str, ...] = ()
    but: str = ""


def shown(asks: str, *tests: str, but: str = "") -> Line:
    """A line that these tests show."""
    return Line(asks, tests, but)


def left_out(asks: str, why: str) -> Line:
    """A line that no test shows. why: begins with one of REASONS."""
    return Line(asks, (), why)
