"""Tasks: who may give, move, take, return and reassign them, and what becomes of those whose seat is empty.

Guards of each change: tasks.<bag>.<task id> at the number that was seen, 0 for a new one, so that of fifty claimants
one wins and no change is made to a task that is elsewhere by now; the seat of whoever acts (`tenure.guard`), so that a
session which lost its seat changes nothing; and of a change because a seat is empty, or is held again, that seat's
subject, so that nobody has sat down or stood up there meanwhile. The letter that tells of a change is in the same
append.

Where a task is, is its *epoch*: the number of the entry by which it came there. It belongs to a seat, not to a session:
whoever sits there next goes on with it. A seat that it was taken from may not move it any more.

A seat is empty when its holder is provably dead or left it; unknown is not dead. Its givers are told once, and after
`return_ms` a task goes back: to the pool it was taken from, or to its giver.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry, subject
from mailstop.engines.row import Delete, Put
from mailstop.errors import (
    NotTaskGiver,
    OtherPool,
    TaskInState,
    TaskKeyReused,
    TaskMoved,
    TaskOver,
    TaskStays,
    TaskTaken,
)
from mailstop.fence import MAILSTOP
from mailstop.letter import new_id
from mailstop.names import LEADER, PERSON, POSTMASTER
from mailstop.records import Record
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import has_passed
from mailstop.seat import Seat, tasks_key
from mailstop.task import (
    CANCELED,
    COMPLETED,
    FAILED,
    INPUT_REQUIRED,
    LEAST_URGENT,
    REJECTED,
    SUBMITTED,
    WORKING,
    Task,
)
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.letters import Writer
    from mailstop.task import Order

LOOK_MS = 10 * 60_000  # between two looks at a seat that holds tasks and lives; less than routes.LONGEST_DEADLINE_MS
CLOCK_SLACK_MS = 60_000  # what another process noted a moment ago may lie ahead of a look that began before
MOST_AT_ONCE = 50  # tasks of one giver that one notice tells of

GIVE, TAKE, RETURN, REASSIGN, CANCEL, ANSWER = "give", "take", "return", "reassign", "cancel", "answer"
ACCEPT, PROGRESS, NEED_INPUT, COMPLETE, FAIL, REJECT = "accept", "progress", "need-input", "complete", "fail", "reject"
SEAT_EMPTY, SEAT_HELD = "seat-empty", "seat-held"

# What a task's holder may do with it, and the state it is in then.
HOLDERS_ACTS = {
    ACCEPT: WORKING,
    PROGRESS: WORKING,
    NEED_INPUT: INPUT_REQUIRED,
    COMPLETE: COMPLETED,
    FAIL: FAILED,
    REJECT: REJECTED,
}
MOVES = (*HOLDERS_ACTS, CANCEL)

_QUIET = (ACCEPT, PROGRESS, TAKE)  # of which the giver learns when it next looks
_DONE = {
    ACCEPT: "accepted",
    PROGRESS: "in progress",
    NEED_INPUT: "needs input",
    COMPLETE: "completed",
    FAIL: "failed",
    REJECT: "rejected",
    CANCEL: "canceled",
    ANSWER: "answered",
    TAKE: "taken from the pool",
    RETURN: "given back",
}
_ENTRY = {GIVE: "task_given", TAKE: "task_taken", RETURN: "task_returned", REASSIGN: "task_reassigned"}


class Change(Record):
    """What an act makes of a task, and the letter that tells of it. to: its recipients; none: nobody is to be told."""

    act: str
    after: Task
    to: tuple[str, ...] = ()
    kind: str = "task"
    words: str = ""
    needs_reply: bool = False


class Settlement(Record):
    """What is to be done about tasks of one giver at one seat, because it is empty or is held again."""

    act: str
    seat: Seat
    tasks: tuple[Task, ...]
    after: tuple[Task, ...]


# -- what is stored ---------------------------------------------------------------------------------------------------


def task_subject(bag: str, task_id: str) -> str:
    """The subject of all that happens to a task."""
    return subject("tasks", bag, task_id)


def given_entry(task: Task, writer: Writer, order: Order, *, letter_id: str, now: int) -> Entry:
    """The entry that gives a task."""
    optional = {
        "artifacts": list(order.artifacts),
        "issue": order.issue,
        "project": task.project,
        "project_id": task.project_id,
    }
    data = {
        **_standing(GIVE, task, writer.name, letter_id),
        "title": order.title,
        "priority": order.priority,
        **{name: value for name, value in optional.items() if value},
        **_actor(writer),
    }
    return Entry(task_subject(task.bag, task.id), "task_given", task.bag, new_id(), now, data, order.detail or None)


def change_entry(
    seen: Task, change: Change, writer: Writer, text: str, artifacts: tuple[str, ...], *, letter_id: str, now: int
) -> Entry:
    """The entry of a change. It names the state and the epoch that it was decided on."""
    data = {
        **_standing(change.act, change.after, writer.name, letter_id),
        "from": seen.state,
        "epoch": seen.epoch,
        **_actor(writer),
    }
    if artifacts:
        data["artifacts"] = list(artifacts)
    kind = _ENTRY.get(change.act, "task_moved")
    return Entry(task_subject(seen.bag, seen.id), kind, seen.bag, new_id(), now, data, text or None)


def settlement_entries(found: Settlement, *, letter_id: str, now: int) -> tuple[Entry, ...]:
    """The entries of a settlement. The notice that tells of it is not what an answer refers to."""
    kind = "task_returned" if found.act == RETURN else "task_seat"
    entries = []
    for seen, after in zip(found.tasks, found.after, strict=True):
        data = {**_standing(found.act, after, POSTMASTER, letter_id), "letter": seen.letter}
        data |= {"from": seen.state, "epoch": seen.epoch, "left": seen.holder}
        entries.append(Entry(task_subject(seen.bag, seen.id), kind, seen.bag, new_id(), now, data))
    return tuple(entries)


def _standing(act: str, after: Task, seat: str, letter_id: str) -> dict[str, Any]:
    """Where a task is after an entry. letter_id: of the letter that tells of it; empty: nobody is told."""
    data: dict[str, Any] = {
        "task": after.id,
        "act": act,
        "seat": seat,
        "state": after.state,
        "holder": after.holder,
        "home": after.home,
        "letter": letter_id or after.letter,
    }
    if letter_id:
        data["told"] = letter_id
    if after.empty_since:
        data["empty_since"] = after.empty_since
    return data


def _actor(writer: Writer) -> dict[str, Any]:
    return {"session": writer.session, **({"seat_epoch": writer.seat.epoch} if writer.seat else {})}


def about(task_id: str, act: str, holder: str) -> dict[str, Any]:
    """The field of a letter's entry that says which task it is about."""
    return {"task": {"id": task_id, "act": act, "holder": holder}}


def as_it_lies(store: Store, letter: Letter) -> Letter:
    """A letter about a task as its reader is to see it: where it brought the task to a seat that has lost it since, it
    says so."""
    brought = letter.task
    if brought is None or not brought.brings:
        return letter
    task = store.index.tasks.with_id(letter.bag, brought.id)
    if task is None or (task.holder == brought.holder and not task.is_over):
        return letter
    where = f"it is {task.state}, by {seat_text(task.mover)}" if task.is_over else place_text(task)
    return letter.but(closed=f"{where} since {clock_text(task.since)}")


# -- giving -----------------------------------------------------------------------------------------------------------


def keyed_id(writer: Writer, order: Order) -> str:
    """The id of the task that a seat gives with a key; empty without one."""
    return f"{writer.name}/{order.key}" if order.key else ""


def new_task(store: Store, writer: Writer, order: Order, place: tuple[str, str], *, now: int) -> Task:
    """The task of an order, as it will be. place: id and name of the giver's project.

    A key makes the id, so that the guard on a new task's subject lets each key pass once.
    """
    return Task(
        n=0,
        id=keyed_id(writer, order) or new_id(),
        bag=writer.bag,
        at=now,
        giver=writer.name,
        title=order.title,
        priority=order.priority,
        artifacts=order.artifacts,
        issue=order.issue,
        project=place[1],
        project_id=place[0],
        letter="",
        holder=order.to,
        home="" if order.to else place[0],
        state=SUBMITTED,
        epoch=0,
        assigned=now,
        since=now,
        mover=writer.name,
        empty_since=_empty_since(store, writer.bag, order.to, now),
        last=0,
        detail=order.detail,
    )


def _empty_since(store: Store, bag: str, name: str, now: int) -> int:
    """`now` when nobody sits at the seat that a task comes to: whoever gives it there is told so at once."""
    if not name or name == PERSON:
        return 0
    seat = store.index.seat(bag, name)
    return 0 if seat and holder_of(store, seat).alive is not False else now


def same_task(first: Task, holder: str, order: Order) -> Task:
    """`first` itself when the order says the same. Raises TaskKeyReused.

    holder: to whom it was given, wherever it lies by now. Who gives to `leader` means whoever led the first time.
    """
    to = holder if holder and order.to == LEADER else order.to
    said = (holder, first.title, first.detail, first.priority, first.artifacts, first.issue)
    if said != (to, order.title, order.detail, order.priority, order.artifacts, order.issue):
        raise TaskKeyReused(key=order.key, n=first.n)
    return first


def given_text(order: Order) -> str:
    """The letter that brings a task to a seat."""
    parts = [order.title, order.detail, _label(order.priority, order.issue)]
    return "\n\n".join(part for part in parts if part)


def _label(priority: int, issue: str) -> str:
    label = f"Priority {priority} (0 is the most urgent, {LEAST_URGENT} the least)."
    return f"{label} Issue: {issue}" if issue else label


# -- moving on --------------------------------------------------------------------------------------------------------


def moved(task: Task, act: str, writer: Writer) -> Change:
    """A task's holder, or its giver, moves it on by one of MOVES."""
    refuse_over(task)
    if act == CANCEL:
        _refuse_all_but_giver(task, act, writer)
        return _change(task.but(state=CANCELED, empty_since=0), CANCEL, writer, (task.holder, task.giver))
    if act == PROGRESS and waits_for(task, writer.name, task.holder):
        return answered(task, writer)
    if writer.name != task.holder:
        raise _moved_away(task, writer.name)
    if act == ACCEPT and task.state != SUBMITTED:
        raise TaskInState(n=task.n, state=task.state, since=task.since, ender=seat_text(task.mover), by=task.mover)
    after = task.but(state=HOLDERS_ACTS[act], empty_since=0)
    return _change(after, act, writer, (task.giver,)).but(needs_reply=act == NEED_INPUT)


def answered(task: Task, writer: Writer) -> Change:
    """The giver, or the person, gives the input that a task waits for."""
    return _change(task.but(state=WORKING), ANSWER, writer, (task.holder,)).but(kind="answer")


def waits_for(task: Task | None, name: str, asker: str) -> bool:
    """Whether a task waits for input of that seat, asked for by the seat that still holds it."""
    if task is None or task.state != INPUT_REQUIRED or task.holder != asker:
        return False
    return name in (task.giver, PERSON) and name != asker


def taken(task: Task, writer: Writer, project_id: str) -> Change:
    """A seat takes a task from its project's pool, or its giver takes one that came back to it."""
    refuse_over(task)
    if task.holder:
        raise TaskTaken(n=task.n, place=place_text(task), since=task.since, **_lies(task))
    is_own = writer.name in (task.giver, PERSON)
    if not task.home and not is_own:
        raise _moved_away(task, writer.name)
    if task.home not in ("", project_id) and not is_own:
        raise OtherPool(n=task.n, project=task.project or task.home)
    after = task.but(holder=writer.name, state=WORKING, empty_since=0)
    return _change(after, TAKE, writer, (task.giver,))


def returned(task: Task, writer: Writer) -> Change:
    """The holder gives a task back."""
    refuse_over(task)
    if writer.name != task.holder:
        raise _moved_away(task, writer.name)
    after = task.but(holder="", state=SUBMITTED, empty_since=0)
    return _change(after, RETURN, writer, (task.giver,))


def reassigned(store: Store, task: Task, writer: Writer, to: str, *, now: int) -> Change:
    """The giver, or the person, lets a task go to another seat; to: empty for the pool of its project."""
    refuse_over(task)
    _refuse_all_but_giver(task, REASSIGN, writer)
    home = "" if to else task.project_id
    if (to, home) == (task.holder, task.home):
        raise TaskStays(n=task.n, place=place_text(task), since=task.since, **_lies(task))
    empty = _empty_since(store, task.bag, to, now)
    after = task.but(holder=to, home=home, state=SUBMITTED, empty_since=empty)
    words = f"Task {task.n} goes to {place_of(after)}"
    if task.holder and task.holder != to:
        words += f"; {seat_text(task.holder)}, which had it, is to stop"
    parts = [f"{words}.", task.title, task.detail, _label(task.priority, task.issue)]
    change = _change(after, REASSIGN, writer, (to, task.holder, task.giver))
    return change.but(words="\n\n".join(part for part in parts if part))


def _change(after: Task, act: str, writer: Writer, tell: tuple[str, ...]) -> Change:
    to = tuple(name for name in dict.fromkeys(tell) if name and name != writer.name)
    kind = "fyi" if act in _QUIET else "task"
    return Change(act, after, to, kind, f"Task {after.n} {_DONE.get(act, act)}: {after.title}")


def change_text(change: Change, text: str) -> str:
    """The letter that tells of a change. text: what whoever made it says."""
    return f"{change.words}\n\n{text}" if text else change.words


# -- refusals ---------------------------------------------------------------------------------------------------------


def refuse_over(task: Task) -> None:
    """Raise TaskOver for a task that has come to its end."""
    if task.is_over:
        raise TaskOver(n=task.n, state=task.state, since=task.since, ender=seat_text(task.mover), by=task.mover)


def _refuse_all_but_giver(task: Task, act: str, writer: Writer) -> None:
    if writer.name not in (task.giver, PERSON):
        raise NotTaskGiver(n=task.n, owner=seat_text(task.giver), giver=task.giver, act=act)


def _moved_away(task: Task, name: str) -> TaskMoved:
    advice = f" To take it: mailstop task take {task.n}" if task.is_pooled else ""
    return TaskMoved(
        n=task.n,
        loser=seat_text(name),
        seat=name,
        place=place_text(task),
        since=task.since,
        advice=advice,
        **_lies(task),
    )


def _lies(task: Task) -> dict[str, Any]:
    """Where a task is, for a program."""
    return {"holder": task.holder or None, "pool": task.project if task.is_pooled else None, "state": task.state}


def place_text(task: Task) -> str:
    """Where a task is, as the middle of a sentence."""
    return f"it is with {place_of(task)}" if task.holder else f"it is {place_of(task)}"


def place_of(task: Task) -> str:
    """Where a task is."""
    if task.holder:
        return seat_text(task.holder)
    if task.home:
        return f"in the pool of project {task.project or task.home}"
    return f"back with its giver, {seat_text(task.giver)}"


def seat_text(name: str) -> str:
    """Who sits at a seat of that name, where nobody else can."""
    return {PERSON: "the person", POSTMASTER: MAILSTOP}.get(name, f"seat {name}")


# -- empty seats ------------------------------------------------------------------------------------------------------


def return_ms(store: Store, bag: str) -> int:
    """After how long at an empty seat the tasks of a bag go back, in milliseconds."""
    return store.index.budgets.limits(bag).task_return_ms


def settlement(store: Store, bag: str, name: str, *, now: int) -> Settlement | None:
    """What is to be done next about the tasks of a seat; None: nothing, for now."""
    seat = store.index.seat(bag, name)
    if seat is None or name == PERSON:
        return None
    holder = holder_of(store, seat)
    if holder.alive is None:
        return None
    tasks = store.index.tasks
    noticed = tasks.noticed(bag, name, limit=MOST_AT_ONCE)
    if holder.alive:
        return _settlement(SEAT_HELD, seat, [task.but(empty_since=0) for task in noticed], noticed)
    limit = return_ms(store, bag)
    overdue = [task for task in noticed if now - task.empty_since >= limit]
    if not overdue:
        # What was noticed at a time that is still to come was so before the clock was put back: it is told anew.
        ahead = [task for task in noticed if task.empty_since > now + CLOCK_SLACK_MS]
        untold = [*ahead, *tasks.unnoticed(bag, name, limit=MOST_AT_ONCE)][:MOST_AT_ONCE]
        empty = {task.n: min(now, max(holder.since or now, task.assigned)) for task in untold}
        overdue = [task for task in untold if now - empty[task.n] >= limit]
        if not overdue:
            told = [task.but(empty_since=empty[task.n]) for task in untold]
            return _settlement(SEAT_EMPTY, seat, told, untold)
    back = [task.but(holder="", state=SUBMITTED, empty_since=0) for task in overdue]
    return _settlement(RETURN, seat, back, overdue)


def _settlement(act: str, seat: Seat, after: list[Task], seen: list[Task]) -> Settlement | None:
    """That of the first task's giver."""
    own = [at for at, task in enumerate(seen) if task.giver == seen[0].giver]
    return Settlement(act, seat, tuple(seen[at] for at in own), tuple(after[at] for at in own)) if own else None


def settlement_text(store: Store, found: Settlement) -> str:
    """The notice that tells the giver, and the seat of which tasks go back."""
    name, limit = found.seat.name, return_ms(store, found.seat.bag)
    listed = "\n".join(f"  {task.n}  {task.title}" for task in found.tasks)
    what = counted(len(found.tasks), "task")
    if found.act == SEAT_HELD:
        return f"Seat {name} is held again, with {what}:\n{listed}"
    since = empty_text(store, found)
    if found.act == SEAT_EMPTY:
        back = clock_text(min(task.empty_since for task in found.after) + limit)
        return (
            f"Seat {name} is empty {since}, with {what}:\n{listed}\n"
            f"Unless somebody sits there again, that goes back at {back}. To let it go elsewhere before: "
            "mailstop task reassign N SEAT"
        )
    where = {True: "into the pool", False: "back to who gave it"}
    places = {where[bool(task.home)] for task in found.after}
    text = f"Seat {name} is empty {since}, so {what} went {' or '.join(sorted(places))}, and that seat is to stop:"
    how = "\nTo let it go on elsewhere: mailstop task reassign N SEAT" if where[False] in places else ""
    return f"{text}\n{listed}{how}"


def empty_text(store: Store, found: Settlement) -> str:
    """Since when a seat is empty; where nobody saw that, when it was found so."""
    since = holder_of(store, found.seat).since
    if since:
        return f"since {clock_text(since)}"
    noticed = min(task.empty_since for task in (*found.tasks, *found.after) if task.empty_since)
    return f"(found so at {clock_text(noticed)})"


def next_look(store: Store, bag: str, name: str, *, now: int) -> int | None:
    """When to look again at a seat that holds tasks; None when it holds none that could go back."""
    tasks, seat = store.index.tasks, store.index.seat(bag, name)
    noticed = tasks.noticed(bag, name, limit=1)
    if noticed:
        back = noticed[0].empty_since + return_ms(store, bag)
        return back if now < back < now + LOOK_MS else now + LOOK_MS
    if seat is None or name == PERSON or not tasks.held(bag, name, only_open=True, limit=1):
        return None
    if holder_of(store, seat).alive is False and not tasks.unnoticed(bag, name, limit=1):
        return None
    return now + LOOK_MS


def look_at(bag: str, name: str, due: int) -> Put:
    """The row of the board by which whoever comes by at `due` looks at a seat."""
    return Put(tasks_key(bag, name), {"bag": bag, "seat": name}, due=due)


def armed(store: Store, after: Task, *, now: int) -> tuple[Put, ...]:
    """The change of the board when a task comes to a seat: somebody will look there, unless somebody does anyway."""
    if not after.holder or after.holder == PERSON:
        return ()
    due = now + (min(return_ms(store, after.bag), LOOK_MS) if after.empty_since else LOOK_MS)
    row = store.board.get(tasks_key(after.bag, after.holder))
    if row and row.due is not None and row.due <= due and not has_passed(row.due, now):
        return ()
    return (look_at(after.bag, after.holder, due),)


def looked(store: Store, bag: str, name: str, *, now: int, anew: bool) -> list[Put | Delete]:
    """The change of the board once somebody has looked at a seat. anew: whether because it was due."""
    due = next_look(store, bag, name, now=now)
    row = store.board.get(tasks_key(bag, name))
    if due is None:
        return [Delete(tasks_key(bag, name))] if row else []
    stays = row and not anew and row.due is not None and not has_passed(row.due, now) and row.due <= due
    return [] if stays else [look_at(bag, name, due)]
