"""What commands print and refuse, as postbag's checklist asks.

tests/checklists/postbag.py says which line asks for what.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import mailstop
from mailstop.cli.entry import VERBS
from mailstop.letter import LARGEST_BODY
from tests.party import MAILSTOP, SESSION, ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
CLAUDE_SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
SHOWING = (("read",), ("who", "--all"), ("bags",), ("bags", "--resume"), ("status",), ("check", "--peek"))


def newest(party: Party) -> int:
    """How many letters the default bag holds."""
    bags = party.run("bags", "--json").json["bags"]
    return next((bag["letters"] for bag in bags if bag["bag"] == "default"), 0)


# -- a letter's way in


def test_a_letter_through_standard_input_comes_back_as_it_was_and_its_receipt_is_one_line(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    body = "first\nEOF\nMAIL\n=== end ===\n\n"

    sent = builder.run("send", "reviewer", "-", input=body)

    (letter,) = reviewer.run("check", "--json").json["letters"]
    assert letter["body"] == body
    assert sent.lines[0] == f"letter {letter['n']} stored, {len(body)} bytes"


def test_a_final_letter_is_named_so_to_its_writer_and_to_its_reader(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")

    sent = builder.run("send", "reviewer", "done", "--final")

    assert sent.lines[0].endswith("bytes, final")
    assert reviewer.run("check", "--peek", "--json").json["letters"][0]["final"] is True
    told = reviewer.run("check").out
    assert "This letter is final: send no reply" in told
    assert "mailstop reply" not in told


@pytest.mark.parametrize("words", [["--final=maybe"], ["--final", "maybe"], ["--needs-reply=1"]])
def test_whether_a_letter_is_final_is_yes_or_no_and_nothing_else(seat: SeatAt, words: list[str]) -> None:
    builder = seat("builder")
    seat("reviewer")

    assert builder.run("send", "reviewer", "done", *words).code == 2
    assert newest(builder) == 0


@pytest.mark.parametrize(
    "body",
    [b"\xff", b"caf\xe9", b"\xed\xa0\x80", b"a\0b", b"", b" \n", b"x" * (LARGEST_BODY + 1)],
    ids=["no UTF-8", "Latin-1", "surrogate", "NUL", "empty", "blank", "too long"],
)
def test_what_is_no_body_is_refused_in_one_line_that_speaks_of_nothing_else(seat: SeatAt, body: bytes) -> None:
    builder = seat("builder")
    seat("reviewer")

    run = builder.run("send", "reviewer", "-", input=body)

    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("mailstop: The body ")
    assert run.err.count("\n") == 1
    assert "join" not in run.err
    assert newest(builder) == 0


def test_what_is_no_unicode_text_is_refused_as_an_argument_too(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")

    run = builder.call(["sh", "-c", '"$0" send reviewer "$(printf "\\377")"', MAILSTOP])

    assert (run.code, run.err.count("\n")) == (1, 1)
    assert newest(builder) == 0


def test_what_send_says_to_machines_is_numbers_and_states_and_never_the_body(
    seat: SeatAt, person: Person, claude: ClaudeParty
) -> None:
    builder = seat("builder")
    seat("left").run("leave")
    claude.open(CLAUDE_SESSION)
    claude.run("join", "client")
    seat("program")

    for sender, to in ((builder, "program"), (builder, "left"), (builder, "client,human"), (person, "builder")):
        run = sender.run("send", to, "do not repeat this", "--json")
        assert set(run.json) == {"n", "id", "ref", "recipients", "hops", "budget"}
        assert [each["seat"] for each in run.json["recipients"]] == to.split(",")
        assert all(set(each) == {"seat", "state", "way", "detail"} for each in run.json["recipients"])
        assert "do not repeat this" not in run.out


# -- what is never shown


def test_nothing_that_is_printed_names_a_door_or_lets_another_act_as_the_session(
    seat: SeatAt, claude: ClaudeParty, person: Person
) -> None:
    builder = seat("builder")
    claude.environment |= {
        "CLAUDE_CODE_MESSAGING_SOCKET": f"{claude.home}/a-door",
        "CLAUDE_CODE_MESSAGING_TOKEN": "5ecre7",
    }
    claude.open(CLAUDE_SESSION)
    claude.run("join", "client")
    n = str(builder.send("client", "hello"))
    secrets = (f"{claude.home}/a-door", "5ecre7", builder.environment[SESSION])

    for words in (*SHOWING, ("status", n), ("read", n), ("join", "builder"), ("leave",)):
        for form in ([], ["--json"]):
            for party in (builder, claude, person):
                run = party.run(*words, *form)
                assert not [secret for secret in secrets if secret in run.out + run.err], (words, form)


def test_the_list_of_bags_shows_nothing_of_what_was_written(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")
    builder.send("reviewer", "only for you", "--kind", "a-kind")

    for words in (("bags",), ("bags", "--json"), ("bags", "--resume"), ("who",), ("who", "--json")):
        run = builder.run(*words)
        assert "only for you" not in run.out, words
        assert "a-kind" not in run.out, words


def test_nothing_that_acts_on_a_terminal_comes_out_of_a_folders_name(
    seat: SeatAt, person: Person, claude: ClaudeParty
) -> None:
    folder = claude.home / "red\x1b[31m\u202eevil\x07"
    folder.mkdir()
    claude.open(CLAUDE_SESSION, cwd=str(folder))
    seat("builder")

    for words in SHOWING:
        for terminal in (False, True):
            shown = person.run(*words, terminal=terminal).out
            assert not {"\x1b", "\u202e", "\x07"} & set(shown), words


# -- times


def times(value: Any) -> Iterator[str]:
    """All times that a JSON value tells."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("at", "since") and isinstance(each, str):
                yield each
            else:
                yield from times(each)
    elif isinstance(value, list):
        for each in value:
            yield from times(each)


def test_each_time_that_machines_are_told_says_its_offset_from_utc(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = str(builder.send("reviewer", "hello"))
    reviewer.run("check")

    for words in (("read",), ("read", n), ("status", n), ("bags",), ("who",), ("check", "--peek")):
        found = list(times(reviewer.run(*words, "--json").json))
        assert found or words == ("check", "--peek"), words
        assert all(datetime.fromisoformat(each).utcoffset() is not None for each in found), words


# -- pipes and terminals


@pytest.mark.parametrize(
    "words", [["read"], ["read", "--json"], ["check", "--max-bytes", "900000"], ["check", "--json"]]
)
def test_a_reader_that_closes_the_pipe_early_is_no_error(seat: SeatAt, words: list[str]) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    for _ in range(2):
        builder.send("reviewer", "x" * 200_000)
    script = '{ "$0" "$@" --bag default 2>errors; echo $? >code; } | head -c 1'

    reviewer.call(["sh", "-c", script, MAILSTOP, *words, *(["--max-bytes", "900000"] if words[0] == "check" else [])])

    assert (reviewer.home / "errors").read_text() == ""
    assert (reviewer.home / "code").read_text() == "0\n"


def test_what_a_reader_did_not_take_from_the_pipe_is_offered_again(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = builder.send("reviewer", "x" * 200_000)

    reviewer.call(["sh", "-c", '"$0" check --max-bytes 900000 | head -c 1', MAILSTOP])

    assert builder.run("status", str(n), "--json").json["recipients"][0]["state"] == "stored"
    assert [letter["n"] for letter in reviewer.run("check", "--max-bytes", "900000", "--json").json["letters"]] == [n]


def test_what_goes_into_a_pipe_does_not_depend_on_the_terminal(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("reviewer", "--bag", "a-rather-long-name-of-a-bag-that-no-narrow-terminal-could-show")
    builder.send("human", "größe " * 30)
    settings: list[dict[str, str]] = [
        {"COLUMNS": "20", "LINES": "5"},
        {"TERM": "xterm-256color", "COLORTERM": "truecolor", "FORCE_COLOR": "1"},
        {"NO_COLOR": ""},
        {"PYTHONIOENCODING": "ascii"},
    ]

    for words in (("who",), ("bags",), ("bags", "--resume"), ("read",), ("status",)):
        plain = person.call([MAILSTOP, *words])
        for setting in settings:
            assert person.call([MAILSTOP, *words], environment=setting).raw == plain.raw, (words, setting)


def test_who_only_reads_does_not_wait_for_a_writer(seat: SeatAt, stranger: Party) -> None:
    builder = seat("builder")
    builder.send("human", "hello")
    lock = os.open(builder.home / ".local/share/mailstop/mailstop.db.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        runs = [stranger.run(*words) for words in (("read",), ("who",), ("bags",))]
    finally:
        os.close(lock)

    assert [run.code for run in runs] == [0, 0, 0]
    assert "hello" in runs[0].out


# -- verbs


def test_the_version_is_one_line_and_no_verb_opens_an_exchange(stranger: Party) -> None:
    assert f"mailstop {mailstop.__version__}" in stranger.run("--version").out
    assert "open" not in VERBS
    assert stranger.run("open").code == 2


@pytest.mark.parametrize("number", ["9" * 30, str(1 << 62), "0", "-1", "1e3", "٣"])
def test_a_number_that_no_letter_can_have_is_refused_in_one_line(stranger: Party, number: str) -> None:
    for words in (["read", number], ["status", number], ["reply", number, "hello"], ["read", "--before", number]):
        run = stranger.run(*words)
        assert run.code in (2, 3)
        assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["leave", "builder"], ["join", "a", "b"], ["who", "x"], ["bags", "x"], ["watch", "x"]]
)
def test_a_verb_that_takes_no_more_words_says_so(stranger: Party, words: list[str]) -> None:
    run = stranger.run(*words)

    assert run.code == 2
    assert f"see: mailstop {words[0]} --help" in run.err


def test_an_empty_name_is_refused_and_stands_for_no_other(seat: SeatAt, claude: ClaudeParty) -> None:
    claude.open(CLAUDE_SESSION)
    before = claude.run("status", "--json").json["seats"]

    for party in (seat("builder"), claude):
        run = party.run("join", "")
        assert (run.code, run.err.count("\n")) == (1, 1)

    assert claude.run("status", "--json").json["seats"] == before


def test_who_leaves_is_in_no_list_any_more_and_has_nothing_to_resume(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(CLAUDE_SESSION)
    claude.run("join", "reviewer")
    n = builder.send("reviewer", "hello")
    assert f"claude --resume {CLAUDE_SESSION}" in builder.run("bags", "--resume").out

    left = claude.run("leave")

    assert left.lines == ["left seat reviewer; its mail waits there"]
    assert CLAUDE_SESSION not in builder.run("bags", "--resume").out
    assert newest(builder) == 1
    assert builder.run("read", str(n), "--json").json["body"] == "hello"
    assert builder.run("read", "--json").json["records"][-1]["act"] == "left"


def test_a_session_without_an_id_that_its_client_knows_has_no_command_that_resumes_it(
    seat: SeatAt, claude: ClaudeParty
) -> None:
    claude.open("not-an-id; rm -rf .")
    claude.run("join", "reviewer")

    told = seat("builder").run("bags", "--resume")

    assert "rm -rf" not in told.out
    assert "claude --resume" not in told.out


def test_a_join_says_which_seat_was_left_and_whose_was_taken(seat: SeatAt) -> None:
    dead, builder = seat("reviewer"), seat("builder")
    dead.close()

    joined = builder.run("join", "reviewer")

    assert joined.lines[0].startswith("you sit at seat reviewer; it was held by a program ")
    assert joined.lines[0].endswith("which has ended; you left builder, whose mail waits there")
    again = builder.run("join", "builder", "--json").json
    assert (again["left"], again["taken_from"]) == ("reviewer", None)


# -- for machines


def test_every_verb_prints_one_json_value_where_it_is_asked_to(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = str(builder.send("reviewer", "hello"))
    lines = {
        "join": ["reviewer"],
        "send": ["builder", "hello"],
        "reply": [n, "hello"],
        "read": [n],
        "status": [n],
        "demo": None,  # it prints what it does, as the demo's own tests say
        "watch": None,  # it does not end; tests of its own
        "serve": None,  # it does not end either
        "hook": None,  # a client's event in, a client's answer out
        "leave": [],
    }
    for verb in sorted(VERBS, key=lambda verb: verb == "leave"):
        words = lines.get(verb, [])
        if words is not None:
            run = reviewer.run(verb, *words, "--json")
            assert run.out.count("\n") == 1, verb
            assert isinstance(run.json, dict), verb


def test_a_refusal_is_one_json_value_too(seat: SeatAt) -> None:
    refused = seat("builder").run("send", "nobody", "hello", "--json")

    assert (refused.code, refused.err) == (3, "")
    assert refused.json["error"]["code"] == "unknown_seat"
    assert "nobody" in refused.json["error"]["message"]


def test_a_script_tells_by_the_exit_code_what_came_of_a_command(seat: SeatAt, own_home: Path) -> None:
    builder = seat("builder")
    damaged = own_home / "damaged.db"
    damaged.write_text("This is no database.")
    damaged.chmod(0o600)

    codes = {
        0: ["send", "human", "hello"],
        1: ["send", "builder", "to myself"],
        2: ["send", "human", "hello", "--nope"],
        3: ["send", "nobody", "hello"],
        4: ["check", "--wait", "0"],
        5: ["send", "human", "hello", "--store", str(damaged)],
    }

    assert {builder.run(*words).code: words for words in codes.values()} == codes


def test_on_windows_each_verb_refuses_and_names_wsl(stranger: Party) -> None:
    script = "import sys; sys.platform = 'win32'; from mailstop.cli.entry import main; sys.exit(main(sys.argv[1:]))"

    for words in (["check"], ["send", "builder", "hello"], ["--version"]):
        run = stranger.call([sys.executable, "-c", script, *words])
        assert (run.code, run.out) == (2, "")
        assert "WSL 2" in run.err


# -- the tests themselves


def test_a_test_has_a_home_of_its_own_and_no_variable_of_a_client(own_home: Path, stranger: Party) -> None:
    for environment in (os.environ, stranger.environment):
        assert environment["HOME"] == str(own_home)
        assert not [name for name in environment if name.startswith(("CLAUDE", "CODEX", "MAILSTOP_S"))]
    assert json.loads(stranger.run("status", "--json").raw)["who"] == "stranger"
