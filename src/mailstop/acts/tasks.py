"""Tasks, as callers ask for them: giving, moving on, taking, giving back, reassigning; and looking at them.

Whoever looks at a task or acts on one first settles what is overdue at its seat, so that nobody ever sees an old
state. The rows `task/<bag>/<seat>` of the board only see to it that somebody is told in time.
"""

from __future__ import annotations

from mailstop import rules
from mailstop.errors import (
    Conflict,
    EmptyPool,
    NotFound,
    Refused,
    SeatLost,
    TaskContended,
    TaskInOtherBag,
    TaskTaken,
    TaskUncertain,
    Uncertain,
    UnknownSeat,
    UnknownTask,
)
from mailstop.fence_tasks import seat_name
from mailstop.letter import Draft, checked_body
from mailstop.names import DEFAULT_BAG, PERSON, in_bag
from mailstop.records import Record
from mailstop.rules.letters import MOST_TRIES, Rider, resolved
from mailstop.rules.presence import Holder, holder_of
from mailstop.rules.tasks import GIVE, RETURN, Change
from mailstop.rules.tellings import empty_text
from mailstop.rules.tenure import guard, still
from mailstop.seat import Seat
from mailstop.task import Order, Step, Task, checked_order
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mailstop.engines.row import Row
    from mailstop.letter import Letter
    from mailstop.office import Office, Sent
    from mailstop.rules.letters import Ride
    from mailstop.rules.settlements import Settlement
    from mailstop.rules.tenure import Writer

ALL, MINE, GIVEN, POOL = "all", "mine", "given", "pool"  # which tasks are listed
DEFAULT_STEPS = 50


class Changed(Record):
    """A task after an act, and the letter that tells of it; None: nobody was to be told. new: False when it had been
    given before with this key. note: what else whoever put it into a pool is to know; empty for nothing."""

    task: Task
    sent: Sent | None = None
    new: bool = True
    note: str = ""


class Listing(Record):
    """Tasks in the order of their lists. more: whether there are more behind the last."""

    tasks: tuple[Task, ...]
    more: bool = False


class Account(Record):
    """A task with the newest part of its history, and who sits where it lies. older: whether there is more before."""

    task: Task
    steps: tuple[Step, ...]
    holder: Holder | None
    older: bool = False


class _MovedOn(Exception):
    """What was decided on is not so any more: decide again."""


class Tasks:
    """What a caller may do about tasks."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store

    # -- acts ---------------------------------------------------------------------------------------------------------

    def give(self, order: Order, *, bag: str = DEFAULT_BAG, term: int | None = None) -> Changed:
        """Give a task to a seat, or into the pool of the caller's project. Raises a refusal before anything is stored,
        UnknownPool where nobody has ever worked in that project.

        The same order with the same key comes back as it was given, whatever would refuse a new one.
        term: in which the caller believes to lead its project. Raises StaleLeader when that is over.
        """
        self._office.checked_bag(bag)
        checked_order(order)
        if order.detail:
            checked_body(order.detail)
        writer = self._office.writer(bag)
        draft = Draft((order.to,), rules.tasks.given_text(order), "task", True, artifacts=order.artifacts)
        rules.letters.checked_fields(draft)
        if first := self._given_before(writer, order):
            return first
        try:
            return self._give(writer, order, draft, term)
        except (_MovedOn, Refused, NotFound):  # by the very task, perhaps, which was given with this key meanwhile
            if first := self._given_before(writer, order):
                return first
            raise

    def _given_before(self, writer: Writer, order: Order) -> Changed | None:
        """The task that this seat gave with the order's key; None: none yet. Raises TaskKeyReused."""
        task_id = rules.tasks.keyed_id(writer, order)
        if not task_id or not self._store.ledger.on(rules.tasks.task_subject(writer.bag, task_id)):
            return None
        tasks = self._store.index.tasks
        first = tasks.with_id(writer.bag, task_id)
        assert first is not None
        (given,) = tasks.steps(first, before=first.n + 1, limit=1)
        return Changed(rules.tasks.same_task(first, given.holder, order), new=False)

    def _give(self, writer: Writer, order: Order, draft: Draft, term: int | None) -> Changed:
        if order.to:
            name = self._seat(writer, order.to)
            order, draft = order.but(to=name), draft.but(to=(name,))
        place = self._project()
        if not order.to:
            rules.pools.refuse_unknown(self._store, writer.bag, *place)
        task = rules.tasks.new_task(self._store, writer, order, place, now=self._office.clock())
        ride = self._giving(task, writer, order, term)
        sent = None
        if order.to:
            sent = self._office.send(draft, bag=writer.bag, rider=ride)
        else:
            # It is no letter and costs none; but who may write no letter puts no words into the pool either.
            rules.brakes.charge(self._store, writer, None, now=self._office.clock())
            self._append(ride, writer)
        given = self._store.index.tasks.with_id(writer.bag, task.id)
        assert given is not None
        return Changed(given, sent, note=self._note(given, writer))

    def _note(self, task: Task, writer: Writer) -> str:
        if not task.is_pooled:
            return ""
        return rules.pools.note(self._store, task.bag, task.home, task.project, writer.name)

    def _giving(self, task: Task, writer: Writer, order: Order, term: int | None) -> Ride:
        on = rules.tasks.task_subject(task.bag, task.id)
        # A term that ends meanwhile gives nothing.
        acting = self._office.leaders.acting(task.bag, task.project_id, term)

        def ride(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            if self._store.ledger.on(on):
                raise _MovedOn
            own = still(self._store, writer)
            now = self._office.clock()
            entry = rules.tasks.given_entry(task, own, order, letter_id=letter_id, now=now)
            as_leader = acting.guard()
            if acting.term:
                entry.data["term"] = acting.term
            return Rider(
                data=rules.tasks.about(task.id, GIVE, task.holder),
                entries=(entry,),
                expect={on: 0, **(guard(own.seat) if own.seat else {}), **as_leader},
                board=rules.settlements.armed(self._store, task, now=now),
            )

        return ride

    def move(
        self, n: int, act: str, text: str = "", *, artifacts: tuple[str, ...] = (), bag: str | None = None
    ) -> Changed:
        """Move task `n` on by one of `rules.tasks.MOVES`. text: what its other side is told; for `need-input`, what
        that is to give."""

        def decide(task: Task, by: Writer) -> Change:
            change = rules.tasks.moved(task, act, by)
            rules.tasks.checked_text(task, act, text)
            return change

        return self._change(n, decide, text, artifacts=artifacts, bag=bag)

    def give_back(self, n: int, text: str = "", *, bag: str | None = None) -> Changed:
        """Give task `n` back to its giver, or to the pool that it was taken from."""
        return self._change(n, rules.tasks.returned, text, bag=bag)

    def reassign(self, n: int, to: str, text: str = "", *, bag: str | None = None) -> Changed:
        """Let task `n` go to another seat; to: empty for the pool of its project."""
        store = self._store

        def decide(task: Task, by: Writer) -> Change:
            name = self._seat(by, to) if to and to != by.name else to
            return rules.tasks.reassigned(store, task, by, name, now=self._office.clock())

        return self._change(n, decide, text, bag=bag)

    def take(self, n: int | None = None, *, bag: str | None = None) -> Changed:
        """Take task `n` from the pool of the caller's project; without a number the most urgent, of those the oldest.

        Raises TaskTaken with who has it, or EmptyPool.
        """
        project_id, project = self._project()
        if n is not None:
            return self._change(n, lambda task, by: rules.tasks.taken(task, by, project_id), bag=bag)
        bag = bag or DEFAULT_BAG
        self._office.checked_bag(bag)
        self._office.writer(bag)  # who may not write is told so, and not that nothing waits
        self.settle(bag)
        lost, last = "", None
        for _ in range(MOST_TRIES):
            waiting = self._store.index.tasks.pool(bag, project_id, limit=1)
            if not waiting:
                break
            try:
                return self._change(waiting[0].n, lambda task, by: rules.tasks.taken(task, by, project_id), bag=bag)
            except TaskTaken as taken:
                lost = f"; task {waiting[0].n} was taken first: {taken.details['place']}"
                last = {"n": waiting[0].n, "holder": taken.details["holder"]}
        raise EmptyPool(project=project, lost=lost, task=last)

    def answering(self, letter: Letter, writer: Writer, text: str) -> Ride:
        """What rides with a reply to a letter about a task: when that asked for input, the task goes on with it."""
        assert letter.task is not None
        about = letter.task

        def ride(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            self._store.ledger.on(rules.tasks.task_subject(letter.bag, about.id))
            seen = self._store.index.tasks.with_id(letter.bag, about.id)
            data = rules.tasks.about(about.id, "reply", seen.holder if seen else "")
            if seen is None or not rules.tasks.waits_for(seen, writer.name, letter.sender):
                return Rider(data=data)
            change = rules.tasks.answered(seen, writer)
            return self._rider(seen, change, writer, text, (), letter_id)

        return ride

    # -- looking ------------------------------------------------------------------------------------------------------

    def listed(self, which: str = ALL, *, only_open: bool = False, bag: str | None = None, limit: int = 20) -> Listing:
        """Tasks of a bag, or of all in which the caller sits: all, those that are the caller's, that it gave, or that
        lie in its project's pool (the person sees all pools)."""
        tasks = self._store.index.tasks
        own = {seat.bag: seat.name for seat in self._office.seats()}
        if bag is not None:
            self._office.checked_bag(bag)
        if which in (MINE, GIVEN):
            self._office.writer(bag or next(iter(own), DEFAULT_BAG))
        project_id = None if self._office.is_person else self._project()[0]
        found: list[Task] = []
        for each in [bag] if bag is not None else list(own) or [DEFAULT_BAG]:
            self.settle(each)
            if which == MINE:
                found += tasks.held(each, own.get(each, ""), only_open=only_open, limit=limit + 1)
            elif which == GIVEN:
                found += tasks.given(each, own.get(each, ""), only_open=only_open, limit=limit + 1)
            elif which == POOL:
                found += tasks.pool(each, project_id, limit=limit + 1)
            else:
                found += tasks.listed(each, only_open=only_open, limit=limit + 1)
        found.sort(key=lambda task: (task.is_over, -task.n if task.is_over else task.priority, task.n))
        return Listing(tuple(found[:limit]), more=len(found) > limit)

    def account(self, n: int, *, bag: str | None = None, steps: int = DEFAULT_STEPS) -> Account:
        """Task `n` with its history. Raises UnknownTask, TaskInOtherBag."""
        task = self._settled(n, bag)
        found = self._store.index.tasks.steps(task, limit=steps + 1)
        holder = None
        if task.holder:
            seat = self._store.index.seat(task.bag, task.holder) or Seat(task.bag, task.holder)
            holder = holder_of(self._store, seat)
        return Account(task, tuple(found[-steps:]), holder, older=len(found) > steps)

    # -- empty seats --------------------------------------------------------------------------------------------------

    def settle(self, bag: str) -> None:
        """Look at each seat of a bag that open tasks lie with."""
        for name in self._store.index.tasks.holders(bag):
            self.look(bag, name)

    def look(self, bag: str, name: str, *, anew: bool = False) -> None:
        """Look whether anybody sits at a seat that holds tasks; tell their givers, and let go back what is overdue.

        anew: whether somebody looks because it is due.
        """
        now = self._office.clock()
        for _ in range(MOST_TRIES):
            found = rules.settlements.settlement(self._store, bag, name, now=now)
            if found is None:
                break
            try:
                self._settle(found, now)
            except (_MovedOn, Uncertain):  # the next look tells what there is still to do
                continue
        changes = rules.settlements.looked(self._store, bag, name, now=now, anew=anew)
        if changes:
            self._store.board.change(changes)

    def do_due(self, row: Row) -> None:
        """Look at a seat because it is due."""
        try:
            self.look(str(row.value["bag"]), str(row.value["seat"]), anew=True)
        except Refused:  # others change it without end; it stays due, and whoever comes next looks
            return

    def _settle(self, found: Settlement, now: int) -> None:
        bag, name = found.seat.bag, found.seat.name
        giver = found.tasks[0].giver
        tell = (giver, name) if found.act == RETURN else (giver,)
        to = tuple(dict.fromkeys(tell))

        def ride(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            for task in found.tasks:
                self._now(task)  # the index folds what it has not yet
            if rules.settlements.settlement(self._store, bag, name, now=now) != found:
                raise _MovedOn
            only = found.after[0] if len(found.after) == 1 else None
            return Rider(
                data=rules.tasks.about(only.id, found.act, only.holder) if only else {},
                entries=rules.settlements.settlement_entries(found, letter_id=letter_id, now=now),
                expect={
                    **{rules.tasks.task_subject(bag, task.id): task.last for task in found.tasks},
                    **guard(found.seat),
                },
            )

        if to == (name,) and found.act != RETURN:  # its own: there is nobody to be told
            self._append(ride, found.seat)
            return
        kind = "fyi" if found.act == rules.settlements.SEAT_HELD else "task"
        text = rules.settlements.settlement_text(self._store, found)
        self._office.notify(Draft(to, text, kind, final=True), bag=bag, rider=ride)

    # -- one change ---------------------------------------------------------------------------------------------------

    def _change(
        self,
        n: int,
        decide: Callable[[Task, Writer], Change],
        text: str = "",
        *,
        artifacts: tuple[str, ...] = (),
        bag: str | None = None,
    ) -> Changed:
        """Change a task as `decide` says of it as it is, together with the letter that tells of it."""
        task = self._settled(n, bag)
        if text:
            checked_body(text)
        for _ in range(MOST_TRIES):
            seen = self._now(task)
            writer = self._office.writer(task.bag)
            change = decide(seen, writer)
            try:
                sent = self._commit(seen, change, writer, text, artifacts)
            except _MovedOn:
                continue
            except Uncertain as doubt:
                raise TaskUncertain(n=task.n, reason=doubt.details["reason"]) from None
            after = self._now(task)
            return Changed(after, sent, note=self._note(after, writer))
        raise TaskContended(n=task.n)

    def _commit(self, seen: Task, change: Change, writer: Writer, text: str, artifacts: tuple[str, ...]) -> Sent | None:
        store = self._store

        def ride(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            if self._now(seen) != seen:
                raise _MovedOn
            return self._rider(seen, change, writer, text, artifacts, letter_id)

        body = rules.tasks.change_text(change, text)
        last = store.index.letter_with_id(seen.letter) if seen.letter else None
        # What it answers is what the other side wrote last; its own last letter only says where the conversation is.
        ref = None if last is None else last.n if last.sender != writer.name else last.ref or last.n
        shown = seen.artifacts if change.act == rules.tasks.REASSIGN else artifacts
        draft = Draft(change.to, body, change.kind, change.needs_reply, ref, artifacts=shown)
        if not change.to:
            rules.letters.checked_fields(draft)
            rules.brakes.pace(store, writer, now=self._office.clock())
            self._append(ride, writer)
            return None
        return self._office.send(draft, bag=seen.bag, rider=ride)

    def _rider(
        self, seen: Task, change: Change, writer: Writer, text: str, artifacts: tuple[str, ...], letter_id: str
    ) -> Rider:
        own = still(self._store, writer)
        now = self._office.clock()
        entry = rules.tasks.change_entry(seen, change, own, text, artifacts, letter_id=letter_id, now=now)
        on = rules.tasks.task_subject(seen.bag, seen.id)
        return Rider(
            data=rules.tasks.about(seen.id, change.act, change.after.holder),
            entries=(entry,),
            expect={on: seen.last, **(guard(own.seat) if own.seat else {})},
            board=rules.settlements.armed(self._store, change.after, now=now),
        )

    def _append(self, ride: Ride, by: Writer | Seat) -> None:
        """Store what would ride with a letter, where nobody is to be told. by: the seat whose act it is."""
        for _ in range(MOST_TRIES):
            rider = ride("", ())
            try:
                self._store.ledger.append(rider.entries, expect=rider.expect, board=rider.board)
                return
            except Conflict:
                continue
        raise SeatLost(name=by.name, where=in_bag(by.bag), reason="it changes hands without end")

    def _now(self, task: Task) -> Task:
        """The task as the ledger has it, whatever this store's index had seen."""
        self._store.ledger.on(rules.tasks.task_subject(task.bag, task.id))
        now = self._store.index.tasks.with_id(task.bag, task.id)
        assert now is not None
        return now

    def _settled(self, n: int, bag: str | None) -> Task:
        """Task `n`, or the one that letter `n` is about, once what is overdue at its seat is settled."""
        task = self._found(n)
        if task is None:
            near = self._store.index.tasks.nearest(n)
            listed = f" (nearest: {', '.join(map(str, near))})" if near else ""
            raise UnknownTask(n=n, listed=listed, nearest=near)
        if bag not in (None, task.bag):
            raise TaskInOtherBag(n=task.n, bag=task.bag, asked=bag)
        task = self._now(task)
        if task.holder and not task.is_over:
            self.look(task.bag, task.holder)
        return self._now(task)

    def _found(self, n: int) -> Task | None:
        """Task `n`, or the one that letter `n` is about, also when this store's index has not folded it yet."""
        index, ledger = self._store.index, self._store.ledger
        for _ in range(2):
            if task := index.tasks.task(n):
                return task
            letter = index.letter(n)
            if letter is not None:
                return index.tasks.task(letter.task.n) if letter.task else None
            entries = ledger.after(n - 1, limit=1) if n < 1 << 62 else []
            if not entries or entries[0].n != n:
                return None
            ledger.on(entries[0].subject)
        return None

    def _seat(self, writer: Writer, name: str) -> str:
        """The seat that is meant by a name, as for letters. Raises UnknownSeat: no task waits for a seat's first
        holder, who might never come."""
        try:
            (seat,) = resolved(self._store, writer, Draft((name,), ""))
        except UnknownSeat as unknown:
            raise UnknownSeat(**{**unknown.details, "advice": " Nothing was stored."}) from None
        return seat.name

    def _project(self) -> tuple[str, str]:
        """Id and name of the project that the caller works in."""
        session = self._office.session
        if session is not None:
            return session.project_id or "unknown", session.project
        import os

        from mailstop.clients.project import place_of

        place = place_of(os.curdir)
        return place.project_id, place.project


def standing_text(account: Account) -> str:
    """Where a task is and since when, as the end of a sentence."""
    task, holder = account.task, account.holder
    since = clock_text(task.since)
    if task.is_over:
        return f"since {since}, by {seat_name(task.mover)}"
    place = rules.tasks.place_of(task)
    text = f"{f'with {place}' if task.holder else place}, since {since}"
    if holder and holder.present is None and task.holder != PERSON:
        text += f" ({empty_text(holder)})"
    return text
