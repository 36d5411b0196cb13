"""Leaders: who leads a project in a bag, in which term, and whom the seat name `leader` means.

Guards: leaders.<bag>.<project>, at the number that was seen, of each claim and each end, so that of two who claim one
wins; and seats.<bag>.<seat> of whoever is to lead, so that nobody leads from a seat that is another's by then. Whoever
acts as a leader expects leaders.<bag>.<project> at the number of their term: an act of a term that is over is refused.

A term is the number of the entry `led`, and only grows. It counts while the session that began it sits where it sat,
in the same epoch of that seat, and is not known to be dead or silent. That is found out at each look, so that nobody
ever sees a dead leader lead, and nothing is written for it: a session that is resumed before another has claimed goes
on in its term. A session that ends, or leaves its seat, ends its term by the same append. What a leader has checked out
is asked only before it claims by itself, and never again.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import Entry, subject
from mailstop.leadership import Leadership
from mailstop.letter import new_id
from mailstop.names import in_bag, nearest
from mailstop.records import Record
from mailstop.rules.presence import Holder, holder_of
from mailstop.rules.silence import is_silent
from mailstop.rules.tenure import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.rules.tenure import Writer
    from mailstop.seat import Seat

# Why nobody leads: written down with the end of a term, or found out.
NEVER = "nobody has led it yet"
RELEASED = "it was released"
RELEASED_BY_PERSON = "the person released it"
LEFT = "its seat was left"
ENDED = "its session has ended"
SILENT = "its session has been silent for 15 minutes"


class Post(Record):
    """The post of one project's leader, as it is now.

    told: the last that the ledger tells; None while nobody ever led. gone: why nobody leads, empty while somebody does.
    holder: who sits where it is led from, or was last.
    """

    bag: str
    project_id: str
    project: str
    told: Leadership | None = None
    gone: str = NEVER
    holder: Holder | None = None

    @property
    def leads(self) -> Leadership | None:
        """Who leads; None while the post is vacant."""
        return None if self.gone else self.told

    @property
    def last(self) -> int:
        """The number of the last entry about it, which a claim expects."""
        return self.told.last if self.told else 0

    @property
    def subject(self) -> str:
        """Where the ledger tells of it."""
        return leader_subject(self.bag, self.project_id)

    def is_led_from(self, seat: Seat) -> bool:
        """Whether whoever sits at that seat leads, or did so last, in this stay there."""
        told = self.told
        return told is not None and told.term == told.last and is_of(told, seat)


def leader_subject(bag: str, project_id: str) -> str:
    """The subject of a project's leaders in a bag."""
    return subject("leaders", bag, project_id)


def is_of(leadership: Leadership, seat: Seat) -> bool:
    """Whether a term was begun by who sits at the seat, in this stay there."""
    own = (leadership.bag, leadership.seat, leadership.session, leadership.epoch)
    return own == (seat.bag, seat.name, seat.session, seat.epoch)


def post(store: Store, bag: str, project_id: str, project: str, *, now: int) -> Post:
    """The post of a project. project: its name for people. now: milliseconds since 1970."""
    told = store.index.leaders.of(bag, project_id)
    return Post(bag, project_id, project) if told is None else judged(store, told, project, now=now)


def posts(store: Store, bag: str, *, now: int) -> list[Post]:
    """All posts of a bag that anybody has ever held, by project."""
    return [judged(store, told, told.project, now=now) for told in store.index.leaders.all(bag)]


def judged(store: Store, told: Leadership, project: str, *, now: int) -> Post:
    """The post of which the ledger tells this last."""
    place = Post(told.bag, told.project_id, project or told.project, told)
    if not told.seat:
        return place.but(gone=told.reason or RELEASED)
    seat = store.index.seat(told.bag, told.seat)
    if seat is None or not is_of(told, seat):
        return place.but(gone=LEFT, holder=holder_of(store, seat) if seat else None)
    holder = holder_of(store, seat)
    if holder.alive is False:
        return place.but(gone=ENDED, holder=holder)
    if holder.session and is_silent(holder.session, now):
        return place.but(gone=SILENT, holder=holder)
    return place.but(gone="", holder=holder)


# -- entries ----------------------------------------------------------------------------------------------------------


def led(place: Post, seat: Seat, *, by: str, forced: bool, now: int) -> Entry:
    """The entry by which whoever sits at the seat begins to lead. by: the seat whose act that is."""
    data: dict[str, Any] = {
        "project_id": place.project_id,
        "project": place.project,
        "seat": seat.name,
        "session": seat.session,
        "by": by,
    }
    if forced:
        data["forced"] = True
    return Entry(place.subject, "led", place.bag, new_id(), now, data)


def unled(leadership: Leadership, reason: str, *, by: str, now: int) -> Entry:
    """The entry by which a term ends and nobody leads."""
    data = {
        "project_id": leadership.project_id,
        "project": leadership.project,
        "term": leadership.term,
        "seat": leadership.seat,
        "session": leadership.session,
        "reason": reason,
        "by": by,
    }
    on = leader_subject(leadership.bag, leadership.project_id)
    return Entry(on, "unled", leadership.bag, new_id(), now, data)


def guard_of(leadership: Leadership) -> dict[str, int]:
    """What an act in that term expects: that nothing has been written about the post since."""
    return {leader_subject(leadership.bag, leadership.project_id): leadership.last}


def claim_guard(place: Post, seat: Seat) -> dict[str, int]:
    """What a claim expects: the post as it was seen, and the seat."""
    return {place.subject: place.last, **guard(seat)}


# -- words ------------------------------------------------------------------------------------------------------------


def begun_text(before: Post, name: str, *, forced: bool) -> str:
    """What `#leader` is told when somebody begins to lead. before: the post as it was till then."""
    how = ", as the person decided" if forced else ""
    text = f"Seat {name} leads project {before.project} now{how}."
    told = before.told
    if told and told.seat and told.seat != name:
        text += f" Until now seat {told.seat} did{f'; {before.gone}' if before.gone else ''}."
    return f"{text} To write to whoever leads it: mailstop send leader -"


def moved_text(leadership: Leadership, name: str) -> str:
    """What `#leader` is told when a leader takes another seat."""
    return f"Who leads project {leadership.project} sits at seat {name} now, and no longer at {leadership.seat}."


def ended_text(leadership: Leadership, reason: str) -> str:
    """What `#leader` is told when a term ends and nobody leads."""
    return (
        f"Nobody leads project {leadership.project} now: seat {leadership.seat} did, and {reason}. Any session of the "
        "project may lead it: mailstop lead claim"
    )


def refuse_led(place: Post) -> errors.ProjectLed:
    """The refusal for who may not lead because another does."""
    from mailstop.fence import session_text  # only for a refusal

    leads, holder = place.leads, place.holder
    assert leads is not None
    session = holder.session if holder else None
    doubt = ", which cannot be seen from here" if holder and holder.alive is None else ""
    return errors.ProjectLed(
        project=place.project,
        where=in_bag(place.bag),
        seat=leads.seat,
        holding=f"{session_text(session) if session else 'a session'}{doubt}",
        holder={**session.as_fact(), "alive": holder.alive if holder else None} if session else None,
        since=leads.since,
        term=leads.term,
    )


# -- the seat name `leader`, and names of projects --------------------------------------------------------------------


def leading_seat(store: Store, writer: Writer, *, now: int) -> Seat:
    """The seat of whoever leads the writer's project; for a writer without one, such as the person, of the only leader.

    Raises NoLeader, and SeveralLeaders with who they are.
    """
    project_id = writer.seat.project_id if writer.seat else ""
    standing = [each for each in posts(store, writer.bag, now=now) if each.leads]
    own = [each for each in standing if project_id in ("", each.project_id)]
    if len(own) > 1:
        raise errors.SeveralLeaders(where=in_bag(writer.bag), told=_listed(own), leaders=_leaders(own))
    seat = store.index.seat(writer.bag, own[0].leads.seat) if own and own[0].leads else None
    if seat:
        return seat
    where, command = in_bag(writer.bag), claiming(person=writer.seat is None)
    if not project_id:
        raise errors.NoLeader(
            whom="any project", project=None, where=where, gone="", reason=None, command=command, others="", leaders=[]
        )
    place = post(store, writer.bag, project_id, writer.seat.project if writer.seat else "", now=now)
    others = f". Of other projects: {_listed(standing)}" if standing else ""
    raise errors.NoLeader(
        whom=f"project {place.project}",
        project=place.project,
        where=where,
        gone=f": {place.gone}" if place.gone else "",
        reason=place.gone or None,
        command=command,
        others=others,
        leaders=_leaders(standing),
    )


def claiming(*, person: bool) -> str:
    """The command by which somebody comes to lead: a session itself, or whom the person names."""
    return "mailstop lead claim SEAT" if person else "mailstop lead claim"


def _leaders(found: Sequence[Post]) -> list[dict[str, str]]:
    return [{"seat": each.leads.seat, "project": each.project} for each in found if each.leads]


def _listed(found: Sequence[Post]) -> str:
    return ", ".join(f"{each.leads.seat} (project {each.project})" for each in found if each.leads)


def project_named(store: Store, bag: str, text: str) -> tuple[str, str]:
    """The id and the name of the project that `text` names: by its id, by its name where no other has that, or by its
    channel. Raises UnknownProject with the nearest, or with those that share the name."""
    names = {seat.project_id: seat.project for seat in store.index.seats(bag) if seat.project_id}
    names |= {each.project_id: each.project for each in store.index.leaders.all(bag)}
    channels = {each: store.index.channels.of_project(bag, each) or "" for each in names}
    for called in ({each: each for each in names}, names, channels):
        found = [project_id for project_id, name in called.items() if name == text]
        if len(found) == 1:
            return found[0], names[found[0]]
        if found:  # the channel of the first of them is its name, and means no less the other's
            ids = sorted(found)
            problem = f"Several projects are named {text!r}; by their ids: {', '.join(ids)}"
            raise errors.UnknownProject(missing=problem, nearest=ids)
    near = nearest(text, [*names.values(), *channels.values()])
    instead = f"nearest: {', '.join(near)}" if near else "see: mailstop who"
    raise errors.UnknownProject(missing=f"There is no project {text[:80]!r}{in_bag(bag)} ({instead})", nearest=near)
