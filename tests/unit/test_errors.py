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


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_goes_on_with_a_sentence_is_a_piece_of_it_and_no_fact(kind: type[MailstopError]) -> None:
    """As `{nearest}` in "no token 'a'{nearest}": what is filled in there begins with a blank or a mark, or is empty."""
    parts = list(Formatter().parse(" ".join((kind.__doc__ or "").split())))
    going_on = [
        name.partition(" ")[0]
        for place, (before, name, _, _) in enumerate(parts)
        if name and (before[-1:].isalnum() or before[-1:] in (".", ")", ",") or (not before and place))
    ]

    assert [name for name in going_on if name not in PIECES and name != WHERE] == []


def begins(value: ast.expr, assigned: dict[str, list[ast.expr]]) -> Iterator[str]:
    """How the text that is given for a detail may begin, as far as that stands in the source."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr) and value.values:
        yield from begins(value.values[0], assigned)
    elif isinstance(value, ast.IfExp):
        yield from begins(value.body, assigned)
        yield from begins(value.orelse, assigned)
    elif isinstance(value, ast.Name):
        for each in assigned.pop(value.id, []):
            yield from begins(each, assigned)


def test_no_fact_begins_as_if_it_went_on_with_a_sentence() -> None:
    found = []
    for file in FILES:
        for function in ast.walk(ast.parse(file.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            assigned: dict[str, list[ast.expr]] = {}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    assigned.setdefault(node.targets[0].id, []).append(node.value)
            for node in ast.walk(function):
                name = getattr(getattr(node, "func", None), "attr", getattr(getattr(node, "func", None), "id", ""))
                if not isinstance(node, ast.Call) or name not in KINDS:
                    continue
                for each in node.keywords:
                    if each.arg in PIECES or each.arg == WHERE:
                        continue
                    if any(text[:1] in (" ", ";", ":", ",") for text in begins(each.value, dict(assigned)) if text):
                        found.append((f"{file.name}:{node.lineno}", name, each.arg))

    assert found == []


def test_a_list_is_told_in_a_sentence_and_stays_one_for_programs() -> None:
    error = errors.UnknownClient(name="x", meant="", nearest=[], known=["cursor", "zed"])

    assert error.message.endswith("All: cursor, zed")
    assert error.facts["known"] == ["cursor", "zed"]


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
