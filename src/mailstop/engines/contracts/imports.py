"""What an index can tell about imported letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.letter import Letter
    from mailstop.past import Batch


class ImportIndex(Protocol):
    """What was written elsewhere and lies here now."""

    def known(self, ids: Sequence[str]) -> dict[str, str]:
        """Which of these ids entries have, each with the bag of its entry."""

    def numbered(self, source: str, number: str, bag: str | None = None) -> list[tuple[int, str]]:
        """The numbers and bags of the letters that a source called so, in a bag or in all, oldest first."""

    def id_of(self, source: str, number: str, bag: str) -> str | None:
        """The id of the last letter of a bag that a source called so."""

    def batch_of(self, n: int) -> Batch | None:
        """With which batch letter `n` came."""

    def newest(self, bag: str) -> Letter | None:
        """The letter that was imported into a bag last."""
