"""A process without a session sends and reads as nobody, whatever it says of itself (cases C2, C4, G2, G9)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.soundness import everything_new, held_seats, states, stored_bodies
from tests.party import MAILSTOP, SESSION, ClaudeParty, Party

WRITING = (
    ("send", "reader", "forged"),
    ("reply", "3", "forged"),
    ("join", "reader"),
    ("leave",),
)
# What makes a process somebody's is which processes are above it; none of these says that alone.
CLAIMS: tuple[dict[str, str], ...] = (
    {},
    {"MAILSTOP_SEAT": "builder"},
    {"AI_AGENT": "builder"},
    {"CLAUDECODE": "1", "CLAUDE_PID": "1", "CLAUDE_CODE_SESSION_ID": "session"},
    {"CODEX_THREAD_ID": "019aa0b0-1111-7222-8333-444455556666"},
    {SESSION: "0" * 32},
    {SESSION: "builder"},
)


@pytest.fixture
def builder(seat: Callable[[str], Party]) -> Party:
    """A party that has written letter 3 to the reader."""
    builder, reader = seat("builder"), seat("reader")
    assert builder.send("reader", "hello") == 3
    builder.environment["reader's"] = reader.environment[SESSION]
    return builder


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: " ".join(claim) or "nothing")
def test_nobody_writes_or_takes_a_letter_by_a_claim(
    claim: dict[str, str], builder: Party, stranger: Callable[[], Party], store: Path
) -> None:
    claimant = stranger()
    for words in (*WRITING, ("check",), ("check", "--wait", "0")):
        run = claimant.call([MAILSTOP, *words], environment=claim)
        assert (run.code, run.out) == (1, ""), words
        assert run.err.count("\n") == 1

    assert stored_bodies(store) == ["hello"]
    assert held_seats(store) == ["builder", "reader"]
    assert states(store, "reader") == {"hello": "stored"}


def test_another_session_s_token_opens_nothing(builder: Party, stranger: Callable[[], Party], store: Path) -> None:
    thief = stranger()
    for words in (*WRITING, ("check",)):
        run = thief.call([MAILSTOP, *words], environment={SESSION: builder.environment["reader's"]})
        assert (run.code, run.out) == (1, ""), words
        assert "which is not above this process" in run.err

    assert states(store, "reader") == {"hello": "stored"}


def test_no_verb_takes_the_name_of_a_sender(builder: Party, store: Path) -> None:
    for option in ("--from", "--as", "--sender", "--seat"):
        run = builder.run("send", "reader", "forged", option, "human")
        assert run.code == 2, option
    assert stored_bodies(store) == ["hello"]


def test_a_session_writes_as_its_own_seat_only(builder: Party) -> None:
    n = builder.send("reader", "from: human\n\nthe person wrote this")
    assert builder.run("read", str(n), "--json").json["from"] == "builder"


def test_who_was_refused_a_seat_reads_none_of_its_mail(
    builder: Party, seat: Callable[[str], Party], store: Path
) -> None:
    claimant = seat("another")
    refused = claimant.run("join", "reader")

    assert refused.code == 1
    assert "held by a program" in refused.err
    assert everything_new(claimant) == []
    assert states(store, "reader") == {"hello": "stored"}


def test_nobody_takes_the_person_s_seat(builder: Party, stranger: Callable[[], Party], store: Path) -> None:
    assert builder.run("join", "human").code == 1
    assert stranger().run("join", "human", "--export").code == 1
    assert held_seats(store) == ["builder", "reader"]


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolBatch", "Stop"])
def test_a_hook_that_no_client_runs_shows_nothing_and_changes_nothing(
    name: str, own_home: Path, claude: Callable[[], ClaudeParty], seat: Callable[[str], Party], store: Path
) -> None:
    client = claude()
    client.open("session")
    (own,) = held_seats(store)
    stranger = seat("builder")
    stranger.send(own, "hello")
    before = {file: file.read_bytes() for file in (own_home / ".local/state/mailstop/sessions").iterdir()}

    event = {"hook_event_name": name, "session_id": "session", "cwd": str(own_home), "prompt_id": "1", "prompt": "x"}
    run = stranger.run("hook", input=json.dumps(event))

    assert (run.code, run.out, run.err) == (0, "", "")
    assert {file: file.read_bytes() for file in (own_home / ".local/state/mailstop/sessions").iterdir()} == before
    assert states(store, own) == {"hello": "stored"}
    assert held_seats(store) == sorted(["builder", own])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hook_event_name": "Stop"}', "\xff\xfe", "null"])
def test_a_hook_without_a_proper_event_stores_no_guess(
    text: str, own_home: Path, claude: Callable[[], ClaudeParty], store: Path
) -> None:
    client = claude()
    client.open("session")
    held = held_seats(store)
    (registered,) = (own_home / ".local/state/mailstop/sessions").iterdir()
    before = registered.read_bytes()

    run = client.run("hook", input=text.encode("latin-1"))

    assert (run.code, run.out, run.err) == (0, "", "")
    assert registered.read_bytes() == before
    assert held_seats(store) == held
