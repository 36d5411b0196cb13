"""Table: rows under a heading, for a terminal as wide as it is, and for a pipe plain and full."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
NARROWEST = 6  # columns that a shortened cell keeps


def table(heading: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    """Aligned columns. width: columns of the terminal, into which long cells are shortened; None shortens nothing."""
    lines = [list(heading), *(list(row) for row in rows)]
    widths = [max(columns_of(line[at]) for line in lines) for at in range(len(heading))]
    if width is not None:
        widths = _fitted(widths, width - len(GAP) * (len(widths) - 1))
    return "\n".join(GAP.join(map(_cell, line, widths)).rstrip() for line in lines)


def terminal_width() -> int | None:
    """How many columns the terminal has that standard output goes to; None for a pipe or a file."""
    try:
        if not sys.stdout.isatty():
            return None
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def columns_of(text: str) -> int:
    """How many columns a terminal needs for a text."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def _fitted(widths: Sequence[int], room: int) -> list[int]:
    """The widths with the widest made narrower, a column at a time, until all fit."""
    fitted = list(widths)
    while sum(fitted) > room and max(fitted) > NARROWEST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _cell(text: str, width: int) -> str:
    if columns_of(text) > width:
        while columns_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns_of(text))
