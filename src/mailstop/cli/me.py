"""mailstop me: what others see of the caller's session; --objective and --status change what it says of its work."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.cli.standing import presence_json, seat_text
from mailstop.errors import UsageError
from mailstop.fence import session_text
from mailstop.names import PERSON, in_bag
from mailstop.rules.ways import words_of
from mailstop.session import STATUSES
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.cli.arguments import Arguments
    from mailstop.leadership import Leadership
    from mailstop.office import Office
    from mailstop.rules.roster import Presence
    from mailstop.seat import Seat

PARAMETERS = (
    Option(("--objective",), "what this session works on, in one line; '' takes it back", "TEXT"),
    Option(("--status",), f"how that stands: {', '.join(STATUSES)}", "STATUS"),
)

EXAMPLES = """\
mailstop me --objective 'the parser survives empty files'
mailstop me --status blocked"""

LONGEST = 200  # characters of a folder, a project, a branch


def run(office: Office, args: Arguments) -> Result:
    """Show the caller's session, changed first where that is asked for."""
    if args.bag is not None:
        raise UsageError(reason="a session is the same in all bags: without --bag")
    changes = args.objective is not None or args.status is not None
    if office.is_person and not changes:
        text = f"you are the person, seat {PERSON} in every bag; the sessions: mailstop who"
        return Result({"who": "person", "session": None}, text)
    said = changes and office.presence.say(objective=args.objective, status=args.status)
    present, own, led = office.presence.look(), office.seats(), office.leaders.own()
    lines = [*_lines(present, own), *_leading_lines(led)]
    if changes and not said:
        lines.append("nothing is new in that")
    seats = [{"bag": seat.bag, "seat": seat.name, "epoch": seat.epoch} for seat in own]
    leads = [{"bag": each.bag, "project": each.project, "term": each.term} for each in led]
    data = {"who": office.caller.who, "session": presence_json(present), "seats": seats, "leads": leads}
    return Result(data, "\n".join(lines))


def _leading_lines(led: Sequence[Leadership]) -> list[str]:
    return [
        f"leads: project {one_line(each.project, LONGEST)}{in_bag(each.bag)} since {clock_text(each.since)}, in term "
        f"{each.term}"
        for each in led
    ]


def _lines(present: Presence, own: list[Seat]) -> list[str]:
    session = present.session
    seats = " and ".join(seat_text(seat) for seat in own) or "no seat: it may look, not write (mailstop join NAME)"
    branch = f", branch {one_line(present.branch, LONGEST)}" if present.branch else ""
    default = " (the default one)" if present.branch == session.branch and session.on_default_branch and branch else ""
    turn = f"; its client says that it is {present.turn}" if present.turn else ""
    woken = words_of(present.way).own if own else "nothing: no letter comes to a session without a seat"
    return [
        f"this session: {session_text(session)}, {seats}",
        f"project: {one_line(session.project, LONGEST) or 'none'}{branch}{default}",
        f"worktree: {one_line(session.worktree, LONGEST) or '-'}",
        f"objective: {one_line(session.objective, LONGEST) or '- (mailstop me --objective TEXT)'}",
        f"status: {one_line(session.status, LONGEST)}{turn}",
        f"what wakes it: {woken}",
    ]
