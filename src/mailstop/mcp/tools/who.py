"""who: the seats, who holds them and what those do, what wakes them, what waits there; and sessions without a seat."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.mcp.tools.tool import FLAG, TEXT, Answer, Call, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG, LONGEST, PERSON, in_bag
from mailstop.rules.ways import words_of
from mailstop.session import ACTIVE
from mailstop.times import iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.rules.roster import Occupancy, Presence
    from mailstop.session import Session

LONGEST_PLACE = 200  # characters of a folder, a project, a branch, an objective


def run(call: Call) -> Answer:
    """List the living, and the empty seats where letters wait; all of them when asked."""
    office, project = call.office, call.given("project")
    seats, seatless = office.reading.attendance(call.given("bag"))
    everyone = [each for each in seats if each.seat.name != PERSON]
    if project is not None:
        there = [session for session in map(_session_of, everyone) if session]
        known = {session.project for session in (*there, *(each.session for each in seatless))}
        everyone = [each for each in everyone if _is_of(each, project)]
        seatless = [each for each in seatless if project in (each.session.project, each.session.project_id)]
        if not everyone and not seatless:
            office.reading.checked_project(project, known)
    listed = [each for each in everyone if call.given("all") or each.holder.present or each.waiting]
    mine = office.session.id if office.session else None
    found = [_told(each, mine) for each in listed]
    without = [{**({"you": True} if each.session.id == mine else {}), **_present(each)} for each in seatless]

    def composed(some: list[Any]) -> dict[str, Any]:
        seats, others = some[: len(found)], some[len(found) :]
        left = {
            "without_seat": others,
            "empty_left_out": len(everyone) - len(listed),
            "left_out": len(found) + len(without) - len(some),
        }
        return {"seats": seats, **{name: value for name, value in left.items() if value}}

    data = composed(as_many_as_fit([*found, *without], composed))
    lines = [_line(each) for each in data["seats"]]
    lines += [_line({"seat": "no seat", "bag": DEFAULT_BAG, **each}) for each in data.get("without_seat", ())]
    lines = [*(lines or ["nobody is here"]), "human: the person, in every bag"]
    if "left_out" in data:
        lines.append(f"{data['left_out']} more did not fit: give a bag or a project")
    if "empty_left_out" in data:
        empty = data["empty_left_out"]
        are = "is" if empty == 1 else "are"
        lines.append(f"{counted(empty, 'more seat')} {are} empty, and nothing waits there: all")
    return Answer(data, "\n".join(lines))


def _session_of(each: Occupancy) -> Session | None:
    return each.present.session if each.present else None


def _is_of(each: Occupancy, project: str) -> bool:
    """Whether a seat belongs to that project, by name or by id: by its session, else by who sat there last."""
    whose = _session_of(each) or each.seat
    return project in (whose.project, whose.project_id)


def _told(each: Occupancy, mine: str | None) -> dict[str, Any]:
    """A seat and what is known of it. mine: the caller's session."""
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
        **({"you": True} if mine is not None and seat.session == mine else {}),
        **({"leads": True} if each.leads else {}),
        **({"since": iso_text(holder.since)} if holder.since else {}),
        **({"waiting": each.waiting} if each.waiting else {}),
        **({"woken_by": words_of(each.way).name} if session else {}),
        **_places(places),
        **(_present(each.present) if each.present else {}),
    }


def _present(present: Presence) -> dict[str, Any]:
    """A session and what it does."""
    session = present.session
    return {
        "client": session.client,
        **({} if present.alive else {"alive": "unknown", "last_act": iso_text(present.acted)}),
        **({"turn": present.turn} if present.turn else {}),
        **({"status": one_line(session.status, LONGEST)} if session.status != ACTIVE else {}),
        **_places(
            {
                "project": session.project,
                "branch": present.branch,
                "folder": session.folder,
                "objective": session.objective,
            }
        ),
    }


def _places(told: dict[str, str]) -> dict[str, str]:
    return {name: one_line(value, LONGEST_PLACE) for name, value in told.items() if value}


def _line(each: dict[str, Any]) -> str:
    where = in_bag(each["bag"]) if each["bag"] != DEFAULT_BAG else ""
    parts = [each[name] for name in ("client", "state", "turn", "status") if name in each]
    parts += ["leads its project"] if "leads" in each else []
    parts += [f"since {each['since']}"] if "since" in each else []
    parts += [f"woken by {each['woken_by']}"] if "woken_by" in each else []
    parts.append(f"{each.get('waiting', 0)} waiting")
    parts += [f"{name} {each[name]}" for name in ("project", "branch", "folder", "objective") if name in each]
    you = " (you)" if "you" in each else ""
    return f"{each['seat']}{where}{you}: {', '.join(part for part in parts if part)}"


TOOL = Tool(
    name="who",
    description="Seats, who sits there doing what, what wakes them, what waits. all: also empty ones.",
    act=run,
    properties={"project": TEXT, "all": FLAG, "bag": TEXT},
    always=("seats",),
    reads_only=True,
)
