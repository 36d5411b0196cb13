"""Errors as programs are told of them: what a message says is also there as data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import mailstop
from mailstop import errors
from mailstop.errors import PIECES, TIMES, WHERE, MailstopError
from mailstop.json_text import dumps

FILES = sorted(Path(mailstop.__file__).parent.rglob("*.py"))


def kinds(kind: type[MailstopError] = MailstopError) -> Iterator[type[MailstopError]]:
    """All errors of the tree."""
    for file in errors._FILES:
        __import__(f"mailstop.errors.{file}")
    yield kind
    for each in kind.__subclasses__():
        yield from kinds(each)


KINDS = {kind.__name__: kind for kind in kinds()}


def fields(kind: type[MailstopError]) -> dict[str, bool]:
    """What a message is filled in with; whether that is a number of things."""
    named = [name for _, name, _, _ in Formatter().parse(kind.__doc__ or "") if name]
    return {name.partition(" ")[0]: " " in name for name in named}


def raised() -> list[tuple[str, str, set[str]]]:
    """Each place that makes an error: where it is, of which class, and with which details."""
    found = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            details = {each.arg for each in node.keywords}
            if name in KINDS and None not in details:  # else they are another error's
                found.append((f"{file.name}:{node.lineno}", name, {str(each) for each in details}))
    return found


RAISED = raised()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_fact_of_a_message_is_told_to_programs_as_well(kind: type[MailstopError]) -> None:
    known = {name: 2 if number else "x" for name, number in fields(kind).items()}

    facts = kind(**known).facts

    for name in known:
        assert name in facts or name in PIECES or name == WHERE, f"{name} is neither a fact nor a piece of a sentence"
    dumps(facts)


def test_what_a_piece_of_a_sentence_says_is_given_as_data_beside_it() -> None:
    in_words_only = [
        (name, place, piece)
        for place, name, details in RAISED
        for piece in details & set(PIECES)
        if not set(PIECES[piece]) <= details
    ]

    assert in_words_only == []


def test_the_places_that_make_errors_were_found() -> None:
    assert len(RAISED) > 100
    assert {"WakesMany", "AlreadyAnswered", "UnknownSeat", "SeatTaken"} <= {name for _, name, _ in RAISED}


def test_a_time_is_the_clocks_in_a_message_and_of_the_whole_world_for_programs() -> None:
    error = errors.AlreadyAnswered(n=7, answer=9, by="qc", since=1_700_000_000_000, writing="")

    assert "1700000000000" not in error.message
    assert error.facts == {"n": 7, "answer": 9, "by": "qc", "since": "2023-11-14T22:13:20.000Z"}
    assert "since" in TIMES


@pytest.mark.parametrize(("where", "bag"), [("", "default"), (" in bag plans", "plans")])
def test_the_bag_is_named_also_where_the_message_leaves_it_out(where: str, bag: str) -> None:
    assert errors.NotSeated(where=where).facts == {"bag": bag}


def test_of_one_there_is_no_plural() -> None:
    told = errors.TooFast(seat="qc", where="", rate=1, seconds=3, command="mailstop limits --rate 2").message

    assert "has written 1 letter within a minute" in told
    assert errors.TimedOut(seconds=1.0).message == "Nothing came within 1 second."
    assert errors.TimedOut(seconds=0.5).message == "Nothing came within 0.5 seconds."
    assert errors.TimedOut(seconds=45.0).message == "Nothing came within 45 seconds."
