"""Leases: what a session takes for a while, a path, a pattern or a name, so that no other does.

Guards: leases, the one subject of all takings, renewals and ends, as far as it was seen; and seats.<bag>.<name> of
whoever takes, renews or ends, and of each seat from which a lease was taken that is renewed or released. One subject
for the whole store, because resources of two projects may overlap: one repository lies in another, a folder holds
several. Its last number is one look-up, where that below a prefix would cost more with each lease there ever was.

A lease counts while it has not run out, its session sits where it sat when it took it, and that session is not known
to be dead or silent (`rules.silence`). All of this is found out when somebody looks, so that none is ever seen to
outlive its holder. Who takes what overlaps one that no longer counts ends that one in the same append: its holder, back
again, cannot renew it, and its term is stale. One that nobody has taken meanwhile can be renewed, and keeps its term.

Leases of one session never stand in each other's way. Bags make no difference: a file that is taken is taken, whoever
talks with whom.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry, subject
from mailstop.errors import (
    Conflict,
    InvalidLease,
    LeaseOfOthers,
    LeasesMove,
    LeaseTaken,
    LeaseUncertain,
    NoLease,
    SessionOver,
    StaleTerm,
    Uncertain,
    UnknownLease,
)
from mailstop.lease import DEFAULT_TTL_MS, LONGEST_TTL_MS, SHORTEST_TTL_MS, Lease, Resource
from mailstop.letter import new_id
from mailstop.names import PERSON, in_bag, nearest
from mailstop.patterns import named, overlap, parsed
from mailstop.records import Record
from mailstop.rules.letters import Writer, still
from mailstop.rules.presence import holder_of, lives, session_of
from mailstop.rules.silence import is_silent
from mailstop.rules.tenure import guard
from mailstop.seat import Seat
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.engines.row import Delete, Put
    from mailstop.lease import Address
    from mailstop.patterns import Segment

SUBJECT = subject("leases")
MOST_TRIES = 200  # each that is in vain is another's act that was not
MOST_RESOURCES = 1000  # of one taking
LONGEST_NOTE = 200  # characters
MOST_TOLD = 3  # leases that a refusal names; a program is told all

# Why a lease does not count.
RAN_OUT = "it ran out"
LEFT = "its seat was left"
DEAD = "its session has ended"
SILENT = "its session is silent"
# Why one was ended that may still have counted.
RELEASED = "released"
REPLACED = "replaced"
FORCED = "released by the person"

FREE, MINE, TAKEN = "free", "mine", "taken"


class Wish(Record):
    """What somebody wants to take. ttl: for how long, in milliseconds; None: an hour, or as long as it was before."""

    resources: tuple[Resource, ...]
    ttl: int | None = None
    shared: bool = False
    note: str = ""


class Took(Record):
    """What was taken. leases: one for each resource, in order. term: of those that are new, 0 where none is."""

    leases: tuple[Lease, ...]
    term: int = 0


class Verdict(Record):
    """What a look says of one resource. state: FREE, MINE or TAKEN. leases: those that make it so."""

    resource: Resource
    state: str
    leases: tuple[Lease, ...] = ()


def take(store: Store, writer: Writer, wish: Wish, *, now: int) -> Took:
    """Take all resources of a wish, or none. What the session holds already is renewed and keeps its term.

    now: milliseconds since 1970. Raises LeaseTaken with who holds what, and other refusals; LeaseUncertain.
    """
    _checked(wish)
    wanted = {resource.key: resource for resource in wish.resources}
    for _ in range(MOST_TRIES):
        look = Look(store, writer.session, now)  # which brings the index up to date
        writer = still(store, writer)
        look.refuse_over("taken")
        own = look.own()
        ended: dict[tuple[int, int], tuple[Lease, str]] = {}
        others: list[Lease] = []
        for resource in wanted.values():
            for lease in look.others(resource):
                why = look.lapsed(lease)
                if why and (why == RAN_OUT or not (lease.shared and wish.shared)):
                    ended[lease.id] = (lease, why)
                elif not why and not (lease.shared and wish.shared):
                    others.append(lease)
        if others:
            raise _taken_by_others(LeaseTaken, look, others, act="taken")
        there = [own[key] for key in wanted if key in own]
        kept = [lease for lease in there if lease.shared == wish.shared]
        changed = [lease for lease in there if lease.shared != wish.shared]
        ended.update((lease.id, (lease, REPLACED)) for lease in changed)
        new = [resource for key, resource in wanted.items() if key not in {lease.resource.key for lease in kept}]
        entries = [*_ending(writer, ended.values(), now), *_renewing(writer, kept, wish.ttl, now)]
        if new:
            entries.append(_taking(writer, new, wish, now))
        n = look.append(entries, writer, _seats_of(store, kept))
        if n:
            taken = [*_renewed(kept, wish.ttl, now), *_taken(writer, new, wish, n, now)]
            order = list(wanted)
            taken.sort(key=lambda lease: order.index(lease.resource.key))
            return Took(tuple(taken), n if new else 0)
    raise LeasesMove(act="taken")


def renew(
    store: Store,
    writer: Writer,
    resources: Sequence[Resource] | None,
    *,
    now: int,
    ttl: int | None = None,
    term: int | None = None,
) -> tuple[Lease, ...]:
    """Renew leases of the session, of these resources or all; also such as ran out that nobody has taken since.

    ttl: for how long from now, in milliseconds; None: as long as it was asked for before. term: only of this taking.
    Raises LeaseOfOthers with who has it, StaleTerm, UnknownLease, NoLease; LeaseUncertain.
    """
    _checked_ttl(ttl)
    for _ in range(MOST_TRIES):
        look = Look(store, writer.session, now)  # which brings the index up to date
        writer = still(store, writer)
        look.refuse_over("renewed")
        own = look.own()
        chosen = (
            list(own.values()) if resources is None else [look.held(own, each, "renewed", term) for each in resources]
        )
        if not chosen:
            raise NoLease()
        for lease in chosen:
            if term not in (None, lease.term):
                text = f"that is term {lease.term}"
                raise StaleTerm(term=term, resource=lease.resource.shown, now=text, act="renewed")
        chosen = list({lease.id: lease for lease in chosen}.values())
        if look.append(_renewing(writer, chosen, ttl, now), writer, _seats_of(store, chosen)):
            return tuple(_renewed(chosen, ttl, now))
    raise LeasesMove(act="renewed")


def release(
    store: Store,
    writer: Writer,
    resources: Sequence[Resource] | None,
    *,
    now: int,
    board: Sequence[Put | Delete] = (),
) -> tuple[Lease, ...]:
    """Let go of leases of the session, of these resources or all, and return them; of all there may be none.

    board: changes of the board that go with it. Raises LeaseOfOthers with who has it, UnknownLease; LeaseUncertain.
    """
    for _ in range(MOST_TRIES):
        look = Look(store, writer.session, now)  # which brings the index up to date
        writer = still(store, writer)
        own = look.own()
        chosen = list(own.values()) if resources is None else [look.held(own, each, "released") for each in resources]
        chosen = list({lease.id: lease for lease in chosen}.values())
        if not chosen:
            return ()
        entries = _ending(writer, [(lease, RELEASED) for lease in chosen], now)
        if look.append(entries, writer, _seats_of(store, chosen), board):
            return tuple(chosen)
    raise LeasesMove(act="released")


def of_others(store: Store, resources: Sequence[Resource], *, now: int) -> list[Lease]:
    """The leases on exactly these resources that nobody has ended, the person's left out. Raises UnknownLease."""
    look = Look(store, PERSON, now)
    found: dict[tuple[int, int], Lease] = {}
    for resource in resources:
        there = [lease for lease in look.others(resource) if lease.resource.key == resource.key]
        if not there:
            raise UnknownLease(who="Nobody else holds", resource=resource.shown, nearest="")
        found.update((lease.id, lease) for lease in there)
    return list(found.values())


def forcing(store: Store, leases: Sequence[Lease], *, now: int) -> tuple[tuple[Entry, ...], dict[str, int]]:
    """The entries by which the person ends others' leases, those of them that nobody has ended meanwhile, and what
    these entries expect."""
    look = Look(store, PERSON, now)
    there = {lease.id for each in leases for lease in store.index.leases.near(each.resource.key)}
    ended = [(lease, FORCED) for lease in leases if lease.id in there]
    return tuple(_ending(Writer(leases[0].bag, PERSON, None, PERSON), ended, now)), {SUBJECT: look.seen}


def check(
    store: Store,
    resources: Iterable[Resource],
    session: str,
    *,
    now: int,
    shared: bool = False,
    term: int | None = None,
) -> list[Verdict]:
    """Say of each resource whether the session could take it, changes nothing.

    session: the caller's, empty for who has none. shared: whether it wants to share it. term: whether that taking
    holds it, whoever asks: its verdict is MINE or TAKEN.
    """
    look = Look(store, session, now)
    if term is not None:
        return [look.verdict_on_term(resource, term) for resource in resources]
    return [look.verdict(resource, shared) for resource in resources]


def standing(store: Store, *, now: int) -> list[Lease]:
    """All leases that count, by their term."""
    look = Look(store, "", now)
    return [lease for lease in store.index.leases.all() if not look.lapsed(lease)]


def objective_of(store: Store, lease: Lease) -> str:
    """What the holder of a lease says that it works on; empty where it does not."""
    session = session_of(store, lease.session)
    return str(getattr(session, "objective", "") or "") if session else ""


class Look:
    """One look at the leases for one session, and the number up to which it saw them."""

    def __init__(self, store: Store, session: str, now: int) -> None:
        self.store = store
        self.session = session
        self.now = now
        last = store.ledger.on(SUBJECT)  # after which the index knows at least as much
        self.seen = last.n if last else 0
        self._lapsed: dict[tuple[str, str, str], str] = {}

    def own(self) -> dict[Address, Lease]:
        """The session's own leases that nobody has ended, whether they ran out or not, by what they are on."""
        found = self.store.index.leases.of_session(self.session) if self.session else []
        return {lease.resource.key: lease for lease in found if lease.seated}

    def everyones(self, resource: Resource) -> list[Lease]:
        """The leases that overlap a resource and that nobody has ended, each once."""
        found: dict[tuple[int, int], Lease] = {}
        for address in resource.at:
            segments: tuple[Segment, ...] | None = None
            for lease in self.store.index.leases.near(address):
                if lease.id in found:
                    continue
                other = lease.resource.at[0]
                if not (address.is_plain and other.is_plain):  # else it lies above, below or there
                    segments = segments or _segments(address)
                    if not overlap(segments, _segments(other)):
                        continue
                found[lease.id] = lease
        return list(found.values())

    def others(self, resource: Resource) -> list[Lease]:
        """Those of other sessions, and those from a seat that this one has left."""
        return [lease for lease in self.everyones(resource) if lease.session != self.session or not lease.seated]

    def lapsed(self, lease: Lease) -> str:
        """Why a lease that nobody has ended does not count; empty when it does."""
        if lease.until <= self.now:
            return RAN_OUT
        holder = (lease.bag, lease.seat, lease.session)
        if not lease.seated:
            return LEFT
        if holder not in self._lapsed:
            self._lapsed[holder] = self._gone(lease)
        return self._lapsed[holder]

    def _gone(self, lease: Lease) -> str:
        if lease.session == PERSON:
            return ""
        holder = holder_of(self.store, Seat(lease.bag, lease.seat, session=lease.session))
        if holder.alive is False:
            return DEAD
        return SILENT if holder.session and is_silent(holder.session, self.now) else ""

    def refuse_over(self, act: str) -> None:
        """Raise SessionOver where the session itself is over: what it took would count for nobody."""
        session = session_of(self.store, self.session) if self.session != PERSON else None
        if session and lives(session) is False:
            raise SessionOver(act=act)

    def held(self, own: dict[Address, Lease], resource: Resource, act: str, term: int | None = None) -> Lease:
        """The session's lease on exactly this resource. Raises LeaseOfOthers, StaleTerm, UnknownLease."""
        lease = own.get(resource.key)
        if lease:
            return lease
        taken = [each for each in self.others(resource) if not self.lapsed(each)]
        if term is not None:
            raise StaleTerm(term=term, resource=resource.shown, now=self._now_text(taken), act=act)
        if taken:
            raise _taken_by_others(LeaseOfOthers, self, taken, act=act, resource=resource.shown)
        near = nearest(resource.shown, [each.resource.shown for each in own.values()])
        listed = f" (nearest: {', '.join(near)})" if near else ""
        raise UnknownLease(who="This session does not hold", resource=resource.shown, nearest=listed)

    def _now_text(self, taken: Sequence[Lease]) -> str:
        return f"{told(self.store, taken[0])}, term {taken[0].term}" if taken else "nobody does"

    def verdict(self, resource: Resource, shared: bool) -> Verdict:
        """Whether the session could take a resource, or go on with what it holds there."""
        standing = [lease for lease in self.everyones(resource) if not self.lapsed(lease)]
        mine = [lease for lease in standing if lease.session == self.session]
        shares = shared or any(_covers(each, resource) for each in mine)
        taken = [lease for lease in standing if lease not in mine and not (lease.shared and shares)]
        if taken:
            return Verdict(resource, TAKEN, tuple(taken))
        return Verdict(resource, MINE, tuple(mine)) if mine else Verdict(resource, FREE)

    def verdict_on_term(self, resource: Resource, term: int) -> Verdict:
        """Whether a taking holds all of a resource."""
        standing = [lease for lease in self.everyones(resource) if not self.lapsed(lease)]
        of_term = [lease for lease in standing if lease.term == term]
        if any(_covers(lease, resource) for lease in of_term):
            return Verdict(resource, MINE, tuple(of_term))
        return Verdict(resource, TAKEN, tuple(lease for lease in standing if lease.term != term))

    def append(
        self,
        entries: Sequence[Entry],
        writer: Writer,
        also: dict[str, int],
        board: Sequence[Put | Delete] = (),
    ) -> int:
        """The number of the last entry; 0 when somebody was faster, and all is to be looked at again."""
        own = guard(writer.seat) if writer.seat else {}
        try:
            return self.store.ledger.append(entries, expect={SUBJECT: self.seen, **also, **own}, board=board)
        except Conflict:
            return 0
        except Uncertain as error:
            raise LeaseUncertain(**error.details) from None


# -- what is said of a lease -------------------------------------------------------------------------------------------


def told(store: Store, lease: Lease) -> str:
    """A lease in a clause: what it is on, who holds it, since when, until when, and what for."""
    session = session_of(store, lease.session)
    who = f"seat {lease.seat}{in_bag(lease.bag)}" if lease.session != PERSON else "the person"
    named = f" ({session.named()})" if session else ""
    shared = "shared by" if lease.shared else "held by"
    objective = objective_of(store, lease)
    reasons = [text for text in (objective and f"objective: {objective}", lease.note and f"note: {lease.note}") if text]
    why = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"{lease.resource.shown} is {shared} {who}{named} since {clock_text(lease.since)} until"
        f" {clock_text(lease.until)}{why}"
    )


def lease_json(store: Store, lease: Lease) -> dict[str, Any]:
    """A lease for programs."""
    resource = lease.resource
    return {
        "resource": resource.shown,
        "kind": resource.kind,
        "project": resource.project or None,
        "project_id": resource.project_id or None,
        "term": lease.term,
        "shared": lease.shared,
        "seat": lease.seat,
        "bag": lease.bag,
        "client": lease.client or None,
        "since": iso_text(lease.since),
        "until": iso_text(lease.until),
        "objective": objective_of(store, lease) or None,
        "note": lease.note or None,
    }


def _taken_by_others(
    kind: type[LeaseTaken] | type[LeaseOfOthers], look: Look, taken: Sequence[Lease], **details: Any
) -> LeaseTaken | LeaseOfOthers:
    leases = list({lease.id: lease for lease in taken}.values())
    said = [told(look.store, lease) for lease in leases[:MOST_TOLD]]
    if len(leases) > MOST_TOLD:
        said.append(f"and {len(leases) - MOST_TOLD} more")
    facts = [lease_json(look.store, lease) for lease in leases]
    return kind(taken="; ".join(said), leases=facts, asking=asking(leases), held=leases, **details)


def asking(leases: Sequence[Lease]) -> str:
    """The command by which to write to whoever holds these."""
    first = leases[0]
    seats = dict.fromkeys(lease.seat for lease in leases if lease.bag == first.bag)
    bag = f" --bag {first.bag}" if in_bag(first.bag) else ""
    return f"mailstop send {','.join(seats)} -{bag}"


# -- what is stored ----------------------------------------------------------------------------------------------------


def _taking(writer: Writer, resources: Sequence[Resource], wish: Wish, now: int) -> Entry:
    ttl = wish.ttl or DEFAULT_TTL_MS
    data: dict[str, Any] = {
        "seat": writer.name,
        "session": writer.session,
        "until": now + ttl,
        "ttl": ttl,
        "resources": [
            {
                "kind": resource.kind,
                "shown": resource.shown,
                "project": resource.project,
                "project_id": resource.project_id,
                "at": [address.as_list() for address in resource.at],
            }
            for resource in resources
        ],
    }
    optional = {"shared": wish.shared, "note": wish.note, "client": writer.client}
    data.update({name: value for name, value in optional.items() if value})
    if writer.seat:
        data["epoch"] = writer.seat.epoch
    return Entry(SUBJECT, "lease_taken", writer.bag, new_id(), now, data)


def _taken(writer: Writer, resources: Sequence[Resource], wish: Wish, n: int, now: int) -> list[Lease]:
    """The leases of a taking that was stored as number `n`."""
    epoch = writer.seat.epoch if writer.seat else 0
    ttl = wish.ttl or DEFAULT_TTL_MS
    who = (writer.bag, writer.name, writer.session, epoch, writer.client)
    return [
        Lease(n, item, *who, wish.shared, now, now + ttl, ttl, resource, wish.note)
        for item, resource in enumerate(resources)
    ]


def _renewed(leases: Sequence[Lease], ttl: int | None, now: int) -> list[Lease]:
    """The leases once they are renewed."""
    return [lease.but(until=now + (ttl or lease.ttl), ttl=ttl or lease.ttl) for lease in leases]


def _renewing(writer: Writer, leases: Sequence[Lease], ttl: int | None, now: int) -> list[Entry]:
    if not leases:
        return []
    renewed = [[lease.term, lease.item, lease.until, lease.ttl] for lease in _renewed(leases, ttl, now)]
    data = {"seat": writer.name, "session": writer.session, "leases": renewed}
    return [Entry(SUBJECT, "lease_renewed", writer.bag, new_id(), now, data)]


def _ending(writer: Writer, leases: Iterable[tuple[Lease, str]], now: int) -> list[Entry]:
    ended = [[lease.term, lease.item, why] for lease, why in leases]
    if not ended:
        return []
    data = {"seat": writer.name, "session": writer.session, "leases": ended}
    return [Entry(SUBJECT, "lease_ended", writer.bag, new_id(), now, data)]


def _seats_of(store: Store, leases: Iterable[Lease]) -> dict[str, int]:
    """The guards of the seats from which leases were taken."""
    names = {(lease.bag, lease.seat) for lease in leases if lease.session != PERSON}
    found = (store.index.seat(bag, name) for bag, name in names)
    return {subject_: last for seat in found if seat for subject_, last in guard(seat).items()}


# -- what may be wished for --------------------------------------------------------------------------------------------


def _checked(wish: Wish) -> None:
    if not 0 < len(wish.resources) <= MOST_RESOURCES:
        raise InvalidLease(
            field="The list", reason=f"one taking is of at least one and at most {MOST_RESOURCES} things"
        )
    if len(wish.note) > LONGEST_NOTE or not wish.note.isprintable():
        raise InvalidLease(field="The note", reason=f"it is one printable line of at most {LONGEST_NOTE} characters")
    _checked_ttl(wish.ttl)


def _checked_ttl(ttl: int | None) -> None:
    if ttl is not None and not SHORTEST_TTL_MS <= ttl <= LONGEST_TTL_MS:
        raise InvalidLease(field="The time", reason="it is at least 1 minute and at most 24 hours: --ttl 90s, 30m, 2h")


def _segments(address: Address) -> tuple[Segment, ...]:
    return (*named(address.literal), *parsed(address.pattern, folds=address.folds))


def _covers(lease: Lease, resource: Resource) -> bool:
    """Whether a lease, found by one of the resource's addresses, covers all of the resource. Of two patterns that is
    only said where they are the same."""
    held = lease.resource.at[0]
    for wanted in resource.at:
        if wanted.scope != held.scope:
            continue
        if held.is_plain and f"{wanted.literal}/".startswith(f"{held.literal}/"):
            return True
        if wanted == held or (not wanted.pattern and overlap(_segments(held), _segments(wanted))):
            return True
    return False
