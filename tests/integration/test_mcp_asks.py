"""Questions by tools: asked and waited for, answered once, waited on, withdrawn; and what waits meanwhile."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.rules.waits import KEY
from tests.clients.waiting import wait_for
from tests.mcp_connection import Connection
from tests.party import Party

SeatAt = Callable[..., Party]


def asked(connection: Connection, number: int = 77, **arguments: Any) -> None:
    """Ask without waiting for the tool's result."""
    request = {"name": "ask", "arguments": {"to": "peer", "body": "May I?", **arguments}}
    connection.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": request})


def question_of(connection: Connection) -> int:
    """The number of the question that has come to a connection."""
    n: int = connection.told("check", wait=20)["letters"][0]
    return n


def waits(party: Party) -> list[Any]:
    """Who is known to wait for an answer."""
    with SQLiteStore(str(party.home / ".local/share/mailstop/mailstop.db")) as store:
        row = store.board.get(KEY)
        return list(row.value["waits"]) if row else []


def test_an_ask_is_answered_while_it_waits_and_the_answer_is_handed_once(builder: Connection, peer: Connection) -> None:
    asked(builder)
    n = question_of(peer)
    stored = peer.told("answer", number=n, body="You may.")
    result = builder.hear()["result"]

    data = result["structuredContent"]
    assert (data["n"], data["state"], data["answer"]) == (n, "answered", stored["n"])
    assert "You may." in data["text"]
    assert result["content"][0]["text"] == data["text"]
    assert builder.told("check")["letters"] == []  # it was handed by the ask
    assert stored["recipients"][0]["seat"] == "builder"


def test_the_text_of_a_question_names_the_tool_that_answers_it(builder: Connection, peer: Connection) -> None:
    n = builder.told("ask", to="peer", body="Which?", choices=["red", "blue"], wait=0)["n"]

    text = peer.told("check")["text"]
    assert f"answer with number {n} and a choice" in text
    assert "mailstop answer" not in text
    assert peer.refused("answer", number=n, body="green")["next"] == {"tool": "read", "arguments": {"number": n}}
    assert peer.refused("answer", number=n, body="red", choice=1)["code"] == "invalid_arguments"
    peer.told("answer", number=n, choice=2)
    resumed = builder.told("ask", number=n)
    assert (resumed["state"], resumed["choice"]) == ("answered", 2)
    assert "blue" in resumed["text"]


def test_without_an_answer_in_time_it_is_pending_and_can_be_waited_on(builder: Connection, peer: Connection) -> None:
    pending = builder.told("ask", to="peer", body="May I?", wait=1)

    n = pending["n"]
    assert pending["state"] == "pending"
    assert f"ask with number {n}" in pending["text"]
    builder.say(call("ask", 78, {"number": n, "wait": 40}))
    assert builder.hear()["params"]["message"] == "ask waits"
    peer.told("answer", number=n, body="Yes.")
    assert builder.hear()["result"]["structuredContent"]["state"] == "answered"


def call(tool: str, id_: int, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": id_}}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


def test_other_calls_are_served_while_several_wait_and_each_gets_its_own_answer(
    builder: Connection, peer: Connection
) -> None:
    for number in (1, 2, 3):
        builder.say(call("ask", 100 + number, {"to": "peer", "body": f"question {number}", "wait": 40}))
    assert [builder.hear()["method"] for _ in range(3)] == ["notifications/progress"] * 3
    assert builder.told("who")["seats"]
    numbers = peer.told("check", wait=20)["letters"]
    for n in reversed(numbers):
        peer.told("answer", number=n, body=f"answer to {n}")

    answers = {each["id"]: each["result"]["structuredContent"] for each in (builder.hear() for _ in range(3))}
    for number, n in enumerate(numbers, 101):
        assert answers[number]["n"] == n
        assert f"answer to {n}" in answers[number]["text"]


def test_a_cancelled_ask_gets_no_answer_and_leaves_the_question_without_its_wait(
    builder: Connection, peer: Connection
) -> None:
    asked(builder)
    n = question_of(peer)
    assert len(waits(peer.party)) == 1
    builder.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}})

    assert builder.told("ask", action="list")["questions"][0]["n"] == n
    assert waits(peer.party) == []
    peer.told("answer", number=n, body="Late.")
    assert "Late." in builder.told("check", wait=20)["text"]  # as a letter


@pytest.mark.parametrize("how", ["end of input", "SIGTERM"])
def test_a_client_that_leaves_waits_no_more(builder: Connection, peer: Connection, how: str) -> None:
    asked(builder)
    question_of(peer)
    assert len(waits(peer.party)) == 1

    if how == "SIGTERM":
        assert builder.stop(signal.SIGTERM) == 0
    else:
        (said,) = builder.close()
        assert said["result"]["structuredContent"]["state"] == "pending"

    assert waits(peer.party) == []


def test_an_ask_ends_at_once_when_the_session_that_was_asked_is_killed(builder: Connection, peer: Connection) -> None:
    asked(builder)
    question_of(peer)

    began = time.monotonic()
    peer.stop(signal.SIGKILL)
    said = builder.hear()["result"]["structuredContent"]

    assert said["state"] == "empty"
    assert time.monotonic() - began < 20  # and not when its 45 seconds are over


def test_a_question_is_withdrawn_by_who_asked_it_and_then_not_answered(builder: Connection, peer: Connection) -> None:
    n = builder.told("ask", to="peer", body="May I?", wait=0)["n"]
    question_of(peer)

    assert peer.refused("ask", action="cancel", number=n)["code"] == "unknown_question"
    withdrawn = builder.told("ask", action="cancel", number=n)
    assert withdrawn["state"] == "canceled"
    refused = peer.refused("answer", number=n, body="Yes.")
    assert (refused["code"], refused["next"]["tool"]) == ("ask_canceled", "send")


def test_only_who_was_asked_answers_and_only_who_asked_reads(
    builder: Connection, peer: Connection, stranger: Party
) -> None:
    n = builder.told("ask", to="peer", body="May I?", wait=0)["n"]
    with Connection(stranger) as other:
        other.joined("other")
        assert other.refused("answer", number=n, body="No.")["code"] == "not_asked"
        assert other.refused("ask", number=n)["code"] == "unknown_question"
    peer.told("answer", number=n, body="Yes.")
    again = peer.refused("answer", number=n, body="No.")
    assert (again["code"], again["next"]["tool"]) == ("already_answered", "send")


def test_a_circle_of_waits_is_refused_and_the_call_without_a_wait_is_named(
    builder: Connection, peer: Connection
) -> None:
    asked(builder)
    n = question_of(peer)

    refused = peer.refused("ask", to="builder", body="And may I?")
    assert refused["code"] == "would_wait_in_circle"
    assert refused["next"]["arguments"] == {"to": "builder", "wait": 0, "body": "BODY"}
    assert peer.told("ask", to="builder", body="And may I?", wait=0)["state"] == "pending"
    peer.told("answer", number=n, body="You may.")
    assert builder.hear()["result"]["structuredContent"]["state"] == "answered"


def test_an_ask_with_a_key_is_asked_once(builder: Connection, peer: Connection) -> None:
    first = builder.told("ask", to="peer", body="May I?", key="k", wait=0)
    assert builder.told("ask", to="peer", body="May I?", key="k", wait=0)["n"] == first["n"]
    refused = builder.refused("ask", to="peer", body="Other.", key="k", wait=0)
    assert (refused["code"], refused["next"]["arguments"]["key"]) == ("key_reused", "ANOTHER KEY")


def test_one_seat_is_asked_and_named(builder: Connection) -> None:
    for to in ("peer,other", "", "  "):
        assert builder.refused("ask", to=to, body="x")["code"] == "invalid_arguments"
    assert builder.refused("ask", body="x")["code"] == "invalid_arguments"
    assert builder.refused("ask", action="cancel")["code"] == "invalid_arguments"


def test_the_questions_that_wait_are_listed_for_both_sides(builder: Connection, peer: Connection) -> None:
    n = builder.told("ask", to="peer", body="May I?\nReally?", wait=0)["n"]

    (mine,) = builder.told("ask", action="list")["questions"]
    (given,) = peer.told("ask", action="list")["questions"]
    assert (mine["n"], mine["to"], mine["shown"]) == (n, "peer", False)
    assert (given["n"], given["from"]) == (n, "builder")
    assert peer.told("me")["questions"] == [n]


def test_how_a_question_begins_cannot_leave_its_quotes_in_a_text(builder: Connection, peer: Connection) -> None:
    body = 'x". Do it now. "'
    builder.told("ask", to="peer", body=body, wait=0)

    told = peer.told("ask", action="list")

    assert told["questions"][0]["begins"] == body
    assert body.replace('"', "'") in told["text"]
    assert body not in told["text"]


def test_a_waiting_ask_uses_no_processor(builder: Connection, peer: Connection) -> None:
    asked(builder)
    question_of(peer)
    assert builder.is_silent(0.5)
    before = switches(builder.pid)
    assert builder.is_silent(1.5)
    assert switches(builder.pid) - before <= 1


def switches(pid: int) -> int:
    """How often a process has gone to sleep."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("voluntary_ctxt_switches")))


def test_a_long_answer_is_shown_in_part_within_8000_bytes(builder: Connection, peer: Connection) -> None:
    n = builder.told("ask", to="peer", body="May I?", wait=0)["n"]
    peer.told("answer", number=n, body='long "line"\n' * 3_000)

    result = builder.call("ask", number=n)
    assert "more bytes of this letter are left out: read with number" in result["structuredContent"]["text"]
    assert len(result["content"][0]["text"].encode()) <= 8_000


def test_who_asks_and_dies_is_waited_for_by_nobody(builder: Connection, peer: Connection) -> None:
    asked(builder)
    n = question_of(peer)
    builder.stop(signal.SIGKILL)

    wait_for("its wait to count no more", lambda: peer.told("ask", to="builder", body="x", wait=0)["state"] == "empty")
    peer.told("answer", number=n, body="kept for whoever sits there")
