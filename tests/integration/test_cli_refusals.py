"""What the command line refuses, in which words and with which exit code; nothing ends in a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.cli import entry
from mailstop.letter import LARGEST_BODY
from tests.party import MAILSTOP, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
ESCAPE = "\x1b]0;owned\x07"


# -- wrong usage


@pytest.mark.parametrize(
    "words",
    [["--bag"], ["--store"], ["--json"], ["--bag", "side"], ["send", "b, ", "hello"], ["send", ",b", "hello"]],
)
def test_what_names_no_verb_or_no_seat_is_wrong_usage(seat: SeatAt, words: list[str]) -> None:
    run = seat("builder").run(*words)

    assert (run.code, (run.out + run.err).count("\n")) == (2, 1)


@pytest.mark.parametrize("verb", [("version",), ("demo",), ("doctor",)])
def test_a_bag_is_refused_where_it_would_count_for_nothing(stranger: Party, verb: tuple[str]) -> None:
    assert stranger.run(*verb, "--bag", "side").code == 2
    assert stranger.run("--bag", "side", *verb).code == 2
    assert "--bag" not in stranger.run(*verb, "--help").out


def test_a_store_is_refused_where_none_is_opened(stranger: Party) -> None:
    for verb in ("version", "demo"):
        assert stranger.run(verb, "--store", "/tmp/x.db").code == 2


def test_a_letter_is_not_looked_for_in_a_bag_that_it_is_not_in(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")
    n = str(builder.send("reviewer", "hello"))
    builder.run("join", "aside", "--bag", "side")

    for words in (("reply", n, "again"), ("read", n), ("status", n), ("read", "--thread", n)):
        run = builder.run(*words, "--bag", "side")
        assert (run.code, run.out) == (3, ""), words
        assert f"Letter {n} is in bag default, not in bag side" in run.err, words
        assert builder.run("read", n, "--bag", "default").code == 0
    assert builder.run("status", "--bag", "side").code == 2


@pytest.mark.parametrize("verb", [("send", "reviewer"), ("reply", "3")])
def test_an_empty_kind_is_no_kind(seat: SeatAt, verb: tuple[str, ...]) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = reviewer.send("builder", "hello")

    run = builder.run(*verb[:-1], "reviewer" if verb[0] == "send" else str(n), "hello", "--kind", "")

    assert run.code == 1
    assert "'' is no kind" in run.err


@pytest.mark.parametrize("name", ["leader", "BAD", "no such", ""])
def test_a_name_that_no_letter_can_wait_for_is_refused_without_advice_to_let_it_wait(seat: SeatAt, name: str) -> None:
    builder = seat("builder")

    for words in ([], ["--hold"]):
        run = builder.run("send", name, "hello", *words)
        assert run.code in (2, 3)
        assert "--hold" not in run.err
    assert "--hold" in builder.run("send", "nobody", "hello").err


def test_of_a_body_that_was_not_read_to_its_end_no_exact_size_is_told(seat: SeatAt) -> None:
    run = seat("builder").run("send", "human", "-", input=b"x" * (LARGEST_BODY + 500))

    assert (run.code, f"has more than {LARGEST_BODY} bytes" in run.err) == (1, True)


@pytest.mark.parametrize("words", ["send human -", "send human --body-file -", "reply 1 --body-file -"])
def test_a_closed_standard_input_is_wrong_usage(seat: SeatAt, words: str) -> None:
    run = seat("builder").call(["sh", "-c", f'"$0" {words} <&-', MAILSTOP])

    assert (run.code, run.err.count("\n"), "standard input is closed" in run.err) == (2, 1, True)


# -- a fault of our own


@pytest.mark.parametrize(("words", "code"), [(["send", "human", "hello"], 6), (["who"], 5)])
def test_a_fault_of_mailstops_own_is_one_sentence_that_names_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path, words: list[str], code: int
) -> None:
    def fails(*_words: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(entry, "_run", fails)

    assert entry.main(words) == code

    told = capsys.readouterr().err
    log = own_home / ".local" / "state" / "mailstop" / "log"
    assert (told.count("\n"), "RuntimeError: no such luck" in told, str(log) in told) == (1, True, True)
    assert ("not known" in told) == (code == 6)
    assert "RuntimeError: no such luck" in log.read_text()


# -- hooks


def test_on_windows_verbs_are_refused_and_hooks_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    assert entry.main(["who"]) == 2
    assert entry.main(["hook"]) == 0


def test_a_hook_ends_well_though_its_output_is_lost(claude: ClaudeParty) -> None:
    claude.open(SESSION)
    event = f'{{"hook_event_name": "SessionStart", "session_id": "{SESSION}", "source": "clear", "cwd": "/"}}'

    run = claude.call(["sh", "-c", '"$0" hook > /dev/full', MAILSTOP], input=event)

    assert (run.code, run.err) == (0, "")


def test_a_hook_explains_itself(stranger: Party) -> None:
    run = stranger.run("hook", "--help")

    assert (run.code, "standard input" in run.out) == (0, True)


# -- what others chose


def test_nothing_that_acts_on_a_terminal_comes_out_of_a_refusal(seat: SeatAt, stranger: Party) -> None:
    builder = seat("builder")
    odd = builder.home / f"a{ESCAPE}b\nc"
    odd.mkdir()
    token = builder.run("join", "reviewer", "--export", cwd=odd).out.partition("=")[2].strip()

    for form in ([], ["--json"]):
        run = stranger.run("join", "reviewer", "--export", *form)
        assert run.code == 1
        assert "␛]0;owned␇" in run.out + run.err
        assert ESCAPE not in run.out + run.err
        assert token[:8] not in run.out + run.err
        assert (run.out + run.err).count("\n") == 1


# -- help, and what waits


def test_help_tells_the_exit_codes_and_shows_bodies_the_way_they_work(stranger: Party) -> None:
    for words in (("--help",), ("send", "--help"), ("reply", "--help")):
        told = stranger.run(*words).out
        assert " - <<'MAIL'" in told, words
        assert "--body-file" in told, words
        assert "  6  not known whether it was stored" in told, words
    assert "seconds" in stranger.run("check", "--help").out


def test_at_a_terminal_a_refusal_and_a_verb_without_a_store_end_with_what_waits(seat: SeatAt, person: Person) -> None:
    seat("builder").send("human", "please decide")

    for words in (("send", "nobody", "hello"), ("version",), ("leave",)):
        assert person.run(*words, terminal=True).lines[-1] == "1 letter waits for you: mailstop check", words
