"""lease: files and names that this session has for a while, so that no other takes them."""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.cleaning import in_quotes, one_line, plain_line
from mailstop.errors.tools import InvalidArguments
from mailstop.mcp.schema import Takes, checked_for
from mailstop.mcp.tools.tool import FLAG, NUMBER, TEXT, TEXTS, Answer, Call, Later, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG, LONGEST, PERSON, in_bag
from mailstop.rules.held import TAKEN, objective_of
from mailstop.rules.leases import Wish
from mailstop.times import iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.acts.leases import Queue
    from mailstop.clients.resources import Reader
    from mailstop.lease import Lease, Resource
    from mailstop.office import Office
    from mailstop.rules.leases import Took

LONGEST_WAIT_S = 45  # clients give a call up after a minute
_WHY = ("objective", "note")  # what a holder says of a lease
LONGEST_PLACE = 200  # characters of a path, an objective, a note
LONGEST_MIN = 24 * 60
_PLACED = ("/", "name:", "path:/", "glob:/")  # what resources begin with that mean the same everywhere

_TAKES = {
    "take": Takes(("resources",), ("minutes", "wait", "shared", "note", "bag")),
    "renew": Takes((), ("resources", "minutes", "term", "bag")),
    "release": Takes((), ("resources", "bag")),
    "check": Takes(("resources",), ("shared", "term")),
    "list": Takes((), ("mine", "project", "bag")),
}


def run(call: Call) -> Answer | Later:
    """Do what the action says."""
    action = call.given("action")
    checked_for(action, call.arguments, _TAKES[action], "lease")
    if call.given("resources") == []:  # which is not the same as none: that means all
        raise InvalidArguments(problem="resources is empty", tool="lease", takes="resources: paths, patterns, names")
    if action == "take":
        return _taken(call)
    if action == "check":
        return _checked(call)
    if action == "list":
        return _listed(call)
    leases, bag = call.office.leases, call.given("bag", DEFAULT_BAG)
    chosen = _chosen(call)
    if action == "release":
        return _told(call.office, leases.release(chosen, bag=bag), "released", otherwise="you hold no lease")
    return _told(call.office, leases.renew(chosen, bag=bag, ttl=_ttl(call), term=call.given("term")), "renewed")


def _ttl(call: Call) -> int | None:
    minutes = call.given("minutes")
    return None if minutes is None else minutes * 60_000


def _reader(call: Call) -> Reader:
    """Reads the words of a call: relative paths begin where its session works.

    Raises InvalidResource for one of a session that works nowhere, as those of a server over the network: the server's
    own folder is not what it means.
    """
    session = call.office.session
    if session is None or session.folder:
        return call.office.leases.reader(session.folder if session else os.getcwd())
    for word in call.given("resources"):
        if not word.startswith(_PLACED):
            reason = "this session works in no folder, so a path begins with / and a name with name:"
            raise errors.InvalidResource(text=word[:LONGEST_PLACE], reason=reason)
    return call.office.leases.reader("/")


def _read(call: Call) -> list[Resource]:
    """The resources that a call names."""
    reader = _reader(call)
    return [reader.read(word) for word in call.given("resources")]


def _chosen(call: Call) -> list[Resource] | None:
    """What the words mean among what the caller holds; None for all of it."""
    if "resources" not in call.arguments:
        return None
    held = {lease.resource.key for lease in call.office.leases.mine()}
    reader = _reader(call)
    chosen = []
    for word in call.given("resources"):
        resource = reader.read(word)
        # A file of that name may have come, or gone, since a bare word was taken.
        others = (reader.other(word) if resource.key not in held else None) or resource
        chosen.append(others if others.key in held else resource)
    return chosen


# -- taking ----------------------------------------------------------------------------------------------------------


def _taken(call: Call) -> Answer | Later:
    """Take all of it or nothing; with `wait`, as soon as it is free."""
    wanted = _read(call)
    wish = Wish(tuple(wanted), _ttl(call), call.given("shared", False), call.given("note", ""))
    bag, seconds = call.given("bag", DEFAULT_BAG), call.given("wait", 0)
    if not seconds:
        return _took(call.office, call.office.leases.take(wish, bag=bag), wanted)
    call.office.writer(bag)  # who may not take is told so before it is written down that it waits
    queue = call.office.leases.queue(wish, bag=bag, seconds=seconds)
    wait = Wait(queue, wanted)
    try:
        return wait.look(call, False) or Later(wait.look, seconds, bell=queue.bell, ends=queue.ends, over=wait.over)
    except BaseException:
        queue.close()
        raise


class Wait:
    """The wait of one call for leases."""

    def __init__(self, queue: Queue, wanted: Sequence[Resource]) -> None:
        self._queue, self._wanted = queue, wanted

    def look(self, call: Call, last: bool) -> Answer | None:
        """What was taken; None while it is not to be had and time is left. Raises LeaseStillTaken."""
        took = self._queue.look(call.office)
        if took is not None:
            self._queue.close()
            return _took(call.office, took, self._wanted)
        if last:
            raise self._queue.still_taken()
        return None

    def over(self, _office: Office | None) -> None:
        """The call waits no more."""
        self._queue.close()


def _took(office: Office, took: Took, wanted: Sequence[Resource]) -> Answer:
    by_key = {lease.resource.key: lease for lease in took.leases}
    read = {by_key[resource.key].id: resource for resource in wanted}
    leases = list({lease.id: lease for lease in took.leases}.values())
    return _told(office, leases, "taken", read=read, term=took.term)


def _told(
    office: Office,
    leases: Sequence[Lease],
    act: str,
    *,
    read: dict[tuple[int, int], Resource] | None = None,
    term: int = 0,
    otherwise: str = "",
) -> Answer:
    """What became of leases of the caller."""
    found = []
    for lease in leases:
        resource = (read or {}).get(lease.id)
        as_read = {"read_as": resource.kind, "why": resource.why} if resource and resource.why else {}
        done = "renewed" if term != lease.term and act == "taken" else act
        found.append({"done": done, **_data(office, lease), **as_read})
    return _composed("leases", found, otherwise)


def _data(office: Office, lease: Lease, *, whole: bool = False) -> dict[str, Any]:
    """A lease for a client. whole: also who holds it, for what."""
    data: dict[str, Any] = {
        "resource": one_line(lease.resource.label, LONGEST_PLACE),
        "until": iso_text(lease.until),
        "term": lease.term,
        **({"shared": True} if lease.shared else {}),
    }
    if not whole:
        return data
    objective = one_line(objective_of(office.store, lease), LONGEST_PLACE)
    return {
        **data,
        "seat": "human" if lease.session == PERSON else one_line(lease.seat, LONGEST),
        **({"bag": one_line(lease.bag, LONGEST)} if lease.bag != DEFAULT_BAG else {}),
        "since": iso_text(lease.since),
        **({"objective": objective} if objective else {}),
        **({"note": one_line(lease.note, LONGEST_PLACE)} if lease.note else {}),
        **({"project": one_line(lease.resource.project, LONGEST_PLACE)} if lease.resource.project else {}),
    }


def _composed(name: str, found: list[dict[str, Any]], otherwise: str, head: str = "") -> Answer:
    def composed(some: list[dict[str, Any]]) -> dict[str, Any]:
        left = len(found) - len(some)
        lines = [head] if head else []
        lines += [_line(each) for each in some] or ([otherwise] if otherwise else [])
        lines += [f"and {left} more"] if left else []
        return {"text": "\n".join(lines), name: some, **({"left_out": left} if left else {})}

    data = composed(as_many_as_fit(found, composed))
    return Answer(data, data["text"])


def _line(each: dict[str, Any]) -> str:
    if "state" in each:
        holders = "; ".join(_holder(lease) for lease in each.get("leases", ()))
        stale = "nobody holds it now" if each["state"] == TAKEN and not holders else holders
        return plain_line(f"{each['resource']}: {each['state']}" + (f": {stale}" if stale else ""))
    if "done" in each:
        shared = ", shared" if "shared" in each else ""
        return plain_line(f"{each['resource']} {each['done']} until {each['until']}, term {each['term']}{shared}")
    return plain_line(f"{each['resource']}: {_holder(each)}")


def _holder(lease: dict[str, Any]) -> str:
    you = " (you)" if lease.get("mine") else ""
    where = in_bag(lease["bag"]) if "bag" in lease else ""
    why = "".join(f'; {name}: "{in_quotes(lease[name], LONGEST_PLACE)}"' for name in _WHY if name in lease)
    shared = "shared by" if "shared" in lease else "held by"
    return f"{shared} seat {lease['seat']}{where}{you} since {lease['since']} until {lease['until']}{why}"


# -- looking ---------------------------------------------------------------------------------------------------------


def _checked(call: Call) -> Answer:
    """Whether the caller may touch these, and who holds what stands in the way. Takes nothing."""
    office, term = call.office, call.given("term")
    verdicts = office.leases.check(_read(call), shared=call.given("shared", False), term=term)
    found = [
        {
            "resource": one_line(verdict.resource.label, LONGEST_PLACE),
            "state": verdict.state,
            **(
                {"leases": [_data(office, lease, whole=True) for lease in verdict.leases[:5]]} if verdict.leases else {}
            ),
        }
        for verdict in verdicts
    ]
    taken = sum(verdict.state == TAKEN for verdict in verdicts)
    head = f"free for you: {len(verdicts)} checked"
    if taken:
        head = f"{taken} of {len(verdicts)} taken"
        head = head if term is None else f"term {term} is over: it holds {len(verdicts) - taken} of {len(verdicts)}"
    return _composed("checked", found, "", head)


def _listed(call: Call) -> Answer:
    office, bag, project = call.office, call.given("bag"), call.given("project")
    if bag is not None:
        office.checked_bag(bag)
    own = {lease.id for lease in office.leases.mine()}
    standing = [
        lease
        for lease in office.leases.standing()
        if (not call.given("mine") or lease.id in own)
        and bag in (None, lease.bag)
        and project in (None, lease.resource.project, lease.resource.project_id)
    ]
    if project is not None and not standing:
        office.reading.checked_project(project)
    found = [{**_data(office, lease, whole=True), **({"mine": True} if lease.id in own else {})} for lease in standing]
    return _composed("leases", found, "nothing is taken")


_PROPERTIES = {
    "action": {"type": "string", "enum": [*_TAKES]},
    "resources": TEXTS,
    "minutes": NUMBER,
    "wait": NUMBER,
    "shared": FLAG,
    "note": TEXT,
    "term": NUMBER,
    "mine": FLAG,
    "project": TEXT,
    "bag": TEXT,
}

TOOL = Tool(
    name="lease",
    description="Reserve files before changing them: paths, patterns ('docs/**') or name:WORD, for 60 minutes"
    " if you say none; your end frees them. wait: seconds. renew, release: all yours if none"
    " named.",
    act=run,
    properties=_PROPERTIES,
    required=("action",),
    ranges={"minutes": (1, LONGEST_MIN), "wait": (0, LONGEST_WAIT_S)},
    always=("text",),
    stores=True,
)
