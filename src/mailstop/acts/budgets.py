"""Budgets and limits: what the person sets of a bag, and what everybody may see of it."""

from __future__ import annotations

from mailstop import rules
from mailstop.limits import DEFAULT_BUDGET
from mailstop.names import DEFAULT_BAG, checked_name
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.limits import Budget, Limits
    from mailstop.office import Office


class Allowance(Record):
    """What a bag allows its sessions. budget: the one that was opened last, if any ever was."""

    bag: str
    limits: Limits
    budget: Budget | None

    @property
    def open(self) -> Budget | None:
        """The budget that is open."""
        return self.budget if self.budget and self.budget.open else None

    @property
    def is_set(self) -> bool:
        """Whether the person has ever spoken of budgets here; elsewhere nobody need hear of them."""
        return self.budget is not None or self.limits.budgeted


class Budgets:
    """What a caller may do about budgets and limits. Only the person sets them."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def allowance(self, bag: str = DEFAULT_BAG) -> Allowance:
        """What a bag allows its sessions. Raises UnknownBag."""
        self._office.checked_bag(bag)
        found = self._office.store.index.budgets
        return Allowance(bag, found.limits(bag), found.last(bag))

    def open(self, limit: int | None = None, *, bag: str = DEFAULT_BAG) -> tuple[Budget, Budget | None]:
        """Open a bag's next budget, of 12 letters unless `limit` says otherwise; and the one that was open till then.

        Where nobody has been before, that makes the bag. Raises PersonOnly, InvalidField.
        """
        self._office.require_person("Opening a budget")
        letters = DEFAULT_BUDGET if limit is None else limit
        return rules.budgets.opened(self._office.store, checked_name(bag, "bag"), letters, now=self._office.clock())

    def close(self, *, bag: str = DEFAULT_BAG) -> Budget:
        """Close a bag's budget, so that its letters are no longer counted. Raises PersonOnly, UnknownBag,
        NoBudgetOpen."""
        self._office.require_person("Closing a budget")
        self._office.checked_bag(bag)
        return rules.budgets.closed(self._office.store, bag, now=self._office.clock())

    def set_limits(
        self,
        *,
        bag: str = DEFAULT_BAG,
        hops: int | None = None,
        rate: int | None = None,
        budgeted: bool | None = None,
        task_return_min: int | None = None,
    ) -> Limits:
        """Set some of a bag's limits, and return all of them; None leaves one as it is.

        task_return_min: after how many minutes a task of an empty seat returns. Where nobody has been before, that
        makes the bag. Raises PersonOnly, InvalidField.
        """
        self._office.require_person("Setting a bag's limits")
        return rules.budgets.set_limits(
            self._office.store,
            checked_name(bag, "bag"),
            hops=hops,
            rate=rate,
            budgeted=budgeted,
            task_return_min=task_return_min,
            now=self._office.clock(),
        )
