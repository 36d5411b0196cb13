"""Leases: what the caller takes, renews and lets go; and what anybody may look at."""

from __future__ import annotations

import os
import time

from mailstop import errors, faults, rules
from mailstop.clients.life import Life, is_alive, my_life
from mailstop.clients.project import CHOSEN, Place, place_of
from mailstop.clients.resources import Reader
from mailstop.errors import MailstopError
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from mailstop.engines.row import Row
    from mailstop.lease import Lease, Resource
    from mailstop.letter import Draft
    from mailstop.office import Office
    from mailstop.rules.held import Verdict
    from mailstop.rules.leases import Took, Wish
    from mailstop.rules.notices import Notice
    from mailstop.seat import Seat

SLOW_LOOK_S = 60.0  # who left a seat, or ends without a process that does, may have been killed before it could ring


class _LetGo(Exception):
    """Some leases are not there any more. left: those that are."""

    def __init__(self, left: tuple[Lease, ...]) -> None:
        super().__init__()
        self.left = left


class Leases:
    """The leases of the store, for the caller of an office."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def reader(self, folder: str) -> Reader:
        """What reads words as resources. folder: where relative paths begin.

        Names are those of the project that MAILSTOP_PROJECT names, else of the repository in which the folder lies,
        else of the session's project: a shell may work elsewhere than its session began.
        """
        return Reader(folder, lambda: self._project_of_names(folder))

    def _project_of_names(self, folder: str) -> Place:
        place, session = place_of(folder, os.environ), self._office.session
        found = place.worktree or place.project_id.startswith(CHOSEN)
        if session and session.project_id and (session.project_id.startswith(CHOSEN) or not found):
            return Place(session.project, session.project_id, "", "", True, folder)
        return place

    def take(self, wish: Wish, *, bag: str = DEFAULT_BAG, wait_s: float | None = None) -> Took:
        """Take all of what is wished for, or nothing.

        wait_s: seconds to sleep at most until it is free. Raises LeaseTaken, LeaseStillTaken, LeasesInCircle where who
            has it waits for the caller, however indirectly, and what `writer` raises.
        """
        self._office.checked_bag(bag)
        try:
            return self._take(wish, bag)
        except errors.LeaseTaken:
            if wait_s is None:
                raise
        return self._wait_to_take(wish, bag, wait_s)

    def renew(
        self,
        resources: Sequence[Resource] | None,
        *,
        bag: str = DEFAULT_BAG,
        ttl: int | None = None,
        term: int | None = None,
    ) -> tuple[Lease, ...]:
        """Renew what the caller holds of these resources, or all; see `rules.leases.renew`."""
        writer = self._office.writer(bag)
        now = self._office.clock()
        renewed = rules.leases.renew(self._office.store, writer, resources, now=now, ttl=ttl, term=term)
        if ttl is not None:
            self._changed(renewed)
        return renewed

    def release(self, resources: Sequence[Resource] | None, *, bag: str = DEFAULT_BAG) -> tuple[Lease, ...]:
        """Let go of what the caller holds of these resources, or of all, and wake who waits for it."""
        writer = self._office.writer(bag)
        freed = rules.waiting.freed_key()
        released = rules.leases.release(self._office.store, writer, resources, now=self._office.clock(), freed=freed)
        self._rung(freed)
        return released

    def force(self, resources: Sequence[Resource]) -> tuple[Lease, ...]:
        """End others' leases on exactly these resources, and tell them: all of it in one append. The person's alone.

        Returns those that were ended; what its holder has let go meanwhile is not among them. Raises UnknownLease.
        """
        self._office.require_person("Ending another's lease")
        store = self._office.store
        leases = tuple(rules.leases.of_others(store, resources, now=self._office.clock()))
        for _ in range(len(leases)):
            try:
                self._force(leases)
                return leases
            except _LetGo as meanwhile:
                gone = leases[0].resource
                leases = meanwhile.left
                if not leases:
                    break
        raise rules.leases.nobody_elses(gone)

    def _force(self, leases: Sequence[Lease]) -> None:
        """End these leases. Raises _LetGo when some of them are not there any more; nothing is stored then."""
        from mailstop.rules.letters import Rider

        office, store, now = self._office, self._office.store, self._office.clock()
        sealed = office.caller.sandboxed
        freed = rules.waiting.freed_key()
        (first, draft), *others = _endings(leases).items()
        beside: list[Notice] = []

        def rider(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            left, seen = rules.leases.still_held(store, leases)
            if len(left) < len(leases):
                raise _LetGo(left)
            entries, expect = rules.leases.forcing(leases, seen, now=now)
            beside[:] = [rules.notices.riding(store, each, bag, now=now, sealed=sealed) for bag, each in others]
            freeing = rules.waiting.freeing(freed, [lease.resource for lease in leases], now=now)
            claims = [claim for notice in beside for claim in notice.claims]
            letters = tuple(notice.entry for notice in beside)
            return Rider(entries=(*entries, *letters), expect=expect, board=(freeing, *claims))

        office.notify(draft, bag=first, rider=rider)
        for notice in beside:
            rules.notices.ring(store, notice, now=now, sealed=sealed)
        self._rung(freed)

    def mine(self) -> tuple[Lease, ...]:
        """What the caller holds, by term, also what ran out and nobody has taken since."""
        look = rules.held.Look(self._office.store, self._holder(), self._office.clock())
        return tuple(sorted(look.own().values(), key=lambda lease: lease.id))

    def standing(self) -> list[Lease]:
        """All leases that count now, by term."""
        return rules.held.standing(self._office.store, now=self._office.clock())

    def check(self, resources: Sequence[Resource], *, shared: bool = False, term: int | None = None) -> list[Verdict]:
        """Whether the caller could take these, or holds them; see `rules.held.check`. Anybody may ask."""
        return rules.held.check(
            self._office.store, resources, self._holder(), now=self._office.clock(), shared=shared, term=term
        )

    def let_go(self) -> None:
        """The caller has ended, or left a seat, and so all leases that it had from there: wake who waits."""
        if rules.waiting.anybody(self._office.store):
            rules.waiting.ring(self._office.store)

    def do_due(self, row: Row) -> None:
        """Ring for what was let go by one who could not ring any more."""
        rules.waiting.ring_for(self._office.store, row)

    def _rung(self, freed: str) -> None:
        """What was to be rung for is stored under this key, if anything was let go: ring."""
        faults.reach("lease let go")
        row = self._office.store.board.get(freed)
        if row:
            rules.waiting.ring_for(self._office.store, row)

    def _changed(self, leases: Sequence[Lease]) -> None:
        """Leases may end earlier now, or be shared: who waits for them looks again."""
        if rules.waiting.anybody(self._office.store):
            rules.waiting.ring(self._office.store, [address for each in leases for address in each.resource.at])

    def _holder(self) -> str:
        if self._office.is_person:
            return PERSON
        return self._office.session.id if self._office.session else ""

    def _take(self, wish: Wish, bag: str) -> Took:
        took = rules.leases.take(self._office.store, self._office.writer(bag), wish, now=self._office.clock())
        if wish.ttl is not None or wish.shared:
            self._changed(took.leases)
        return took

    def _wait_to_take(self, wish: Wish, bag: str, seconds: float) -> Took:
        """Sleep until what stands in the way was let go, runs out, or its holder ends; then try again."""
        from mailstop.watcher import Watcher

        end = time.monotonic() + seconds
        with self.queue(wish, bag=bag, seconds=seconds) as queue, Watcher(queue.bell) as watcher:
            while (took := queue.look(self._office)) is None:
                left = end - time.monotonic()
                if left <= 0:
                    raise queue.still_taken()
                ends, longest = queue.ends()
                watcher.wait(min(left, longest), ends)
        return took

    def queue(self, wish: Wish, *, bag: str = DEFAULT_BAG, seconds: float) -> Queue:
        """Wait for what is wished for without sleeping here: for whoever sleeps elsewhere, and looks."""
        return Queue(self._office, wish, bag, seconds)


class Queue:
    """One who waits for leases: known by a bell of its own, which is rung when what it waits for may be free.

    A context manager, or closed by `close`. seconds: how long it means to wait.
    """

    def __init__(self, office: Office, wish: Wish, bag: str, seconds: float) -> None:
        from contextlib import ExitStack

        self._wish, self._bag, self._seconds = wish, bag, seconds
        self._taken: errors.LeaseTaken | None = None
        self._following = ExitStack()
        self._enlisted = ExitStack()
        now = office.clock()
        until = now + min(round(seconds * 1000), rules.waits.LONGEST_MS)
        enlisted = rules.waiting.enlisted(office.store, wish.resources, until=until, shared=wish.shared)
        self.bell: str = self._enlisted.enter_context(enlisted)
        self._office = office
        writer = office.writer(bag)
        who = {"bag": bag, "seat": writer.name, "session": writer.session}
        self._wait = rules.waits.new_wait(office.caller, **who, bell=self.bell, life=my_life(), until=until, since=now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait no more."""
        self._following.close()
        try:
            rules.waits.forget(self._office.store, self._wait.id, self._office.clock())
        except MailstopError:  # it counts until its process ends, or its time
            pass
        finally:
            self._enlisted.close()

    def look(self, office: Office) -> Took | None:
        """Take it if it is to be had now. office: of who waits, as it is now. Raises what `take` raises, and
        LeasesInCircle."""
        self._office = office
        held: Sequence[Lease] = self._taken.details["held"] if self._taken else ()
        for seat in {(lease.bag, lease.seat) for lease in held}:
            office.store.ledger.on(rules.tenure.seat_subject(*seat))  # whoever left it may have rung
        try:
            return office.leases.take(self._wish, bag=self._bag)
        except errors.LeaseTaken as taken:
            self._taken = taken
        rules.waits.register(office.store, self._wait, office.clock())  # each time: things may have changed
        return None

    def still_taken(self) -> errors.LeaseStillTaken:
        """The refusal for who waited in vain."""
        assert self._taken is not None
        still = f", still after {counted(self._seconds, 'second')}" if self._seconds else ""
        return errors.LeaseStillTaken(**{**self._taken.details, "seconds": self._seconds, "still": still})

    def ends(self) -> tuple[list[int], float]:
        """Descriptors that tell of the end of a holder's process, and after how many seconds to look again anyway.

        They are open until this is asked again. Where a holder has ended by now, that is after none.
        """
        from mailstop.watcher import process_end_fd

        self._following.close()
        assert self._taken is not None
        leases: Sequence[Lease] = self._taken.details["held"]
        now = self._office.clock()
        longest = min(SLOW_LOOK_S, max(0.0, (min(lease.until for lease in leases) - now) / 1000))
        ends: list[int] = []
        for session_id in dict.fromkeys(lease.session for lease in leases if lease.session != PERSON):
            session = rules.presence.session_of(self._office.store, session_id)
            life = Life.from_dict(session.life) if session else None
            if session is None or life is None or (session.client == "codex" and not session.background):
                continue  # a thread ends without any process that does
            alive = is_alive(life)
            try:
                descriptor = process_end_fd(life.pid) if alive else None
            except ProcessLookupError:
                alive, descriptor = False, None
            if alive is False:  # since the look that found it in the way
                return ends, 0.0
            if descriptor is not None:
                self._following.callback(os.close, descriptor)
                ends.append(descriptor)
                if is_alive(life) is not True:  # its number was used again
                    return ends, 0.0
        return ends, longest


def _endings(leases: Sequence[Lease]) -> dict[str, Draft]:
    """By bag, what the holders of these leases are told when the person ends them."""
    from mailstop.letter import Draft

    told: dict[str, Draft] = {}
    for bag in dict.fromkeys(lease.bag for lease in leases):
        own = [lease for lease in leases if lease.bag == bag]
        ended = "; ".join(lease.resource.label for lease in own)
        body = f"The person has ended your lease: {ended}. Others may take it now."
        told[bag] = Draft(tuple(dict.fromkeys(lease.seat for lease in own)), body, final=True)
    return told
