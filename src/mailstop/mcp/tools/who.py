"""who: the seats, who holds them, what wakes those, and what waits there."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.mcp.tools.tool import FLAG, LIST, TEXT, Answer, Call, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG, LONGEST, PERSON, in_bag
from mailstop.rules.ways import words_of
from mailstop.times import iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.roster import Occupancy

LONGEST_PLACE = 200  # characters of a folder, a project, a branch


def run(call: Call) -> Answer:
    """List the living, and the empty seats where letters wait; all of them when asked."""
    seats, _ = call.office.reading.attendance(call.given("bag"))
    everyone = [each for each in seats if each.seat.name != PERSON]
    listed = [each for each in everyone if call.given("all") or each.holder.present or each.waiting]
    own = {(seat.bag, seat.name) for seat in call.office.seats()}
    found = [_told(each, own) for each in listed]

    def composed(seats: list[Any]) -> dict[str, Any]:
        left = {"empty_left_out": len(everyone) - len(listed), "left_out": len(listed) - len(seats)}
        return {"seats": seats, **{name: count for name, count in left.items() if count}}

    data = composed(as_many_as_fit(found, composed))
    lines = [_line(each) for each in data["seats"]] or ["nobody is here"]
    lines.append("human: the person, in every bag")
    if "left_out" in data:
        lines.append(f"{data['left_out']} more did not fit: give a bag")
    if "empty_left_out" in data:
        empty = data["empty_left_out"]
        are = "is" if empty == 1 else "are"
        lines.append(f"{counted(empty, 'more seat')} {are} empty, and nothing waits there: all")
    return Answer(data, "\n".join(lines))


def _told(each: Occupancy, own: set[tuple[str, str]]) -> dict[str, Any]:
    seat, holder, last = each.seat, each.holder, each.last
    session = holder.present
    places = {
        "project": last.project if last else seat.project,
        "branch": last.branch if last else "",
        "folder": last.folder if last else seat.folder,
    }
    return {
        "seat": one_line(seat.name, LONGEST),
        "bag": one_line(seat.bag, LONGEST),
        "state": "empty" if session is None else "live" if holder.alive else "unknown",
        **({"you": True} if (seat.bag, seat.name) in own else {}),
        **({"since": iso_text(holder.since)} if holder.since else {}),
        **({"client": session.client, "woken_by": words_of(each.way).name} if session else {}),
        **({"waiting": each.waiting} if each.waiting else {}),
        **{name: one_line(value, LONGEST_PLACE) for name, value in places.items() if value},
    }


def _line(each: dict[str, Any]) -> str:
    where = in_bag(each["bag"]) if each["bag"] != DEFAULT_BAG else ""
    parts = [each.get("client", ""), each["state"], f"since {each['since']}" if "since" in each else ""]
    parts += [f"woken by {each['woken_by']}" if "woken_by" in each else "", f"{each.get('waiting', 0)} waiting"]
    parts += [f"{name} {each[name]}" for name in ("project", "branch", "folder") if name in each]
    you = " (you)" if "you" in each else ""
    return f"{each['seat']}{where}{you}: {', '.join(part for part in parts if part)}"


TOOL = Tool(
    name="who",
    description="Seats, who holds them, what wakes those, what waits there. all: also the empty ones.",
    run=run,
    properties={"bag": TEXT, "all": FLAG},
    output={"seats": LIST},
    always=("seats",),
    reads_only=True,
)
