"""claude-mailbox's checklist, its weaknesses and its bug history, and which tests show what mailstop makes of them.

Each subject keeps its own lines, in `coordination/`; here they come together, by number. CASES are those of users of
such tools: loops and storms (F), asking, claiming, leading (H).
"""

from __future__ import annotations

from types import ModuleType

from tests.checklists.coordination import asks, budgets, channels, leading, leases, mail, serving, tasks, tokens
from tests.checklists.line import Line

PARTS = (mail, channels, asks, tasks, leading, leases, budgets, tokens, serving)


def joined(kind: str) -> dict[str, Line]:
    """The lines of all parts by number: of one that several show, the tests of all."""
    found: dict[str, Line] = {}
    for part in PARTS:
        for number, line in of(part, kind).items():
            before = found.get(number)
            found[number] = line if before is None else Line(before.asks, (*before.tests, *line.tests), before.but)
    return dict(sorted(found.items(), key=lambda pair: place(pair[0])))


def of(part: ModuleType, kind: str) -> dict[str, Line]:
    """The lines of one kind that a part shows."""
    lines: dict[str, Line] = getattr(part, kind, {})
    return lines


def place(number: str) -> tuple[int, int]:
    """Where a line stands: those with a plain number first, then the weaknesses, then the history; cases by letter."""
    letter = number.rstrip("0123456789")
    return ("", "F", "W", "H").index(letter), int(number[len(letter) :])


LINES = joined("LINES")
CASES = joined("CASES")
