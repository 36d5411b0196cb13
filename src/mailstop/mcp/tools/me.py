"""me: who the caller is here; taking a seat, leaving it."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.errors import InvalidArguments
from mailstop.fence import client_text
from mailstop.mcp.tools.tool import LIST, TEXT, Answer, Call, Tool
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.rules.ways import words_of
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.seat import Seat

MOST_TOLD = 10  # recipients of one letter
MOST_SEATS = 50  # one in each bag
LONGEST_PLACE = 200  # characters of a project, a branch


def run(call: Call) -> Answer:
    """Do what the action says; without one, say who the caller is."""
    action, bag = call.given("action", "show"), call.given("bag", DEFAULT_BAG)
    if action == "join":
        if "name" not in call.arguments:
            raise InvalidArguments(problem="to join needs the name of a seat", tool="me", takes="action, name, bag")
        return _joined(call, call.given("name"), bag)
    if "name" in call.arguments:
        raise InvalidArguments(problem=f"a name is for action join, not {action}", tool="me", takes="action, name, bag")
    if action == "leave":
        left = call.office.leave(bag=bag)
        data = {"seats": _seats(call.office.seats()), "left": left.name}
        return Answer(data, f"left seat {left.name}{in_bag(left.bag)}; its mail waits there")
    return _shown(call)


def _joined(call: Call, name: str, bag: str) -> Answer:
    seated = call.seat(name, bag)
    where = in_bag(seated.seat.bag)
    text = f"you sit at seat {name}{where}" + ("" if seated.taken else " already")
    data: dict[str, Any] = {"seats": _seats(call.office.seats())}
    if seated.ended:
        client = client_text(seated.ended.seat.client)
        text += f"; it was held by {client} since {clock_text(seated.ended.seat.since)}, which has ended"
        data["taken_from"] = {"client": seated.ended.seat.client, "since": iso_text(seated.ended.seat.since)}
    if seated.left:
        text += f"; you left {seated.left}, whose mail waits there"
        data["left"] = seated.left
    return Answer(data, text)


def _shown(call: Call) -> Answer:
    me = call.office.reading.myself()
    data: dict[str, Any] = {"seats": _seats(me.seats), "client": me.caller.client or None, "waiting": me.waiting}
    lines = [
        f"you are {' and '.join(_named(seat) for seat in me.seats[:MOST_SEATS])}"
        if me.seats
        else "you have no seat: me join"
    ]
    if me.session:
        for what, value in (("project", me.session.project), ("branch", me.session.branch)):
            if value:
                data[what] = one_line(value, LONGEST_PLACE)
                lines[0] += f", {what} {data[what]}"
    if me.seats:
        data["woken_by"] = words_of(me.way).name
        lines.append(f"what wakes you: {data['woken_by']}; letters that wait: {me.waiting}")
    if me.sent:
        data["sent"] = [_standing(call, letter.n) for letter in me.sent]
        lines += [f"letter {each['n']}: {', '.join(each['recipients'])}" for each in data["sent"]]
    return Answer(data, "\n".join(lines))


def _standing(call: Call, n: int) -> dict[str, Any]:
    """Where a letter of the caller's stands at each recipient."""
    account = call.office.reading.account(n)
    told = [f"{each.seat}: {each.state}" for each in account.deliveries[:MOST_TOLD]]
    left = len(account.deliveries) - len(told)
    return {"n": n, "recipients": [*told, f"{left} more"] if left else told}


def _seats(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    return [{"seat": seat.name, "bag": seat.bag, "epoch": seat.epoch} for seat in seats[:MOST_SEATS]]


def _named(seat: Seat) -> str:
    return f"seat {seat.name}{in_bag(seat.bag)}"


TOOL = Tool(
    name="me",
    description="Your seats (addresses) and your last letters. join: take seat `name`; leave: give it up, mail stays.",
    run=run,
    properties={"action": {"type": "string", "enum": ["show", "join", "leave"]}, "name": TEXT, "bag": TEXT},
    output={"seats": LIST},
    always=("seats",),
    again=True,
)
