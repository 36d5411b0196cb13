"""`mailstop budget`, by real processes: who opens one, what everybody is told of it, and what it ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.party import ClaudeParty, CompletedRun, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"


def opened(person: Person, limit: int, *words: str) -> None:
    assert person.run("budget", "open", "--limit", str(limit), *words).code == 0


def test_the_person_opens_shows_and_closes(seat: SeatAt, person: Person) -> None:
    seat("builder")

    assert person.run("budget").out == "bag default: no budget is open, and none is needed\n"
    assert person.run("budget", "open").out == "budget 1 open: 12 letters in bag default\n"
    assert person.run("budget").out.startswith("bag default: 12 of 12 letters of budget 1 left; opened ")
    assert person.run("budget", "open", "--limit", "1").out == (
        "budget 2 open: 1 letter in bag default; 12 letters of budget 1 dropped\n"
    )
    assert person.run("budget", "close").out == "budget 2 of bag default closed; 1 letter of budget 2 dropped\n"
    refused = person.run("budget", "close")
    assert (refused.code, refused.out) == (1, "")
    assert "To open one: mailstop budget open" in refused.err


def test_everything_is_there_as_json(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    budget = person.run("budget", "open", "--limit", "2", "--json").json["open"]
    assert {name: budget[name] for name in ("ordinal", "limit", "spent", "left")} == {
        "ordinal": 1,
        "limit": 2,
        "spent": 0,
        "left": 2,
    }
    sent = builder.run("send", "human", "hello", "--json").json
    place = {"ordinal": 1, "slot": 1, "limit": 2}

    assert (sent["hops"], sent["budget"]) == (1, place)
    shown = builder.run("budget", "--json").json
    assert (shown["bag"], shown["budgeted"], shown["opened"], shown["open"]["left"]) == ("default", False, 1, 1)
    n = str(sent["n"])
    assert [person.run(verb, n, "--json").json["budget"] for verb in ("status", "read")] == [place, place]
    (letter,) = person.run("check", "--json").json["letters"]
    assert (letter["hops"], letter["budget"]) == (1, place)
    assert person.run("bags", "--json").json["bags"][0]["budget"] == {"ordinal": 1, "limit": 2, "spent": 1, "left": 1}
    assert person.run("budget", "close", "--json").json == {
        "bag": "default",
        "open": None,
        "dropped": shown["open"],
    }


@pytest.mark.parametrize("words", [("open",), ("open", "--limit", "3"), ("close",)])
def test_no_session_no_program_and_no_stranger_opens_or_closes_one(
    seat: SeatAt, claude: ClaudeParty, stranger: Party, words: tuple[str, ...]
) -> None:
    claude.open(SESSION)
    bad_thread = {"CODEX_THREAD_ID": "no uuid"}
    for party in (seat("builder"), claude, stranger):
        for environment in ({}, bad_thread):
            party.environment |= environment
            refused = party.run("budget", *words)
            assert refused.code == 1
            assert "is the person's alone" in refused.err or "Who is calling is not clear" in refused.err
    assert seat("looker").run("budget").out == "bag default: no budget is open, and none is needed\n"


def test_a_person_with_a_variable_of_a_client_opens_none(person: Person, seat: SeatAt) -> None:
    seat("builder")
    person.environment["CODEX_THREAD_ID"] = "no uuid"

    assert person.run("budget", "open").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("opne",), "nearest: open"),
        (("open", "--limit", "0"), "not a number from 1"),
        (("open", "--limit", "ten"), "not a number from 1"),
        (("open", "--limit", "1.5"), "not a number from 1"),
        (("--limit", "3"), "--limit goes with: mailstop budget open"),
        (("close", "--limit", "3"), "--limit goes with: mailstop budget open"),
        (("open", "close"), "unrecognized arguments: close"),
    ],
)
def test_what_is_no_budget_is_wrong_usage(person: Person, seat: SeatAt, words: tuple[str, ...], said: str) -> None:
    seat("builder")

    refused = person.run("budget", *words)

    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


def test_a_budget_that_is_too_large_is_refused_with_the_largest(person: Person, seat: SeatAt) -> None:
    seat("builder")

    refused = person.run("budget", "open", "--limit", "10000")

    assert (refused.code, refused.out) == (1, "")
    assert "1 to 9,999 letters" in refused.err


def test_a_writer_is_told_what_is_left_and_then_that_only_the_person_can_continue(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    opened(person, 3)

    told = [builder.run("send", "human", "hello").lines[0] for _ in range(3)]

    assert [line.partition("bytes, ")[2] for line in told] == [
        "1 of 3 of budget 1, 2 letters left",
        "2 of 3 of budget 1, 1 letter left",
        "3 of 3 of budget 1, none is left",
    ]
    refused = builder.run("send", "human", "hello")
    assert (refused.code, refused.out) == (1, "")
    assert "Only the person can continue: mailstop budget open" in refused.err
    assert builder.run("send", "human", "hello", "--json").json["error"]["code"] == "budget_spent"
    assert "budget 1 of 3 letters is used up; only the person can open another" in builder.run("budget").out
    opened(person, 1)
    assert builder.run("send", "human", "hello").code == 0


def test_a_reader_is_told_the_place_and_of_the_last_one_to_send_no_reply(seat: SeatAt, person: Person) -> None:
    builder, reviewer = seat("builder"), seat("reviewer")
    opened(person, 2)
    builder.send("reviewer", "first", "--needs-reply")
    first = reviewer.run("check").out
    builder.send("reviewer", "last", "--needs-reply")
    last = reviewer.run("check").out

    assert ", budget 1 of 2" in first
    assert "mailstop reply" in first
    assert ", budget 2 of 2" in last
    assert "The last letter of this bag's budget: send no reply; only the person can continue." in last
    assert "mailstop reply" not in last


def test_read_and_bags_say_where_the_budgets_stand(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("builder-2", "--bag", "side")
    assert "budget" not in person.run("read").out + person.run("bags").out
    builder.send("human", "before")
    opened(person, 2)
    builder.send("human", "covered")

    read = person.run("read").lines
    assert read[0] == "bag default (1 of 2 letters of budget 1 left)"
    (before,) = [line for line in read if "builder -> human" in line and "budget" not in line]
    (covered,) = [line for line in read if "(budget 1: 1 of 2)" in line]
    assert read.index(before) < read.index(covered)
    assert "budget 1: 1 of 2" in person.run("read", "--last", "1").out
    rows = {line.split()[0]: line for line in person.run("bags").lines}
    assert rows["bag"].endswith("budget")
    assert rows["default"].endswith("1 of 2 left")
    assert rows["side"].endswith("-")
    builder.send("human", "covered too")
    assert "spent (2)" in person.run("bags").out
    person.run("budget", "close")
    assert "closed" in person.run("bags").out
    assert person.run("read").lines[0] == "bag default (no budget is open, and none is needed)"


def test_a_budgeted_bag_without_a_budget_says_so(seat: SeatAt, person: Person) -> None:
    seat("elsewhere")
    assert person.run("limits", "--bag", "review", "--budgeted").code == 0
    builder = seat("builder", "--bag", "review")

    refused = builder.run("send", "human", "hello", "--bag", "review")

    assert (refused.code, refused.out) == (1, "")
    assert "mailstop budget open --bag review" in refused.err
    assert "no budget is open, and without one no session may write" in person.run("read", "--bag", "review").out
    assert "never opened" in person.run("bags").out


def test_opening_makes_a_bag_and_a_look_makes_none(seat: SeatAt, person: Person) -> None:
    seat("builder")
    assert person.run("budget", "--bag", "review").code == 3
    assert person.run("budget", "close", "--bag", "review").code == 3
    assert "review" not in person.run("bags").out

    assert person.run("budget", "open", "--bag", "review").out == (
        "budget 1 open: 12 letters in bag review; nobody has been in bag review yet\n"
    )
    assert "review" in person.run("bags").out


def test_a_store_that_is_not_there_is_made_by_no_budget(person: Person) -> None:
    assert person.run("budget").out == "bag default: no budget is open, and none is needed\n"

    refused = person.run("budget", "open")

    assert (refused.code, refused.out) == (5, "")
    assert "The first to join makes it" in refused.err


def test_of_processes_that_race_for_the_last_letter_one_wins(seat: SeatAt, person: Person) -> None:
    racers = [seat(f"racer-{number}") for number in range(8)]
    opened(person, 1)

    def race(racer: Party) -> CompletedRun:
        return racer.run("send", "human", "mine")

    with ThreadPoolExecutor(len(racers)) as pool:
        runs = list(pool.map(race, racers))

    assert sorted(run.code for run in runs) == [0, *[1] * (len(racers) - 1)]
    assert person.run("read", "--json").json["records"][-1]["budget"] == {"ordinal": 1, "slot": 1, "limit": 1}
