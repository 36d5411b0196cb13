"""Text: pieces of Markdown that hold any text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def code(text: str) -> str:
    """`text` as code within a line, whatever it holds."""
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0)
    fence, room = "`" * (longest + 1), " " if "`" in text else ""
    return f"{fence}{room}{text}{room}{fence}"


def block(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown of one line each."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(
        f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def page(title: str, *parts: str) -> str:
    """A page of these parts, a blank line between them."""
    return "\n\n".join([f"# {title}", *(part for part in parts if part)]) + "\n"
