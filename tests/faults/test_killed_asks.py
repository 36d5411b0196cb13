"""kill -9 of whoever asks, answers or withdraws: at every named point, and while it waits.

After each death nobody is kept by a wait that is over, the question is kept, and its asker still gets the answer.
"""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mailstop.faults import VARIABLE
from tests.clients.waiting import wait_for
from tests.faults.soundness import assert_sound, stored_bodies
from tests.party import MAILSTOP, CompletedRun, Party

MOST_TIMES = 20  # no command comes to a point more often

WRITING = ("before the gate", "behind the gate", "begun", "before commit", "committed", "before closing", "closed")
APPENDING = ("entry written", "entry folded", "row changed", *WRITING)
ASKING = ("before the bell", "bell rung", "question stored", "wait over", "output written", *APPENDING)
RESUMING = ("wait over", "letters handed out", "output written", "recorded as handed", *APPENDING[2:])

SeatAt = Callable[[str], Party]


def killed(point: str, command: Callable[[dict[str, str]], CompletedRun]) -> Iterator[CompletedRun]:
    """Let the command be killed at each of its arrivals at a point; give what it did until then."""
    for times in range(1, MOST_TIMES):
        run = command({VARIABLE: f"{point}:{times}"})
        if run.code != -signal.SIGKILL:
            assert times > 1, f"the command does not come to {point!r}"
            return
        yield run
    raise AssertionError(f"the command comes to {point!r} more than {MOST_TIMES} times")


def assert_nobody_is_kept(reviewer: Party, store: Path) -> None:
    """Who was asked may ask back, and then no wait is left."""
    assert reviewer.run("ask", "builder", "And I?", "--wait", "0.01").code == 4
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("SELECT * FROM board WHERE key = 'waits'").fetchall() == []


@pytest.mark.parametrize("point", ASKING)
def test_a_killed_ask_keeps_nobody_and_its_question_is_asked_once_and_answered(
    point: str, seat: SeatAt, store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    asked: list[list[str]] = []

    def ask(environment: dict[str, str]) -> CompletedRun:
        body = f"question {len(asked)}"
        asked.append(["ask", "reviewer", body, "--key", body, "--json"])
        return builder.call([MAILSTOP, *asked[-1], "--wait", "0.01"], environment=environment)

    for run in killed(point, ask):
        known = stored_bodies(store)
        assert_nobody_is_kept(reviewer, store)
        if run.out:
            assert asked[-1][2] in known
        again = builder.run(*asked[-1], "--wait", "0")
        assert again.code == 4, again.err
        n = again.json["n"]
        assert stored_bodies(store).count(asked[-1][2]) == 1

        assert reviewer.run("answer", str(n), "yes").code == 0
        assert builder.run("ask", "--resume", str(n), "--json").json["answer"]["body"] == "yes"
        assert_sound(store)


@pytest.mark.parametrize("point", RESUMING)
def test_the_answer_that_a_killed_ask_did_not_print_is_given_to_the_next(point: str, seat: SeatAt, store: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    def resume(environment: dict[str, str]) -> CompletedRun:
        n = builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"]
        words = ["ask", "--resume", str(n), "--wait", "0.01", "--json"]
        if point != "wait over" and not environment[VARIABLE].startswith("row"):
            assert reviewer.run("answer", str(n), "yes").code == 0
        questions.append(n)
        return builder.call([MAILSTOP, *words], environment=environment)

    questions: list[int] = []
    for run in killed(point, resume):
        assert_nobody_is_kept(reviewer, store)
        reviewer.run("answer", str(questions[-1]), "yes")
        again = builder.run("ask", "--resume", str(questions[-1]), "--json")
        assert (again.code, again.json["state"]) == (0, "answered")
        assert again.json["answer"]["body"] == "yes" or run.json["answer"]["body"] == "yes"
        assert_sound(store)


def test_a_kill_while_it_waits_keeps_nobody_and_the_answer_is_there_for_the_next(seat: SeatAt, store: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    for round_ in range(3):
        ask = builder.start("ask", "reviewer", f"question {round_}")

        def waiting() -> list[int]:
            return [each["n"] for each in reviewer.run("asks", "--json").json["questions"] if each["waits"]]

        (n,) = wait_for("the ask waits", waiting)
        assert reviewer.run("ask", "builder", "And I?").code == 1

        assert ask.kill() == -signal.SIGKILL

        assert_nobody_is_kept(reviewer, store)
        assert reviewer.run("answer", str(n), f"answer {round_}").code == 0
        assert f"answer {round_}" in builder.run("ask", "--resume", str(n)).out
        assert_sound(store)


@pytest.mark.parametrize("point", APPENDING[:2] + WRITING)
def test_a_killed_answer_is_repeated_with_its_key_and_counts_once(point: str, seat: SeatAt, store: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    numbers: list[int] = []

    def answer(environment: dict[str, str]) -> CompletedRun:
        numbers.append(builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"])
        words = ["answer", str(numbers[-1]), "yes", "--key", str(numbers[-1])]
        return reviewer.call([MAILSTOP, *words], environment=environment)

    for _ in killed(point, answer):
        n = str(numbers[-1])
        assert reviewer.run("answer", n, "yes", "--key", n).code == 0
        assert reviewer.run("answer", n, "no").code == 1
        assert builder.run("ask", "--resume", n, "--json").json["answer"]["body"] == "yes"
        assert_sound(store)


@pytest.mark.parametrize("point", ["entry written", "before commit", "committed"])
@pytest.mark.parametrize("seen", [False, True])
def test_a_killed_withdrawal_has_happened_whole_or_not_at_all(
    point: str, seen: bool, seat: SeatAt, store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    numbers: list[int] = []

    def cancel(environment: dict[str, str]) -> CompletedRun:
        numbers.append(builder.run("ask", "reviewer", "May I?", "--wait", "0", "--json").json["n"])
        if seen:
            assert reviewer.run("check").code == 0
        return builder.call([MAILSTOP, "cancel", str(numbers[-1])], environment=environment)

    for _ in killed(point, cancel):
        n = str(numbers[-1])
        open_still = [each["n"] for each in builder.run("asks", "--json").json["questions"]]
        told = [each["body"] for each in reviewer.run("check", "--json").json["letters"] if each["kind"] == "fyi"]
        assert bool(told) == (seen and numbers[-1] not in open_still)
        assert reviewer.run("answer", n, "yes").code == (0 if numbers[-1] in open_still else 1)
        assert_sound(store)
