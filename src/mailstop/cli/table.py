"""Table: rows under a heading, for a terminal as wide as it is, and for a pipe plain and full.

On a terminal that has no room for it, only free text is shortened, or set in several lines: words that mean something,
names and commands stay whole. Where that does not suffice, each row is told in lines of its own, with nothing cut.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

GAP = "  "
NARROWEST = 16  # columns that free text keeps in a table
INDENT = "  "  # of what is told of a row below its first line
NOTHING = "-"  # a cell without a value, which lines leave out


def table(
    heading: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    *,
    free: Collection[str] = (),
    prose: str = "",
) -> str:
    """Aligned columns. width: columns of the terminal; None is a pipe, where nothing is shortened.

    free: headings of columns with free text, which is shortened where there is no room for it. prose: the heading of a
    last column with sentences, which go on in further lines.
    """
    # Almost all tables are plain, and `who` has a line for each session.
    plain = all("".join(line).isascii() for line in (heading, *rows))
    sizes = [max(map(len if plain else columns_of, cells)) for cells in zip(heading, *rows, strict=True)]
    if width is None or _total(sizes) <= width:
        if plain:
            return "\n".join(GAP.join(map(str.ljust, line, sizes)).rstrip() for line in (heading, *rows))
        return _lines(heading, rows, sizes)
    least = [
        min(size, max(NARROWEST, columns_of(name))) if name in (*free, prose) else size
        for name, size in zip(heading, sizes, strict=True)
    ]
    if _total(least) > width or not rows:
        return "\n".join(_stacked(heading, row, width) for row in rows) or _lines(heading, rows, sizes)
    return _lines(heading, rows, _fitted(sizes, least, width), prose)


def fits(heading: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the table has room in so many columns with no cell shortened."""
    return _total([max(map(columns_of, cells)) for cells in zip(heading, *rows, strict=True)]) <= width


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


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _fitted(sizes: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widths with the widest that may be narrower made so, a column at a time, until all fit."""
    fitted = list(sizes)
    while _total(fitted) > width:
        shrinking = [at for at, size in enumerate(fitted) if size > least[at]]
        fitted[max(shrinking, key=lambda at: fitted[at])] -= 1
    return fitted


def _lines(heading: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int], prose: str = "") -> str:
    lines = []
    for row in (heading, *rows):
        further = wrapped(row[-1], widths[-1]) if prose else [row[-1]]
        cells = [*row[:-1], further[0]]
        lines.append(GAP.join(map(_cell, cells, widths)).rstrip())
        lines += [" " * (_total(widths) - widths[-1]) + text for text in further[1:]]
    return "\n".join(lines)


def _cell(text: str, width: int) -> str:
    """A cell as wide as its column."""
    size = columns_of(text)
    if size <= width:
        return text + " " * (width - size)
    while columns_of(text) > width - 1:
        text = text[:-1]
    text += "…"
    return text + " " * (width - columns_of(text))


def _stacked(heading: Sequence[str], row: Sequence[str], width: int) -> str:
    """A row in lines of its own: its first cell, and below it what else is known, several on a line where they fit."""
    told = [f"{name}: {cell}" for name, cell in zip(heading[1:], row[1:], strict=True) if cell not in ("", NOTHING)]
    lines, line = wrapped(row[0] if row[0] != NOTHING else f"{heading[0]}: {NOTHING}", width), ""
    for each in told:
        if line and columns_of(line + GAP + each) <= width:
            line += GAP + each
            continue
        lines += [line] if line else []
        line = INDENT + each
        if columns_of(line) > width:
            first, *rest = wrapped(each, width - len(INDENT) * 2)
            lines += [INDENT + first, *(INDENT * 2 + further for further in rest)]
            line = ""
    return "\n".join([*lines, line] if line else lines)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns, broken at its blanks; a longer word is left whole."""
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and columns_of(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]
