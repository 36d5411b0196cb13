"""Holder: a process that sits at seat `builder` and works on whatever tasks lie there, until it is killed.

Run as a program: `holder.py STORE JOURNAL OFFSET_MS`. It notes each change of a task that was acknowledged: its number
and the act. OFFSET_MS: how far its clock is ahead.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from mailstop.clients.caller import PROGRAM, Caller
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.clients.registry import Registration, bell_name
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.office import Office
from mailstop.session import Session
from mailstop.times import now_ms
from tests.faults.storm import Journal

SEAT = "builder"
AFTER = {
    "submitted": ("accept", "progress", "need-input", "complete", "return"),
    "working": ("progress", "need-input", "complete", "fail", "return"),
    "input-required": ("progress", "complete"),
}


def office_of(store: SQLiteStore, seat: str, offset_ms: int = 0) -> Office:
    """The office of a session of this process, which sits at that seat."""
    token, life = new_token(), my_life()
    caller = Caller(PROGRAM, "program", token, life)
    found = Session("", "program", token, life.as_dict(), bell_name("program", token=token), project_id="/srv/app")
    office = Office(store, caller, clock=lambda: now_ms() + offset_ms)
    session = office.register(found, known=None, automatic=False).session
    office.join(seat)
    office.caller = caller.but(registration=Registration("program", token, session.id, store.url, life, ""))
    return office


def main(path: Path, journal: Journal, offset_ms: int) -> None:
    with SQLiteStore(str(path)) as store:
        office = office_of(store, SEAT, offset_ms)
        journal.note("seated")
        while True:
            mine = office.store.index.tasks.held("default", SEAT, only_open=True, limit=20)
            if not mine:
                taken = office.tasks.take(random.choice(waiting(office))) if waiting(office) else None
                if taken:
                    journal.note(f"{taken.task.n} take")
                continue
            task = random.choice(mine)
            act = random.choice(AFTER[task.state])
            if act == "return":
                office.tasks.give_back(task.n, "not mine")
            else:
                office.tasks.move(task.n, act, "because")
            journal.note(f"{task.n} {act}")


def waiting(office: Office) -> list[int]:
    """What lies in the pool."""
    return [task.n for task in office.store.index.tasks.pool("default", None, limit=20)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Journal(Path(sys.argv[2])), int(sys.argv[3]))
