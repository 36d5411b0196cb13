"""kill -9 of whoever works on a task, at every named point and at random moments: no change is half done, none that was
acknowledged is missing, and what the dead one had goes back once (case H8)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.faults import VARIABLE
from mailstop.limits import Limits
from mailstop.names import POSTMASTER
from mailstop.office import Office
from mailstop.task import OPEN, Order, Step
from tests.clients.waiting import wait_for
from tests.faults import holder
from tests.faults.soundness import assert_sound
from tests.party import MAILSTOP, CompletedRun, Party

ROUNDS = int(os.environ.get("MAILSTOP_TASK_KILLS") or 12)
MOST_TIMES = 20
LONGEST_START_S = 30.0
POINTS = (
    *("entry written", "entry folded", "row changed", "before commit", "committed"),
    *("before the bell", "bell rung", "output written", "closed"),
)


# -- at every named point


def number(run: CompletedRun) -> str:
    assert run.code == 0, run.err
    return str(run.json["task"]["n"])


@pytest.mark.parametrize("point", [point for point in POINTS if point != "row changed"])
def test_a_killed_change_of_a_task_is_done_with_its_letter_or_not_at_all(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    lead, builder = seat("lead"), seat("builder")
    for times in range(1, MOST_TIMES):
        n = number(lead.run("task", "give", "builder", f"job {times}", "--json"))

        run = builder.call([MAILSTOP, "task", "complete", n, "done"], environment={VARIABLE: f"{point}:{times}"})

        (task,) = [each for each in lead.run("task", "list", "--json").json["tasks"] if str(each["n"]) == n]
        told = [each for each in lead.run("check", "--json").json["letters"] if str(each["task"]) == n]
        assert len(told) == (1 if task["state"] == "completed" else 0)
        assert task["state"] == "completed" or not run.out
        assert_sound(store)
        if run.code != -signal.SIGKILL:
            assert run.code == 0, run.err
            assert times > 1, f"the command does not come to {point!r}"
            return
        again = builder.run("task", "complete", n, "done")
        assert again.code == (1 if task["state"] == "completed" else 0)
    raise AssertionError(f"the command comes to {point!r} more than {MOST_TIMES} times")


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("to", ["builder", "--pool"])
def test_a_killed_giving_is_repeated_with_its_key_and_given_once(
    point: str, to: str, seat: Callable[[str], Party], store: Path
) -> None:
    lead, builder = seat("lead"), seat("builder")
    if to == "--pool" and point in ("before the bell", "bell rung", "row changed"):
        return  # nobody is told, and nobody will have to look
    for times in range(1, MOST_TIMES):
        words = ["task", "give", to, f"job {times}", "--key", f"key {times}", "--json"]

        run = lead.call([MAILSTOP, *words], environment={VARIABLE: f"{point}:{times}"})
        n = number(lead.run(*words))

        listed = lead.run("task", "list", "--limit", "100", "--json").json["tasks"]
        assert [str(each["n"]) for each in listed if each["title"] == f"job {times}"] == [n]
        letters = builder.run("check", "--json").json["letters"]
        assert len([each for each in letters if str(each["task"]) == n]) == (to == "builder")
        assert_sound(store)
        if run.code != -signal.SIGKILL:
            assert (run.code, times > 1) == (0, True), run.err
            return
    raise AssertionError(f"the command comes to {point!r} more than {MOST_TIMES} times")


# -- at random moments


class Shop:
    """A lead that gives work, and one holder at a time that is killed while it works."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.path, self.journal = folder / "mail.db", folder / "journal"
        self.chance = random.Random(seed)
        self.ahead_ms = 0
        self.store = SQLiteStore(str(self.path))
        self.lead = holder.office_of(self.store, "lead")
        self.lead.clock = lambda: int(time.time() * 1000) + self.ahead_ms

    def one_is_killed(self) -> None:
        """Somebody sits down, works, and is killed at some moment."""
        known = len(self.noted())
        argv = [sys.executable, "-m", holder.__name__, str(self.path), str(self.journal), str(self.ahead_ms)]
        process = subprocess.Popen(argv, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2])
        wait_for("it works", lambda: len(self.noted()) > known or process.poll() is not None, LONGEST_START_S)
        try:
            process.wait(self.chance.uniform(0, 0.3))
        except subprocess.TimeoutExpired:
            process.kill()
        else:
            raise AssertionError(process.communicate()[1].decode())
        process.communicate()

    def noted(self) -> list[str]:
        return self.journal.read_text().splitlines() if self.journal.exists() else []

    def numbers(self) -> list[int]:
        return [task.n for task in self.lead.tasks.listed(limit=10_000).tasks]

    def steps(self, n: int) -> list[Step]:
        return list(self.lead.tasks.account(n, steps=10_000).steps)


@pytest.mark.timeout(300)
def test_what_a_killed_holder_had_goes_back_once_and_no_change_is_half_done(tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    shop = Shop(tmp_path, seed)
    with shop.store:
        for at in range(ROUNDS):
            for to in ("builder", "", ""):
                if at == 0 and to:  # nobody has sat there yet
                    continue
                shop.lead.tasks.give(Order(to, f"job {at}", "all of it"))
            shop.one_is_killed()
            before = {n: len(shop.steps(n)) for n in shop.numbers()}
            had = [n for n in before if shop.lead.tasks.account(n).task.holder == "builder"]
            had = [n for n in had if shop.lead.tasks.account(n).task.state in OPEN]
            shop.ahead_ms += Limits().task_return_ms + 1_000
            goes_back_once(shop.lead, had)
            for n in shop.numbers():
                task = shop.lead.tasks.account(n).task
                if task.state in OPEN and not task.holder and not task.home:
                    shop.lead.tasks.reassign(n, "builder")
        acknowledged(shop)
        each_step_has_its_letter(shop)
    assert_sound(shop.path)


def goes_back_once(lead: Office, had: list[int]) -> None:
    """What the dead one had is in nobody's hands, whoever looks how often."""
    for _ in range(3):
        for n in had:
            account = lead.tasks.account(n, steps=10_000)
            assert account.task.holder == ""
            acts = [step.act for step in account.steps]
            last = max(at for at, act in enumerate(acts) if act in ("give", "take", "reassign"))
            assert acts[last:].count("return") == 1


def acknowledged(shop: Shop) -> None:
    """Each change that the holders were told of is in the history, in their order."""
    noted = Counter(line for line in shop.noted() if line != "seated")
    assert sum(noted.values()) > ROUNDS, "nobody did any work"
    done = Counter(f"{n} {step.act}" for n in shop.numbers() for step in shop.steps(n) if step.seat == "builder")
    assert noted <= done
    assert sum((done - noted).values()) <= ROUNDS  # at most the one change that each was killed in


def each_step_has_its_letter(shop: Shop) -> None:
    """Whatever was done to a task has told its other side, once, and nothing goes on after an end."""
    told = []
    for n in shop.numbers():
        steps = shop.steps(n)
        for before, after in pairwise(steps):
            assert before.state in OPEN
            assert before.act != after.act or after.act != "return"
        for step in steps:
            assert step.letter or (step.act in ("give", "reassign") and not step.holder)
            if step.letter and step.seat != POSTMASTER:
                told.append(step.letter)
    entries = shop.store.ledger.after(0, limit=100_000)
    letters = [entry.n for entry in entries if entry.type == "letter" and entry.data["from"] != POSTMASTER]
    assert sorted(told) == letters
