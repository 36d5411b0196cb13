"""kill -9 of who takes, renews or lets go of a lease, and of who holds one, between any two steps.

MAILSTOP_SOAK_S: for how many seconds sessions are killed at random moments, 6 when it is not set.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.faults import VARIABLE
from mailstop.session import WAITING
from tests.clients.waiting import wait_for
from tests.faults import lease_storm
from tests.faults.soundness import assert_sound
from tests.faults.test_crash_points import killed
from tests.party import MAILSTOP, CompletedRun, Party

SOAK_S = float(os.environ.get("MAILSTOP_SOAK_S") or 6)
POINTS = ("entry written", "entry folded", "before the gate", "begun", "before commit", "committed", "before closing")
RELEASING = ("lease let go", "waiting rung", "before commit", "committed", "row changed")


def held(party: Party) -> list[tuple[str, str]]:
    """What is taken, and by whom."""
    run = party.run("lease", "list", "--json")
    assert run.code == 0, run.err
    leases: list[dict[str, Any]] = run.json["leases"]
    return sorted((each["resource"], each["seat"]) for each in leases)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_taker_has_taken_all_or_nothing_and_repeats_it(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    words = ["lease", "take", "name:x", "name:y"]

    def take(environment: dict[str, str]) -> CompletedRun:
        assert builder.run("lease", "release", "--all").code == 0
        return builder.call([MAILSTOP, *words], environment=environment)

    for _ in killed(point, take):
        assert held(reviewer) in ([], [("name:x", "builder"), ("name:y", "builder")])
        assert builder.run(*words).code == 0
        assert held(reviewer) == [("name:x", "builder"), ("name:y", "builder")]
        assert reviewer.run("lease", "take", "name:x").code == 1
        assert_sound(store)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_release_has_let_go_of_all_or_of_nothing(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    def release(environment: dict[str, str]) -> CompletedRun:
        reviewer.run("lease", "release", "--all")
        assert builder.run("lease", "take", "name:x", "name:y").code == 0
        return builder.call([MAILSTOP, "lease", "release", "--all"], environment=environment)

    for _ in killed(point, release):
        assert held(reviewer) in ([], [("name:x", "builder"), ("name:y", "builder")])
        assert builder.run("lease", "release", "--all").code == 0
        assert reviewer.run("lease", "take", "name:x", "name:y").code == 0
        assert_sound(store)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_renewal_leaves_the_lease_as_it_was_or_renewed(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder = seat("builder")
    assert builder.run("lease", "take", "name:x").code == 0

    for _ in killed(point, lambda env: builder.call([MAILSTOP, "lease", "renew", "--all"], environment=env)):
        assert held(builder) == [("name:x", "builder")]
        assert builder.run("lease", "renew", "--all").code == 0
        assert_sound(store)


@pytest.mark.parametrize("point", POINTS)
def test_who_is_killed_while_it_takes_over_from_the_dead_has_it_or_leaves_it_free(
    point: str, seat: Callable[[str], Party], stranger: Callable[[], Party], store: Path
) -> None:
    reviewer, looker, terms = seat("reviewer"), stranger(), [0]

    def take_over(environment: dict[str, str]) -> CompletedRun:
        reviewer.run("lease", "release", "--all")
        with stranger() as builder:
            builder.join("builder")
            assert builder.run("lease", "take", "name:x").code == 0
        return reviewer.call([MAILSTOP, "lease", "take", "name:x", "--json"], environment=environment)

    for _ in killed(point, take_over):
        assert held(looker) in ([], [("name:x", "reviewer")])
        taken = reviewer.run("lease", "take", "name:x", "--json")
        assert taken.code == 0
        terms.append(taken.json["leases"][0]["term"])
        assert terms == sorted(set(terms))
        assert_sound(store)


@pytest.mark.parametrize("point", RELEASING)
def test_who_waits_gets_what_a_killed_release_has_let_go(point: str, seat: Callable[[str], Party], store: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    def release(environment: dict[str, str]) -> CompletedRun:
        reviewer.run("lease", "release", "--all")
        assert builder.run("lease", "take", "name:x").code == 0
        waiting = reviewer.start("lease", "take", "name:x", "--wait", "40")
        wait_for("it waits", lambda: anybody_waits(store))
        run = builder.call([MAILSTOP, "lease", "release", "--all"], environment=environment)
        if run.code:
            assert builder.run("lease", "release", "--all").code == 0  # whoever comes by does what is due
        assert waiting.wait() == 0
        return run

    for _ in killed(point, release):
        assert held(builder) == [("name:x", "reviewer")]
        assert not anybody_waits(store)
        assert_sound(store)


def anybody_waits(store: Path) -> bool:
    with SQLiteStore(str(store)) as opened:
        return bool(opened.board.under(WAITING))


@pytest.mark.parametrize("point", POINTS)
def test_who_is_killed_with_a_lease_leaves_it_free(
    point: str, seat: Callable[[str], Party], stranger: Callable[[], Party]
) -> None:
    reviewer = seat("reviewer")
    with stranger() as builder:
        builder.join("builder")
        assert builder.run("lease", "take", "name:x").code == 0
        renewed = builder.call([MAILSTOP, "lease", "renew", "--all"], environment={VARIABLE: point})
        assert renewed.code == -signal.SIGKILL
        assert reviewer.run("lease", "take", "name:x").code == 1  # only its command died, not the session

    assert reviewer.run("lease", "take", "name:x").code == 0


@pytest.mark.timeout(SOAK_S * 4 + 120)
def test_of_sessions_killed_at_random_no_two_ever_have_one_lease(tmp_path: Path) -> None:
    store, folder, seed = tmp_path / "mail.db", tmp_path / "journals", random.randrange(1 << 32)
    folder.mkdir()
    command = [sys.executable, lease_storm.__file__, str(store), str(folder), str(SOAK_S), str(seed)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    stormed = subprocess.run(command, capture_output=True, text=True, env=environment)

    assert (stormed.returncode, stormed.stderr) == (0, ""), f"seed {seed}"
    assert not (folder / "errors").exists(), (folder / "errors").read_text()
    terms = [int(line) for line in (folder / "terms").read_text().splitlines()]
    assert int(stormed.stdout) > SOAK_S
    assert len(terms) > SOAK_S
    assert terms == sorted(set(terms)), f"seed {seed}"
    assert_sound(store)
