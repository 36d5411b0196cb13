"""claude-mailbox's checklist, its weaknesses and its bug history, and which tests show what mailstop makes of them.

Each subject of coordination keeps its own lines, in `coordination/`; here they come together, by number.
"""

from __future__ import annotations

from tests.checklists.coordination import asks, budgets, channels, leading, leases, tasks
from tests.checklists.line import Line

PARTS = (asks, budgets, channels, leading, leases, tasks)


def joined() -> dict[str, Line]:
    """The lines of all parts by number: of one that several show, the tests of all."""
    found: dict[str, Line] = {}
    for part in PARTS:
        for number, line in part.LINES.items():
            before = found.get(number)
            found[number] = line if before is None else Line(before.asks, (*before.tests, *line.tests), before.but)
    return dict(sorted(found.items(), key=lambda pair: place(pair[0])))


def place(number: str) -> tuple[str, int]:
    """Where a line stands: those with a plain number first, then by letter."""
    letter = number.rstrip("0123456789")
    return letter, int(number[len(letter) :] or 0)


LINES = joined()
