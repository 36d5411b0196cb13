"""mailstop budget [open|close]: how many letters a bag may still carry until its person agrees to more."""

from __future__ import annotations

from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import NUMBER, Option, Positional
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.names import DEFAULT_BAG
from mailstop.times import clock_text, iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.acts.budgets import Allowance
    from mailstop.cli.arguments import Arguments
    from mailstop.limits import Budget
    from mailstop.office import Office

ACTS = ("open", "close")

PARAMETERS = (
    Positional("act", "open|close", "open the bag's next budget, or close it; the person only", needed=False),
    Option(("--limit",), "with open: how many letters (default 12)", "N", kind=NUMBER),
)

EXAMPLES = """\
mailstop budget
mailstop budget open --limit 20
mailstop budget close --bag review"""


def run(office: Office, args: Arguments) -> Result:
    """Show the budget of a bag, open the next one, or close it."""
    bag = args.bag or DEFAULT_BAG
    if args.act is not None:
        refuse_unknown("budget", args.act, ACTS)
    if args.limit is not None and args.act != "open":
        raise UsageError(reason="--limit goes with: mailstop budget open")
    if args.act == "open":
        is_new = bag != DEFAULT_BAG and bag not in office.store.index.bags()
        budget, dropped = office.budgets.open(args.limit, bag=bag)
        data = {"bag": bag, "open": _json(budget), "dropped": _json(dropped)}
        opened = f"budget {budget.ordinal} open: {counted(budget.limit, 'letter')} in bag {bag}"
        note = f"; nobody has been in bag {bag} yet" if is_new else ""
        return Result(data, f"{opened}{_dropped(dropped)}{note}")
    if args.act == "close":
        budget = office.budgets.close(bag=bag)
        text = f"budget {budget.ordinal} of bag {bag} closed{_dropped(budget)}"
        return Result({"bag": bag, "open": None, "dropped": _json(budget)}, text)
    return _shown(office.budgets.allowance(bag))


def _shown(allowance: Allowance) -> Result:
    budget = allowance.open
    data = {
        "bag": allowance.bag,
        "budgeted": allowance.limits.budgeted,
        "open": _json(budget),
        "opened": allowance.budget.ordinal if allowance.budget else 0,
    }
    since = f"; opened {clock_text(budget.opened)}" if budget else ""
    return Result(data, f"bag {allowance.bag}: {standing(allowance)}{since}")


def standing(allowance: Allowance) -> str:
    """Where the budget of a bag stands, in words."""
    budget = allowance.open
    if budget is None:
        needed = "and without one no session may write" if allowance.limits.budgeted else "and none is needed"
        return f"no budget is open, {needed}"
    if not budget.left:
        return (
            f"budget {budget.ordinal} of {counted(budget.limit, 'letter')} is used up; only the person can open another"
        )
    return f"{budget.left} of {counted(budget.limit, 'letter')} of budget {budget.ordinal} left"


def _dropped(budget: Budget | None) -> str:
    return f"; {counted(budget.left, 'letter')} of budget {budget.ordinal} dropped" if budget and budget.left else ""


def _json(budget: Budget | None) -> dict[str, Any] | None:
    if budget is None:
        return None
    values = {name: getattr(budget, name) for name in ("ordinal", "limit", "spent", "left")}
    return {**values, "opened": iso_text(budget.opened)}
