"""kill -9 while the lead of a project changes: who leads, what #leader was told, and who sits where go together."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.letter import Letter
from tests.faults import contest
from tests.faults.soundness import assert_sound, held_seats
from tests.faults.test_crash_points import APPENDING, killed
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party

SOAK_S = float(os.environ.get("MAILSTOP_SOAK_S") or 8)
POINTS = (*APPENDING, "row changed")
# Claims and releases change no row of the board.
CHANGING = tuple(point for point in POINTS if point != "row changed")


def leader(store: Path) -> str | None:
    """The seat that leads, as the index has it; None while nobody does."""
    with SQLiteStore(str(store)) as opened:
        told = opened.index.leaders.all()
    return (told[0].seat or None) if told else None


def changes(store: Path) -> tuple[list[str], list[int]]:
    """The entries about leading, oldest first, each with the number of the letter that told of it."""
    with SQLiteStore(str(store)) as opened:
        entries = [entry for entry in opened.ledger.after(0, limit=1_000_000) if entry.type in ("led", "unled")]
        letters = [opened.index.letter(entry.n + 1) for entry in entries]
    assert all(isinstance(letter, Letter) and letter.channel == "leader" for letter in letters)
    return [entry.type for entry in entries], [entry.n for entry in entries]


@pytest.mark.parametrize("point", CHANGING)
def test_a_killed_claim_has_made_a_leader_that_everyone_was_told_of_or_nothing(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    def claim(environment: dict[str, str]) -> CompletedRun:
        reviewer.run("lead", "release")
        builder.run("lead", "release")
        return builder.call([MAILSTOP, "lead", "claim"], environment=environment)

    for run in killed(point, claim):
        by = leader(store)
        assert by in (None, "builder")
        if run.out:  # acknowledged
            assert by == "builder"
        next_one = reviewer.run("lead", "claim")
        assert next_one.code == (1 if by else 0)
        changes(store)
        assert_sound(store)


@pytest.mark.parametrize("point", CHANGING)
def test_a_killed_release_has_ended_the_term_or_nothing(point: str, seat: Callable[[str], Party], store: Path) -> None:
    builder = seat("builder")

    def release(environment: dict[str, str]) -> CompletedRun:
        assert builder.run("lead", "claim").code == 0
        return builder.call([MAILSTOP, "lead", "release"], environment=environment)

    for run in killed(point, release):
        assert leader(store) in ([None] if run.out else [None, "builder"])
        changes(store)
        assert_sound(store)


@pytest.mark.parametrize("point", CHANGING)
def test_a_leader_killed_as_it_leaves_sits_and_leads_or_does_neither(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder = seat("builder")

    def leave(environment: dict[str, str]) -> CompletedRun:
        builder.join("builder")
        assert builder.run("lead", "claim").code == 0
        return builder.call([MAILSTOP, "leave"], environment=environment)

    for _ in killed(point, leave):
        seated = "builder" in held_seats(store)
        assert leader(store) == ("builder" if seated else None)
        changes(store)
        assert_sound(store)


@pytest.mark.parametrize("point", CHANGING)
def test_a_leader_killed_as_it_takes_another_seat_leads_from_the_one_it_has(
    point: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder = seat("builder")
    seats = ["builder", "boss"]

    def move(environment: dict[str, str]) -> CompletedRun:
        assert builder.run("lead", "claim").code == 0
        (here,) = held_seats(store)
        return builder.call([MAILSTOP, "join", seats[1 - seats.index(here)]], environment=environment)

    for _ in killed(point, move):
        assert held_seats(store) == [leader(store)]
        changes(store)
        assert_sound(store)


@pytest.mark.parametrize("point", POINTS)
def test_a_session_killed_as_it_ends_leads_on_or_has_ended_and_leads_no_more(
    point: str, claude: Callable[[], ClaudeParty], seat: Callable[[str], Party], store: Path
) -> None:
    other, leading = seat("other"), claude()

    def end(environment: dict[str, str]) -> CompletedRun:
        leading.open("session")
        leading.run("join", "boss")
        assert leading.run("lead", "claim").code == 0
        event = f'{{"hook_event_name": "SessionEnd", "session_id": "session", "cwd": "{leading.home}"}}'
        return leading.call([MAILSTOP, "hook"], input=event, environment=environment)

    for _ in killed(point, end):
        with SQLiteStore(str(store)) as opened:
            (told,) = opened.index.leaders.all()
            ended = any(row.value.get("ended") for row in opened.board.under("session/"))
        assert told.seat == ("" if ended else "boss")
        assert other.run("lead", "--json").json["vacant"] is ended
        changes(store)
        assert_sound(store)


@pytest.mark.timeout(SOAK_S * 4 + 120)
def test_leaders_killed_at_random_moments_are_followed_by_one_at_a_time(tmp_path: Path) -> None:
    store, folder, seed = tmp_path / "mail.db", tmp_path / "lives", random.randrange(1 << 32)
    folder.mkdir()

    command = [sys.executable, contest.__file__, str(store), str(folder), str(SOAK_S), str(seed)]
    contested = subprocess.run(command, capture_output=True, text=True)

    assert (contested.returncode, contested.stderr) == (0, ""), f"seed {seed}"
    assert list(folder.glob("error-*")) == [], [file.read_text() for file in folder.glob("error-*")]
    assert int(contested.stdout) > SOAK_S
    killed_at = {line.split()[0]: int(line.split()[1]) for line in (folder / "lives").read_text().splitlines()}
    assert_one_at_a_time(store, killed_at)
    types, numbers = changes(store)
    assert types.count("led") > SOAK_S
    assert numbers == sorted(set(numbers))
    assert_sound(store)


def assert_one_at_a_time(store: Path, killed_at: dict[str, int]) -> None:
    """Nobody begins to lead while another does who has neither given up, nor left its seat to another, nor been killed
    by then."""
    with closing(SQLiteStore(str(store))) as opened:
        entries = opened.ledger.after(0, limit=1_000_000)
    leading: tuple[str, str] | None = None
    for entry in entries:
        if entry.type == "taken" and leading and entry.data["seat"] == leading[1]:
            leading = None  # which only a dead one's can be
        if entry.type == "unled":
            assert leading == (entry.data["session"], entry.data["seat"])
            leading = None
        if entry.type == "led":
            if leading:
                assert killed_at[leading[0]] <= entry.at, entry
            leading = entry.data["session"], entry.data["seat"]
