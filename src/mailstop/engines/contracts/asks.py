"""What an index is asked about questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.ask import Ask


class AskIndex(Protocol):
    """The questions that sessions have asked each other and the person."""

    def ask(self, n: int) -> Ask | None:
        """The question that letter `n` asks; None when it asks none."""

    def open(
        self, *, bag: str | None = None, asker: str | None = None, asked: str | None = None, limit: int = 100
    ) -> list[Ask]:
        """The questions that have no answer yet, the oldest first: of all bags or one, by and of all seats or one."""

    def count_open(self, *, bag: str | None = None, asker: str | None = None, asked: str | None = None) -> int:
        """How many `open` would list without a limit."""
