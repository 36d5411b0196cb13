"""Wording: how often something is said to be there, in one place for all that people and models read."""

from __future__ import annotations


def counted(number: float, one: str, many: str = "") -> str:
    """A number of things: `1 letter`, `2 letters`, `0.5 seconds`. many: where an `s` does not make it."""
    text = f"{number:g}" if isinstance(number, float) else str(number)
    return f"{text} {one if number == 1 else many or f'{one}s'}"


def wait_text(number: int, one: str) -> str:
    """That so many wait: `1 letter waits`, `2 letters wait`."""
    return f"{counted(number, one)} {'waits' if number == 1 else 'wait'}"
