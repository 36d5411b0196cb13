"""mailstop task ACT ...: give work to a seat or into the project's pool, take it, and say how far it is."""

from __future__ import annotations

import os

from mailstop import rules
from mailstop.acts.tasks import ALL, GIVEN, MINE, POOL, standing_text
from mailstop.cleaning import one_line, plain_line
from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import BODY, NUMBER, Arguments, Option, Positional, converted
from mailstop.cli.body import text_of
from mailstop.cli.result import Result
from mailstop.cli.send import sent_result
from mailstop.cli.table import table, terminal_width
from mailstop.errors import UsageError
from mailstop.fence_tasks import RULE, seat_name, task_page, title_text
from mailstop.names import DEFAULT_BAG, LEADER, LONGEST, PERSON, is_name
from mailstop.rules.tasks import COMPLETE, MOVES, place_of
from mailstop.task import DEFAULT_PRIORITY, LEAST_URGENT, LONGEST_TITLE, Order
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mailstop.acts.tasks import Account, Changed, Listing
    from mailstop.office import Office
    from mailstop.task import Step, Task

PARAMETERS = (
    Positional(
        "act",
        "ACT",
        "give, take, accept, progress, need-input, complete, fail, reject, return, reassign, cancel, list, show",
    ),
    Positional("first", "SEAT|N", "to whom (give), or which task; with give --pool the TITLE", needed=False),
    Positional("second", "TITLE|SEAT|TEXT", "what it is about, to whom (reassign), or a text", needed=False),
    Positional("third", "TEXT", "more of it; - reads standard input", needed=False),
    *BODY[1:],
    Option(("--pool",), "the project's pool, instead of a seat; with list: what lies there"),
    Option(("--priority",), f"0, the most urgent, to {LEAST_URGENT} (default {DEFAULT_PRIORITY})", "N"),
    Option(("--artifact",), "a file that it is about, or that came of it; may be repeated", "PATH", each=True),
    Option(("--issue",), "the issue that it is about", "URL-OR-ID"),
    Option(("--key",), "give it once, however often this is repeated with the same key", "KEY"),
    Option(("--term",), "give: only while this session leads its project in that term", "N", kind=NUMBER),
    Option(("--mine",), "list: what this seat has, or brought to its end"),
    Option(("--given",), "list: what this seat gave"),
    Option(("--open",), "list: only what is not over"),
    Option(
        ("--limit",), "list: at most so many tasks (default 20); show: so many steps (default 50)", "K", kind=NUMBER
    ),
)

EXAMPLES = """\
mailstop task give builder 'Fix the parser' --priority 1 --artifact spec.md - <<'MAIL'
It loses the last line of a file without a newline.
MAIL
mailstop task give --pool 'Update the changelog'
mailstop task take                   the most urgent of the project's pool; take N: that one
mailstop task accept 142             then: progress, need-input, complete, fail, reject
mailstop task complete 142 - <<'MAIL'
Done in commit 4f2a; all tests pass.
MAIL
mailstop task return 142 'not mine'  the holder gives it back
mailstop task reassign 142 reviewer  its giver lets it go elsewhere; --pool instead of a seat: into the pool
mailstop task cancel 142             its giver, or the person
mailstop task list --mine --open     --given, --pool
mailstop task show 142               with its history"""

DEFAULT_TASKS = 20
DEFAULT_STEPS = 50

# The options that an act takes besides those of every verb.
_TEXT = ("body", "body_file")
_TAKES: dict[str, tuple[str, ...]] = {
    "give": (*_TEXT, "pool", "priority", "artifact", "issue", "key", "term"),
    **{act: (*_TEXT, "artifact") if act in (COMPLETE, "progress") else _TEXT for act in MOVES},
    "take": (),
    "return": _TEXT,
    "reassign": (*_TEXT, "pool"),
    "list": ("mine", "given", "pool", "open", "limit"),
    "show": ("limit",),
}
ACTS = tuple(_TAKES)


def run(office: Office, args: Arguments) -> Result:
    """Do one act."""
    acts: dict[str, Callable[[Office, Arguments], Result]] = {
        "give": _give,
        **dict.fromkeys(MOVES, _move),
        "take": _take,
        "return": _return,
        "reassign": _reassign,
        "list": _list,
        "show": _show,
    }
    refuse_unknown("task", args.act, ACTS)
    _refuse_options(args)
    return acts[args.act](office, args)


def _refuse_options(args: Arguments) -> None:
    for option in PARAMETERS:
        if isinstance(option, Option) and option.field not in _TAKES[args.act] and getattr(args, option.field):
            raise UsageError(reason=f"task {args.act} takes no {option.names[0]}; see: mailstop task --help")


# -- acts ------------------------------------------------------------------------------------------------------------


def _give(office: Office, args: Arguments) -> Result:
    words = [word for word in (args.first, args.second, args.third) if word is not None]
    to = "" if args.pool else words.pop(0) if words else None
    if to is None:
        raise UsageError(reason="to whom, and what? mailstop task give SEAT TITLE -   (or: --pool TITLE -)")
    if not words:
        where = "--pool" if args.pool else to[:LONGEST] if is_name(to) else "SEAT"
        raise UsageError(reason=f"what is it about? mailstop task give {where} TITLE -")
    if args.pool:
        _refuse_seat(office, args, words)
    if len(words) > 2:
        raise UsageError(reason="with --pool no seat is named: mailstop task give --pool TITLE -")
    if to == "" and not args.pool:
        raise UsageError(reason="to whom? mailstop task give SEAT TITLE -   (all seats: mailstop who)")
    order = Order(
        to=to,
        title=words[0],
        detail=_text(args, words[1] if words[1:] else None),
        priority=_priority(args.priority),
        artifacts=tuple(args.artifact),
        issue=args.issue or "",
        key=args.key,
    )
    changed = office.tasks.give(order, bag=args.bag or DEFAULT_BAG, term=args.term)
    again = "" if changed.new else " (it was given before with this key)"
    task = changed.task
    where = f"given to {place_of(task)}" if task.holder else f"put {_in(task)}"
    text = f"task {task.n} {where}{again}"
    if task.holder and task.empty_since:
        back = clock_text(task.empty_since + rules.settlements.return_ms(office.store, task.bag))
        text += f"; nobody sits there: unless somebody does, it comes back to you at {back}"
    return _changed(changed, text)


def _refuse_seat(office: Office, args: Arguments, words: list[str]) -> None:
    """Raise UsageError where a seat seems to be named beside --pool: it would be taken for a title, or for a text."""
    bag = args.bag or DEFAULT_BAG
    first, behind = (words[0], words[1:]) if words else ("", [])
    is_seat = is_name(first) and (first in (LEADER, PERSON) or office.store.index.seat(bag, first) is not None)
    if not is_seat and not (is_name(first) and behind and behind[0] != "-"):
        return
    n = f" {args.first}" if args.act == "reassign" else ""
    into = f"mailstop task {args.act}{n} --pool" + (" TITLE -" if args.act == "give" else " --body TEXT")
    other = f"mailstop task {args.act}{n} {first}" + (" TITLE -" if args.act == "give" else " TEXT")
    raise UsageError(reason=f"with --pool no seat is named. Into the pool: {into}   To seat {first}: {other}")


def _in(task: Task) -> str:
    return place_of(task).replace("in the", "into the", 1)


def _move(office: Office, args: Arguments) -> Result:
    n, rest = _number(args)
    text = _text(args, *rest[:1])
    _no_more(args, rest[1:])
    changed = office.tasks.move(n, args.act, text, artifacts=tuple(args.artifact), bag=args.bag)
    return _changed(changed, f"task {changed.task.n} is {changed.task.state}")


def _take(office: Office, args: Arguments) -> Result:
    n = None
    if args.first is not None:
        n, rest = _number(args)
        _no_more(args, rest)
    changed = office.tasks.take(n, bag=args.bag)
    account = office.tasks.account(changed.task.n)
    result = _changed(changed, f"task {changed.task.n} is yours; when done: mailstop task complete {changed.task.n} -")
    data = {**result.data, "task": _task_json(account.task, detail=True)}
    return Result(data, f"{result.text}\n\n{_page(office, account)}")


def _return(office: Office, args: Arguments) -> Result:
    n, rest = _number(args)
    text = _text(args, *rest[:1])
    _no_more(args, rest[1:])
    changed = office.tasks.give_back(n, text, bag=args.bag)
    return _changed(changed, f"task {changed.task.n} is {place_of(changed.task)}")


def _reassign(office: Office, args: Arguments) -> Result:
    n, rest = _number(args)
    to = "" if args.pool else rest.pop(0) if rest else ""
    if not to and not args.pool:
        raise UsageError(reason=f"to whom? mailstop task reassign {n} SEAT   (or: --pool)")
    if args.pool:
        _refuse_seat(office, args, rest)
    text = _text(args, *rest[:1])
    _no_more(args, rest[1:])
    changed = office.tasks.reassign(n, to, text, bag=args.bag)
    where = f"with {place_of(changed.task)}" if changed.task.holder else place_of(changed.task)
    return _changed(changed, f"task {changed.task.n} is {where} now")


def _number(args: Arguments) -> tuple[int, list[str]]:
    """The number of the task, and the words behind it."""
    rest = [word for word in (args.second, args.third) if word is not None]
    try:
        return int(converted(args.first or "", NUMBER)), rest
    except ValueError:
        raise UsageError(
            reason=f"which task? mailstop task {args.act} N   (all that are open: mailstop task list --open)"
        ) from None


def _no_more(args: Arguments, rest: list[str]) -> None:
    if rest:
        raise UsageError(reason=f"task {args.act} has a word too many: {rest[0][:80]!r}; a text stands in quotes")


def _text(args: Arguments, word: str | None = None) -> str:
    """The text of a command line, given as a word or by an option; empty when there is none."""
    if word is not None and args.body is not None:
        raise UsageError(reason="the text was given twice: as an argument and as --body")
    given = args.body if word is None else word
    return text_of(Arguments({"body": given, "body_file": args.body_file}))


def _priority(word: str | None) -> int:
    if word is None:
        return DEFAULT_PRIORITY
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise UsageError(reason=f"--priority {word[:40]!r} is not a number from 0 to {LEAST_URGENT}")
    return int(word)


def _changed(changed: Changed, text: str) -> Result:
    """What whoever acted is told: where the task is, and what became of the letter that tells of it."""
    sent = sent_result(changed.sent) if changed.sent else None
    told = sent.text.split("\n")[1:] if sent else []
    letter = f"; letter {changed.sent.letter.n}" if changed.sent else ""
    note = plain_line(f"; {changed.note}") if changed.note else ""
    data = {
        "task": _task_json(changed.task),
        "letter": sent.data if sent else None,
        "new": changed.new,
        "note": changed.note or None,
    }
    return Result(data, "\n".join([f"{text}{letter}{note}", *told]))


# -- looking ---------------------------------------------------------------------------------------------------------


def _list(office: Office, args: Arguments) -> Result:
    _no_words(args, args.first)
    chosen = [which for which in (MINE, GIVEN, POOL) if getattr(args, which)]
    if len(chosen) > 1:
        raise UsageError(reason="--mine, --given and --pool exclude each other")
    which = chosen[0] if chosen else ALL
    limit = args.limit or DEFAULT_TASKS
    listing = office.tasks.listed(which, only_open=args.open, bag=args.bag, limit=limit)
    data = {"tasks": [_task_json(task) for task in listing.tasks], "more": listing.more}
    return Result(data, _listing_text(office, listing, args, limit))


def _no_words(args: Arguments, word: str | None) -> None:
    if word is not None:
        raise UsageError(reason=f"task {args.act} has a word too many: {word[:80]!r}; one task: mailstop task show N")


def _listing_text(office: Office, listing: Listing, args: Arguments, limit: int) -> str:
    if not listing.tasks:
        return "no tasks"
    with_bags = any(task.bag != DEFAULT_BAG for task in listing.tasks)
    heading = ("task", *(("bag",) if with_bags else ()), "priority", "state", "where", "since", "given by", "title")
    rows = [
        (
            str(task.n),
            *((one_line(task.bag, LONGEST_TITLE),) if with_bags else ()),
            str(task.priority),
            task.state,
            _where(task),
            clock_text(task.since),
            seat_name(task.giver),
            title_text(task.title, person=office.is_person),
        )
        for task in listing.tasks
    ]
    parts = [] if office.is_person else [RULE]
    parts.append(table(heading, rows, terminal_width(), free=("title",)))
    if listing.more:
        words = "".join(f" --{name}" for name in ("mine", "given", "pool", "open") if getattr(args, name))
        words += f" --bag {args.bag}" if args.bag else ""
        parts.append(f"there are more: mailstop task list{words}{office.store_option} --limit {limit * 10}")
    return "\n".join(parts)


def _where(task: Task) -> str:
    if task.holder:
        return seat_name(task.holder) + (" (empty)" if task.empty_since and not task.is_over else "")
    if task.is_over:
        return "-"
    return f"pool of {one_line(task.project or task.home, LONGEST_TITLE)}" if task.home else "its giver"


def _show(office: Office, args: Arguments) -> Result:
    n, rest = _number(args)
    _no_more(args, rest)
    account = office.tasks.account(n, bag=args.bag, steps=args.limit or DEFAULT_STEPS)
    data = {
        **_task_json(account.task, detail=True),
        "history": [_step_json(step) for step in account.steps],
        "older": account.older,
    }
    return Result(data, _page(office, account))


def _page(office: Office, account: Account) -> str:
    task = account.task
    nonce = "" if office.is_person else os.urandom(4).hex()
    return task_page(
        task, standing_text(account), account.steps, older=account.older, nonce=nonce, store=office.store_option
    )


def _task_json(task: Task, *, detail: bool = False) -> dict[str, Any]:
    """A task for machines. since: when it came to where it is, or into its state."""
    value: dict[str, Any] = {
        "n": task.n,
        "id": task.id,
        "bag": task.bag,
        "at": iso_text(task.at),
        "from": task.giver,
        "title": task.title,
        "priority": task.priority,
        "state": task.state,
        "holder": task.holder or None,
        "pool": task.project if task.is_pooled else None,
        "since": iso_text(task.since),
        "by": task.mover,
        "epoch": task.epoch,
        "empty_since": iso_text(task.empty_since) if task.empty_since else None,
        "issue": task.issue or None,
        "artifacts": list(task.artifacts),
        "project": task.project or None,
    }
    if detail:
        value["detail"] = task.detail
    return value


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "n": step.n,
        "at": iso_text(step.at),
        "act": step.act,
        "by": step.seat,
        "state": step.state,
        "holder": step.holder or None,
        "text": step.text or None,
        "artifacts": list(step.artifacts),
        "letter": step.letter or None,
    }
