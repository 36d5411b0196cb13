"""Every error of the tree is something a model can go on from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from string import Formatter
from typing import Any

import pytest

from mailstop import errors
from mailstop.errors import MailstopError, MustJoin, SeatWasLeft, Uncertain, UnknownSeat
from mailstop.json_text import dumps
from mailstop.mcp import refusals, tools
from mailstop.mcp.refusals import decided, refusal
from mailstop.mcp.schema import Takes, checked, checked_for, checked_ranges

for _file in errors._FILES:
    __import__(f"mailstop.errors.{_file}")


def kinds(kind: type[MailstopError] = MailstopError) -> Iterator[type[MailstopError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from kinds(each)


def made(kind: type[MailstopError]) -> MailstopError:
    """An error of a kind, its fields filled in with something."""
    fields = [(*name.partition(" "), spec) for _, name, spec, _ in Formatter().parse(kind.__doc__ or "") if name]
    values = {name: 1.0 if unit or spec == "g" else 7 if name in NUMBERS else "x" for name, _, unit, spec in fields}
    return kind(**values)


NUMBERS = ("n", "count", "answer")
KINDS = {kind.__name__: kind for kind in kinds() if kind.__module__.startswith("mailstop.")}

# The branches, of which nothing is raised itself, and what only commands meet.
BRANCHES = {"MailstopError", "Refused", "UsageError", "NotFound", "TimedOut"}
OF_COMMANDS = {"CannotTell", "Conflict", "OutputLost"}
OF_COMMANDS |= {"ServeNotInstalled", "AlreadyServing", "ServesOn", "ServesElsewhere", "CannotBind"}
# What only whoever starts a server meets, makes a token, sets a client up, uses a lane, imports or exports.
OF_VERBS = {f"mailstop.errors.{file}" for file in ("tokens", "setup", "lanes", "imports", "exports")}

GIVEN: dict[str, dict[str, Any]] = {
    "me": {"action": "join", "name": "x"},
    "who": {},
    "send": {"to": "x", "body": "y", "ref": 3},
    "check": {},
    "read": {"number": 3},
    "ask": {"to": "x", "body": "y", "key": "k"},
    "answer": {"number": 3, "body": "y"},
    "task": {"action": "give", "title": "x"},
    "lead": {"action": "claim"},
    "lease": {"action": "take", "resources": ["x"]},
}


def takes(name: str, arguments: dict[str, Any]) -> None:
    """Raise unless a tool takes just these arguments."""
    tool = tools.find(name)
    assert tool is not None
    given = checked(arguments, tool.input_schema, name)
    checked_ranges(given, tool.ranges, name)
    actions: dict[str, Takes] = vars(__import__(f"mailstop.mcp.tools.{name}", fromlist=["_"])).get("_TAKES", {})
    if actions:
        standard = "resume" if name == "ask" and "number" in given else "ask" if name == "ask" else "show"
        action = given.get("action", standard)
        checked_for(action, given, actions[action], name)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_error_has_a_code_a_message_and_a_next_call_that_the_tools_take(kind: type[MailstopError]) -> None:
    for tool, bag in product(tools.NAMES, ({}, {"bag": "plans"})):
        told = refusal(made(kind), tool, {**GIVEN[tool], **bag})

        assert list(told) == ["code", "message", "next"]
        assert told["code"] == made(kind).code
        assert told["message"].isprintable()
        assert told["message"]
        if told["next"] is not None:
            takes(told["next"]["tool"], told["next"]["arguments"])
        dumps(told)


def test_of_each_error_that_a_tool_may_raise_the_next_call_is_decided() -> None:
    undecided = {name for name, kind in KINDS.items() if not decided(kind)}
    of_verbs = {name for name, kind in KINDS.items() if kind.__module__ in OF_VERBS}

    assert undecided == BRANCHES | OF_COMMANDS | of_verbs
    assert {name for name in refusals._INSTEAD if name not in KINDS} == set()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_no_message_says_what_to_type_in_a_shell_unless_the_person_is_to(kind: type[MailstopError]) -> None:
    message = refusal(made(kind), "send", {"body": "x"})["message"]

    for sentence in message.split(". "):
        if "person" not in sentence and "mailstop doctor" not in sentence:
            assert ": mailstop " not in sentence
            assert "(mailstop " not in sentence


def test_a_caller_without_a_seat_is_told_of_the_tool_and_not_of_a_shell() -> None:
    told = refusal(MustJoin(where=" in bag plans", command="mailstop join NAME"), "send", {"bag": "plans", "body": "x"})

    assert "mailstop join" not in told["message"]
    assert told["next"] == {"tool": "me", "arguments": {"action": "join", "name": "NAME", "bag": "plans"}}


def test_a_session_that_left_its_seat_is_not_sent_back_to_it() -> None:
    error = SeatWasLeft(name="builder", where="", since="noon", command="mailstop join NAME")

    assert refusal(error, "send", {"body": "x"})["next"] == {"tool": "read", "arguments": {}}


def test_an_unknown_seat_leads_to_the_list() -> None:
    told = refusal(UnknownSeat(missing="there is no seat", advice=""), "send", {"to": "x", "body": "y"})

    assert told["next"] == {"tool": "who", "arguments": {"all": True}}


def test_a_send_in_doubt_is_repeated_only_with_its_key() -> None:
    with_key = {"to": "x", "body": "y", "key": "k"}

    assert refusal(Uncertain(reason="r"), "send", with_key)["next"]["tool"] == "send"
    assert refusal(Uncertain(reason="r"), "send", {"to": "x", "body": "y"})["next"]["tool"] == "read"


def test_no_part_of_a_body_comes_back() -> None:
    for kind in KINDS.values():
        for tool in ("send", "ask", "answer", "task"):
            given = {**GIVEN[tool], "body": "secret"}
            assert "secret" not in dumps(refusal(made(kind), tool, given))


def test_a_call_that_met_a_repair_of_the_store_is_to_be_made_again() -> None:
    told = refusal(errors.StoreReplaced(path="p"), "lead", {"action": "claim"})

    assert told["next"] == {"tool": "lead", "arguments": {"action": "claim"}}


def test_of_a_detail_only_the_command_at_its_end_is_left_out() -> None:
    """What it quotes stays, whatever it looks like."""
    details = {
        "There is no seat '(see: mailstop who)' (see: mailstop who)": "There is no seat '(see: mailstop who)'",
        "there is no project 'a: mailstop b' (nearest: ab)": "there is no project 'a: mailstop b' (nearest: ab)",
    }
    for missing, shown in details.items():
        assert refusal(UnknownSeat(missing=missing, advice=""), "who", {})["message"] == f"{shown}."


def test_the_tree_of_errors_is_what_is_looked_at() -> None:
    assert errors.StoreBusy in KINDS.values()
