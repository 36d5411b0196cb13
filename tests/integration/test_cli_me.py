"""`mailstop me`, by real processes: what others see of a session, and what it says of its work."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
OBJECTIVE = 'make *.md survive "empty" files; it\'s [x]'


def repository(folder: Path, branch: str) -> Path:
    """A repository with one commit, whose default branch is that one."""
    folder.mkdir()
    for words in (
        ["init", "-q", "-b", branch],
        ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "first"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"})
    return folder


def test_me_shows_a_sessions_seat_client_place_and_work(claude: ClaudeParty) -> None:
    folder = repository(claude.home / "shop", "trunk")
    claude.open(SESSION, cwd=str(folder))

    told = claude.run("me")

    assert told.lines[:5] == [
        "this session: Claude Code 01a227bc, seat shop",
        "project: shop, branch trunk (the default one)",
        f"worktree: {folder}",
        "objective: - (mailstop me --objective TEXT)",
        "status: active",
    ]
    assert told.lines[5].startswith("what wakes it: nothing: look now and then with mailstop check")


def test_me_says_what_the_session_works_on_to_itself_and_to_others(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    said = builder.run("me", "--objective", OBJECTIVE, "--status", "blocked")

    assert said.code == 0
    assert f"objective: {OBJECTIVE}" in said.lines
    assert "status: blocked" in said.lines
    told = {each["seat"]: each for each in reviewer.run("who", "--json").json["seats"]}
    assert (told["builder"]["objective"], told["builder"]["status"]) == (OBJECTIVE, "blocked")
    assert (told["reviewer"]["objective"], told["reviewer"]["status"]) == (None, "active")
    assert builder.run("me", "--status", "blocked").lines[-1] == "nothing is new in that"


def test_me_tells_machines_all_of_it(seat: SeatAt) -> None:
    builder = seat("builder")

    told = builder.run("me", "--status", "done", "--json").json

    (own,) = told["seats"]
    assert (told["who"], own["seat"], own["bag"]) == ("program", "builder", "default")
    session = told["session"]
    assert (session["client"], session["status"], session["alive"]) == ("program", "done", True)
    assert session["client_session"] is None  # which is the token by which the program is known
    assert (session["project"], session["worktree"], session["turn"]) == (
        builder.home.name,
        str(builder.home),
        None,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--objective", "two\nlines"),
        ("--objective", "to the \u202eleft"),
        ("--objective", "x" * 4096),
        ("--status", "asleep"),
    ],
    ids=lambda words: ascii(words[1][:12]),
)
def test_what_no_line_can_hold_is_refused_with_the_rule(seat: SeatAt, words: tuple[str, str]) -> None:
    builder = seat("builder")

    refused = builder.run("me", *words)

    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("mailstop: Refused because of the ")
    assert "status: active" in builder.run("me").lines


def test_the_person_and_who_has_not_joined_have_no_session(seat: SeatAt, stranger: Party, person: Person) -> None:
    seat("builder")

    assert person.run("me", terminal=True).lines[0].startswith("you are the person, seat human in every bag")
    assert person.run("me", "--status", "done", terminal=True).code == 1
    for words in (("me",), ("me", "--status", "done")):
        refused = stranger.run(*words)
        assert refused.code == 1
        assert "mailstop join NAME --export" in refused.err


def test_me_is_of_all_bags(seat: SeatAt) -> None:
    builder = seat("builder")
    builder.join("critic", "--bag", "side")

    assert builder.run("me").lines[0] == "this session: a program, seat builder and seat critic in bag side"
    assert builder.run("me", "--bag", "side").code == 2
