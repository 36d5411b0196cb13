"""Every error of the tree is something a model can go on from."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

import pytest

from mailstop import errors
from mailstop.errors import MailstopError, MustJoin, SeatWasLeft, Uncertain, UnknownSeat
from mailstop.json_text import dumps
from mailstop.mcp import tools
from mailstop.mcp.refusals import refusal
from mailstop.mcp.schema import checked


def kinds(kind: type[MailstopError] = MailstopError) -> Iterator[type[MailstopError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from kinds(each)


def made(kind: type[MailstopError]) -> MailstopError:
    """An error of a kind, its fields filled in with something."""
    fields = [name.split(" ") for _, name, _, _ in Formatter().parse(kind.__doc__ or "") if name]
    return kind(**{name: 1.0 if unit else "x" for name, *unit in fields})


KINDS = {kind.__name__: kind for kind in kinds()}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("tool", tools.NAMES)
def test_an_error_has_a_code_a_message_and_a_next_call_that_the_tools_take(
    kind: type[MailstopError], tool: str
) -> None:
    told = refusal(made(kind), tool, {"bag": "plans", "ref": 3} if tool == "send" else {"bag": "plans"})

    assert list(told) == ["code", "message", "next"]
    assert told["code"] == made(kind).code
    assert told["message"].isprintable()
    if told["next"] is not None:
        instead = tools.find(told["next"]["tool"])
        assert instead is not None
        arguments = {**({"body": "BODY"} if instead.required else {}), **told["next"]["arguments"]}
        checked(arguments, instead.input_schema, instead.name)
    dumps(told)


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
        assert "secret" not in dumps(refusal(made(kind), "send", {"to": "x", "body": "secret"}))


def test_the_tree_of_errors_is_what_is_looked_at() -> None:
    assert errors.StoreBusy in KINDS.values()
