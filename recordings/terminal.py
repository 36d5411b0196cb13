"""What a terminal of so many columns shows of the bytes that were written onto it."""

from __future__ import annotations

import pyte

LONGEST = 2000  # rows; nothing that is worth a picture is longer


class NotDrawn(Exception):
    """Something appeared on the terminal that the pictures cannot show."""


def rows_of(written: bytes, columns: int) -> list[str]:
    """The rows that appeared, without the spaces and the empty rows at their ends. Raises NotDrawn."""
    screen = pyte.Screen(columns, LONGEST)
    screen.set_mode(pyte.modes.LNM)  # a line feed also goes back to the first column, as a terminal's driver has it
    pyte.ByteStream(screen).feed(written)
    for row in screen.buffer.values():
        for cell in row.values():
            if cell._replace(data=" ") != screen.default_char:
                raise NotDrawn(f"{cell.data!r} has a colour or a style; drawing.py has to learn them first")
    rows = [row.rstrip() for row in screen.display]
    if rows[-1]:
        raise NotDrawn(f"more than {LONGEST} rows")
    while rows and not rows[-1]:
        rows.pop()
    return rows
