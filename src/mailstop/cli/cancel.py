"""mailstop cancel N: withdraw a question."""

from __future__ import annotations

from mailstop.cli.arguments import NUMBER, Positional
from mailstop.cli.result import Result
from mailstop.cli.standing import name_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (Positional("number", "N", "the number of the question", kind=NUMBER),)

EXAMPLES = "mailstop cancel 142"


def run(office: Office, args: Arguments) -> Result:
    """Withdraw it; whoever may have read it is told."""
    question, told = office.asks.cancel(args.number, bag=args.bag)
    seat = name_text(question.to[0])
    what = f"{seat} is told" if told else f"{seat} has not seen it"
    value = {"n": question.n, "id": question.id, "to": question.to[0], "told": told}
    return Result(value, f"question {question.n} is withdrawn; {what}")
