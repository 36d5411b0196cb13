"""`mailstop check`, by real processes: what it gives within its bytes, and what it records of that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.config import DELIVERY_BYTES
from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


def state(party: Party, n: int) -> str:
    """The furthest state that is proved of a letter to one seat."""
    found: str = party.run("status", str(n), "--json").json["recipients"][0]["state"]
    return found


# -- within its bytes


@pytest.mark.parametrize("wait", [[], ["--wait", "30"]])
def test_letters_too_long_to_be_given_are_counted_and_not_denied(seat: SeatAt, wait: list[str]) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    for number in range(4):
        builder.send("reviewer", f"letter {number}")

    run = reviewer.run("check", "--max-bytes", "1", *wait)

    assert (run.code, run.lines) == (
        0,
        ["mailstop: 4 letters wait, and nothing of the oldest fits into 1 byte: mailstop check --max-bytes 8000"],
    )
    assert reviewer.run("check", "--max-bytes", "1", "--json", *wait).json["more"] == 4


def test_json_keeps_within_the_bytes_of_a_delivery_and_says_how_many_more_wait(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    numbers = [builder.send("reviewer", "x" * 3_000) for _ in range(5)]
    given: list[int] = []

    for left in (3, 1, 0):
        run = reviewer.run("check", "--json")
        assert len(run.raw) <= DELIVERY_BYTES
        assert run.json["more"] == left
        given += [letter["n"] for letter in run.json["letters"]]

    assert given == numbers


def test_a_letter_too_long_for_json_is_named_with_the_command_that_prints_it(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.send("reviewer", "x" * 200_000)

    run = reviewer.run("check", "--json")

    (letter,) = run.json["letters"]
    assert (letter["n"], letter["body"], letter["left_out"]) == (n, None, f"mailstop read {n} --json")
    reviewer.run("who")
    assert state(builder, n) == "shown in part"
    assert reviewer.run("read", str(n), "--json").json["body"] == "x" * 200_000


def test_a_letter_that_json_holds_whole_is_shown_whole_though_its_text_would_be_cut(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.send("reviewer", "\x01" * 1_200)  # three bytes a character in a text, six in JSON

    assert reviewer.run("check", "--json").json["letters"][0]["body"] == "\x01" * 1_200
    reviewer.run("who")
    assert state(builder, n) == "shown"


# -- of whom


def test_who_asks_for_letters_of_a_seat_that_is_not_there_is_told_so(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "hello")

    run = reviewer.run("check", "--from", "bilder")

    assert (run.code, run.out) == (3, "")
    assert run.err == "mailstop: There is no seat 'bilder' (nearest: builder).\n"
    assert reviewer.run("check", "--from", "builder").code == 0
    assert reviewer.run("check", "--from", "human").out == "no new letters\n"


# -- what is recorded


def test_what_the_person_has_printed_elsewhere_than_on_their_terminal_is_not_shown(
    seat: SeatAt, person: Person
) -> None:
    builder = seat("builder")
    n = builder.send("human", "please decide")

    for _ in range(2):
        assert "please decide" in person.run("check").out
    told = builder.run("status", str(n), "--json").json["recipients"][0]["receipts"]
    assert [receipt["state"] for receipt in told] == ["stored", "handed"]

    assert "please decide" in person.run("check", terminal=True).out
    assert state(builder, n) == "shown"


# -- in another store


def test_the_command_that_answers_names_the_store_where_it_has_to(seat: SeatAt, tmp_path: Path) -> None:
    store = str(tmp_path / "an other.db")
    builder, reviewer = seat("builder", "--store", store), seat("reviewer", "--store", store)
    builder.environment["MAILSTOP_STORE"] = store
    n = builder.send("reviewer", "hello")
    long = builder.send("reviewer", "x" * 20_000)
    reviewer.environment["MAILSTOP_STORE"] = str(tmp_path / "mine.db")
    option = f"--store 'sqlite:///{store}'"

    first = reviewer.run("check", "--store", store).out
    second = reviewer.run("check", "--store", store).out

    assert f"\nmailstop reply {n} {option} - <<'MAIL_" in first
    assert f"1 more letter waits: mailstop check {option}" in first
    assert f"All of it: mailstop read {long} {option}\n" in second
    for words in (("read", str(long)), ("read", "--last", "1")):
        shown = reviewer.run(*words, "--store", store).out
        assert shown.count(option) >= 1, words


def test_where_the_store_is_the_callers_own_no_command_names_it(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    builder.send("reviewer", "hello")

    assert "--store" not in reviewer.run("check").out


# -- what a final letter asks


def test_a_final_letter_needs_no_action_and_is_owed_no_reply(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    builder.send("reviewer", "done, no answer please", "--final", "--needs-reply", "--kind", "question")

    assert claude.run("check", "--peek", "--json").json["action_needed"] == []
    claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1")
    claude.hook("PreToolUse", SESSION, prompt_id="p1")
    claude.hook("Stop", SESSION, prompt_id="p1")
    started = json.loads(claude.hook("SessionStart", SESSION, source="clear").out)
    assert "still due" not in started["hookSpecificOutput"]["additionalContext"]


def test_a_letter_that_was_written_to_another_names_its_reader_and_asks_for_nothing(seat: SeatAt) -> None:
    builder, bystander = seat("builder"), seat("bystander")
    reviewer = seat("reviewer")
    n = builder.send("reviewer", "please look", "--needs-reply")

    told = bystander.run("read", str(n)).out

    assert ", to reviewer." in told
    assert "A reply is needed" not in told
    assert "mailstop reply" not in told
    assert "A reply is needed" in reviewer.run("read", str(n)).out
