"""`mailstop join`, by real processes: one session, one store, and options that count or are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.party import MAILSTOP, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


@pytest.fixture
def other(tmp_path: Path) -> str:
    """The path of another store."""
    return str(tmp_path / "other.db")


def test_a_client_that_joins_in_another_store_leaves_the_first_one_and_says_so(
    seat: SeatAt, claude: ClaudeParty, other: str
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")

    joined = claude.run("join", "reviewer", "--store", other)

    assert joined.code == 0
    assert "; this session has left the store " in joined.out
    assert joined.out.endswith(", where its mail waits at reviewer\n")
    (there,) = [each for each in builder.run("who", "--all", "--json").json["seats"] if each["seat"] == "reviewer"]
    assert there["state"] == "empty"
    here = claude.run("status", "--json").json
    assert (here["store"], [each["seat"] for each in here["seats"]]) == (f"sqlite:///{other}", ["reviewer"])


def test_a_client_that_comes_back_to_the_first_store_lives_there_again(
    seat: SeatAt, claude: ClaudeParty, other: str
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    first = claude.run("status", "--json").json["store"]
    claude.run("join", "reviewer", "--store", other)

    back = claude.run("join", "reviewer", "--store", first)

    assert back.code == 0
    (there,) = [each for each in builder.run("who", "--json").json["seats"] if each["seat"] == "reviewer"]
    assert there["state"] == "live"
    builder.send("reviewer", "welcome back")
    assert "welcome back" in claude.run("check").out


def test_a_join_that_is_refused_in_another_store_moves_nobody(seat: SeatAt, claude: ClaudeParty, other: str) -> None:
    seat("reviewer", "--store", other)
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "worker")

    assert claude.run("join", "reviewer", "--store", other).code == 1

    (there,) = [each for each in builder.run("who", "--json").json["seats"] if each["seat"] == "worker"]
    assert there["state"] == "live"
    assert [each["seat"] for each in claude.run("status", "--json").json["seats"]] == ["worker"]


def test_a_program_that_has_a_session_is_told_the_command_that_seats_this_one(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer", "--bag", "side")

    elsewhere = builder.run("send", "reviewer", "hello", "--bag", "side")
    builder.run("leave")
    left = builder.run("send", "reviewer", "hello")

    assert elsewhere.err.endswith("Take one first: mailstop join NAME --bag side\n")
    assert left.err.endswith("sit down again: mailstop join NAME\n")


def test_a_program_without_a_session_is_told_the_command_that_makes_one(stranger: Party, seat: SeatAt) -> None:
    seat("reviewer")

    assert stranger.run("send", "reviewer", "hello").err.endswith('eval "$(mailstop join NAME --export)"\n')


@pytest.mark.parametrize("words", [["--pid", "1"], ["--background"], ["--export", "--background"]])
def test_an_option_that_would_count_for_nothing_is_refused(seat: SeatAt, claude: ClaudeParty, words: list[str]) -> None:
    builder = seat("builder")
    claude.open(SESSION)

    assert builder.run("join", "second", *words).code == 2
    assert claude.run("join", "second", *words).code == 2


def test_the_person_is_told_that_their_seat_is_not_left(person: Person) -> None:
    run = person.run("leave")

    assert (run.code, run.err.split(":")[1]) == (1, " `human` is the person's own seat in every bag")


def test_from_a_folder_that_is_gone_a_join_is_refused_in_a_sentence(stranger: Party) -> None:
    gone = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', MAILSTOP]

    run = stranger.call([*gone, "join", "builder", "--export"])
    relative = stranger.call([*gone, "who", "--store", "relative.db"])

    assert (run.code, run.err.count("\n"), "the folder this runs in is gone" in run.err) == (2, 1, True)
    assert (relative.code, relative.err.count("\n")) == (5, 1)
    assert "The store relative.db cannot be used" in relative.err
