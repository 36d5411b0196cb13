"""Brakes: what a letter of a session costs, and what makes conversations end without anybody watching.

Guards: budgets.<bag>, expected by each letter of a session, so that none is stored that an opened budget does not
count; and, while one is open, letters.<bag>, which each letter moves: of two that race for the last one, or for any,
one wins. The rate has no guard: of several processes of one seat that write at the same moment, each may pass that
would have been the last. Of hops `chains` tells.

What a session stores about tasks of which no letter tells counts for the rate like a letter, and for nothing else.

Free of all this are the person, and mailstop's own notices.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import subject
from mailstop.limits import LARGEST, MINUTE_MS
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.records import Record
from mailstop.rules.chains import chain_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.limits import Standing
    from mailstop.rules.tenure import Writer


class Charge(Record):
    """What a letter costs. data: fields of its entry. expect: see `Ledger.append`."""

    data: Mapping[str, Any] = {}
    expect: Mapping[str, int] = {}


def charge(store: Store, writer: Writer, ref: Letter | None, *, now: int) -> Charge:
    """What a letter costs that is about to be stored. ref: the letter that it refers to.

    Raises TooManyHops, TooFast, NoBudget or BudgetSpent.
    """
    if writer.seat is None:  # the person, and mailstop itself
        return Charge()
    standing = store.index.standing(writer.bag, writer.name)
    hops = chain_of(store, writer.session).next_hops(ref)
    _refuse_long_chain(writer, standing, hops)
    _refuse_haste(writer, standing, now)
    expect = {subject("budgets", writer.bag): standing.budgets}
    budget = standing.budget
    if budget is None:
        if standing.limits.budgeted:
            raise errors.NoBudget(bag=writer.bag, command=_command("budget open", writer.bag))
        return Charge({"hops": hops}, expect)
    if not budget.left:
        command = _command("budget open", writer.bag)
        raise errors.BudgetSpent(limit=budget.limit, where=in_bag(writer.bag), budget=budget.ordinal, command=command)
    expect[subject("letters", writer.bag)] = standing.letters
    return Charge({"hops": hops, "budget": [budget.ordinal, budget.spent + 1, budget.limit]}, expect)


def pace(store: Store, writer: Writer, *, now: int) -> None:
    """Raise TooFast for what would be stored without any letter and goes beyond the rate."""
    if writer.seat is not None:
        _refuse_haste(writer, store.index.standing(writer.bag, writer.name), now)


def _refuse_long_chain(writer: Writer, standing: Standing, hops: int) -> None:
    limits, where = standing.limits, in_bag(writer.bag)
    if hops > limits.hops:
        command = _command(f"limits --hops {min(max(2 * limits.hops, hops), LARGEST)}", writer.bag)
        raise errors.TooManyHops(hops=hops, limit=limits.hops, seat=writer.name, where=where, command=command)


def _refuse_haste(writer: Writer, standing: Standing, now: int) -> None:
    limits, where = standing.limits, in_bag(writer.bag)
    # A letter from the future was written before the clock was put back: it holds up nobody.
    if standing.paced and now - MINUTE_MS < standing.paced <= now:
        wait_s = -((now - MINUTE_MS - standing.paced) // 1000)
        command = _command(f"limits --rate {min(2 * limits.rate, LARGEST)}", writer.bag)
        raise errors.TooFast(seat=writer.name, rate=limits.rate, where=where, seconds=wait_s, command=command)


def _command(verb: str, bag: str) -> str:
    """The command by which the person lets a bag go on."""
    return f"mailstop {verb}" + ("" if bag == DEFAULT_BAG else f" --bag {bag}")
