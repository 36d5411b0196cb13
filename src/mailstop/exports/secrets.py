"""Secrets: what looks like one is replaced, and counted. The patterns are data (secrets.txt), a net with holes."""

from __future__ import annotations

import os
import re

from mailstop.exports.lines import changed
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "secrets.txt"
SHORTEST = 12  # characters in which a secret can be, with what tells that it is one


class Scrubber:
    """Replaces what looks like a secret, and counts it by what it looked like."""

    def __init__(self) -> None:
        self._patterns = patterns()
        self.counts: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many were replaced."""
        return sum(self.counts.values())

    def text(self, text: str) -> str:
        """A text without them."""
        if len(text) < SHORTEST:
            return text
        small = text.lower()
        for name, words, pattern in self._patterns:
            if not any(word in small for word in words):
                continue

            def replaced(match: re.Match[str], name: str = name) -> str:
                group = "secret" if "secret" in match.re.groupindex else 0
                if match[group].startswith("[removed: "):  # by a pattern before this one
                    return match[0]
                self.counts[name] = self.counts.get(name, 0) + 1
                start, end = match.start(group) - match.start(), match.end(group) - match.start()
                return f"{match[0][:start]}[removed: {name}]{match[0][end:]}"

            text = pattern.sub(replaced, text)
        return text

    def line(self, line: dict[str, Any]) -> dict[str, Any]:
        """A line of an export without them."""
        found: dict[str, Any] = changed(line, self.text)
        return found

    def summary(self) -> str:
        """What was replaced, in words."""
        if not self.counts:
            return "nothing looked like a secret"
        told = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        return f"{counted(self.count, 'likely secret')} replaced ({told})"


def patterns() -> list[tuple[str, tuple[str, ...], re.Pattern[str]]]:
    """What is looked for: its name, words of which one is in every text that holds it, and what it looks like."""
    with open(os.path.join(os.path.dirname(__file__), FILE), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return [(name, tuple(words.split(" ")), re.compile(pattern)) for name, words, pattern in rows]
