"""Tasks: who may give, move, take, return and reassign them. What becomes of those whose seat is empty: settlements.

Guards of each change: tasks.<bag>.<task id> at the number that was seen, 0 for a new one, so that of fifty claimants
one wins and no change is made to a task that is elsewhere by now; the seat of whoever acts (`tenure.guard`), so that a
session which lost its seat changes nothing. The letter that tells of a change is in the same append.

Where a task is, is its *epoch*: the number of the entry by which it came there. It belongs to a seat, not to a session:
whoever sits there next goes on with it. A seat that it was taken from may not move it any more.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry, subject
from mailstop.errors import (
    InvalidField,
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
from mailstop.rules.pools import refuse_unknown
from mailstop.rules.presence import holder_of
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.tenure import Writer
    from mailstop.task import Order

GIVE, TAKE, RETURN, REASSIGN, CANCEL, ANSWER = "give", "take", "return", "reassign", "cancel", "answer"
ACCEPT, PROGRESS, NEED_INPUT, COMPLETE, FAIL, REJECT = "accept", "progress", "need-input", "complete", "fail", "reject"

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
        **standing(GIVE, task, writer.name, letter_id),
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
        **standing(change.act, change.after, writer.name, letter_id),
        "from": seen.state,
        "epoch": seen.epoch,
        **_actor(writer),
    }
    if artifacts:
        data["artifacts"] = list(artifacts)
    kind = _ENTRY.get(change.act, "task_moved")
    return Entry(task_subject(seen.bag, seen.id), kind, seen.bag, new_id(), now, data, text or None)


def standing(act: str, after: Task, seat: str, letter_id: str) -> dict[str, Any]:
    """What an entry says of where a task is from then on. letter_id: of the letter that tells of it; empty: nobody is
    told."""
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


def checked_text(task: Task, act: str, text: str) -> None:
    """Raise InvalidField where an act on a task needs words and has none."""
    if act == NEED_INPUT and not text.strip():
        command = f"mailstop task {act} {task.n} TEXT"
        raise InvalidField(field="the text", reason=f"to say what is needed ({command}) it may not be empty")


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
    if not to:
        refuse_unknown(store, task.bag, task.project_id, task.project)
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
