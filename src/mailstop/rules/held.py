"""Held: which leases count, whether something is free, and what is said of who has it. Nothing here writes.

A lease counts while it has not run out, its session sits where it sat when it took it, and that session is not known
to be dead or silent (`rules.silence`). One that would last longer than any may was taken before the clock was put back,
and has run out: else it would last by as much longer. All of this is found out when somebody looks, so that none is
ever seen to outlive its holder.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import subject
from mailstop.lease import LONGEST_TTL_MS, Lease, Resource
from mailstop.names import PERSON, in_bag
from mailstop.records import Record
from mailstop.rules.presence import holder_of, session_of
from mailstop.seat import Seat
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.lease import Address
    from mailstop.patterns import Segment

SUBJECT = subject("leases")
MOST_TOLD = 3  # leases that a refusal names; a program is told all

# Why a lease does not count.
RAN_OUT = "it ran out"
LEFT = "its seat was left"
DEAD = "its session has ended"
SILENT = "its session is silent"

FREE, MINE, TAKEN = "free", "mine", "taken"


class Verdict(Record):
    """What a look says of one resource. state: FREE, MINE or TAKEN. leases: those that make it so."""

    resource: Resource
    state: str
    leases: tuple[Lease, ...] = ()


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
        # Before anything is read: what is folded after this makes the append conflict.
        self.seen = store.index.leases.last()
        if self.seen < store.ledger.last(SUBJECT):
            store.ledger.on(SUBJECT)  # a lagging index has then caught up; the entry itself may be long
            self.seen = store.index.leases.last()
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
                    from mailstop.patterns import overlap  # few leases have wildcards

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
        if not self.now < lease.until <= self.now + LONGEST_TTL_MS:
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
        if holder.session is None or holder.session.client != "codex":
            return ""
        from mailstop.rules.silence import is_silent  # only a thread falls silent

        return SILENT if is_silent(holder.session, self.now) else ""

    def verdict(self, resource: Resource, shared: bool) -> Verdict:
        """Whether the session could take a resource, or go on with what it holds there."""
        standing = [lease for lease in self.everyones(resource) if not self.lapsed(lease)]
        mine = [lease for lease in standing if lease.session == self.session]
        shares = shared or any(_covers(each, resource) for each in mine)
        taken = [lease for lease in standing if lease.session != self.session and not (lease.shared and shares)]
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


# -- what is said of a lease -------------------------------------------------------------------------------------------


def told(store: Store, lease: Lease) -> str:
    """A lease in a clause: what it is on, who holds it, since when, until when, and what for."""
    from mailstop.fence import session_text  # only where something is taken

    session = session_of(store, lease.session)
    who = f"seat {lease.seat}{in_bag(lease.bag)}" if lease.session != PERSON else "the person"
    named = f" ({session_text(session)})" if session else ""
    shared = "shared by" if lease.shared else "held by"
    objective = objective_of(store, lease)
    reasons = [text for text in (objective and f"objective: {objective}", lease.note and f"note: {lease.note}") if text]
    why = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"{lease.resource.label} is {shared} {who}{named} since {clock_text(lease.since)} until"
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


def taken_by_others(
    kind: type[errors.LeaseTaken] | type[errors.LeaseOfOthers], look: Look, taken: Sequence[Lease], **details: Any
) -> errors.LeaseTaken | errors.LeaseOfOthers:
    """The refusal because of these leases. details: further ones that its message has."""
    leases = list({lease.id: lease for lease in taken}.values())
    said = [told(look.store, lease) for lease in leases[:MOST_TOLD]]
    if len(leases) > MOST_TOLD:
        said.append(f"and {len(leases) - MOST_TOLD} more")
    facts = [lease_json(look.store, lease) for lease in leases]
    return kind(standing="; ".join(said), taken=facts, asking=asking(leases), held=leases, **details)


def asking(leases: Sequence[Lease]) -> str:
    """The command by which to write to whoever holds these."""
    first = leases[0]
    seats = dict.fromkeys(lease.seat for lease in leases if lease.bag == first.bag)
    bag = f" --bag {first.bag}" if in_bag(first.bag) else ""
    return f"mailstop send {','.join(seats)} -{bag}"


def _segments(address: Address) -> tuple[Segment, ...]:
    from mailstop.patterns import named, parsed

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
        from mailstop.patterns import overlap

        if wanted == held or (not wanted.pattern and overlap(_segments(held), _segments(wanted))):
            return True
    return False
