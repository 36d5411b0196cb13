"""Storm: many processes write and read at one store, and are killed with SIGKILL at random moments.

Run as a program: `storm.py STORE FOLDER SECONDS SEED`. Each process notes in a journal of its own what it was told:
a writer the number of each letter that was acknowledged, and how long that took; a reader the letters that it is about
to say it has written out. When the time is over it prints how many processes were killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mailstop.clients.caller import PERSON, PROGRAM, Caller
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.clients.registry import Registration, bell_name
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import MailstopError, Uncertain
from mailstop.letter import Draft
from mailstop.limits import LARGEST
from mailstop.office import Office
from mailstop.rules.offers import Terms
from mailstop.rules.proofs import CALL, Event
from mailstop.session import Session

WRITERS, READERS = 16, 2
ACTS = 20  # of one process before it opens the store anew, as the next command would
KILLS_A_SECOND = 40


def seated(store: Path, seat: str) -> Caller:
    """A program session that sits at a seat, and lives as long as this process."""
    token, life = new_token(), my_life()
    caller = Caller(PROGRAM, "program", token, life)
    found = Session("", "program", token, life.as_dict(), bell_name("program", token=token))
    with SQLiteStore(str(store)) as opened:
        office = Office(opened, caller)
        session = office.register(found, known=None, automatic=False).session
        office.join(seat)
        return caller.but(registration=Registration("program", token, session.id, opened.url, life, ""))


def lift_limits(store: Path) -> None:
    """Let each writer write as fast as it can, as the person may."""
    with SQLiteStore(str(store)) as opened:
        Office(opened, Caller(PERSON)).budgets.set_limits(hops=LARGEST, rate=LARGEST)


class Journal:
    """What one seat's processes have noted, one after the other."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.lines = path.read_text().splitlines()

    def note(self, line: str) -> None:
        """Add a line. What was written outlives its process."""
        os.write(self._file, f"{line}\n".encode())


def write(office: Office, journal: Journal, number: int) -> None:
    """Send the writer's letter of that number until it is acknowledged."""
    seat = office.seats()[0].name
    reader = f"reader-{number % READERS}"
    draft = Draft((reader,), f"{seat} {number}", key=str(number))
    began = time.monotonic()
    while True:
        try:
            sent = office.send(draft)
        except Uncertain:
            continue
        journal.note(f"{number} {sent.letter.n} {time.monotonic() - began:.3f}")
        return


def read(office: Office, journal: Journal, number: int) -> None:
    """Check, as a program does: this call proves what the one before it was given."""
    office.prove(Event(CALL, name="its next call"))
    offer = office.offer(Terms("mailstop check"))
    for letter in offer.letters:
        journal.note(f"{letter.n} {letter.body}")
    office.handed(offer)


def live(store: Path, folder: Path, caller: Caller, seat: str, act: Callable[[Office, Journal, int], None]) -> None:
    """The life of one process: it goes on where the last one of its seat was killed."""
    journal = Journal(folder / seat)
    first = int(journal.lines[-1].split()[0]) + 1 if journal.lines else 1
    try:
        while True:
            with SQLiteStore(str(store)) as opened:
                office = Office(opened, caller)
                for number in range(first, first + ACTS):
                    act(office, journal, number)
            first += ACTS
    except MailstopError as error:
        Journal(folder / "errors").note(f"{seat}: {error!r}")
        os._exit(1)


def main(store: Path, folder: Path, seconds: float, seed: int) -> None:
    chance = random.Random(seed)
    acts = {f"writer-{number}": write for number in range(WRITERS)}
    acts |= {f"reader-{number}": read for number in range(READERS)}
    callers = {seat: seated(store, seat) for seat in acts}
    lift_limits(store)
    pids: dict[str, int] = {}

    def start(seat: str) -> None:
        pids[seat] = os.fork()
        if not pids[seat]:
            live(store, folder, callers[seat], seat, acts[seat])

    def kill(seat: str) -> None:
        os.kill(pids[seat], signal.SIGKILL)
        os.waitpid(pids[seat], 0)

    for seat in acts:
        start(seat)
    end, kills = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(chance.expovariate(KILLS_A_SECOND))
        seat = chance.choice(list(acts))
        kill(seat)
        start(seat)
        kills += 1
    for seat in acts:
        kill(seat)
    print(kills)
    drain(store, folder, {seat: caller for seat, caller in callers.items() if acts[seat] is read})


def drain(store: Path, folder: Path, readers: dict[str, Caller]) -> None:
    """Let the readers read the rest, undisturbed."""
    for seat, caller in readers.items():
        journal = Journal(folder / seat)
        with SQLiteStore(str(store)) as opened:
            office = Office(opened, caller)
            while opened.index.count_unread("default", seat):
                read(office, journal, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
