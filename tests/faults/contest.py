"""Contest: processes that claim and release one post, and are killed with SIGKILL at random moments.

Run as a program: `contest.py STORE FOLDER SECONDS SEED`. Each process is a session of its own, which ends with it; its
seat is the next one's. `FOLDER/lives` has a line for each: our id of the session, and when it was killed, in
milliseconds since 1970. When the time is over it prints how many were killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from mailstop.clients.caller import PROGRAM, Caller
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.clients.registry import Registration, bell_name
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import MailstopError, NotLeading, ProjectLed
from mailstop.office import Office
from mailstop.session import Session
from mailstop.times import now_ms

CLAIMANTS = 6
KILLS_A_SECOND = 30
ACTS = 5  # of one process before it opens the store anew, as the next command would
PROJECT = "name:contest"


def register(store: Path, seat: str) -> Caller:
    """A session that lives as long as this process, at the seat of one that has died."""
    token, life = new_token(), my_life()
    caller = Caller(PROGRAM, "program", token, life)
    bell = bell_name("program", token=token)
    found = Session("", "program", token, life.as_dict(), bell, project="contest", project_id=PROJECT)
    with SQLiteStore(str(store)) as opened:
        office = Office(opened, caller)
        session = office.register(found, known=None, automatic=False).session
        office.join(seat)
        return caller.but(registration=Registration("program", token, session.id, opened.url, life, ""))


def live(store: Path, folder: Path, seat: str, seed: int) -> None:
    """The life of one process."""
    chance = random.Random(seed)
    try:
        caller = register(store, seat)
        assert caller.registration is not None
        (folder / f"session-{os.getpid()}").write_text(caller.registration.session)
        while True:
            with SQLiteStore(str(store)) as opened:
                office = Office(opened, caller)
                for _ in range(ACTS):
                    act(office, chance)
    except MailstopError as error:
        (folder / f"error-{os.getpid()}").write_text(f"{seat}: {error!r}")
        os._exit(1)


def act(office: Office, chance: random.Random) -> None:
    """Claim, or give up what was claimed."""
    try:
        if chance.random() < 0.5:
            claimed = office.leaders.claim()
            leads = claimed.post.leads
            assert leads is not None and leads.session == office.session_id
        else:
            office.leaders.release()
    except (ProjectLed, NotLeading):
        return


def main(store: Path, folder: Path, seconds: float, seed: int) -> None:
    chance = random.Random(seed)
    pids: dict[str, int] = {}
    kills = 0

    def start(seat: str) -> None:
        number = chance.randrange(1 << 32)
        pids[seat] = os.fork()
        if not pids[seat]:
            live(store, folder, seat, number)

    def kill(seat: str, lives: list[str]) -> None:
        at = now_ms()
        os.kill(pids[seat], signal.SIGKILL)
        os.waitpid(pids[seat], 0)
        session = folder / f"session-{pids[seat]}"
        if session.exists():
            lives.append(f"{session.read_text()} {at}\n")
            session.unlink()  # the pid may be another's next

    lives: list[str] = []
    seats = [f"claimant-{number}" for number in range(CLAIMANTS)]
    for seat in seats:
        start(seat)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(chance.expovariate(KILLS_A_SECOND))
        seat = chance.choice(seats)
        kill(seat, lives)
        start(seat)
        kills += 1
    for seat in seats:
        kill(seat, lives)
    (folder / "lives").write_text("".join(lives))
    print(kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
