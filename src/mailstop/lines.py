"""Lines: what a text must be that stands on one line, as titles, notes, keys and names of kinds do."""

from __future__ import annotations

from mailstop.wording import counted


def is_line(text: str, longest: int) -> bool:
    """Whether a text is one printable line of at most `longest` characters, and not empty."""
    return 0 < len(text) <= longest and text.isprintable()


def line_rule(text: str, longest: int) -> str:
    """What a line has to be, and what is wrong with this text: its length, or its first unprintable character."""
    rule = f"one printable line of at most {counted(longest, 'character')}"
    if len(text) > longest:
        return f"{rule}; this one has {len(text)}"
    for place, character in enumerate(text, 1):
        if not character.isprintable():
            return f"{rule}; character {place} of this one is U+{ord(character):04X}"
    return rule if text.strip() else f"{rule}; this one is blank"
