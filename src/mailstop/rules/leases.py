"""Leases: what a session takes for a while, a path, a pattern or a name, so that no other does.

Guards: leases, the one subject of all takings, renewals and ends, as far as it was seen; and seats.<bag>.<name> of
whoever takes, renews or ends, and of each seat from which a lease was taken that is renewed or released. One subject
for the whole store, because resources of two projects may overlap: one repository lies in another, a folder holds
several. Its last number is one look-up, where that below a prefix would cost more with each lease there ever was.

Which leases count is found out when somebody looks (`rules.held`). Who takes what overlaps one that no longer counts
ends that one in the same append: its holder, back again, cannot renew it, and its term is stale. One that nobody has
taken meanwhile can be renewed, and keeps its term.

Leases of one session never stand in each other's way. Bags make no difference: a file that is taken is taken, whoever
talks with whom.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import Entry
from mailstop.errors import Conflict, Uncertain
from mailstop.lease import DEFAULT_TTL_MS, LONGEST_TTL_MS, SHORTEST_TTL_MS, Lease, Resource
from mailstop.letter import new_id
from mailstop.lines import line_rule
from mailstop.names import PERSON, nearest
from mailstop.records import Record
from mailstop.rules.held import RAN_OUT, SUBJECT, Look, lease_json, taken_by_others, told
from mailstop.rules.presence import lives, session_of
from mailstop.rules.tenure import Writer, guard, still

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.engines.row import Put
    from mailstop.lease import Address

MOST_TRIES = 200  # each that is in vain is another's act that was not
MOST_RESOURCES = 1000  # of one taking
LONGEST_NOTE = 200  # characters

# Why a lease was ended, beside those for which one does not count.
RELEASED = "released"
REPLACED = "replaced"
FORCED = "released by the person"


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


class _Plan(Record):
    """What a taking comes to: which leases end by it, each with why, which go on, and what is new."""

    ended: tuple[tuple[Lease, str], ...]
    kept: tuple[Lease, ...]
    new: tuple[Resource, ...]


def take(store: Store, writer: Writer, wish: Wish, *, now: int) -> Took:
    """Take all resources of a wish, or none. What the session holds already is renewed and keeps its term.

    now: milliseconds since 1970. Raises LeaseTaken with who holds what, and other refusals; LeaseUncertain.
    """
    _checked(wish)
    wanted = {resource.key: resource for resource in wish.resources}
    for attempt in range(MOST_TRIES):
        look = Look(store, writer.session, now)  # which brings the index up to date
        writer = still(store, writer) if attempt else writer  # what it appends is guarded by that seat
        _refuse_over(look, "taken")
        plan = _planned(look, wanted, wish)
        entries = [*_ending(writer, plan.ended, now), *_renewing(writer, plan.kept, wish.ttl, now, wish.note)]
        if plan.new:
            entries.append(_taking(writer, plan.new, wish, now))
        n = _append(look, entries, writer, _seats_of(store, plan.kept, writer))
        if n:
            taken = [*_renewed(plan.kept, wish.ttl, now, wish.note), *_taken(writer, plan.new, wish, n, now)]
            by_key = {lease.resource.key: lease for lease in taken}
            return Took(tuple(by_key[key] for key in wanted), n if plan.new else 0)
    raise errors.LeasesMove(act="taken")


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
        _refuse_over(look, "renewed")
        own = look.own()
        chosen = (
            list(own.values()) if resources is None else [_held(look, own, each, "renewed", term) for each in resources]
        )
        if not chosen:
            raise errors.NoLease()
        for lease in chosen:
            if term not in (None, lease.term):
                text = f"that is term {lease.term}"
                facts = [lease_json(store, lease)]
                label = lease.resource.label
                raise errors.StaleTerm(term=term, resource=label, now=text, taken=facts, act="renewed")
        chosen = list({lease.id: lease for lease in chosen}.values())
        if _append(look, _renewing(writer, chosen, ttl, now), writer, _seats_of(store, chosen, writer)):
            return tuple(_renewed(chosen, ttl, now))
    raise errors.LeasesMove(act="renewed")


def release(
    store: Store,
    writer: Writer,
    resources: Sequence[Resource] | None,
    *,
    now: int,
    freed: str,
) -> tuple[Lease, ...]:
    """Let go of leases of the session, of these resources or all, and return them; of all there may be none.

    freed: key of the row by which who waits for them is rung, see `rules.waiting.freeing`. Raises LeaseOfOthers with
    who has it, UnknownLease; LeaseUncertain.
    """
    from mailstop.rules.waiting import freeing

    for _ in range(MOST_TRIES):
        look = Look(store, writer.session, now)  # which brings the index up to date
        writer = still(store, writer)
        own = look.own()
        chosen = list(own.values()) if resources is None else [_held(look, own, each, "released") for each in resources]
        chosen = list({lease.id: lease for lease in chosen}.values())
        if not chosen:
            return ()
        entries = _ending(writer, [(lease, RELEASED) for lease in chosen], now)
        row = freeing(freed, [lease.resource for lease in chosen], now=now)
        if _append(look, entries, writer, _seats_of(store, chosen, writer), [row]):
            return tuple(chosen)
    raise errors.LeasesMove(act="released")


def of_others(store: Store, resources: Sequence[Resource], *, now: int) -> list[Lease]:
    """The leases on exactly these resources that nobody has ended, the person's left out, each with all addresses of
    its resource. Raises UnknownLease."""
    look = Look(store, PERSON, now)
    found: dict[tuple[int, int], Lease] = {}
    for resource in resources:
        there = [lease for lease in look.others(resource) if lease.resource.key == resource.key]
        if not there:
            raise nobody_elses(resource)
        found.update((lease.id, lease) for lease in there)
    sessions = dict.fromkeys(lease.session for lease in found.values())
    whole = {lease.id: lease for session in sessions for lease in store.index.leases.of_session(session)}
    return [whole.get(lease.id, lease) for lease in found.values()]


def still_held(store: Store, leases: Sequence[Lease]) -> tuple[tuple[Lease, ...], int]:
    """Those of these leases that nobody has ended meanwhile, and the number up to which that was seen."""
    seen = Look(store, PERSON, 0).seen
    there = {lease.id for each in leases for lease in store.index.leases.near(each.resource.key)}
    return tuple(lease for lease in leases if lease.id in there), seen


def forcing(leases: Sequence[Lease], seen: int, *, now: int) -> tuple[tuple[Entry, ...], dict[str, int]]:
    """The entries, one for each bag, by which the person ends others' leases, and what these entries expect."""
    entries: list[Entry] = []
    for bag in dict.fromkeys(lease.bag for lease in leases):
        own = [(lease, FORCED) for lease in leases if lease.bag == bag]
        entries += _ending(Writer(bag, PERSON, None, PERSON), own, now)
    return tuple(entries), {SUBJECT: seen}


def _planned(look: Look, wanted: Mapping[Address, Resource], wish: Wish) -> _Plan:
    """What it takes to take all that is wanted, as things are. Raises LeaseTaken."""
    own = look.own()
    ended: dict[tuple[int, int], tuple[Lease, str]] = {}
    others: list[Lease] = []
    for resource in wanted.values():
        for lease in look.others(resource):
            why, stands_beside = look.lapsed(lease), lease.shared and wish.shared
            if why and (why == RAN_OUT or not stands_beside):
                ended[lease.id] = (lease, why)
            elif not why and not stands_beside:
                others.append(lease)
    if others:
        raise taken_by_others(errors.LeaseTaken, look, others, act="taken")
    there = [own[key] for key in wanted if key in own]
    ended.update((lease.id, (lease, REPLACED)) for lease in there if lease.shared != wish.shared)
    kept = {lease.resource.key: lease for lease in there if lease.shared == wish.shared}
    new = tuple(resource for key, resource in wanted.items() if key not in kept)
    return _Plan(tuple(ended.values()), tuple(kept.values()), new)


# -- one try -----------------------------------------------------------------------------------------------------------


def _refuse_over(look: Look, act: str) -> None:
    """Raise SessionOver where the session itself is over: what it took would count for nobody."""
    session = session_of(look.store, look.session) if look.session != PERSON else None
    if session and lives(session) is False:
        raise errors.SessionOver(act=act)


def _held(look: Look, own: dict[Address, Lease], resource: Resource, act: str, term: int | None = None) -> Lease:
    """The session's lease on exactly this resource. Raises LeaseOfOthers, StaleTerm, UnknownLease."""
    lease = own.get(resource.key)
    if lease:
        return lease
    taken = [each for each in look.others(resource) if not look.lapsed(each)]
    if term is not None:
        now = f"{told(look.store, taken[0])}, term {taken[0].term}" if taken else "nobody does"
        facts = [lease_json(look.store, each) for each in taken]
        raise errors.StaleTerm(term=term, resource=resource.label, now=now, taken=facts, act=act)
    if taken:
        raise taken_by_others(errors.LeaseOfOthers, look, taken, act=act, resource=resource.label)
    near = nearest(resource.label, [each.resource.label for each in own.values()])
    listed = f" (nearest: {', '.join(near)})" if near else ""
    raise errors.UnknownLease(who="This session does not hold", resource=resource.label, listed=listed, nearest=near)


def nobody_elses(resource: Resource) -> errors.UnknownLease:
    """The refusal for what no other session holds."""
    return errors.UnknownLease(who="Nobody else holds", resource=resource.label, listed="", nearest=[])


def _append(
    look: Look, entries: Sequence[Entry], writer: Writer, also: dict[str, int], board: Sequence[Put] = ()
) -> int:
    """The number of the last entry; 0 when somebody was faster, and all is to be looked at again."""
    own = guard(writer.seat) if writer.seat else {}
    try:
        return look.store.ledger.append(entries, expect={SUBJECT: look.seen, **also, **own}, board=board)
    except Conflict:
        return 0
    except Uncertain as error:
        raise errors.LeaseUncertain(**error.details) from None


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


def _renewed(leases: Sequence[Lease], ttl: int | None, now: int, note: str = "") -> list[Lease]:
    """The leases once they are renewed. note: a new one; empty: they keep theirs."""
    return [
        lease.but(until=now + (ttl or lease.ttl), ttl=ttl or lease.ttl, note=note or lease.note) for lease in leases
    ]


def _renewing(writer: Writer, leases: Sequence[Lease], ttl: int | None, now: int, note: str = "") -> list[Entry]:
    if not leases:
        return []
    renewed = [[lease.term, lease.item, lease.until, lease.ttl] for lease in _renewed(leases, ttl, now)]
    data: dict[str, Any] = {"seat": writer.name, "session": writer.session, "leases": renewed}
    if note:
        data["note"] = note
    return [Entry(SUBJECT, "lease_renewed", writer.bag, new_id(), now, data)]


def _ending(writer: Writer, leases: Iterable[tuple[Lease, str]], now: int) -> list[Entry]:
    ended = [[lease.term, lease.item, why] for lease, why in leases]
    if not ended:
        return []
    data = {"seat": writer.name, "session": writer.session, "leases": ended}
    return [Entry(SUBJECT, "lease_ended", writer.bag, new_id(), now, data)]


def _seats_of(store: Store, leases: Iterable[Lease], writer: Writer) -> dict[str, int]:
    """The guards of the seats from which leases were taken, but for the writer's own, which it guards itself."""
    names = {(lease.bag, lease.seat) for lease in leases if lease.session != PERSON} - {(writer.bag, writer.name)}
    found = (store.index.seat(bag, name) for bag, name in names)
    return {subject_: last for seat in found if seat for subject_, last in guard(seat).items()}


# -- what may be wished for --------------------------------------------------------------------------------------------


def _checked(wish: Wish) -> None:
    if not 0 < len(wish.resources) <= MOST_RESOURCES:
        raise errors.InvalidLease(
            field="The list", reason=f"one taking is of at least one and at most {MOST_RESOURCES} things"
        )
    if len(wish.note) > LONGEST_NOTE or not wish.note.isprintable():
        raise errors.InvalidLease(field="The note", reason=f"it is {line_rule(wish.note, LONGEST_NOTE)}")
    _checked_ttl(wish.ttl)


def _checked_ttl(ttl: int | None) -> None:
    if ttl is not None and not SHORTEST_TTL_MS <= ttl <= LONGEST_TTL_MS:
        raise errors.InvalidLease(
            field="The time", reason="it is at least 1 minute and at most 24 hours: --ttl 90s, 30m, 2h"
        )
