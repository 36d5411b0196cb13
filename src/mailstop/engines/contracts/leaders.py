"""What an index can be asked about leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.leadership import Leadership


class LeaderIndex(Protocol):
    """The last of the ledger about each project's leader, whether that one still lives or not."""

    def of(self, bag: str, project_id: str) -> Leadership | None:
        """Who leads a project in a bag, or led it last; None where nobody ever has."""

    def of_session(self, session: str) -> list[Leadership]:
        """What a session leads, by bag and project."""

    def all(self, bag: str | None = None) -> list[Leadership]:
        """Those of a bag, or of all, by bag and project."""
