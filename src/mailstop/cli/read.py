"""mailstop read [N]: what was written, and who came and went in between. Reading changes nothing.

In a model's hands it stays within the bytes of one delivery; only a letter asked for by its number is printed whole,
because that is how a cut one is fetched.
"""

from __future__ import annotations

import os

from mailstop.cleaning import one_line
from mailstop.cli.arguments import LETTER, NUMBER, Option, Positional
from mailstop.cli.letter_json import left_out_json, letter_json
from mailstop.cli.letter_number import letter_number
from mailstop.cli.result import Result
from mailstop.cli.standing import state_lines
from mailstop.config import DELIVERY_BYTES
from mailstop.errors import UsageError
from mailstop.fence import choice_lines, lost_task, whole
from mailstop.fence_history import Reader, history_page, letter_page, matches_page
from mailstop.history import Move
from mailstop.json_text import dumps
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.times import iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.history import History
    from mailstop.letter import Letter
    from mailstop.office import Office

PARAMETERS = (
    Positional("number", "N", "one letter, whole, and what became of it; or SOURCE:N", needed=False, kind=LETTER),
    Option(("--channel",), "what was said in this channel", "CHANNEL"),
    Option(("--thread",), "the conversation that letter N belongs to", "N", kind=LETTER),
    Option(("--last",), "at most so many letters, joins and leaves (default 20)", "K", kind=NUMBER),
    Option(("--before",), "only what came before number N", "N", kind=NUMBER),
    Option(("--search",), "only letters that hold all these words, of all bags unless --bag", "TEXT"),
    Option(("--raw",), "with N: the body byte for byte, and nothing else"),
)

DEFAULT_LAST = 20
LONGEST_TITLE = 80  # characters of a search that are repeated
LINE_END = 1  # byte that printing adds
MOST_IN_A_DELIVERY = 200  # records; more do not fit into its bytes, however short they are


def run(office: Office, args: Arguments) -> Result:
    """Show one letter, a conversation, what a search finds, or a bag."""
    if args.number is not None:
        if args.thread or args.last or args.before or args.search is not None or args.channel is not None:
            raise UsageError(reason="one letter has no pages: give N alone, or --thread N, --last, --before, --search")
        return _letter(office, letter_number(office, args.number, args.bag), raw=args.raw, bag=args.bag)
    if args.raw:
        raise UsageError(reason="--raw prints one body: mailstop read N --raw")
    if bool(args.thread) + (args.search is not None) + (args.channel is not None) > 1:
        raise UsageError(reason="--channel, --thread and --search exclude each other")
    return _history(office, args)


# -- one letter ------------------------------------------------------------------------------------------------------


def _letter(office: Office, n: int, *, raw: bool, bag: str | None) -> Result:
    account = office.reading.account(n, bag=bag)
    letter = account.letter
    if raw:
        return Result(letter.body, raw=letter.body.encode("utf-8"))
    standing = "\n".join(state_lines(account))
    own = [seat.name for seat in office.seats() if seat.bag == letter.bag]
    store = office.store_option
    if office.is_person:
        ended = letter.asks and letter.closed
        answerable = not (letter.final or ended or letter.imported or letter.sender in own)
        answer = f"\nTo answer: mailstop reply {n}{store} -" if answerable else ""
        if answerable and letter.choices:
            lines = ["", "", *choice_lines(letter, person=True), f"To answer: mailstop answer {n}{store} --choice K"]
            answer = "\n".join(lines)
        lost = f"\n{lost_task(letter)}" if letter.task and letter.closed else ""
        text = f"{letter_page(letter)}\n\n{standing}{lost}{answer}"
    else:
        heard = bool(letter.channel and own and letter.sender not in own)
        addressed = heard or any(name in own for name in letter.to)
        shown = whole(letter, now_ms=office.clock(), nonce=_nonce(), addressed=addressed, store=store)
        text = f"{shown}\n\nWhere it stands (all receipts: mailstop status {n}{store}):\n{standing}"
    recipients = [
        {"seat": delivery.seat, "state": delivery.state, "answered": delivery.answered}
        for delivery in account.deliveries
    ]
    return Result({**letter_json(letter), "recipients": recipients}, text)


def _nonce() -> str:
    return os.urandom(4).hex()


# -- many ------------------------------------------------------------------------------------------------------------


def _history(office: Office, args: Arguments) -> Result:
    # A program joined on purpose and gets what it asks for; whatever else is not the person may be a model.
    bounded = office.caller.who not in ("person", "program")
    last = args.last or DEFAULT_LAST
    page = {"before": args.before, "last": min(last, MOST_IN_A_DELIVERY) if bounded else last}
    bag = args.bag
    if args.search is not None:
        history = office.reading.search(args.search, bag=bag, **page)
        where = f" in bag {bag}" if bag else ""
        title = (
            f'letters{where} that hold "{one_line(args.search, LONGEST_TITLE)}" (one of them whole: mailstop read N)'
        )
    elif args.thread:
        first = letter_number(office, args.thread, bag)
        history = office.reading.read(thread=first, bag=bag, **page)
        title = f"the conversation of letter {first}"
    elif args.channel is not None:
        bag = bag or DEFAULT_BAG
        name, history = office.channels.history(args.channel, bag=bag, **page)
        title = f"#{name}{in_bag(bag)}"
    else:
        bag = bag or DEFAULT_BAG
        history = office.reading.read(bag=bag, **page)
        title = f"bag {bag}{_budget(office, bag)}"
    limit = DELIVERY_BYTES if bounded else None
    store = office.store_option
    if not history.records:
        return Result(_json(history, limit, store), f"{title}: nothing{' before it' if args.before else ''}")
    about = None if args.search is not None or args.thread else bag
    reader = Reader("" if office.is_person else _nonce(), limit and limit - LINE_END, about, store)
    more = _command(args, store)
    if args.search is not None:
        text = matches_page(history, args.search, title, more, reader).text
    else:
        text = history_page(history, title, more, reader).text
    return Result(_json(history, limit, store), text)


def _budget(office: Office, bag: str) -> str:
    """Where the budget of a bag stands, if it ever had one."""
    allowance = office.budgets.allowance(bag)
    if not allowance.is_set:
        return ""
    from mailstop.cli.budget import standing

    return f" ({standing(allowance)})"


def _command(args: Arguments, store: str) -> str:
    """The command that shows what came before, without the number that is its last word."""
    import shlex

    words = ["mailstop", "read"]
    for option in ("bag", "channel", "thread", "last", "search"):
        value = getattr(args, option)
        if value is not None:
            words += [f"--{option}", str(value)]
    return " ".join(map(shlex.quote, words)) + f"{store} --before"


def _json(history: History, limit_bytes: int | None, store: str) -> dict[str, Any]:
    """The newest records that fit, oldest first, and where to go on; bodies are what was sent."""
    records: list[dict[str, Any]] = []
    room = limit_bytes
    for record in reversed(history.records):
        value = _record_json(record)
        if room is not None:
            room -= _size(value)
            if room < 0 and records:
                break
            if room < 0 and not isinstance(record, Move):  # alone it is too much already
                value = {"type": "letter", **left_out_json(record, store)}
        records.append(value)
    older = history.older or len(records) < len(history.records)
    before = records[-1]["n"] if older and records else None
    return {"records": records[::-1], "older": older, "before": before}


def _size(value: dict[str, Any]) -> int:
    return len(dumps(value).encode("utf-8", "backslashreplace")) + 60  # with what stands around all of them


def _record_json(record: Letter | Move) -> dict[str, Any]:
    if not isinstance(record, Move):
        return {"type": "letter", **letter_json(record)}
    values = {name: getattr(record, name) for name in ("bag", "seat", "act", "client", "project", "reason", "imported")}
    return {"type": "move", "n": record.n, "at": iso_text(record.at), **values}
