"""mailstop status [N]: what became of letter N, as far as it is proved; alone, who I am here."""

from __future__ import annotations

import os
import sys

from mailstop.cleaning import one_line, plain_line
from mailstop.cli.arguments import LETTER, Positional
from mailstop.cli.letter_json import budget_json, budget_text, origin_json
from mailstop.cli.letter_number import letter_number
from mailstop.cli.result import Result
from mailstop.cli.standing import (
    MEANING,
    UNKNOWN_THERE,
    asked_text,
    evidence_text,
    holder_json,
    imported_lines,
    now_text,
    receipts_at,
    seat_text,
    state_lines,
)
from mailstop.clients.project import place_of
from mailstop.errors import MustJoin, UsageError
from mailstop.fence import client_text, session_text
from mailstop.names import DEFAULT_BAG
from mailstop.rules.ways import words_of
from mailstop.times import clock_text, iso_text
from mailstop.wording import counted, wait_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.clients.project import Place
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.reading import Account, Self

PARAMETERS = (Positional("number", "N", "the number of a letter; or SOURCE:N", needed=False, kind=LETTER),)

LONGEST_PLACE = 200  # characters of a project, a branch, a store


def run(office: Office, args: Arguments) -> Result:
    """Say what is proved of one letter, or who the caller is."""
    if args.number is not None:
        number = letter_number(office, args.number, args.bag)
        account = office.reading.account(number, bag=args.bag)
        return _imported(office, account.letter) if account.letter.imported else _letter(account)
    if args.bag is not None:
        raise UsageError(reason="status alone tells of all bags: without --bag, or mailstop who --bag BAG")
    return _myself(office)


# -- a letter --------------------------------------------------------------------------------------------------------


def _letter(account: Account) -> Result:
    letter = account.letter
    parts = ["\n".join([*state_lines(account), *_counted(letter)])]
    if letter.asks:
        parts[0] += f"\nquestion {letter.n}: {letter.closed or 'no answer yet'}"
    data = []
    for delivery, holder, way in zip(account.deliveries, account.holders, account.ways, strict=True):
        receipts = receipts_at(account, delivery.seat)
        now = now_text(delivery, holder, way)
        lines = [f"{letter.n} {'for' if letter.channel else 'to'} {seat_text(holder.seat)}"]
        lines += [f"  {clock_text(each.at)}  {each.state}: {evidence_text(each)}" for each in receipts]
        if letter.channel and delivery.shown:  # a position proves it, which has no time of its own
            lines.append(f"  shown: {MEANING['shown']}")
        lines.append(f"  now: {now}")
        parts.append("\n".join(lines))
        data.append(
            {
                "seat": delivery.seat,
                "state": delivery.state,
                "answered": delivery.answered,
                "receipts": [
                    {"state": each.state, "at": iso_text(each.at), "evidence": each.evidence} for each in receipts
                ],
                "holder": holder_json(holder),
                "way": way or None,
                "now": now,
            }
        )
    value = {
        "n": letter.n,
        "id": letter.id,
        "bag": letter.bag,
        "from": letter.sender,
        "channel": letter.channel or None,
        "recipients": data,
        "hops": letter.hops,
        "budget": budget_json(letter),
    }
    if letter.asks:
        value["question"] = letter.closed or "open"
    if letter.task:
        value["task"] = letter.task.n
        parts.append(f"about task {letter.task.n}: mailstop task show {letter.task.n}")
    return Result(value, "\n\n".join(parts))


def _counted(letter: Letter) -> list[str]:
    """What a letter counted for: its hops, and its place in the bag's budget."""
    parts = []
    if letter.hops:
        parts.append(counted(letter.hops, "hop"))
    if letter.budget:
        parts.append(budget_text(letter))
    return [f"  {'; '.join(parts)}"] if parts else []


def _imported(office: Office, letter: Letter) -> Result:
    """What is known of a letter that was imported, which is not what became of it."""
    batch = office.importing.batch_of(letter.n)
    when = iso_text(batch.at) if batch else None
    text = "\n".join([*imported_lines(letter, batch), f"  {UNKNOWN_THERE}"])
    value = {
        "n": letter.n,
        "id": letter.id,
        "bag": letter.bag,
        "from": letter.sender,
        "channel": None,
        "recipients": [],
        "hops": 0,
        "budget": None,
        "imported": {**(origin_json(letter) or {}), "at": when, "path": batch.path if batch else None},
    }
    return Result(value, text)


# -- myself ----------------------------------------------------------------------------------------------------------


def _myself(office: Office) -> Result:
    me = office.reading.myself()
    last = [(letter, office.reading.account(letter.n)) for letter in me.sent]
    place = place_of(me.session.folder if me.session else os.curdir)
    lines = [*_who(office, me, place), f"store: {one_line(office.store.url, LONGEST_PLACE)}"]
    told_after = office.is_person and sys.stderr is not None and sys.stderr.isatty()  # by every verb, as last words
    if me.seats:
        if not office.is_person:
            lines.append(f"what wakes you: {words_of(me.way).own}")
        if not (told_after and me.waiting):
            waits = wait_text(me.waiting, "letter")
            lines.append(f"{waits} for you" + (f": mailstop check{office.store_option}" if me.waiting else ""))
    if me.asked and not told_after:
        lines.append(asked_text(me.asked, office.clock(), office.store_option))
    if last:
        lines += ["your last letters:", *(f"  {line}" for _, account in last for line in state_lines(account))]
    value = {
        "who": me.caller.who,
        "client": me.caller.client or None,
        "client_session": me.caller.client_session if me.caller.who == "client" else None,
        "seats": [{"bag": seat.bag, "seat": seat.name, "epoch": seat.epoch} for seat in me.seats],
        "session": me.session.id if me.session else None,
        "reason": me.caller.reason or None,
        "project": place.project or None,
        "branch": place.branch or None,
        "store": office.store.url,
        "way": me.way if me.seats and not office.is_person else None,
        "waiting": me.waiting,
        "asked": {"questions": len(me.asked), "oldest": iso_text(me.asked[0].at) if me.asked else None},
        "sent": [
            {
                "n": letter.n,
                "bag": letter.bag,
                "recipients": [{"seat": each.seat, "state": each.state} for each in account.deliveries],
            }
            for letter, account in last
        ],
    }
    return Result(value, "\n".join(lines))


def _who(office: Office, me: Self, place: Place) -> list[str]:
    """Who is calling, and, without a seat, how to take one."""
    where = _where(place)
    if office.is_person:
        return [f"you are the person, seat human in every bag{where}"]
    who = session_text(me.session) if me.session else client_text(me.caller.client)
    if me.seats:
        return [f"you are {' and '.join(seat_text(seat) for seat in me.seats)} ({who or 'a program'}){where}"]
    try:
        office.writer(DEFAULT_BAG)
    except MustJoin as missing:
        reason = f": {me.caller.reason}" if me.caller.reason else ""
        return [f"you are {who or 'a program'}{where}{reason}", plain_line(missing.message)]
    return []


def _where(place: Place) -> str:
    parts = [("project", place.project), ("branch", place.branch)]
    return "".join(f", {what} {one_line(name, LONGEST_PLACE)}" for what, name in parts if name)
