"""mailstop limits: what bounds the letters of a bag; the person sets it."""

from __future__ import annotations

from mailstop.cli.arguments import NUMBER, Option
from mailstop.cli.result import Result
from mailstop.cli.table import table, terminal_width
from mailstop.errors import UsageError
from mailstop.limits import MINUTE_MS, Limits
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (
    Option(
        ("--hops",),
        "the longest chain of letters that sessions cause one another to write (default 24)",
        "N",
        kind=NUMBER,
    ),
    Option(("--rate",), "the most letters of one seat within a minute (default 30)", "N", kind=NUMBER),
    Option(("--budgeted",), "no session may write without an open budget"),
    Option(("--not-budgeted",), "sessions may write without a budget (default)"),
    Option(
        ("--task-return",), "after so many minutes a task of an empty seat returns (default 10)", "MINUTES", kind=NUMBER
    ),
)

EXAMPLES = """\
mailstop limits
mailstop limits --bag review --budgeted
mailstop limits --hops 48 --rate 60"""


def run(office: Office, args: Arguments) -> Result:
    """Set what is given, and show all limits of a bag."""
    bag = args.bag or DEFAULT_BAG
    if args.budgeted and args.not_budgeted:
        raise UsageError(reason="--budgeted and --not-budgeted exclude each other")
    budgeted = True if args.budgeted else False if args.not_budgeted else None
    settings = {"hops": args.hops, "rate": args.rate, "budgeted": budgeted, "task_return_min": args.task_return}
    if all(value is None for value in settings.values()):
        limits = office.budgets.allowance(bag).limits
    else:
        limits = office.budgets.set_limits(bag=bag, **settings)
    minutes = limits.task_return_ms // MINUTE_MS
    data = {"bag": bag, "hops": limits.hops, "rate": limits.rate, "budgeted": limits.budgeted}
    return Result({**data, "task_return_minutes": minutes}, f"bag {bag}\n{_text(limits, minutes)}")


def _text(limits: Limits, minutes: int) -> str:
    rows = (
        ("--hops", str(limits.hops), "the longest chain of letters that cause one another"),
        ("--rate", str(limits.rate), "the most letters of one seat within a minute"),
        ("--budgeted", "yes" if limits.budgeted else "no", "whether sessions write only while a budget is open"),
        ("--task-return", f"{minutes} min", "after which a task of an empty seat returns"),
    )
    return table(("limit", "is", "what it bounds"), rows, terminal_width(), prose="what it bounds")
