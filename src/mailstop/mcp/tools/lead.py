"""lead: who leads the project, since when, in which term; lead it, or no longer."""

from __future__ import annotations

from mailstop.cleaning import one_line
from mailstop.fence import client_text
from mailstop.mcp.schema import Takes, checked_for
from mailstop.mcp.tools.tool import TEXT, Answer, Call, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG, LONGEST, in_bag
from mailstop.times import iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.office import Office
    from mailstop.rules.leaders import Post

LONGEST_PLACE = 200  # characters of a project

_TAKES = {
    "show": Takes((), ("bag", "project")),
    "claim": Takes((), ("bag",)),
    "release": Takes((), ("bag", "project")),
}


def run(call: Call) -> Answer:
    """Do what the action says; without one, say who leads."""
    action, bag, leaders = call.given("action", "show"), call.given("bag", DEFAULT_BAG), call.office.leaders
    checked_for(action, call.arguments, _TAKES[action], "lead")
    if action == "claim":
        claimed = leaders.claim(bag=bag)
        data = {"granted": True, **_post(call.office, claimed.post)}
        return Answer(data, _line(data) + ("" if claimed.new else "; it did before"))
    if action == "release":
        ended = leaders.release(bag=bag, project=call.given("project"))
        project = one_line(ended.project, LONGEST_PLACE)
        told = {"project": project, "vacant": True, "seat_before": ended.seat, "term_before": ended.term}
        return Answer(told, f"nobody leads project {project}{in_bag(bag)} now: your term {ended.term} is over")
    place = leaders.post(bag, call.given("project"))
    others = [_post(call.office, each) for each in leaders.others(place)]
    own = _post(call.office, place)

    def composed(some: list[dict[str, Any]]) -> dict[str, Any]:
        left = len(others) - len(some)
        return {**own, **({"others": some} if some else {}), **({"left_out": left} if left else {})}

    data = composed(as_many_as_fit(others, composed))
    lines = [_line(data), *map(_line, data.get("others", ()))]
    lines += [f"and {data['left_out']} more"] if "left_out" in data else []
    return Answer(data, "\n".join(lines))


def _post(office: Office, place: Post) -> dict[str, Any]:
    leads = place.leads
    data: dict[str, Any] = {"project": one_line(place.project, LONGEST_PLACE), "vacant": leads is None}
    if place.bag != DEFAULT_BAG:
        data["bag"] = one_line(place.bag, LONGEST)
    if leads is None:
        told = place.told
        before = {"seat_before": one_line(told.seat, LONGEST), "term_before": told.term} if told and told.seat else {}
        return {**data, "reason": one_line(place.gone, LONGEST_PLACE), **before}
    session = place.holder.session if place.holder else None
    return {
        **data,
        "seat": one_line(leads.seat, LONGEST),
        "term": leads.term,
        "since": iso_text(leads.since),
        **({"client": client_text(session.client)} if session else {}),
        **({"alive": place.holder.alive} if place.holder else {}),
        **({"forced": True} if leads.forced else {}),
        "you": office.leaders.is_own(leads),
    }


def _line(post: dict[str, Any]) -> str:
    project = f"project {post['project']}{in_bag(post['bag']) if 'bag' in post else ''}"
    if post["vacant"]:
        before = f"; seat {post['seat_before']} led it in term {post['term_before']}" if "seat_before" in post else ""
        return f"nobody leads {project}: {post['reason']}{before}. To lead it: lead with action claim"
    who = "you, " if post["you"] else ""
    said = "; the person said so" if "forced" in post else ""
    seat = f"seat {post['seat']} ({who}{post.get('client', '')})"
    return f"{seat} leads {project} since {post['since']}, in term {post['term']}{said}"


TOOL = Tool(
    name="lead",
    description="Who leads your project; claim it where nobody does; release it. Seat leader is whoever leads.",
    act=run,
    properties={"action": {"type": "string", "enum": [*_TAKES]}, "project": TEXT, "bag": TEXT},
    always=("vacant",),
    again=True,
)
