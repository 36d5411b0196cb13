"""me: who the caller is here; taking a seat and leaving it, saying what it works on, reading a channel or no longer."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.fence import client_text
from mailstop.mcp.schema import Takes, checked_for
from mailstop.mcp.tools.tool import TEXT, Answer, Call, Tool
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.rules.ways import words_of
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.reading import Self
    from mailstop.seat import Seat
    from mailstop.session import Session

MOST_TOLD = 10  # recipients of one letter
MOST_SEATS = 20  # one in each bag
MOST_CHANNELS = 50  # of which a seat reads no more
MOST_NUMBERS = 20  # questions that wait for the caller's answer
LONGEST_PLACE = 200  # characters of a project, a branch, an objective

_TAKES = {
    "show": Takes((), ("objective", "status", "bag")),
    "join": Takes(("name",), ("objective", "status", "bag")),
    "leave": Takes((), ("bag",)),
    "subscribe": Takes(("name",), ("bag",)),
    "unsubscribe": Takes(("name",), ("bag",)),
}


def run(call: Call) -> Answer:
    """Do what the action says; without one, say who the caller is."""
    action, bag = call.given("action", "show"), call.given("bag", DEFAULT_BAG)
    checked_for(action, call.arguments, _TAKES[action], "me")
    if action == "join":
        return _joined(call, call.given("name"), bag)
    if action == "leave":
        left = call.office.leave(bag=bag)
        data = {"seats": _seats(call.office.seats()), "left": left.name}
        return Answer(data, f"left seat {left.name}{in_bag(left.bag)}; its mail waits there")
    if action == "subscribe":
        channel, new = call.office.channels.subscribe(call.given("name"), bag=bag)
        text = f"you read #{channel}{in_bag(bag)}" + (" from now on" if new else " already")
        return Answer({"seats": _seats(call.office.seats()), "channels": _channels(call, bag)}, text)
    if action == "unsubscribe":
        channel = call.office.channels.unsubscribe(call.given("name"), bag=bag)
        data = {"seats": _seats(call.office.seats()), "channels": _channels(call, bag)}
        return Answer(data, f"you read #{channel}{in_bag(bag)} no longer")
    if _say(call) is False:
        return _shown(call, bag, "nothing is new in that")
    return _shown(call, bag)


def _say(call: Call) -> bool | None:
    """Change what the session says of its work; whether anything is new, None where nothing was said."""
    objective, status = call.given("objective"), call.given("status")
    if objective is None and status is None:
        return None
    return call.office.presence.say(objective=objective, status=status)


def _joined(call: Call, name: str, bag: str) -> Answer:
    seated = call.seat(name, bag)
    _say(call)
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


def _shown(call: Call, bag: str, note: str = "") -> Answer:
    me = call.office.reading.myself()
    data: dict[str, Any] = {"seats": _seats(me.seats), "client": me.caller.client or None, "waiting": me.waiting}
    lines = [
        f"you are {' and '.join(_named(seat) for seat in me.seats[:MOST_SEATS])}"
        if me.seats
        else "you have no seat: me with action join and a name"
    ]
    if me.session:
        lines += _of_session(call, me.session, data)
    if me.seats:
        lines += _of_seats(call, me, bag, data)
    if me.sent:
        data["sent"] = [_standing(call, letter.n) for letter in me.sent]
        lines += [f"letter {each['n']}: {', '.join(each['recipients'])}" for each in data["sent"]]
    return Answer(data, "\n".join([*lines, note] if note else lines))


def _of_session(call: Call, session: Session, data: dict[str, Any]) -> list[str]:
    """What the session is, does and leads."""
    told = {"project": session.project, "branch": session.branch, "objective": session.objective}
    data |= {name: one_line(value, LONGEST_PLACE) for name, value in told.items() if value}
    data["status"] = session.status
    lines = [", ".join(f"{name} {data[name]}" for name in (*told, "status") if name in data)]
    if led := call.office.leaders.own():
        data["leads"] = [{"project": one_line(each.project, LONGEST_PLACE), "term": each.term} for each in led]
        lines += [f"you lead project {each['project']}, in term {each['term']}" for each in data["leads"]]
    return lines


def _of_seats(call: Call, me: Self, bag: str, data: dict[str, Any]) -> list[str]:
    """What waits at the caller's seats, and what they read."""
    data["woken_by"] = words_of(me.way).name
    lines = [f"what wakes you: {data['woken_by']}; letters that wait: {me.waiting}"]
    if me.asked:
        data["questions"] = [letter.n for letter in me.asked[:MOST_NUMBERS]]
        lines.append(f"questions that wait for your answer: {', '.join(map(str, data['questions']))}")
    if any(seat.bag == bag for seat in me.seats):
        data["channels"] = _channels(call, bag)
        lines.append(f"channels: {', '.join(data['channels'])}")
    return lines


def _channels(call: Call, bag: str) -> list[str]:
    """The channels of a bag: first those that the caller reads, then the others, as far as there is room."""
    listing = sorted(call.office.channels.listing(bag), key=lambda each: not each.reads)
    told = [f"#{each.channel.name}" + _marks(each.reads, each.unread) for each in listing[:MOST_CHANNELS]]
    left = len(listing) - len(told)
    return [*told, f"{left} more"] if left else told


def _marks(reads: bool, unread: int) -> str:
    if not reads:
        return " (not read by you)"
    return f" ({unread} unread)" if unread else ""


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
    description="Your seats (addresses), channels, last letters. join: take a seat; leave: its mail stays."
    " objective, status (active, idle, blocked, done): what others see. subscribe: read a channel.",
    act=run,
    properties={
        "action": {"type": "string", "enum": [*_TAKES]},
        "name": TEXT,
        "objective": TEXT,
        "status": TEXT,
        "bag": TEXT,
    },
    always=("seats",),
    again=True,
)
