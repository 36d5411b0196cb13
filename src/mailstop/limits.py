"""Limits: what bounds the letters of a bag, as its person has set it; and its budgets."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 9_999  # of a budget, of hops, of a rate
LONGEST_RETURN_MIN = 7 * 24 * 60
DEFAULT_BUDGET = 12  # letters
MINUTE_MS = 60_000


class Limits(Record):
    """What bounds a bag. hops: the longest chain of letters that cause one another. rate: letters of a seat in a
    minute.

    budgeted: without an open budget no session may write. task_return_ms: after so many milliseconds a task of an empty
    seat goes back.
    """

    hops: int = 24
    rate: int = 30
    budgeted: bool = False
    task_return_ms: int = 10 * MINUTE_MS

    @classmethod
    def of(cls, settings: Sequence[int | None]) -> Limits:
        """The limits of these settings, in the order of the fields; None is what nobody has set."""
        given = {name: value for name, value in zip(cls.fields, settings, strict=True) if value is not None}
        return cls().but(**{**given, "budgeted": bool(given.get("budgeted"))}) if given else cls()


class Budget(Record):
    """So many letters of its sessions a bag may carry until its person agrees to more.

    ordinal: which of the bag's it is, from 1. n: the number of the entry that opened it. spent: letters stored since
    then; those of the person and mailstop's own notices cost nothing. opened: milliseconds since 1970.
    """

    bag: str
    ordinal: int
    n: int
    limit: int
    spent: int
    opened: int
    open: bool = True

    @property
    def left(self) -> int:
        """How many letters it still covers."""
        return max(0, self.limit - self.spent)


class Standing(Record):
    """What a seat that writes in a bag has to respect.

    budgets, letters: numbers of the last entries on `budgets.<bag>` and, while a budget is open, on `letters.<bag>`.
    paced: when the seat stored the oldest of its last `limits.rate` letters, or of what it stored about tasks without
    one, in milliseconds since 1970; 0 where these are fewer.
    """

    limits: Limits
    budget: Budget | None
    budgets: int
    letters: int
    paced: int
