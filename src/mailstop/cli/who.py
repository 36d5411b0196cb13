"""mailstop who: the sessions, what they do and what wakes them, and the empty seats where letters wait."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.cli.standing import holder_json, name_text, presence_json
from mailstop.cli.table import table, terminal_width
from mailstop.fence import session_text
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.records import Record
from mailstop.rules.ways import words_of
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.rules.roster import Occupancy, Presence
    from mailstop.session import Session

PARAMETERS = (
    Option(("--all",), "also the empty seats where nothing waits"),
    Option(("--project",), "only of this project", "PROJECT"),
)

FULL = (
    *("seat", "session", "since", "project", "branch", "worktree"),
    *("status", "turn", "seen", "woken by", "waiting", "objective"),
)
FREE = ("worktree", "objective")
LONGEST = 200  # characters of a folder, a project, a branch, an objective


class Line(Record):
    """What one line tells of: a seat with who sits there, or a session without a seat. session: the one that is there.

    mine: whether it is the caller's own.
    """

    occupancy: Occupancy | None
    present: Presence | None
    session: Session | None
    mine: bool

    @property
    def bag(self) -> str:
        """The bag of the seat."""
        return self.occupancy.seat.bag if self.occupancy else DEFAULT_BAG

    @property
    def project(self) -> str:
        """Of the session, else of whoever sat there last."""
        return self.session.project if self.session else self.occupancy.seat.project if self.occupancy else ""

    def is_of(self, project: str | None) -> bool:
        """Whether it belongs to that project, by name or by id."""
        whose = self.session or (self.occupancy.seat if self.occupancy else None)
        return project is None or (whose is not None and project in (whose.project, whose.project_id))


def run(office: Office, args: Arguments) -> Result:
    """List the living, and the empty seats where letters wait."""
    everyone = _lines(office, args.bag)
    lines = [line for line in everyone if line.is_of(args.project)]
    if args.project is not None and not lines:
        office.reading.checked_project(args.project, {line.project for line in everyone})
    listed = [line for line in lines if args.all or line.present or (line.occupancy and line.occupancy.waiting)]
    left = len(lines) - len(listed)
    # Either is made for each of them, so only what is printed is.
    return Result(_data(listed, left)) if args.json else Result(text=_words(office, listed, left))


def _words(office: Office, listed: Sequence[Line], left: int) -> str:
    parts = [_text(listed) if listed else f"nobody is here; to take a seat: {office.joining()}"]
    if not office.is_person:
        parts.append("human: the person's own seat, in every bag")
    if left:
        are = "is" if left == 1 else "are"
        parts.append(f"{counted(left, 'more seat')} {are} empty, and nothing waits there: mailstop who --all")
    return "\n".join(parts)


def _lines(office: Office, bag: str | None) -> list[Line]:
    seats, seatless = office.reading.attendance(bag)
    own = {(seat.bag, seat.name) for seat in office.seats()}
    mine = office.session.id if office.session else None
    lines = []
    for each in seats:
        if each.seat.name != PERSON:
            session = each.present.session if each.present else None
            lines.append(Line(each, each.present, session, (each.seat.bag, each.seat.name) in own))
    return lines + [Line(None, present, present.session, present.session.id == mine) for present in seatless]


# -- the table -------------------------------------------------------------------------------------------------------


def _text(lines: Sequence[Line]) -> str:
    width = terminal_width()
    bag = ("bag",) if any(line.bag != DEFAULT_BAG for line in lines) else ()
    columns = (FULL[0], *bag, *FULL[1:])
    return table(columns, _rows(columns, lines), width, free=FREE)


def _rows(columns: Sequence[str], lines: Sequence[Line]) -> list[list[str]]:
    cells = [COLUMNS[column] for column in columns]
    return [[cell(line) or "-" for cell in cells] for line in lines]


def _seat(line: Line) -> str:
    if line.occupancy is None:
        return ""
    if not line.mine and not line.occupancy.leads:
        return name_text(line.occupancy.seat.name)
    marks = ", ".join(mark for mark, holds in (("you", line.mine), ("leads", line.occupancy.leads)) if holds)
    return f"{name_text(line.occupancy.seat.name)} ({marks})"


def _session(line: Line) -> str:
    return session_text(line.session) if line.session else "empty"


def _since(line: Line) -> str:
    """Since when the seat is held, or empty; of a session without one, when it began."""
    since = line.occupancy.holder.since if line.occupancy else line.session.started if line.session else 0
    return clock_text(since) if since else ""


def _branch(line: Line) -> str:
    return _shown(line.present.branch) if line.present else ""


def _worktree(line: Line) -> str:
    if line.session:
        return _shown(line.session.worktree or line.session.folder)
    return _shown(line.occupancy.seat.folder) if line.occupancy else ""


def _seen(line: Line) -> str:
    """When it was last seen: now, by its process; else what it was last known to do."""
    if line.present is None:
        return ""
    return "alive" if line.present.alive else f"alive or not: unknown; last {clock_text(line.present.acted)}"


def _woken(line: Line) -> str:
    return words_of(line.present.way).name if line.present and line.occupancy else ""


COLUMNS: dict[str, Callable[[Line], str]] = {
    "bag": lambda line: name_text(line.bag) if line.occupancy else "",
    "seat": _seat,
    "session": _session,
    "since": _since,
    "project": lambda line: _shown(line.project),
    "branch": _branch,
    "worktree": _worktree,
    "status": lambda line: _shown(line.session.status) if line.session else "",
    "turn": lambda line: line.present.turn if line.present else "",
    "seen": _seen,
    "woken by": _woken,
    "waiting": lambda line: str(line.occupancy.waiting) if line.occupancy else "",
    "objective": lambda line: _shown(line.session.objective) if line.session else "",
}


def _shown(text: str) -> str:
    return one_line(text, LONGEST)


# -- for machines ----------------------------------------------------------------------------------------------------


def _data(listed: Sequence[Line], left: int) -> dict[str, Any]:
    without = [(line.mine, line.present) for line in listed if not line.occupancy and line.present]
    return {
        "seats": [_seat_json(line, line.occupancy) for line in listed if line.occupancy],
        "without_seat": [{"you": mine, **presence_json(present)} for mine, present in without],
        "left_out": left,
    }


def _seat_json(line: Line, occupancy: Occupancy) -> dict[str, Any]:
    seat, last = occupancy.seat, occupancy.last
    return {
        "bag": seat.bag,
        "seat": seat.name,
        "you": line.mine,
        "leads": occupancy.leads,
        **holder_json(occupancy.holder),
        "epoch": seat.epoch,
        "automatic": seat.automatic,
        "project": line.project or None,
        "branch": (last.branch if last else "") or None,
        "folder": (last.folder if last else seat.folder) or None,
        **(presence_json(line.present) if line.present else {}),
        "way": line.present.way if line.present else None,
        "waiting": occupancy.waiting,
    }
