"""`mailstop watch` for a person, by real processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mailstop.cli import watching as watching_module
from mailstop.clients.caller import PERSON, Caller
from mailstop.config import default_store
from mailstop.letter import Letter
from tests.clients.waiting import wait_for
from tests.party import Party, Person, Running

SeatAt = Callable[..., Party]
BELL = Path(".local/state/mailstop/bells/watch")


def watching(party: Party, *words: str) -> Running:
    """A watch that has begun."""
    bell = party.home / BELL
    before = bell.stat().st_mtime_ns if bell.exists() else 0
    running = party.start("watch", *words)
    wait_for("the watch rings its own bell", lambda: bell.exists() and bell.stat().st_mtime_ns != before)
    return running


def test_each_letter_of_any_bag_is_a_line_once(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    builder.join("builder", "--bag", "parser")
    seat("reviewer")
    seat("tester", "--bag", "parser")
    watch = watching(person)

    here = builder.send("reviewer", "please look\nat this")
    there = builder.send("tester", "please try", "--bag", "parser", "--kind", "question")
    wait_for("two lines", lambda: len(watch.lines) == 2)
    last = builder.send("reviewer", "thanks")
    wait_for("a third line", lambda: len(watch.lines) == 3)

    assert watch.lines == [
        f"{here} builder -> reviewer (note): please look",
        f"{there} builder -> tester in parser (question): please try",
        f"{last} builder -> reviewer (note): thanks",
    ]


def test_what_waits_for_the_person_comes_first_and_stays_unread(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("reviewer")
    builder.send("reviewer", "an old letter between others")
    waits = builder.send("human", "please decide")

    watch = watching(person)
    wait_for("a line", lambda: watch.lines)

    assert watch.lines == [f"{waits} builder -> human (note): please decide"]
    assert [each["n"] for each in person.run("check", "--json").json["letters"]] == [waits]


def test_only_the_bag_that_is_named_is_watched(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    builder.join("builder", "--bag", "parser")
    seat("reviewer")
    seat("tester", "--bag", "parser")
    watch = watching(person, "--bag", "parser")

    builder.send("reviewer", "not in that bag")
    there = builder.send("tester", "in that bag", "--bag", "parser")
    wait_for("a line", lambda: watch.lines)

    assert watch.lines == [f"{there} builder -> tester in parser (note): in that bag"]


def test_json_is_one_object_a_line_with_the_exact_body(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("reviewer")
    watch = watching(person, "--json")

    n = builder.send("reviewer", "two\nlines\x1b")
    wait_for("a line", lambda: watch.lines)

    (line,) = watch.lines
    assert (json.loads(line)["n"], json.loads(line)["body"]) == (n, "two\nlines\x1b")


def test_two_who_watch_both_see_every_letter(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("reviewer")
    first, second = watching(person), watching(person)

    builder.send("reviewer", "one")
    wait_for("both have a line", lambda: first.lines and second.lines)
    first.kill()
    builder.send("reviewer", "two")
    wait_for("the other has two", lambda: len(second.lines) == 2)

    assert len(first.lines) == 1


def test_ctrl_c_ends_it_quietly(person: Person) -> None:
    watch = watching(person)

    assert watch.interrupt() == 130
    assert watch.lines == []


def test_the_last_who_watches_takes_the_bell_away(person: Person) -> None:
    bell = person.home / BELL
    first, second = watching(person), watching(person)

    first.interrupt()
    assert bell.exists()
    second.interrupt()
    assert not bell.exists()


def test_one_that_is_killed_leaves_the_bell_to_the_next_one(person: Person) -> None:
    watching(person).kill()
    watching(person).interrupt()

    assert not (person.home / BELL).exists()


def test_a_letter_that_comes_while_the_watch_begins_is_a_line_once(
    seat: SeatAt, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    builder = seat("builder")
    numbers = [builder.send("human", "before")]
    look = watching_module._waiting

    def meanwhile(*what: Any, **terms: Any) -> Iterator[Letter]:
        numbers.append(builder.send("human", "meanwhile"))
        return look(*what, **terms)

    monkeypatch.setattr(watching_module, "_waiting", meanwhile)
    watch = watching_module.Watching(Caller(PERSON), default_store(), None, as_json=True)
    watch.start()
    watch.look()

    assert [json.loads(line)["n"] for line in capfdbinary.readouterr().out.splitlines()] == numbers


def test_it_ends_when_nobody_reads_it_any_more(person: Person) -> None:
    told = person.call(["sh", "-c", '"$0" watch | true', person.mailstop])

    assert (told.code, told.err) == (0, "")


def test_a_line_holds_nothing_that_acts_on_a_terminal(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    seat("reviewer")
    watch = watching(person)

    builder.send("reviewer", "\x1b]0;owned\x07\u202e" + "x" * 500)
    wait_for("a line", lambda: watch.lines)

    (line,) = watch.lines
    assert line.isprintable()
    assert len(line) <= 180


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processor time from /proc")
def test_it_uses_no_processor_while_nothing_happens(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    builder.send("human", "please decide")
    watch = watching(person)
    wait_for("it has looked, and sleeps", lambda: watch.lines and _state(watch.pid) == "S")

    before = watch.processor_s()
    for _ in range(5):
        builder.run("who")  # others read, and nobody writes

    assert watch.processor_s() - before <= 0.02


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
