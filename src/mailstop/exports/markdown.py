"""Markdown: conversations as a text that any reader of Markdown shows, and that is a text without one.

A letter's own text stands in a fence longer than any in it, so that nothing in it is a heading, a link, or HTML.
"""

from __future__ import annotations

from mailstop.cleaning import clean, plain_line
from mailstop.exports.lines import time_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mailstop.exports.conversation import Written

_SPECIAL = frozenset("\\`*_{}[]<>()#+-.!|~&:")


def document(head: list[str], conversations: Iterable[Iterable[Written]], last: Callable[[], str]) -> Iterator[str]:
    """The document, piece by piece. head: what it is, a sentence each. last: what is said at the end."""
    yield "# Letters\n\n"
    yield "".join(f"{escaped(line)}\n" for line in head)
    for conversation in conversations:
        is_first = True
        for written in conversation:
            if is_first:
                yield f"\n## {_number(written)}: {escaped(plain_line(written.subject))}\n"
                is_first = False
            yield _letter(written)
    yield f"\n---\n\n{escaped(last())}\n"


def _letter(written: Written) -> str:
    letter = written.letter
    at = time_text(letter.at) if letter.at else "an unknown time"
    told = [f"**{_number(written)}**", f"{_name(written.sender)} to {_name(written.whom)}", escaped(str(at))]
    if letter.ref is not None:
        told.append(f"answers {letter.ref}")
    told += [escaped(plain_line(label)) for label in written.labels]
    lines = ["", " · ".join(told)]
    lines += [f"- {escaped(plain_line(artifact))}" for artifact in letter.artifacts]
    text = clean(letter.body)
    marks = fence_for(text)
    states = ", ".join(f"{_name(seat)}: {state}" for seat, state in written.states)
    return "\n".join([*lines, "", f"{marks}text", text, marks, *(["", f"_{states}_"] if states else []), ""])


def _number(written: Written) -> str:
    return f"{written.letter.n}"


def _name(text: str) -> str:
    return escaped(plain_line(text))


def escaped(text: str) -> str:
    """A text of one line that means nothing to Markdown."""
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in text)


def fence_for(text: str) -> str:
    """More backticks than stand in a row anywhere in a text, and at least three."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return "`" * max(3, longest + 1)
