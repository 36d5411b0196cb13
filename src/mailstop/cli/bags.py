"""mailstop bags: the bags, what they hold, and who sits there; with --resume how to go on with their sessions."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.cli.standing import name_text, seat_text, state_of
from mailstop.cli.table import fits, table, terminal_width
from mailstop.clients.codex import is_thread_id
from mailstop.fence import client_text
from mailstop.names import PERSON
from mailstop.times import clock_text, iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.acts.budgets import Allowance
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.rules.roster import Bag, Occupancy

PARAMETERS = (Option(("--resume",), "print the command that resumes each seat's session"),)

HEADING: tuple[str, ...] = ("bag", "letters", "last letter", "clients", "seats")
RESUME_HEADING = ("bag", "seat", "session", "command", "run it in")
LONGEST_FOLDER = 200  # characters
# What a resume would meet, by who is at the seat: of a session that still runs it makes a second process.
RESUMABLE = {"live": "runs", "empty": "ended", "unknown": "unknown"}
RESUME = {"claude": "claude --resume", "codex": "codex resume"}


def run(office: Office, args: Arguments) -> Result:
    """List all bags, or the one of --bag, the one with the newest letter first."""
    found = office.reading.bags(args.bag)
    if args.resume:
        return _resume(found)
    budgets = [office.budgets.allowance(bag.name) for bag in found]
    data = {"bags": [{**_json(bag), "budget": _budget_json(each)} for bag, each in zip(found, budgets, strict=True)]}
    if not found:
        return Result(data, f"there is no bag yet; the first to join makes one: {office.joining()}")
    heading, rows = HEADING, [_row(bag) for bag in found]
    if any(each.is_set for each in budgets):
        heading = (*HEADING, "budget")
        rows = [(*row, _budget(each)) for row, each in zip(rows, budgets, strict=True)]
    return Result(data, table(heading, rows, terminal_width()))


def _row(bag: Bag) -> tuple[str, ...]:
    seats = [name_text(each.seat.name) + ("" if each.holder.present else " (empty)") for each in _seats(bag)]
    newest = f"{bag.newest.n}, {clock_text(bag.newest.at)}" if bag.newest else "none"
    clients = ", ".join(_sessions_of(client, count) for client, count in _clients(bag).items())
    return name_text(bag.name), str(bag.letters), newest, clients or "-", ", ".join(seats) or "-"


def _sessions_of(client: str, count: int) -> str:
    return counted(count, "program") if client == "program" else f"{count} {client_text(client)}"


def _clients(bag: Bag) -> dict[str, int]:
    """How many sessions of each client sit there now."""
    found = [each.present.session.client for each in _seats(bag) if each.present]
    return {client: found.count(client) for client in sorted(set(found))}


def _budget(allowance: Allowance) -> str:
    """What is left of a bag's budget."""
    budget = allowance.open
    if budget is None:
        return "closed" if allowance.budget else "never opened" if allowance.limits.budgeted else "-"
    return f"{budget.left} of {budget.limit} left" if budget.left else f"spent ({budget.limit})"


def _budget_json(allowance: Allowance) -> dict[str, int] | None:
    budget = allowance.open
    if budget is None:
        return None
    return {name: getattr(budget, name) for name in ("ordinal", "limit", "spent", "left")}


def _json(bag: Bag) -> dict[str, Any]:
    seats = [{"seat": each.seat.name, "state": state_of(each.holder), "resume": _command(each)} for each in _seats(bag)]
    newest = {"n": bag.newest.n, "at": iso_text(bag.newest.at)} if bag.newest else None
    return {"bag": bag.name, "letters": bag.letters, "newest": newest, "clients": _clients(bag), "seats": seats}


def _seats(bag: Bag) -> list[Occupancy]:
    return [each for each in bag.seats if each.seat.name != PERSON]


def _resume(found: list[Bag]) -> Result:
    rows, data = [], []
    without: list[tuple[Occupancy, str]] = []
    for bag in found:
        for each in _seats(bag):
            command = _command(each)
            if command is None or each.last is None:
                without.append((each, _why_not(each)))
                continue
            now = RESUMABLE[state_of(each.holder)]
            folder = one_line(each.last.folder, LONGEST_FOLDER)
            rows.append((name_text(bag.name), name_text(each.seat.name), now, command, folder))
            place = {"bag": bag.name, "seat": each.seat.name, "session": now}
            data.append({**place, "command": command, "folder": each.last.folder})
    parts = [_commands(rows)] if rows else []
    if without:
        seats = ", ".join(f"{seat_text(each.seat).removeprefix('seat ')} ({why})" for each, why in without)
        parts.append(f"no session that can be resumed: {seats}")
    named = [{"bag": each.seat.bag, "seat": each.seat.name, "why": why} for each, why in without]
    return Result({"resume": data, "without": named}, "\n".join(parts) or "nobody has taken a seat yet")


def _why_not(each: Occupancy) -> str:
    """Why no session of a seat can be resumed."""
    if not each.seat.session:
        return "left" if each.seat.epoch else "not taken yet"
    return client_text(each.seat.client) or "unknown"


def _commands(rows: Sequence[tuple[str, ...]]) -> str:
    """A table where there is room for it, else lines: a command that is shortened is another one."""
    width = terminal_width()
    if width is None or fits(RESUME_HEADING, rows, width):
        return table(RESUME_HEADING, rows, None)
    return "\n".join(f"{bag} {seat} ({now}), in {folder}:\n  {command}" for bag, seat, now, command, folder in rows)


def _command(each: Occupancy) -> str | None:
    """The client's own command that resumes the session that sits there, or sat there when it ended; none where it left
    the seat."""
    session = each.last if each.seat.session else None
    if session is None or session.client not in RESUME or not is_thread_id(session.client_session):
        return None
    return f"{RESUME[session.client]} {session.client_session}"
