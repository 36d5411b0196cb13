"""Budgets and limits: what a bag's person allows its sessions. Who may set them is the office's to say.

Guards: budgets.<bag>, written by each opening and closing and expected by each, and by each letter of a session; so of
two that open at once both are opened, one after the other, and no letter is counted by the wrong one. Limits have no
guard: an entry says only what it sets, and the last one holds.
"""

from __future__ import annotations

from mailstop.config import store_name
from mailstop.engines.entry import Entry, subject
from mailstop.errors import Conflict, InvalidField, NoBudgetOpen, StoreUnavailable
from mailstop.letter import new_id
from mailstop.limits import LARGEST, LONGEST_RETURN_MIN, MINUTE_MS, Budget
from mailstop.names import DEFAULT_BAG, in_bag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.limits import Limits

MOST_TRIES = 50


def opened(store: Store, bag: str, limit: int, *, now: int) -> tuple[Budget, Budget | None]:
    """Open a bag's next budget, and return it with the one that was open till then: what was left of that is dropped.

    Raises InvalidField.
    """
    _checked("a budget", limit, LARGEST, "letters")
    n, last = _append(store, bag, "budget_opened", {"limit": limit}, now)
    ordinal = last.ordinal + 1 if last else 1
    return Budget(bag, ordinal, n, limit, 0, now), last if last and last.open else None


def closed(store: Store, bag: str, *, now: int) -> Budget:
    """Close a bag's budget, and return it. Raises NoBudgetOpen."""
    _, last = _append(store, bag, "budget_closed", {}, now)
    assert last is not None
    return last.but(open=False)


def _append(store: Store, bag: str, act: str, data: dict[str, Any], now: int) -> tuple[int, Budget | None]:
    """Append an opening or a closing; its number, and the budget that was the bag's last before."""
    entry = Entry(subject("budgets", bag), act, bag, new_id(), now, data)
    for _ in range(MOST_TRIES):
        seen = store.ledger.on(entry.subject)
        last = store.index.budgets.last(bag)
        if act == "budget_closed" and not (last and last.open):
            option = "" if bag == DEFAULT_BAG else f" --bag {bag}"
            raise NoBudgetOpen(where=in_bag(bag), command=f"mailstop budget open{option}")
        try:
            return store.ledger.append([entry], expect={entry.subject: seen.n if seen else 0}), last
        except Conflict:
            continue
    raise StoreUnavailable(path=store_name(store.url), reason="others open and close budgets, without end")


def set_limits(
    store: Store,
    bag: str,
    *,
    hops: int | None = None,
    rate: int | None = None,
    budgeted: bool | None = None,
    task_return_min: int | None = None,
    now: int,
) -> Limits:
    """Set some of a bag's limits, and return all of them. Raises InvalidField."""
    if hops is not None:
        _checked("hops", hops, LARGEST, "letters of a chain")
    if rate is not None:
        _checked("a rate", rate, LARGEST, "letters a minute")
    if task_return_min is not None:
        _checked("the time after which a task returns", task_return_min, LONGEST_RETURN_MIN, "minutes")
    returns_ms = None if task_return_min is None else task_return_min * MINUTE_MS
    settings = {"hops": hops, "rate": rate, "budgeted": budgeted, "task_return_ms": returns_ms}
    data = {name: value for name, value in settings.items() if value is not None}
    store.ledger.append([Entry(subject("limits", bag), "limits_set", bag, new_id(), now, data)])
    return store.index.budgets.limits(bag)


def _checked(what: str, number: int, most: int, unit: str) -> None:
    if not 0 < number <= most:
        raise InvalidField(field=f"{number} for {what}", reason=f"it may be 1 to {most:,} {unit}")
