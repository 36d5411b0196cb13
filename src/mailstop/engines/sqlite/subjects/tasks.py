"""Tasks in the index: what their entries change, and the queries of `tasks.sql`."""

from __future__ import annotations

from mailstop.engines.entry import subject
from mailstop.engines.sqlite.statements import named, sql_file
from mailstop.errors import StoreDamaged
from mailstop.json_text import loads
from mailstop.task import OPEN, Step, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.engines.sqlite.index import Tables

_QUERY = named(sql_file("subjects/tasks.sql"))
_LAST = 1 << 62  # behind every number
_STEP = 48  # bits of a place that a number has; the priority stands before them
_OVER = 7 << _STEP  # tasks that are over have their places below this, and above all that are open
_FIRST_OVER = 6 << _STEP


def fold(sqlite: sqlite3.Connection, entry: Entry) -> None:
    """Bring the tables up to one entry about a task. Each entry says where the task is from then on."""
    if entry.type == "task_given":
        _given(sqlite, entry)
    else:
        _changed(sqlite, entry)
    if "told" not in entry.data:
        sqlite.execute("INSERT INTO untold VALUES (?, ?, ?)", (entry.bag, entry.data["seat"], entry.n))


def _given(sqlite: sqlite3.Connection, entry: Entry) -> None:
    data, n = entry.data, entry.n
    now = _standing(data)
    place = _place(data["priority"], n, now["is_open"])
    sqlite.execute(
        "INSERT OR IGNORE INTO tasks VALUES (:n, :bag, :id, :giver, :priority, :letter, :holder, :home, :state, :n, "
        ":at, :at, :giver, :empty_since, :n, :is_open, :pooled, :place)",
        {
            **now,
            "n": n,
            "bag": entry.bag,
            "id": data["task"],
            "giver": data["seat"],
            "priority": data["priority"],
            "at": entry.at,
            "place": place,
        },
    )


def _changed(sqlite: sqlite3.Connection, entry: Entry) -> None:
    data = entry.data
    now = _standing(data)
    found = sqlite.execute(
        "SELECT n, priority, holder FROM tasks WHERE bag = ? AND id = ?", (entry.bag, data["task"])
    ).fetchall()
    for n, priority, holder in found:
        if not now["is_open"] or holder != now["holder"]:
            seat = holder if now["is_open"] else ""
            sqlite.execute(_QUERY["forgiven"], {"seat": seat, "subject": entry.subject, "n": entry.n})
        values = {
            **now,
            "n": n,
            "place": _place(priority, n, now["is_open"]),
            "last": entry.n,
            "at": entry.at,
            "mover": data["seat"],
            "comes": entry.type in ("task_taken", "task_returned", "task_reassigned"),
        }
        sqlite.execute(
            "UPDATE tasks SET since = CASE WHEN :comes OR state <> :state THEN :at ELSE since END, "
            "mover = CASE WHEN :comes OR state <> :state THEN :mover ELSE mover END, "
            "epoch = CASE WHEN :comes THEN :last ELSE epoch END, "
            "assigned = CASE WHEN :comes THEN :at ELSE assigned END, "
            "letter = :letter, holder = :holder, home = :home, state = :state, empty_since = :empty_since, "
            "last = :last, is_open = :is_open, pooled = :pooled, place = :place WHERE n = :n",
            values,
        )


def _standing(data: dict[str, Any]) -> dict[str, Any]:
    """Where a task is after an entry."""
    state, holder, home = data["state"], data["holder"], data["home"]
    return {
        "state": state,
        "holder": holder,
        "home": home,
        "letter": data["letter"],
        "empty_since": data.get("empty_since", 0),
        "is_open": state in OPEN,
        "pooled": state in OPEN and not holder and bool(home),
    }


def _place(priority: int, n: int, is_open: bool) -> int:
    return (priority << _STEP) + n if is_open else _OVER - n


class SQLiteTasks:
    """What an index answers about tasks."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def task(self, n: int) -> Task | None:
        return next(iter(self._tasks("task", n=min(n, _LAST))), None)

    def with_id(self, bag: str, task_id: str) -> Task | None:
        return next(iter(self._tasks("with_id", bag=bag, id=task_id)), None)

    def number(self, bag: str, task_id: str) -> int:
        rows = self._rows("number", bag=bag, id=task_id)
        return int(rows[0][0]) if rows else 0

    def nearest(self, n: int) -> list[int]:
        found = [*self._rows("before", n=min(n, _LAST)), *self._rows("behind", n=min(n, _LAST))]
        return [number for (number,) in found if number is not None]

    def listed(self, bag: str, *, only_open: bool = False, limit: int) -> list[Task]:
        return self._tasks("listed", bag=bag, until=_until(only_open), limit=limit)

    def held(self, bag: str, seat: str, *, only_open: bool = False, limit: int) -> list[Task]:
        return self._tasks("held", bag=bag, seat=seat, until=_until(only_open), limit=limit)

    def given(self, bag: str, seat: str, *, only_open: bool = False, limit: int) -> list[Task]:
        return self._tasks("given", bag=bag, seat=seat, until=_until(only_open), limit=limit)

    def pool(self, bag: str, project_id: str | None, *, limit: int) -> list[Task]:
        if project_id is None:
            return self._tasks("pools", bag=bag, limit=limit)
        return self._tasks("pool", bag=bag, home=project_id, limit=limit)

    def holders(self, bag: str) -> list[str]:
        return [holder for (holder,) in self._rows("holders", bag=bag)]

    def unnoticed(self, bag: str, seat: str, *, limit: int) -> list[Task]:
        return self._tasks("unnoticed", bag=bag, seat=seat, limit=limit)

    def noticed(self, bag: str, seat: str, *, limit: int) -> list[Task]:
        return self._tasks("noticed", bag=bag, seat=seat, limit=limit)

    def steps(self, task: Task, *, before: int | None = None, limit: int) -> list[Step]:
        on = subject("tasks", task.bag, task.id)
        rows = self._rows("steps", subject=on, before=min(before or _LAST, _LAST), limit=limit)
        return [_step(row, self._tables.path) for row in reversed(rows)]

    def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._tables.rows(_QUERY[query], values)

    def _tasks(self, query: str, **values: Any) -> list[Task]:
        return [_task(row, self._tables.path) for row in self._rows(query, **values)]


def _until(only_open: bool) -> int:
    return _FIRST_OVER if only_open else _LAST


def _task(row: tuple[Any, ...], path: str) -> Task:
    """The task of a row: the columns of the table, then id, time, data and body of the entry that gave it."""
    n, bag, task_id, giver, priority, letter, holder, home, state, epoch, assigned, since, mover, *rest = row
    empty_since, last, _is_open, _pooled, _place, _entry, at, text, detail = rest
    try:
        data = loads(text)
        return Task(
            n=n,
            id=task_id,
            bag=bag,
            at=at,
            giver=giver,
            title=data["title"],
            priority=priority,
            artifacts=tuple(data.get("artifacts", ())),
            issue=data.get("issue", ""),
            project=data.get("project", ""),
            project_id=data.get("project_id", ""),
            letter=letter,
            holder=holder,
            home=home,
            state=state,
            epoch=epoch,
            assigned=assigned,
            since=since,
            mover=mover,
            empty_since=empty_since,
            last=last,
            detail=detail or "",
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreDamaged(path=path, reason=f"entry {n} gave no task: {error}") from None


def _step(row: tuple[Any, ...], path: str) -> Step:
    n, at, text, body, letter = row
    try:
        data = loads(text)
        artifacts = tuple(data.get("artifacts", ()))
        return Step(n, at, data["act"], data["seat"], data["state"], data["holder"], body or "", artifacts, letter or 0)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreDamaged(path=path, reason=f"entry {n} is no step of a task: {error}") from None
