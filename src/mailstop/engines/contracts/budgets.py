"""What an index can tell about budgets and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mailstop.limits import Budget, Limits


class BudgetIndex(Protocol):
    """The budgets of each bag, and what else bounds it."""

    def limits(self, bag: str) -> Limits:
        """What bounds a bag: what its person has set, and the defaults for the rest."""

    def open(self, bag: str) -> Budget | None:
        """The budget that is open in a bag."""

    def last(self, bag: str) -> Budget | None:
        """The budget that was opened last in a bag, whether it is open or not."""
