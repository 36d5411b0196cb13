"""Output that cannot be written: a full disk, a closed stream, a reader that went away. What nobody got is unread."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.soundness import everything_new, held_seats, states, stored_bodies
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party

LOST = {"a full disk": ">/dev/full", "a closed stream": ">&-"}
GONE = "| exec true"


def run_into(party: Party, where: str, *words: str, input: str = "") -> CompletedRun:
    """Run a verb with its standard output led somewhere by the shell."""
    return party.call(["sh", "-c", f'"$0" "$@" {where}', MAILSTOP, *words], input=input)


@pytest.mark.parametrize("where", LOST.values(), ids=LOST)
def test_a_check_whose_output_is_lost_leaves_the_letters_unread(
    where: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder, reader = seat("builder"), seat("reader")
    builder.send("reader", "hello")

    for words in (("check",), ("check", "--json")):
        run = run_into(reader, where, *words)
        assert run.code == 6
        assert run.err.startswith("mailstop: The answer could not be written: ")
        assert run.err.count("\n") == 1

    assert states(store, "reader") == {"hello": "stored"}
    assert everything_new(reader) == ["hello"]


def test_a_check_whose_reader_went_away_leaves_the_letters_unread(seat: Callable[[str], Party], store: Path) -> None:
    builder, reader = seat("builder"), seat("reader")
    builder.send("reader", "hello" + " and so on" * 20_000)  # more than a pipe holds

    assert run_into(reader, GONE, "check", "--json", "--max-bytes", "300000").err == ""

    assert list(states(store, "reader").values()) == ["stored"]
    assert len(everything_new(reader)) == 1


@pytest.mark.parametrize("where", LOST.values(), ids=LOST)
def test_a_send_whose_answer_is_lost_is_repeated_with_its_key(
    where: str, seat: Callable[[str], Party], store: Path
) -> None:
    builder = seat("builder")
    words = ("send", "reader", "hello", "--hold", "--key", "k")

    assert run_into(builder, where, *words).code == 6
    assert builder.run(*words).code == 0
    assert stored_bodies(store) == ["hello"]


@pytest.mark.parametrize("where", LOST.values(), ids=LOST)
def test_a_refusal_that_cannot_be_written_keeps_its_exit_code(where: str, seat: Callable[[str], Party]) -> None:
    run = run_into(seat("builder"), where, "send", "nobody", "hello", "--json")
    assert (run.code, run.err) == (3, "")


@pytest.mark.parametrize("where", [*LOST.values(), "<&-"], ids=[*LOST, "no input"])
def test_a_hook_whose_streams_are_lost_ends_well_and_hands_nothing(
    where: str, claude: Callable[[], ClaudeParty], seat: Callable[[str], Party], store: Path
) -> None:
    client = claude()
    client.open("session")
    (name,) = held_seats(store)
    seat("builder").send(name, "hello")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "session", "prompt": "x", "prompt_id": "1"}

    run = run_into(client, where, "hook", input=json.dumps(event))

    assert (run.code, run.out, run.err) == (0, "", "")
    assert states(store, name) == {"hello": "stored"}
    assert "hello" in client.hook("UserPromptSubmit", "session", prompt="x", prompt_id="2").out
