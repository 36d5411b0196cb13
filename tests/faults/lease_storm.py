"""Lease storm: many sessions take one lease in turn, and are killed with SIGKILL at random moments.

Run as a program: `lease_storm.py STORE FOLDER SECONDS SEED`. Who has the lease tries a lock of the kernel's that only
another holder can have, and notes its term in one journal that all share. Prints how many sessions were killed.
"""

from __future__ import annotations

import fcntl
import os
import random
import signal
import sys
import time
from pathlib import Path

from mailstop.clients.project import place_of
from mailstop.clients.resources import Reader
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import LeaseStillTaken, MailstopError
from mailstop.office import Office
from mailstop.rules.held import MINE
from mailstop.rules.leases import Wish
from tests.faults.storm import Journal, seated

SESSIONS = 8
KILLS_A_SECOND = 15
WAIT_S = 5.0
WORK_S = 0.01  # long enough for others to come in between


def live(store: Path, folder: Path, seat: str) -> None:
    """The life of one session: it takes, works and lets go, until it is killed."""
    try:
        caller = seated(store, seat)
        resource = Reader(str(folder), lambda: place_of(str(folder))).read("name:critical")
        while True:
            with SQLiteStore(str(store)) as opened:
                office = Office(opened, caller)
                try:
                    took = office.leases.take(Wish((resource,)), wait_s=WAIT_S)
                except LeaseStillTaken:
                    continue
                work(folder, took.term)
                (verdict,) = office.leases.check([resource], term=took.term)
                if verdict.state != MINE:
                    Journal(folder / "errors").note(f"term {took.term}: taken away")
                office.leases.release(None)
    except MailstopError as error:
        Journal(folder / "errors").note(f"{seat}: {error!r}")
        os._exit(1)


def work(folder: Path, term: int) -> None:
    """What only one may do at a time."""
    lock = os.open(folder / "critical", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        Journal(folder / "terms").note(str(term))
        time.sleep(WORK_S)
    except BlockingIOError:
        Journal(folder / "errors").note(f"term {term}: another is at work")
    finally:
        os.close(lock)


def main(store: Path, folder: Path, seconds: float, seed: int) -> None:
    chance = random.Random(seed)
    seats = [f"worker-{number}" for number in range(SESSIONS)]
    pids: dict[str, int] = {}

    def start(seat: str) -> None:
        pids[seat] = os.fork()
        if not pids[seat]:
            live(store, folder, seat)

    def kill(seat: str) -> None:
        os.kill(pids[seat], signal.SIGKILL)
        os.waitpid(pids[seat], 0)

    SQLiteStore(str(store)).close()
    for seat in seats:
        start(seat)
    end, kills = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(chance.expovariate(KILLS_A_SECOND))
        seat = chance.choice(seats)
        kill(seat)
        start(seat)
        kills += 1
    for seat in seats:
        kill(seat)
    print(kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
