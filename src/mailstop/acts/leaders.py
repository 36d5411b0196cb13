"""Leaders: who leads a project, who may, and what ends it. Each change is told in `#leader` by the same append."""

from __future__ import annotations

import os

from mailstop import errors, rules
from mailstop.errors import Refused
from mailstop.leadership import Leadership
from mailstop.names import DEFAULT_BAG, LEADING, PERSON, in_bag
from mailstop.records import Record
from mailstop.rules.leaders import ENDED, LEFT, RELEASED, RELEASED_BY_PERSON, Post
from mailstop.rules.presence import holder_of
from mailstop.rules.tenure import still
from mailstop.seat import Seat
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.row import Delete, Put
    from mailstop.office import Office
    from mailstop.rules.letters import Rider
    from mailstop.rules.seats import Seated
    from mailstop.session import Session

MOST_TRIES = 50
KIND = "fyi"  # of what #leader is told: it wakes nobody


class _MovedOn(Exception):
    """What was decided on is not so any more: decide again."""


class Claimed(Record):
    """A post as a claim has left it. new: False when its claimant led already."""

    post: Post
    new: bool = True


class Acting(Record):
    """What the caller does in its term as a leader, or, with no leadership, does not do as one."""

    leaders: Leaders
    leadership: Leadership | None

    @property
    def term(self) -> int:
        """The term, 0 for who does not lead."""
        return self.leadership.term if self.leadership else 0

    def guard(self) -> dict[str, int]:
        """What an append that is an act of the leader expects. To be asked again before each try of it: raises
        StaleLeader once the term is over."""
        if self.leadership is None:
            return {}
        if not self.leaders.is_own(self.leadership):
            raise self.leaders.stale(self.leadership)
        return rules.leaders.guard_of(self.leadership)


class Leaders:
    """What a caller may do about who leads."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store

    # -- looking ------------------------------------------------------------------------------------------------------

    def post(self, bag: str = DEFAULT_BAG, project: str | None = None) -> Post:
        """The post of a project, by default of the caller's. Raises UnknownBag, UnknownProject."""
        self._office.checked_bag(bag)
        project_id, name = rules.leaders.project_named(self._store, bag, project) if project else self._own(bag)
        return self._post(bag, project_id, name)

    def others(self, but: Post) -> list[Post]:
        """The posts of other projects in the bag that somebody leads."""
        found = rules.leaders.posts(self._store, but.bag, now=self._office.clock())
        return [each for each in found if each.leads and each.project_id != but.project_id]

    def leadership(self, bag: str, project_id: str) -> Leadership | None:
        """Who leads a project now; None while nobody does."""
        return self._post(bag, project_id, "").leads

    def own(self) -> list[Leadership]:
        """What the caller's session leads."""
        session = self._office.session
        told = self._store.index.leaders.of_session(session.id) if session else []
        return [each for each in told if self.is_own(each)]

    def is_own(self, leadership: Leadership) -> bool:
        """Whether the caller leads still, in just that term."""
        now = self.leadership(leadership.bag, leadership.project_id)
        session = self._office.session
        return now == leadership and session is not None and now.session == session.id

    def acting(self, bag: str, project_id: str, term: int | None = None) -> Acting:
        """The term in which the caller acts for a project; none where it does not lead that one.

        term: in which it believes to act. Raises StaleLeader when that is over, or is another's.
        """
        now = self.leadership(bag, project_id)
        own = now if now and self.is_own(now) else None
        if term is not None and (own is None or own.term != term):
            told = self._store.index.leaders.of(bag, project_id)
            raise self.stale((told or Leadership(bag, project_id, self._name(bag, project_id), 0, 0)).but(term=term))
        return Acting(self, own)

    def stale(self, leadership: Leadership) -> errors.StaleLeader:
        """The refusal for an act in a term that is over."""
        now = self._post(leadership.bag, leadership.project_id, leadership.project)
        if now.leads:
            instead = f"seat {now.leads.seat} leads it since {clock_text(now.leads.since)}, in term {now.leads.term}"
        else:
            instead = f"nobody leads it ({now.gone})"
        where = in_bag(leadership.bag)
        return errors.StaleLeader(
            term=leadership.term, project=now.project, where=where, instead=instead, **_led_by(now)
        )

    def _post(self, bag: str, project_id: str, name: str) -> Post:
        return rules.leaders.post(self._store, bag, project_id, name, now=self._office.clock())

    def _name(self, bag: str, project_id: str) -> str:
        """The name of a project that nobody has ever led; its id where no seat in the bag is of it."""
        seats = self._store.index.seats(bag)
        return next((seat.project for seat in seats if seat.project_id == project_id and seat.project), project_id)

    def _own(self, bag: str) -> tuple[str, str]:
        """The id and the name of the caller's project: its seat's, its session's, or that of the folder it is in."""
        for seat in () if self._office.is_person else self._office.seats():
            if seat.bag == bag and seat.project_id:
                return seat.project_id, seat.project
        session = self._office.session
        if session and session.project_id:
            return session.project_id, session.project
        from mailstop.clients.project import place_of

        place = place_of(os.curdir)
        return place.project_id, place.project

    # -- claiming -----------------------------------------------------------------------------------------------------

    def claim(self, *, bag: str = DEFAULT_BAG, force: bool = False) -> Claimed:
        """Lead the project of the caller's seat, if nobody does.

        Raises MustJoin, NoProject, PersonOnly for a claim by force, and ProjectLed with who leads it since when.
        """
        if force:
            self._office.require_person("Taking the lead of a project by force")
        self._office.checked_bag(bag)
        writer = self._office.writer(bag)

        def claimant() -> Seat:
            seat = still(self._store, writer).seat
            assert seat is not None
            return seat

        return self._claim(claimant, by=writer.name, force=False)

    def appoint(self, name: str, *, bag: str = DEFAULT_BAG, force: bool = False) -> Claimed:
        """Let whoever sits at a seat lead the project of that seat: the person's alone.

        force: also where another leads it. Raises PersonOnly, UnknownSeat, NobodyThere, NoProject, ProjectLed.
        """
        self._office.require_person("Saying who leads a project")
        self._office.checked_bag(bag)
        rules.letters.known_sender(self._store, [bag], name)

        def target() -> Seat:
            seat = self._store.index.seat(bag, name) or Seat(bag, name)
            if holder_of(self._store, seat).present is None:
                raise errors.NobodyThere(name=name, where=in_bag(bag))
            return seat

        return self._claim(target, by=PERSON, force=force)

    def claim_vacant(self, *, anew: bool = True) -> None:
        """Let a session on its repository's default branch lead where nobody does, in each bag in which it sits.

        anew: it has just told where it works; else its branch is looked at before it claims.
        """
        session = self._office.session
        for seat in self._office.seats():
            if not session or not session.may_lead or seat.project_id != session.project_id:
                continue
            if self._post(seat.bag, seat.project_id, seat.project).leads:
                continue
            if not anew and not _is_on_default_branch(session.folder):
                return
            try:
                self.claim(bag=seat.bag)
            except Refused:  # another was faster
                continue

    def _claim(self, claimant: Callable[[], Seat], *, by: str, force: bool) -> Claimed:
        for _ in range(MOST_TRIES):
            seat = claimant()
            if not seat.project_id:
                raise errors.NoProject(name=seat.name, where=in_bag(seat.bag))
            before = self._post(seat.bag, seat.project_id, seat.project)
            if before.leads and before.is_led_from(seat):
                return Claimed(before, new=False)
            if before.leads and not force:
                raise rules.leaders.refuse_led(before)
            forced = by == PERSON
            entry = rules.leaders.led(before, seat, by=by, forced=forced, now=self._office.clock())
            text = rules.leaders.begun_text(before, seat.name, forced=forced)
            try:
                self._announce(before, seat, text, entry)
            except _MovedOn:
                continue
            return Claimed(self._post(seat.bag, seat.project_id, seat.project))
        raise errors.ProjectLed(
            project=before.project,
            where=in_bag(before.bag),
            seat=before.told.seat if before.told else "another",
            holding="one of many who race for it",
            holder=None,
            since="just now",
            term=before.last,
        )

    def _announce(self, before: Post, seat: Seat, text: str, entry: Entry) -> None:
        """Store a change of a post that was so before, by who sits at the seat. Raises _MovedOn."""
        from mailstop.rules.letters import Rider

        def rider(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            moved = self._seen(before.subject) != before.last
            if moved or self._store.index.seat(seat.bag, seat.name) != seat:
                raise _MovedOn
            expect = rules.leaders.claim_guard(before, seat)
            return Rider(data={"told": [seat.name]}, entries=(entry,), expect=expect)

        self._office.channels.announce(before.bag, LEADING, text, kind=KIND, rider=rider)

    # -- ends ---------------------------------------------------------------------------------------------------------

    def release(self, *, bag: str = DEFAULT_BAG, project: str | None = None) -> Leadership:
        """Lead the caller's project no longer; the person may say so of any leader.

        The term that was ended. Raises NotLeading with who leads, UnknownProject.
        """
        place = self.post(bag, project)
        for _ in range(MOST_TRIES):
            leads = place.leads
            if leads is None or not (self._office.is_person or self.is_own(leads)):
                break
            reason = RELEASED_BY_PERSON if self._office.is_person else RELEASED
            if self._end([leads], reason):
                return leads
            place = self._post(place.bag, place.project_id, place.project)
        if place.leads:
            instead = f"seat {place.leads.seat} does, since {clock_text(place.leads.since)}"
        else:
            instead = place.gone if self._office.is_person else f"nobody does ({place.gone})"
        who = "Nobody leads" if self._office.is_person else "This session does not lead"
        where = in_bag(place.bag)
        raise errors.NotLeading(who=who, project=place.project, where=where, instead=instead, **_led_by(place))

    def leave(self, bag: str) -> Seat:
        """Leave the caller's seat in a bag, and with it what is led from there, by one append. Raises NotSeated."""
        for _ in range(MOST_TRIES):
            own = next((seat for seat in self._office.seats() if seat.bag == bag), None)
            if own is None:
                break
            leads = self.led_from(own)
            if not leads:
                return rules.seats.leave(self._store, self._session(), bag=bag, now=self._office.clock())
            left = rules.seats.left_entry(own, self._office.clock())
            if self._end(leads, LEFT, entries=(left,), expect=rules.tenure.guard(own)):
                return own
        raise errors.NotSeated(where=in_bag(bag))

    def move(self, name: str, bag: str) -> Seated:
        """Take another seat in a bag in which the caller leads from its own one, and lead on from there: in a new term,
        by one append. Raises what `Office.join` raises."""
        office, session = self._office, self._session()
        for _ in range(MOST_TRIES):
            now = office.clock()
            taking = rules.seats.taking(self._store, session, name, bag=bag, now=now, ancestry=office.caller.trail)
            own = taking.own
            leads = self.led_from(own) if own else []
            if not taking.entries or not own or not leads:
                return rules.seats.take(self._store, session, name, bag=bag, now=now, ancestry=office.caller.trail)
            seat = taking.seat.but(session=session.id)
            places = [rules.leaders.judged(self._store, each, each.project, now=now) for each in leads]
            again = [
                rules.leaders.led(each, seat, by=name, forced=leadership.forced, now=now)
                for each, leadership in zip(places, leads, strict=True)
            ]
            text = "\n".join(rules.leaders.moved_text(each, name) for each in leads)
            entries = (*taking.entries, *again)
            if self._change(leads, text, entries, expect=taking.expect, board=taking.board, told=name):
                return taking.done(self._store)
        return rules.seats.take(self._store, session, name, bag=bag, now=office.clock(), ancestry=office.caller.trail)

    def end(self) -> bool:
        """End the caller's session, and with it all that it leads: the last of it by the append that ends the session.

        Whether the session was ended by that.
        """
        leads = self.own()
        for leadership in leads:
            ending = rules.sessions.ending(self._store, self._session(), now=self._office.clock())
            if ending is None:
                return False
            changes, rows = ending
            if leadership is leads[-1]:
                return self._end([leadership], ENDED, board=changes, rows=rows)
            self._end([leadership], ENDED)
        return False

    def _session(self) -> Session:
        session = self._office.session
        assert session is not None  # who leads, or is to leave, has one
        return session

    def led_from(self, seat: Seat) -> list[Leadership]:
        """What is led from a seat by who sits there."""
        told = self._store.index.leaders.of_session(seat.session) if seat.session else []
        return [each for each in told if rules.leaders.is_of(each, seat)]

    def _end(
        self,
        leads: Sequence[Leadership],
        reason: str,
        *,
        entries: Sequence[Entry] = (),
        expect: Mapping[str, int] | None = None,
        board: Sequence[Put | Delete] = (),
        rows: Mapping[str, int] | None = None,
    ) -> bool:
        """End these terms of one bag, with other entries, by one append; False when one of them is over already."""
        if not leads:
            return False
        by = PERSON if self._office.is_person else leads[0].seat
        ended = [rules.leaders.unled(each, reason, by=by, now=self._office.clock()) for each in leads]
        text = "\n".join(rules.leaders.ended_text(each, reason) for each in leads)
        told = leads[0].seat if reason == RELEASED else ""
        return self._change(leads, text, (*entries, *ended), expect=expect, board=board, rows=rows, told=told)

    def _change(
        self,
        leads: Sequence[Leadership],
        text: str,
        entries: Sequence[Entry],
        *,
        expect: Mapping[str, int] | None = None,
        board: Sequence[Put | Delete] = (),
        rows: Mapping[str, int] | None = None,
        told: str = "",
    ) -> bool:
        """Store a change of these terms, and tell `#leader`; False when something has moved on since they were seen.

        told: the seat that knows it by its own act.
        """
        guards: dict[str, int] = {**(expect or {})}
        for each in leads:
            guards.update(rules.leaders.guard_of(each))
        data: dict[str, Any] = {"told": [told]} if told else {}

        from mailstop.rules.letters import Rider

        def rider(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            if any(self._seen(subject) != number for subject, number in guards.items()):
                raise _MovedOn
            found = {key: self._store.board.get(key) for key in rows or {}}
            if any((row.revision if row else 0) != (rows or {})[key] for key, row in found.items()):
                raise _MovedOn
            return Rider(data, tuple(entries), guards, tuple(board), rows or {})

        try:
            self._office.channels.announce(leads[0].bag, LEADING, text, kind=KIND, rider=rider)
        except _MovedOn:
            return False
        return True

    def _seen(self, subject: str) -> int:
        """The number of the last entry on a subject, which the index has then folded."""
        last = self._store.ledger.on(subject)
        return last.n if last else 0


def _led_by(place: Post) -> dict[str, Any]:
    """Who leads, for a refusal that says so."""
    leads = place.leads
    return {"seat": leads.seat, "since": leads.since, "led_in": leads.term} if leads else {"seat": None}


def _is_on_default_branch(folder: str) -> bool:
    """Whether a folder's repository has its default branch checked out now."""
    from mailstop.clients.project import place_of

    place = place_of(folder)
    return bool(place.branch) and place.on_default_branch
