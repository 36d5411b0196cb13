"""mailstop who: the seats, who holds them, what wakes those, and what waits there."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.cli.standing import holder_json, name_text, session_text, state_of
from mailstop.cli.table import table, terminal_width
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.rules.ways import words_of
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.rules.roster import Occupancy

PARAMETERS = (
    Option(("--all",), "also the empty seats where nothing waits"),
    Option(("--project",), "only seats of this project", "NAME"),
)

HEADING = ("seat", "holder", "since", "woken by", "waiting", "project", "branch", "folder")
LONGEST = 200  # characters of a folder, a project, a branch


def run(office: Office, args: Arguments) -> Result:
    """List the living, and the empty seats where letters wait."""
    everyone = [each for each in office.reading.roster(args.bag) if each.seat.name != PERSON]
    if args.project is not None:
        everyone = [each for each in everyone if args.project in (_project(each), each.seat.project_id)]
    listed = [each for each in everyone if args.all or each.holder.present or each.waiting]
    own = {(seat.bag, seat.name) for seat in office.seats()}
    left = len(everyone) - len(listed)
    parts = [_text(listed, own) if listed else f"nobody is here; to take a seat: {office.joining()}"]
    if not office.is_person:
        parts.append("human: the person's own seat, in every bag")
    if left:
        seats = "seat is" if left == 1 else "seats are"
        parts.append(f"{left} more {seats} empty, and nothing waits there: mailstop who --all")
    return Result({"seats": [_json(each, own) for each in listed], "left_out": left}, "\n".join(parts))


def _text(listed: list[Occupancy], own: set[tuple[str, str]]) -> str:
    rows = [_row(each, own) for each in listed]
    if all(each.seat.bag == DEFAULT_BAG for each in listed):
        return table(HEADING, rows, terminal_width())
    with_bags = [(name_text(each.seat.bag), *row) for each, row in zip(listed, rows, strict=True)]
    return table(("bag", *HEADING), with_bags, terminal_width())


def _row(each: Occupancy, own: set[tuple[str, str]]) -> tuple[str, ...]:
    seat, holder = each.seat, each.holder
    mine = " (you)" if (seat.bag, seat.name) in own else ""
    who = session_text(holder.present) if holder.present else "empty"
    return (
        name_text(seat.name) + mine,
        f"{who} (alive or not: unknown)" if state_of(holder) == "unknown" else who,
        clock_text(holder.since) if holder.since else "-",
        words_of(each.way).name if holder.present else "-",
        str(each.waiting),
        _shown(_project(each)),
        _shown(each.last.branch if each.last else ""),
        _shown(_folder(each)),
    )


def _json(each: Occupancy, own: set[tuple[str, str]]) -> dict[str, Any]:
    seat = each.seat
    return {
        "bag": seat.bag,
        "seat": seat.name,
        "you": (seat.bag, seat.name) in own,
        **holder_json(each.holder),
        "epoch": seat.epoch,
        "automatic": seat.automatic,
        "project": _project(each) or None,
        "branch": (each.last.branch if each.last else "") or None,
        "folder": _folder(each) or None,
        "way": each.way if each.holder.present else None,
        "waiting": each.waiting,
    }


def _project(each: Occupancy) -> str:
    return each.last.project if each.last else each.seat.project


def _folder(each: Occupancy) -> str:
    return each.last.folder if each.last else each.seat.folder


def _shown(text: str) -> str:
    return one_line(text, LONGEST) or "-"
