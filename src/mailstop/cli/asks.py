"""mailstop asks: the questions that have no answer yet, and for how long they have waited."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.cli.standing import name_text, state_of
from mailstop.cli.table import table, terminal_width
from mailstop.errors import UsageError
from mailstop.fence import age
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.rules.tellings import empty_text
from mailstop.times import iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.acts.asks import Open
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (
    Option(("--mine",), "only those that you asked"),
    Option(("--given",), "only those that wait for your answer"),
)

HEADING = ("question", "from", "to", "asked", "stands", "text")
FREE = ("text",)
LONGEST_TEXT = 60  # characters of a question


def run(office: Office, args: Arguments) -> Result:
    """List them, the oldest first."""
    if args.mine and args.given:
        raise UsageError(reason="--mine and --given exclude each other: nobody asks their own seat")
    found, left = office.asks.listed(mine=args.mine, given=args.given, bag=args.bag)
    now = office.clock()
    value = {"questions": [_json(each, now) for each in found], "left_out": left}
    if not found:
        return Result(value, "no question waits for an answer")
    lines = [_text(found, now)]
    if left:
        lines.append(f"{counted(left, 'younger question')} {'is' if left == 1 else 'are'} left out")
    return Result(value, "\n".join(lines))


def _text(found: list[Open], now: int) -> str:
    rows = [_row(each, now) for each in found]
    if all(each.ask.bag == DEFAULT_BAG for each in found):
        return table(HEADING, rows, terminal_width(), free=FREE)
    with_bags = [(row[0], name_text(each.ask.bag), *row[1:]) for each, row in zip(found, rows, strict=True)]
    return table((HEADING[0], "bag", *HEADING[1:]), with_bags, terminal_width(), free=FREE)


def _row(each: Open, now: int) -> tuple[str, ...]:
    ask = each.ask
    return (
        str(ask.n),
        name_text(ask.asker),
        name_text(ask.asked),
        age(now - ask.at),
        _stands(each),
        one_line(each.question.body.strip(), LONGEST_TEXT),
    )


def _stands(each: Open) -> str:
    """What has become of a question so far."""
    if each.ask.asked != PERSON and each.holder.present is None:
        stands = empty_text(each.holder)
    else:
        stands = "shown" if each.shown else "not shown yet"
    return f"{stands}; its asker waits" if each.waits else stands


def _json(each: Open, now: int) -> dict[str, Any]:
    ask, question = each.ask, each.question
    return {
        "n": ask.n,
        "id": ask.id,
        "bag": ask.bag,
        "from": ask.asker,
        "to": ask.asked,
        "at": iso_text(ask.at),
        "age_s": max(0, (now - ask.at) // 1000),
        "text": one_line(question.body.strip(), LONGEST_TEXT),
        "choices": list(question.choices),
        "shown": each.shown,
        "waits": each.waits,
        "holder": state_of(each.holder),
    }
