"""`task list` and `task take` in process, among few and among many tasks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator

from benchmarks.durable_send import office_of
from benchmarks.ground import Ground
from benchmarks.measure import Comparison, compare
from mailstop.acts.tasks import ALL, GIVEN, MINE, POOL
from mailstop.engines.sqlite.rebuild import fold_row
from mailstop.office import Office
from mailstop.task import Order

FEW = 10
SHOWN = 5  # of a list, so that both sides show as much


def fill(ground: Ground, tasks: int, project_id: str) -> None:
    """Add tasks the quick way: a quarter each with seat `me`, in the pool, completed by `me`, and with `other`."""
    with sqlite3.connect(ground.store, isolation_level=None) as store:
        ((last,),) = store.execute("SELECT max(n) FROM entries").fetchall()
        store.execute("BEGIN")
        for n in range(last + 1, last + 1 + tasks):
            holder, state = (("me", "working"), ("", "submitted"), ("me", "completed"), ("other", "submitted"))[n % 4]
            data = {
                **{"task": f"task {n}", "act": "give", "seat": "lead", "state": state, "holder": holder, "letter": ""},
                **{"home": "" if holder else project_id, "title": f"job {n}", "priority": n % 5, "project": "bench"},
            }
            subject = f"tasks.default.task=20{n}"
            row = (n, f"{n:032x}", n, "default", subject, "task_given", json.dumps(data), "x" * 300)
            store.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            assert fold_row(store, row)
        store.execute("COMMIT")
    store.close()


def look(office: Office, which: str) -> None:
    listing = office.tasks.listed(which, limit=SHOWN if which in (ALL, GIVEN) else 2)
    assert len(listing.tasks) >= 2


def take_one(office: Office) -> None:
    """Put one into the pool that is more urgent than all that lies there, and take it."""
    given = office.tasks.give(Order("", "next", priority=0)).task
    assert office.tasks.take(given.n).task.holder == "me"


def comparisons(tasks: int) -> Iterator[Comparison]:
    with Ground() as few, Ground() as many:
        offices = []
        for ground, count in ((few, FEW), (many, tasks)):
            ground.join("lead")
            ground.join("other")
            office = office_of(ground.join("me"), str(ground.home))
            assert office.session
            fill(ground, count, office.session.project_id)
            offices.append(office)
        acts: dict[str, Callable[[Office], None]] = {
            **{f"task list, {which}": lambda office, which=which: look(office, which) for which in (ALL, MINE, POOL)},  # type: ignore[misc]
            "task give --pool and take": take_one,
        }
        for name, act in acts.items():
            yield compare(
                f"{name}, {tasks:,} tasks against {FEW}",
                lambda act=act: act(offices[0]),  # type: ignore[misc]
                lambda act=act: act(offices[1]),  # type: ignore[misc]
                budget=1.5,
                rounds=201,
            )
        for office in offices:
            office.store.close()
