"""mailstop lead [claim|release]: who leads the project, since when, in which term; lead it, or no longer."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import Option, Positional
from mailstop.cli.result import Result
from mailstop.cli.standing import name_text
from mailstop.errors import UsageError
from mailstop.fence import session_text
from mailstop.names import DEFAULT_BAG, in_bag
from mailstop.rules.leaders import claiming
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.leadership import Leadership
    from mailstop.office import Office
    from mailstop.rules.leaders import Post

PARAMETERS = (
    Positional("act", "claim|release", "lead it, or no longer; without it: who leads", needed=False),
    Positional("seat", "SEAT", "for the person: whose holder is to lead", needed=False),
    Option(("--force",), "for the person: also where another leads, who lives"),
    Option(("--project",), "another project than the caller's: to look, and for the person to release", "PROJECT"),
)

EXAMPLES = """\
mailstop lead
mailstop lead claim
mailstop send leader - <<'MAIL'
The parser is done.
MAIL"""

ACTS = ("claim", "release")
LONGEST_PROJECT = 200  # characters


def run(office: Office, args: Arguments) -> Result:
    """Say who leads, or change it."""
    bag = args.bag or DEFAULT_BAG
    if args.act == "claim":
        return _claim(office, args, bag)
    if args.seat is not None or args.force:
        raise UsageError(reason="a seat and --force belong to: mailstop lead claim --force SEAT")
    if args.act == "release":
        return _release(office, args, bag)
    if args.act is not None:
        refuse_unknown("lead", args.act, ACTS)
    place = office.leaders.post(bag, args.project)
    others = office.leaders.others(place)
    lines = [_post_text(office, place), *(_post_text(office, each) for each in others)]
    data = {**_post_json(office, place), "others": [_post_json(office, each) for each in others]}
    return Result(data, "\n".join(lines))


def _claim(office: Office, args: Arguments, bag: str) -> Result:
    if args.project is not None:
        raise UsageError(reason="whoever leads leads the project of their seat: without --project")
    if args.seat is not None:
        claimed = office.leaders.appoint(args.seat, bag=bag, force=args.force)
    elif office.is_person:
        raise UsageError(reason="the person says who leads: mailstop lead claim SEAT   (all seats: mailstop who)")
    else:
        claimed = office.leaders.claim(bag=bag, force=args.force)
    already = "" if claimed.new else "; it did before"
    data = {"granted": True, "new": claimed.new, **_post_json(office, claimed.post)}
    return Result(data, _post_text(office, claimed.post) + already)


def _release(office: Office, args: Arguments, bag: str) -> Result:
    ended = office.leaders.release(bag=bag, project=args.project)
    project, seat = _project(ended.project), name_text(ended.seat)
    text = f"nobody leads project {project}{in_bag(bag)} now: seat {seat} did, and its term {ended.term} is over"
    return Result({"released": True, "seat": ended.seat, "term": ended.term, "project": ended.project}, text)


def _post_text(office: Office, place: Post) -> str:
    project = f"project {_project(place.project)}{in_bag(place.bag)}"
    leads = place.leads
    if leads is None:
        return _vacant_text(place, project, claiming(person=office.is_person))
    who = f"seat {name_text(leads.seat)} ({_session(place, own=office.leaders.is_own(leads))})"
    said = "; the person said so" if leads.forced else ""
    return f"{who} leads {project} since {clock_text(leads.since)}, in term {leads.term}{said}"


def _session(place: Post, *, own: bool) -> str:
    """Which session that is, and whether it can be seen from here."""
    holder = place.holder
    assert holder is not None and holder.session is not None  # else nobody leads
    parts = ["this session"] if own else []
    parts.append(session_text(holder.session))
    parts += ["which cannot be seen from here"] if holder.alive is None else []
    return ", ".join(parts)


def _vacant_text(place: Post, project: str, command: str) -> str:
    told = place.told
    before = f"; seat {name_text(told.seat)} led it in term {told.term}" if told and told.seat else ""
    return f"nobody leads {project}: {one_line(place.gone, LONGEST_PROJECT)}{before}. To lead it: {command}"


def _post_json(office: Office, place: Post) -> dict[str, Any]:
    leads: Leadership | None = place.leads
    session = place.holder.session if leads and place.holder else None
    return {
        "bag": place.bag,
        "project": place.project,
        "project_id": place.project_id,
        "vacant": leads is None,
        "reason": place.gone or None,
        "seat": leads.seat if leads else None,
        "client": session.client if session else None,
        "client_session": session.client_session if session and session.client != "program" else None,
        "alive": place.holder.alive if leads and place.holder else None,
        "since": iso_text(leads.since) if leads else None,
        "term": leads.term if leads else None,
        "forced": leads.forced if leads else None,
        "you": leads is not None and office.leaders.is_own(leads),
    }


def _project(name: str) -> str:
    return one_line(name, LONGEST_PROJECT)
