"""What an index can tell for an export: all that was written, in its order, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.entry import Entry
    from mailstop.letter import Letter
    from mailstop.receipt import Receipt


class ExportIndex(Protocol):
    """Reads up to a number: what is written meanwhile has a higher one, so all pages together are one moment."""

    def newest_entry(self) -> int:
        """The number of the newest entry of any type."""

    def counts(self, until: int, *, bag: str | None = None, since: int = 0) -> dict[str, int]:
        """How many entries of each type there are up to a number. since: milliseconds since 1970."""

    def page(
        self, after: int, until: int, types: Sequence[str], *, bag: str | None = None, since: int = 0, limit: int = 500
    ) -> tuple[list[Entry], int]:
        """Entries of these types among the next `limit` behind a number, and the number of the last of those; 0 where
        there are none left. Of receipts those of letters that were said in channels."""

    def receipts(self, first: int, last: int, until: int) -> list[Receipt]:
        """What was proved, by entries up to `until`, of the letters from one number to another; by letter, oldest
        first."""

    def names(self, ids: Sequence[str]) -> dict[str, tuple[int, str, str]]:
        """Of letters by their ids: the number here, and source and number there, which are empty where it is from
        here."""

    def sources(self) -> list[str]:
        """The sources whose letters are here."""

    def conversations(self, after: int, until: int, *, bag: str | None = None, limit: int = 500) -> list[int]:
        """The numbers of first letters of conversations behind a number, oldest first."""

    def conversation(
        self, thread: int, after: int, until: int, *, bag: str | None = None, since: int = 0, limit: int = 200
    ) -> list[Letter]:
        """The letters of a conversation behind a number, oldest first."""
