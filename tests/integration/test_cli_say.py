"""`mailstop say`, `channels`, `subscribe`, `unsubscribe`, and what other verbs tell of channels, by real processes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients.waiting import wait_for
from tests.party import ClaudeParty, CompletedRun, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
OTHER = "01a227bc-e031-7b73-a9b7-49711dc7b706"
PROJECT = "home"  # the folder in which parties work, which is no repository


def say(party: Party, *words: str, body: str = "hello all") -> dict[str, Any]:
    """Say something from standard input; what --json tells."""
    told = party.run("say", *words, "-", "--json", input=body)
    assert told.code == 0, told.err
    value: dict[str, Any] = told.json
    return value


def read(party: Party, channel: str, *words: str) -> list[str]:
    """The bodies of a channel's history."""
    told = party.run("read", "--channel", channel, "--json", *words)
    assert told.code == 0, told.err
    return [record["body"] for record in told.json["records"]]


def additional_context(run: CompletedRun) -> str:
    return str(json.loads(run.out)["hookSpecificOutput"]["additionalContext"]) if run.out else ""


# -- say


def test_what_is_said_is_told_with_its_channel_and_its_readers(seat: SeatAt) -> None:
    builder, _ = seat("builder"), seat("reviewer")

    told = builder.run("say", "-", input="the parser is done")

    assert told.lines[0] == f"letter 3 said in #{PROJECT}, 18 bytes"
    assert told.lines[1].startswith("  reviewer: stored; its bell was rung")
    assert told.code == 0


def test_who_reads_it_without_being_woken_is_named(seat: SeatAt) -> None:
    builder, reviewer, gone = seat("builder"), seat("reviewer"), seat("gone")
    gone.close()

    told = builder.run("say", "general", "--kind", "fyi", "the docs moved")

    assert told.lines[1:] == [
        "  not woken, read it when they next look: human, reviewer",
        "  1 empty seat keeps it for who sits there next",
    ]
    assert reviewer.run("check").out.count("the docs moved") == 1


def test_where_nobody_else_reads_it_that_is_said(seat: SeatAt) -> None:
    builder = seat("builder")

    assert builder.run("say", "hello").lines[1:] == ["  nobody else reads this channel now"]


def test_a_check_shows_where_it_was_said_and_that_its_author_alone_gets_an_answer(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    n = say(builder)["n"]

    told = reviewer.run("check").out

    assert f", in #{PROJECT}." in told
    assert f"one goes to its author:\nmailstop reply {n} - <<'MAIL_" in told
    assert reviewer.run("check").out == "no new letters\n"


@pytest.mark.parametrize(
    ("words", "channel", "body"),
    [
        (["done"], PROJECT, "done"),
        (["two words"], PROJECT, "two words"),
        (["general", "hello"], "general", "hello"),
        (["#general", "hello"], "general", "hello"),
        (["--channel", "general", "hello"], "general", "hello"),
        (["--channel", "#general", "--body", "hello"], "general", "hello"),
        (["general", "--body", "hello"], "general", "hello"),
        (["--body", "general"], PROJECT, "general"),
        (["#general"], "general", "piped"),
        (["general"], "general", "piped"),
        (["-"], PROJECT, "piped"),
        ([], PROJECT, "piped"),
        (["general", "-"], "general", "piped"),
        (["--body-file", "-", "general"], "general", "piped"),
        (["# a heading\nand more", "--channel", "general"], "general", "# a heading\nand more"),
        (["# a heading"], PROJECT, "# a heading"),
    ],
)
def test_words_are_channel_and_body_as_one_expects(seat: SeatAt, words: list[str], channel: str, body: str) -> None:
    builder = seat("builder")

    told = builder.run("say", *words, "--json", input="piped")

    assert told.code == 0, told.err
    assert told.json["channel"] == channel
    assert read(builder, channel) == [body]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["genral", "hello"], 3, "There is no channel #genral (nearest: #general)"),
        (["#genral"], 3, "There is no channel #genral (nearest: #general)"),
        (["--channel", "genral", "hello"], 3, "nearest: #general"),
        (["#", "hello"], 3, "There is no channel #"),
        (["", "hello"], 3, "There is no channel #"),
        (["--channel", "", "hello"], 3, "There is no channel #"),
        (["a b\n*", "hello"], 3, "There is no channel #a b␊*"),
        (["--channel", "general", "one", "two"], 2, "given twice"),
        (["general", "hello", "--body", "again"], 2, "given twice"),
        (["general", "--kind", "fyi", "--wake-all=1", "hello"], 2, "wakes nobody"),
        (["general", "--wake-all=x", "hello"], 2, "not a number"),
        (["general", ""], 1, "it is blank"),
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_is_stored(
    seat: SeatAt, words: list[str], code: int, said: str
) -> None:
    builder = seat("builder")

    told = builder.run("say", *words, input="piped")

    assert (told.code, said in told.err) == (code, True), told.err
    assert builder.run("read", "--json").json["records"][-1]["type"] == "move"


def test_a_channel_alone_without_a_text_is_no_text(seat: SeatAt) -> None:
    builder = seat("builder")

    told = builder.call(["sh", "-c", f"{builder.mailstop} say general </dev/null"])

    assert told.code == 2
    assert "there is no text: give -" in told.err


def test_labels_are_those_of_send(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    first = say(builder)["n"]

    say(builder, "--kind", "question", "--ref", str(first), "--artifact", "src/a.py", "--needs-reply", "--key", "k")
    again = say(
        builder, "--kind", "question", "--ref", str(first), "--artifact", "src/a.py", "--needs-reply", "--key", "k"
    )

    letters = reviewer.run("check", "--json").json["letters"]
    assert [letter["n"] for letter in letters] == [first, again["n"]]
    assert letters[1]["channel"] == PROJECT
    assert letters[1]["to"] == []
    assert (letters[1]["kind"], letters[1]["ref"], letters[1]["artifacts"]) == ("question", first, ["src/a.py"])


def test_in_another_bag_it_is_said_there(seat: SeatAt) -> None:
    builder = seat("builder", "--bag", "side")
    reviewer = seat("reviewer", "--bag", "side")

    say(builder, "general", "--bag", "side")

    assert "in #general" in reviewer.run("check").out
    assert builder.run("say", "general", "hello", "--bag", "nowhere").code == 3


# -- waking


def test_all_are_woken_by_one_who_knows_how_many_they_are(seat: SeatAt, tmp_path: Path) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    for words in (["--wake-all"], ["--wake-all=2"]):
        told = builder.run("say", "general", *words, "freeze")
        assert told.code == 1
        assert "wakes 1: reviewer. Nothing was stored. To wake them: --wake-all=1" in told.err

    told = builder.run("say", "general", "--wake-all=1", "freeze", "--json")

    assert [one["seat"] for one in told.json["recipients"]] == ["reviewer"]
    assert "freeze" in reviewer.run("check").out


def test_of_many_who_are_woken_some_are_named_and_the_rest_are_counted(seat: SeatAt) -> None:
    builder, others = seat("builder"), [seat(f"reader-{number:02}") for number in range(12)]

    told = builder.run("say", "freeze")
    refused = builder.run("say", "general", "--wake-all", "freeze")

    n = told.lines[0].split()[1]
    assert [line.split(":")[0].strip() for line in told.lines[1:11]] == [f"reader-{number:02}" for number in range(10)]
    assert told.lines[11:] == [f"  and 2 more: mailstop status {n}"]
    assert f"wakes {len(others)}: reader-00, " in refused.err
    assert "--wake-all=12" in refused.err


def test_a_session_of_another_project_is_not_woken_and_its_next_prompt_shows_it(
    seat: SeatAt, claude: ClaudeParty, tmp_path: Path
) -> None:
    builder = seat("builder")
    elsewhere = tmp_path / "web"
    elsewhere.mkdir()
    claude.open(SESSION, cwd=str(elsewhere))

    told = say(builder, "general", body="for all")

    assert told["recipients"] == []
    assert told["later"] == ["human", "web"]
    assert "for all" in additional_context(claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p1"))


@pytest.mark.parametrize("kind", ["ack", "fyi", "reconnect"])
def test_what_wakes_nobody_does_not_make_a_turn_go_on_and_is_shown_in_a_running_one(
    seat: SeatAt, claude: ClaudeParty, kind: str
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    builder.send("reviewer", "noted", "--kind", kind)
    say(builder, "--kind", kind, body="noted by all")

    assert claude.hook("Stop", SESSION, prompt_id="p1").out == ""
    shown = additional_context(claude.hook("PostToolBatch", SESSION, prompt_id="p2"))

    assert "noted" in shown
    assert "noted by all" in shown


def test_what_wakes_makes_a_turn_go_on_and_brings_the_rest(seat: SeatAt, claude: ClaudeParty) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    builder.send("reviewer", "noted", "--kind", "ack")
    say(builder, body="please look")

    shown = additional_context(claude.hook("Stop", SESSION, prompt_id="p1"))

    assert "noted" in shown
    assert "please look" in shown


def test_a_writer_is_told_that_the_kind_wakes_nobody(seat: SeatAt) -> None:
    builder, _ = seat("builder"), seat("reviewer")

    told = builder.run("send", "reviewer", "--kind", "ack", "noted")

    assert "reviewer: stored; this letter wakes nobody: it is shown when its reader next looks" in told.out
    assert "does not wake it" in builder.run("status", "3").out


def test_a_session_whose_registration_is_lost_registers_again_and_hears_what_was_said(
    seat: SeatAt, claude: ClaudeParty
) -> None:
    builder = seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    for file in (claude.home / ".local/state/mailstop/sessions").glob("claude-*"):
        file.unlink()
    say(builder, body="still there?")

    claude.hook("Stop", SESSION, prompt_id="p1")
    shown = additional_context(claude.hook("UserPromptSubmit", SESSION, prompt="go on", prompt_id="p2"))

    assert "still there?" in shown
    assert claude.run("status", "--json").json["seats"][0]["seat"] == "reviewer"


# -- answers and status


def test_an_answer_goes_to_its_author_and_all_is_refused(seat: SeatAt) -> None:
    builder, reviewer, tester = seat("builder"), seat("reviewer"), seat("tester")
    n = say(builder, "--kind", "question", body="who knows?")["n"]

    refused = reviewer.run("reply", str(n), "--all", "I do")
    told = reviewer.run("reply", str(n), "I do", "--json")

    assert refused.code == 1
    assert f"mailstop say {PROJECT} --ref {n} -" in refused.err
    assert [one["seat"] for one in told.json["recipients"]] == ["builder"]
    assert "I do" in builder.run("check").out
    assert "I do" not in tester.run("check").out


def test_status_lists_its_readers_and_status_alone_counts_them(seat: SeatAt) -> None:
    builder, reviewer, _ = seat("builder"), seat("reviewer"), seat("tester")
    n = say(builder)["n"]
    reviewer.run("check")
    reviewer.run("check")  # a program's next call proves that it was shown

    told = builder.run("status", str(n))
    readers = builder.run("status", str(n), "--json").json

    assert told.lines[0] == f"{n} #{PROJECT}: shown to 1 of 2 readers"
    assert readers["channel"] == PROJECT
    assert [(one["seat"], one["state"]) for one in readers["recipients"]] == [
        ("reviewer", "shown"),
        ("tester", "stored"),
    ]
    assert f"  {n} #{PROJECT}: shown to 1 of 2 readers" in builder.run("status").lines
    assert f"{n} for seat reviewer" in told.lines


# -- read


def test_anybody_reads_a_channels_history_newest_last_and_consumes_nothing(seat: SeatAt) -> None:
    builder = seat("builder")
    for body in ("1", "2", "3"):
        say(builder, "general", body=body)
    late, stranger = seat("late"), seat("other", "--bag", "side")

    assert read(late, "general") == read(stranger, "#general") == ["1", "2", "3"]
    assert read(late, "general", "--last", "2") == ["2", "3"]
    before = late.run("read", "--channel", "general", "--last", "1", "--json").json["before"]
    assert read(late, "general", "--before", str(before)) == ["1", "2"]
    assert "builder -> #general" in late.run("read", "--channel", "general").out
    assert late.run("check").out == "no new letters\n"


def test_an_older_page_names_the_command_that_shows_it(seat: SeatAt) -> None:
    builder = seat("builder")
    for body in ("1", "2"):
        say(builder, body=body)

    told = builder.run("read", "--channel", PROJECT, "--last", "1").out

    assert f"Earlier: mailstop read --channel {PROJECT} --last 1 --before 3" in told


def test_a_line_of_a_channels_history_has_its_time(seat: SeatAt) -> None:
    builder = seat("builder")
    n = say(builder)["n"]

    (record,) = builder.run("read", "--channel", PROJECT, "--json").json["records"]
    text = builder.run("read", "--channel", PROJECT).out

    assert re.search(rf"^{n}  \d\d:\d\d:\d\d  builder -> #{PROJECT}$", text, re.MULTILINE)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["at"])


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--channel", "nope"], 3), (["--channel", "general", "--thread", "1"], 2), (["1", "--channel", "general"], 2)],
)
def test_a_history_that_is_none_is_refused(seat: SeatAt, words: list[str], code: int) -> None:
    assert seat("builder").run("read", *words).code == code


def test_the_history_of_the_bag_holds_it_too(seat: SeatAt) -> None:
    builder = seat("builder")
    say(builder)

    assert f"builder -> #{PROJECT}" in builder.run("read").out


# -- channels


def test_channels_are_listed_with_readers_unread_and_the_last_letter(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    say(builder, "general")
    builder.run("subscribe", "releases")

    listed = {one["channel"]: one for one in reviewer.run("channels", "--json").json["channels"]}

    assert list(listed) == ["general", PROJECT, "leader", "releases"]
    assert {name: one["reads"] for name, one in listed.items()} == {
        "general": True,
        PROJECT: True,
        "leader": True,
        "releases": False,
    }
    assert (listed["general"]["unread"], listed["general"]["readers"]) == (1, 3)
    assert listed["general"]["last"]["from"] == "builder"
    assert listed["leader"]["last"] is None
    assert any(line.startswith("#general") and "always" in line for line in reviewer.run("channels").lines)


def test_to_subscribe_and_to_leave_say_what_they_did(seat: SeatAt) -> None:
    builder = seat("builder")

    assert builder.run("subscribe", "releases").lines == [
        "you read #releases from now on; what was said before: mailstop read --channel releases"
    ]
    assert builder.run("subscribe", "#releases").out == "you read #releases already\n"
    assert builder.run("unsubscribe", "releases").out == "you do not read #releases any more\n"
    assert builder.run("unsubscribe", "releases").code == 3
    assert builder.run("unsubscribe", "general").code == 1
    assert builder.run("subscribe", "No Name").code == 1


def test_who_has_not_joined_looks_and_does_not_say(seat: SeatAt, stranger: Party) -> None:
    say(seat("builder"), "general", body="for all")

    assert read(stranger, "general") == ["for all"]
    assert stranger.run("channels").code == 0
    assert stranger.run("say", "general", "hello").code == 1
    assert stranger.run("subscribe", "releases").code == 1


# -- the person


def test_the_person_says_it_in_their_folders_project_and_reads_general(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")

    told = person.run("say", "look here", terminal=True)
    say(builder, "general", body="for all")

    assert f"said in #{PROJECT}" in told.out
    assert "from the person" in builder.run("check").out
    assert "for all" in person.run("check", terminal=True).out
    assert person.run("say", "hello", cwd=Path("/")).code == 1


def test_a_watcher_sees_what_is_said(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    watch = person.start("watch")
    try:
        wait_for("it watches", (person.home / ".local/state/mailstop/bells/watch").exists)
        n = say(builder, "general", body="for all")["n"]
        wait_for("it prints the line", lambda: f"{n} builder -> #general (note): for all" in watch.lines)
    finally:
        watch.interrupt()


# -- kinds


def test_kinds_are_listed_with_those_of_the_user(seat: SeatAt) -> None:
    builder = seat("builder")
    folder = builder.home / ".config" / "mailstop"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        '{"kinds": {"release": {"hint": "Says that a version is out.", "wakes": false}}}'
    )

    kinds = {one["kind"]: one for one in builder.run("kinds", "--json").json["kinds"]}

    assert kinds["release"] == {
        "kind": "release",
        "hint": "Says that a version is out.",
        "expects": None,
        "needs_reply": False,
        "wakes": False,
        "own": True,
    }
    assert (kinds["ack"]["wakes"], kinds["question"]["expects"], kinds["ack"]["own"]) == (False, "any", False)
    assert any(line.split()[:3] == ["release", "-", "no"] for line in builder.run("kinds").lines)


def test_a_kind_of_the_users_own_wakes_nobody_where_it_says_so_and_shows_its_hint(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    folder = builder.home / ".config" / "mailstop"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        '{"kinds": {"release": {"hint": "Says that a version is out.", "wakes": false}}}'
    )

    assert "wakes nobody" in builder.run("send", "reviewer", "--kind", "release", "0.2 is out").out
    assert 'Kind "release": Says that a version is out.' in reviewer.run("check").out


def test_a_broken_file_stops_no_letter_and_doctor_says_what_is_wrong_in_which_line(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    folder = builder.home / ".config" / "mailstop"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"kinds": {\n  "release": {"hint": 5}\n}}')

    assert builder.run("send", "reviewer", "--kind", "release", "0.2 is out").code == 0
    assert 'Kind "release".' in reviewer.run("check").out
    assert "line 2, kinds > release > hint: it has to be a text" in builder.run("doctor").out
    assert os.listdir(folder) == ["config.json"]
