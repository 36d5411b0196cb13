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
    lines = [heading, *rows]
    # Almost all lines are plain, and `who` has a line for each session.
    plain = ["".join(line).isascii() for line in lines]
    sizes = [list(map(len if simple else columns_of, line)) for line, simple in zip(lines, plain, strict=True)]
    widths = list(map(max, *sizes)) if rows else sizes[0]
    if width is not None:
        room = width - len(GAP) * (len(widths) - 1)
        plain = plain if sum(widths) <= room else [False] * len(lines)
        widths = _fitted(widths, room)
    return "\n".join(
        GAP.join(map(str.ljust, line, widths) if simple else map(_cell, line, size, widths)).rstrip()
        for line, size, simple in zip(lines, sizes, plain, strict=True)
    )


def fits(heading: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the table has room in so many columns with no cell shortened."""
    widths = [max(map(columns_of, cells)) for cells in zip(heading, *rows, strict=True)]
    return sum(widths) + len(GAP) * (len(widths) - 1) <= width


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


def _cell(text: str, size: int, width: int) -> str:
    """A cell as wide as its column. size: columns that the text needs."""
    if size <= width:
        return text + " " * (width - size)
    while columns_of(text) > width - 1:
        text = text[:-1]
    text += "…"
    return text + " " * (width - columns_of(text))
