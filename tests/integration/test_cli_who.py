"""`mailstop who` and `mailstop bags`, by real processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


def seats(party: Party, *words: str) -> dict[str, dict[str, Any]]:
    """What `mailstop who --json` says of each seat."""
    return {each["seat"]: each for each in party.run("who", "--json", *words).json["seats"]}


# -- who


def test_the_living_are_listed_and_ones_own_seat_is_marked(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("reviewer")

    told = seats(builder)

    assert {name: (each["state"], each["you"]) for name, each in told.items()} == {
        "builder": ("live", True),
        "reviewer": ("live", False),
    }
    assert any(line.startswith("builder (you) ") for line in builder.run("who").lines)


def test_a_seat_whose_holder_has_died_is_empty_and_left_out_until_a_letter_waits(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    reviewer.close()

    assert list(seats(builder)) == ["builder"]
    assert "1 more seat is empty, and nothing waits there: mailstop who --all" in builder.run("who").lines
    assert seats(builder, "--all")["reviewer"]["state"] == "empty"

    builder.send("reviewer", "for whoever comes")
    assert seats(builder)["reviewer"]["waiting"] == 1


def test_a_seat_that_was_left_is_empty_since_then(seat: SeatAt) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    reviewer.run("leave")

    told = seats(builder, "--all")["reviewer"]

    assert told["state"] == "empty"
    assert told["since"] is not None
    assert told["client"] is None


def test_seats_of_one_project_are_listed_by_its_name(seat: SeatAt) -> None:
    builder = seat("builder")

    assert list(seats(builder, "--project", builder.home.name)) == ["builder"]


def test_a_project_that_nobody_belongs_to_is_unknown_with_its_nearest(seat: SeatAt) -> None:
    builder = seat("builder")

    for words in (["who"], ["lease", "list"]):
        refused = builder.run(*words, "--project", f"{builder.home.name}s")
        assert refused.code == 3
        assert f"nearest: {builder.home.name}" in refused.err


def test_seats_of_one_bag_are_listed_by_its_name(seat: SeatAt) -> None:
    builder = seat("builder")
    seat("tester", "--bag", "parser")

    assert list(seats(builder, "--bag", "parser")) == ["tester"]
    assert builder.run("who", "--bag", "nope").code == 3


def test_nobody_there_says_how_to_take_a_seat(stranger: Party) -> None:
    told = 'nobody is here; to take a seat: eval "$(mailstop join NAME --export)"'
    assert stranger.run("who").lines[0] == told


def test_a_client_is_listed_with_its_session(seat: SeatAt, claude: ClaudeParty) -> None:
    claude.open(SESSION)
    claude.run("join", "reviewer")

    told = seats(seat("builder"))["reviewer"]

    assert (told["client"], told["client_session"], told["folder"]) == ("claude", SESSION, str(claude.home))
    assert any("Claude Code 01a227bc" in line for line in claude.run("who").lines)


def test_a_table_fits_the_persons_terminal_and_is_full_in_a_pipe(seat: SeatAt, person: Person) -> None:
    deep = person.home / ("a-rather-deep-folder" * 4) / "with-another-one-in-it"
    deep.mkdir(parents=True)
    objective = "a rather long objective, which says in many words what could have been said in a few"
    builder = seat("builder")
    builder.environment.pop("MAILSTOP_SESSION")
    joined = builder.run("join", "reviewer", "--export", "--json", cwd=deep)
    builder.environment["MAILSTOP_SESSION"] = joined.json["export"].partition("=")[2]
    assert builder.run("me", "--objective", objective).code == 0

    shown = person.run("who", terminal=True).lines
    piped = person.run("who").lines

    assert all(len(line) <= 100 for line in shown if str(deep) not in line)
    assert "…" not in "".join(shown)
    assert "reviewer" in shown
    assert objective in " ".join(line.strip() for line in shown)
    assert any(str(deep) in line and line.endswith(objective) for line in piped)


def test_eighty_columns_hold_what_each_session_is_and_does(own_home: Path, seat: SeatAt, claude: ClaudeParty) -> None:
    claude.open(SESSION)
    claude.run("join", "reviewer")
    claude.run("me", "--objective", "read what the builder has built, and say what is wrong", "--status", "blocked")
    seat("builder")

    with Person(own_home, columns=80) as person:
        shown = person.run("who", terminal=True).lines

    told = " ".join(line.strip() for line in shown[shown.index("reviewer") :])
    assert told.startswith(f"reviewer session: Claude Code {SESSION[:8]}  since: ")
    for known in ("project: home", "status: blocked", "seen: alive", "woken by: nothing", "waiting: 0"):
        assert known in told
    assert f"worktree: {claude.home}" in told
    assert "objective: read what the builder has built, and say what is wrong" in told
    assert max(len(line) for line in shown if str(claude.home) not in line) <= 80


def test_a_session_without_a_seat_is_listed_and_marked_as_ones_own(claude: ClaudeParty, stranger: Party) -> None:
    claude.open(SESSION)
    claude.run("leave")
    claude.run("me", "--objective", "look around")

    (told,) = claude.run("who", "--json").json["without_seat"]

    assert (told["you"], told["client"], told["objective"]) == (True, "claude", "look around")
    assert stranger.run("who", "--json").json["without_seat"][0]["you"] is False
    (line,) = (line for line in stranger.run("who").lines if line.endswith("look around"))
    assert line.split()[:4] == ["-", "Claude", "Code", SESSION[:8]]
    assert stranger.run("who", "--project", "another").code == 3


# -- bags


def test_bags_are_listed_with_the_newest_letters_first(seat: SeatAt, stranger: Party) -> None:
    builder = seat("builder")
    builder.join("builder", "--bag", "parser")
    seat("reviewer")
    seat("tester", "--bag", "parser")
    builder.send("tester", "one", "--bag", "parser")
    builder.send("tester", "two", "--bag", "parser")
    last = builder.send("reviewer", "three")

    found = stranger.run("bags", "--json").json["bags"]

    assert [(each["bag"], each["letters"]) for each in found] == [("default", 1), ("parser", 2)]
    assert found[0]["newest"]["n"] == last
    assert [each["seat"] for each in found[1]["seats"]] == ["builder", "tester"]
    assert stranger.run("bags").lines[0].split() == ["bag", "letters", "last", "letter", "clients", "seats"]


def test_no_bag_yet_says_who_makes_one(stranger: Party) -> None:
    assert "the first to join makes one" in stranger.run("bags").out


def test_clients_that_sit_in_a_bag_are_counted(seat: SeatAt, claude: ClaudeParty) -> None:
    claude.open(SESSION)
    claude.run("join", "reviewer")
    seat("builder")
    seat("tester").close()

    (told,) = claude.run("bags", "--json").json["bags"]

    assert told["clients"] == {"claude": 1, "program": 1}
    assert any("1 Claude Code, 1 program" in line for line in claude.run("bags").lines)


def test_a_narrow_terminal_gets_each_resume_command_whole(own_home: Path, claude: ClaudeParty, seat: SeatAt) -> None:
    deep = claude.home / ("a-rather-deep-folder" * 4)
    deep.mkdir()
    claude.open(SESSION, cwd=str(deep))
    claude.run("join", "reviewer")

    with Person(own_home, columns=80) as person:
        shown = person.run("bags", "--resume", terminal=True).lines

    assert shown[:2] == [f"default reviewer (runs), in {deep}:", f"  claude --resume {SESSION}"]
    assert shown[2:] == [f"no session that can be resumed: {deep.name[:63]} (left)"]


def test_an_unknown_bag_is_not_listed_as_an_empty_one(seat: SeatAt) -> None:
    assert seat("builder").run("bags", "--bag", "nope").code == 3


def test_a_clients_session_is_resumed_by_its_own_command_also_when_it_has_ended(
    seat: SeatAt, claude: ClaudeParty, stranger: Party
) -> None:
    seat("builder")
    claude.open(SESSION)
    claude.run("join", "reviewer")
    claude.hook("SessionEnd", SESSION, reason="other")

    told = stranger.run("bags", "--resume")

    assert f"default  reviewer  ended    claude --resume {SESSION}  {claude.home}" in told.lines
    assert told.lines[-1] == "no session that can be resumed: builder (a program), home (left)"
    assert stranger.run("bags", "--resume", "--json").json["without"] == [
        {"bag": "default", "seat": "builder", "why": "a program"},
        {"bag": "default", "seat": "home", "why": "left"},
    ]


# -- as a person sees it


def test_each_verb_at_a_terminal_ends_with_how_many_letters_wait(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    builder.send("human", "please decide")
    builder.send("human", "please decide that too")

    assert person.run("who", terminal=True).lines[-1] == "2 letters wait for you: mailstop check"
    assert person.run("check", terminal=True).lines[-1] != "2 letters wait for you: mailstop check"
    assert "letters wait" not in person.run("who", terminal=True).out


@pytest.mark.parametrize(
    "verb", ["read", "status", "who", "bags", "check", "send", "reply", "join", "leave", "watch", "me"]
)
def test_each_verb_explains_itself(stranger: Party, verb: str) -> None:
    told = stranger.run(verb, "--help")

    assert told.code == 0
    assert told.out.startswith(f"usage: mailstop {verb}")


def test_help_lists_every_verb_once(stranger: Party) -> None:
    from mailstop.cli.entry import VERBS

    listed = [line.split()[0] for line in stranger.run("--help").lines if line.startswith("  ")]

    assert {verb: listed.count(verb) for verb in VERBS} == dict.fromkeys(VERBS, 1)


def test_an_unknown_verb_names_the_nearest(stranger: Party) -> None:
    refused = stranger.run("raed")

    assert refused.code == 2
    assert "nearest: read" in refused.err
