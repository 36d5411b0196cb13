"""Settlements: what becomes of tasks whose seat is empty, or is held again.

Guards: those of each change of a task (rules/tasks), and seats.<bag>.<seat> of the seat that is empty, or held again,
so that nobody has sat down or stood up there meanwhile.

A seat is empty when its holder is provably dead or left it; unknown is not dead. The givers of its tasks are told once,
and after `return_ms` a task goes back: to the pool it was taken from, or to its giver. Whoever looks at a task settles
what is overdue first; the row of the board by which somebody looks in time is here too.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry
from mailstop.engines.row import Delete, Put
from mailstop.letter import new_id
from mailstop.names import PERSON, POSTMASTER
from mailstop.records import Record
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import has_passed
from mailstop.rules.tasks import RETURN, standing, task_subject
from mailstop.seat import Seat, tasks_key
from mailstop.task import SUBMITTED, Task
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store

LOOK_MS = 10 * 60_000  # between two looks at a seat that holds tasks and lives; less than routes.LONGEST_DEADLINE_MS
CLOCK_SLACK_MS = 60_000  # what another process noted a moment ago may lie ahead of a look that began before
MOST_AT_ONCE = 50  # tasks of one giver that one notice tells of

SEAT_EMPTY, SEAT_HELD = "seat-empty", "seat-held"


class Settlement(Record):
    """What is to be done about tasks of one giver at one seat, because it is empty or is held again."""

    act: str
    seat: Seat
    tasks: tuple[Task, ...]
    after: tuple[Task, ...]


def settlement_entries(found: Settlement, *, letter_id: str, now: int) -> tuple[Entry, ...]:
    """The entries of a settlement. The notice that tells of it is not what an answer refers to."""
    kind = "task_returned" if found.act == RETURN else "task_seat"
    entries = []
    for seen, after in zip(found.tasks, found.after, strict=True):
        data = {**standing(found.act, after, POSTMASTER, letter_id), "letter": seen.letter}
        data |= {"from": seen.state, "epoch": seen.epoch, "left": seen.holder}
        entries.append(Entry(task_subject(seen.bag, seen.id), kind, seen.bag, new_id(), now, data))
    return tuple(entries)


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
        goes, them = ("it goes", "it") if len(found.tasks) == 1 else ("they go", "one")
        return (
            f"Seat {name} is empty {since}, with {what}:\n{listed}\n"
            f"Unless somebody sits there again, {goes} back at {back}. To let {them} go elsewhere before: "
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
