"""Waiting: who sleeps until a lease is let go, and how such a one is woken.

A row of the board (`waiting/<bell>`) says for what a process waits and which bell wakes it: one of its own, because its
session's is for letters. It is there before the process tries once more and sleeps, so that whatever is let go
afterwards rings it. What ends leases writes a row `freed/<id>` in the same append, also when nobody seems to wait:
somebody may begin to between such a look and the append. It is due at once, so that where its writer dies before it
could ring, whoever comes next does it. A seat that is left writes none: who waits looks again now and then anyway.
"""

from __future__ import annotations

from contextlib import contextmanager

from mailstop import bells, faults
from mailstop.clients.life import my_life
from mailstop.engines.row import Delete, Put
from mailstop.lease import Address, Resource
from mailstop.letter import new_id
from mailstop.names import PERSON
from mailstop.patterns import named, overlap, parsed
from mailstop.rules.presence import process_lives
from mailstop.session import WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mailstop.engines.base import Store
    from mailstop.engines.row import Row
    from mailstop.lease import Lease

FREED = "freed/"
KEPT_MS = 60_000  # how long a row outlives the time that was to be waited


@contextmanager
def enlisted(store: Store, resources: Sequence[Resource], *, until: int, shared: bool = False) -> Iterator[str]:
    """Be known as waiting for resources while the block runs; gives the bell that is rung.

    shared: whether they are to be shared. until: when the waiting ends at the latest, milliseconds since 1970.
    """
    bell = f"lease-{new_id()}"
    value = {"bell": bell, "life": my_life().as_dict(), "at": _stored(resources), "shared": shared}
    store.board.change([Put(WAITING + bell, value, expires=until + KEPT_MS)])
    try:
        yield bell
    finally:
        store.board.change([Delete(WAITING + bell)])
        bells.silence(bell)


def in_the_way(store: Store, bell: str, session: str, *, now: int) -> tuple[list[Lease], dict[str, int]]:
    """The leases of others that keep who waits on a bell from taking what it wishes for, the person's left out; and the
    guard of all leases, as they were seen. session: of who waits."""
    from mailstop.rules.held import SUBJECT, Look

    row = store.board.get(WAITING + bell)
    if row is None:  # it waits no more
        return [], {}
    look = Look(store, session, now)
    wished = Resource("", "", "", "", tuple(Address.of(stored) for stored in row.value["at"]))
    found = [lease for lease in look.others(wished) if not (lease.shared and row.value.get("shared"))]
    return [lease for lease in found if lease.session != PERSON and not look.lapsed(lease)], {SUBJECT: look.seen}


def anybody(store: Store) -> bool:
    """Whether anybody is known as waiting."""
    return bool(store.board.under(WAITING, limit=1))


def freed_key() -> str:
    """A new key for what `freeing` puts."""
    return FREED + new_id()


def freeing(key: str, resources: Sequence[Resource], *, now: int) -> Put:
    """The change of the board that goes with the end of leases: that who waits for these is still to be rung."""
    return Put(key, {"at": _stored(resources)}, due=now)


def ring_for(store: Store, row: Row) -> None:
    """Ring whoever waits for what was let go, and put the row away that said so."""
    ring(store, [Address.of(stored) for stored in row.value["at"]])
    faults.reach("waiting rung")
    store.board.change([Delete(row.key)])


def ring(store: Store, freed: Sequence[Address] | None = None) -> None:
    """Ring whoever waits for something that overlaps one of these addresses; all who wait, where nobody says what was
    let go. What a process left behind that died waiting is taken away."""
    for row in store.board.under(WAITING):
        bell = str(row.value["bell"])
        if process_lives(row.value["life"]) is False:
            store.board.change([Delete(row.key)])
            bells.silence(bell)
        elif freed is None or _meet((Address.of(stored) for stored in row.value["at"]), freed):
            bells.ring(bell)
            if store.board.get(row.key) is None:  # it waits no more, and has silenced its bell before this ring
                bells.silence(bell)


def _stored(resources: Sequence[Resource]) -> list[list[object]]:
    return [address.as_list() for resource in resources for address in resource.at]


def _meet(wanted: Iterable[Address], freed: Sequence[Address]) -> bool:
    there = [(each.scope, (*named(each.literal), *parsed(each.pattern, folds=each.folds))) for each in freed]
    for each in wanted:
        own = (*named(each.literal), *parsed(each.pattern, folds=each.folds))
        if any(scope == each.scope and overlap(own, segments) for scope, segments in there):
            return True
    return False
