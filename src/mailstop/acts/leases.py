"""Leases: what the caller takes, renews and lets go; and what anybody may look at."""

from __future__ import annotations

import os
import time

from mailstop import faults, rules
from mailstop.clients.life import Life, is_alive
from mailstop.clients.project import CHOSEN, Place, place_of
from mailstop.clients.resources import Reader
from mailstop.errors import LeaseStillTaken, LeaseTaken, UnknownLease
from mailstop.names import DEFAULT_BAG, PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

    from mailstop.engines.row import Row
    from mailstop.lease import Lease, Resource
    from mailstop.office import Office
    from mailstop.rules.held import Verdict
    from mailstop.rules.leases import Took, Wish
    from mailstop.rules.letters import Rider

SLOW_LOOK_S = 60.0  # who left a seat, or ends without a process that does, may have been killed before it could ring


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

        wait_s: seconds to sleep at most until it is free. Raises LeaseTaken, LeaseStillTaken and what `writer` raises.
        """
        self._office.checked_bag(bag)
        try:
            return self._take(wish, bag)
        except LeaseTaken:
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
        """End others' leases on exactly these resources, and tell them. The person's alone. Raises UnknownLease."""
        from mailstop.letter import Draft
        from mailstop.rules.letters import Rider

        self._office.require_person("Ending another's lease")
        store, now = self._office.store, self._office.clock()
        found = rules.leases.of_others(store, resources, now=now)
        forced: list[Lease] = []
        gone: UnknownLease | None = None
        for bag in dict.fromkeys(lease.bag for lease in found):
            leases = [lease for lease in found if lease.bag == bag]
            freed = rules.waiting.freed_key()

            def rider(_letter_id: str, leases: Sequence[Lease] = leases, freed: str = freed) -> Rider:
                entries, expect = rules.leases.forcing(store, leases, now=now)
                row = rules.waiting.freeing(freed, [lease.resource for lease in leases], now=now)
                return Rider(entries=entries, expect=expect, board=(row,))

            seats = tuple(dict.fromkeys(lease.seat for lease in leases))
            ended = "; ".join(lease.resource.label for lease in leases)
            body = f"The person has ended your lease: {ended}. Others may take it now."
            try:
                self._office.notify(Draft(seats, body, final=True), bag=bag, rider=rider)
            except UnknownLease as refusal:  # its holders let go meanwhile; those in other bags may not have
                gone = refusal
                continue
            self._rung(freed)
            forced += leases
        if gone and not forced:
            raise gone
        return tuple(forced)

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
        from contextlib import ExitStack

        from mailstop.watcher import Watcher

        end = time.monotonic() + seconds
        until = self._office.clock() + round(seconds * 1000)
        with rules.waiting.enlisted(self._office.store, wish.resources, until=until) as bell, Watcher(bell) as watcher:
            while True:
                try:
                    return self._take(wish, bag)
                except LeaseTaken as refusal:
                    taken = refusal
                left = end - time.monotonic()
                if left <= 0:
                    raise LeaseStillTaken(**{**taken.details, "seconds": seconds})
                with ExitStack() as stack:
                    ends, longest = self._ends_of(taken.details["held"], stack)
                    watcher.wait(min(left, longest), ends)
                for seat in {(lease.bag, lease.seat) for lease in taken.details["held"]}:
                    self._office.store.ledger.on(rules.tenure.seat_subject(*seat))  # whoever left it may have rung

    def _ends_of(self, leases: Sequence[Lease], stack: ExitStack) -> tuple[list[int], float]:
        """Descriptors that tell of the end of a holder's process, and after how many seconds to look again anyway."""
        from mailstop.watcher import process_end_fd

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
                return ends, 0.0
            if descriptor is not None:
                stack.callback(os.close, descriptor)
                ends.append(descriptor)
                if is_alive(life) is not True:  # its number was used again
                    return ends, 0.0
        return ends, longest
