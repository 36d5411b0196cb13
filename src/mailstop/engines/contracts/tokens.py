"""What an index can tell about tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.token import Token


class TokenIndex(Protocol):
    """All tokens that were ever created."""

    def token(self, token_id: str) -> Token | None:
        """The token of that id."""

    def all(self, bag: str | None = None) -> list[Token]:
        """All tokens, or those that count in a bag, the oldest first; also those that count no longer."""

    def was_any_created(self) -> bool:
        """Whether there ever was one."""

    def counts_any(self, now: int) -> bool:
        """Whether any counts at `now`, in milliseconds since 1970."""
