"""The tools over HTTP are those over pipes, in both eras of the protocol; and what is no message harms nobody."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError

from tests.clients.waiting import wait_for
from tests.http_served import NEW, Connection, Served
from tests.mcp_connection import Connection as PipeConnection
from tests.party import Party, Person
from tests.sdk_exchange import letters_go_to_and_fro
from tests.serve_inside import Inside

SeatAt = Callable[..., Party]
MEGABYTE = 1 << 20


def done(address: str, mode: str, *steps: list[Any]) -> list[Any]:
    """What the SDK's client finds: what was agreed, and what came of each step."""

    async def main() -> list[Any]:
        found: list[Any] = []
        async with Client(f"{address}/mcp", mode=mode) as client:
            found.append({"version": client.protocol_version, "instructions": client.instructions})
            for name, *arguments in steps:
                try:
                    result = await getattr(client, name)(*arguments)
                    found.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
                except MCPError as error:
                    found.append({"error": error.code})
        return found

    return anyio.run(main)


# -- the same as over pipes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", NEW])
def test_the_tools_their_schemas_and_their_hints_are_those_of_the_server_over_pipes(
    inside: Inside, stranger: Party, mode: str
) -> None:
    with PipeConnection(stranger) as pipe:
        pipe.initialize()
        over_pipes = pipe.ask("tools/list")["result"]["tools"]

    agreed, listed = done(inside.address, mode, ["list_tools"])

    assert agreed["version"] == ("2025-11-25" if mode == "legacy" else NEW)
    assert listed["tools"] == over_pipes


def test_what_is_agreed_is_what_is_agreed_over_pipes(inside: Inside, stranger: Party) -> None:
    with PipeConnection(stranger) as pipe:
        over_pipes = pipe.initialize()
    connection = inside.connect()

    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    (answer,) = connection.post(connection.numbered("initialize", params)).messages

    tools = {"tools": {"listChanged": False}}  # the SDK says so in words
    assert answer["result"] == {**over_pipes, "capabilities": {**over_pipes["capabilities"], **tools}}


STEPS: list[tuple[str, dict[str, Any]]] = [
    ("me", {}),
    ("send", {"to": "nobody", "body": "hello"}),
    ("send", {"to": "human"}),
    ("send", {"to": 7, "body": "hello"}),
    ("who", {"nonsense": True}),
    ("read", {"number": 4711}),
    ("check", {"wait": 4711}),
    ("me", {"action": "join", "name": "two words"}),
    ("me", {"action": "leave", "bag": "nowhere"}),
    ("lease", {"action": "nonsense"}),
    ("task", {"action": "show", "number": 4711}),
]


def test_each_refusal_is_the_one_over_pipes(inside: Inside, stranger: Party) -> None:
    with PipeConnection(stranger) as pipe:
        pipe.joined("ann")
        over_pipes = [pipe.call(name, **arguments) for name, arguments in STEPS]
        pipe.told("me", action="leave")
    ann = inside.joined("ann")

    over_http = [ann.call(name, **arguments) for name, arguments in STEPS]

    for step, pipes, http_ in zip(STEPS, over_pipes, over_http, strict=True):
        assert pipes["isError"] == http_["isError"], step
        if pipes["isError"]:
            assert http_ == pipes, step


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_letters_go_to_and_fro_by_the_sdks_client(inside: Inside, seat: SeatAt, mode: str) -> None:
    peer: Party = seat("peer")
    letters_go_to_and_fro(peer, lambda *steps: done(inside.address, mode, *steps))


def test_every_tool_can_be_called_and_answers_as_its_schema_says(inside: Inside) -> None:
    """The SDK's client validates the structured content of each call that is no error."""
    steps: list[list[Any]] = [
        ["list_tools"],
        ["call_tool", "me", {"action": "join", "name": "builder"}],
        ["call_tool", "who", {}],
        ["call_tool", "send", {"to": "human", "body": "hello"}],
        ["call_tool", "check", {}],
        ["call_tool", "read", {}],
        ["call_tool", "ask", {"to": "human", "body": "May I?", "wait": 0}],
        ["call_tool", "ask", {"action": "list"}],
        ["call_tool", "task", {"action": "list"}],
        ["call_tool", "lead", {}],
        ["call_tool", "lease", {"action": "list"}],
    ]

    for step, result in zip(steps[1:], done(inside.address, "legacy", *steps)[2:], strict=True):
        assert result["isError"] is False, (step, result)


@pytest.mark.parametrize("mode", ["legacy", NEW])
def test_an_unknown_tool_and_an_unknown_method_are_errors_of_the_protocol(inside: Inside, mode: str) -> None:
    _, tool, prompts = done(inside.address, mode, ["call_tool", "nonsense", {}], ["list_prompts"])

    assert tool == {"error": -32602}
    assert prompts == {"error": -32601}


def test_a_channel_is_told_of_a_letter_by_its_line_and_what_it_is_about(inside: Inside, seat: SeatAt) -> None:
    peer = seat("peer")
    ann = inside.joined("ann", experimental={"claude/channel": {}})
    with ann.listen() as stream:
        stream.settimeout(40)
        ann.told("who")
        n = peer.send("ann", "not this body", "--needs-reply")
        heard = b""
        while b"notifications/claude/channel" not in heard or not heard.endswith(b"\n\r\n"):
            heard += stream.recv(65536)

    line = next(line for line in heard.decode().splitlines() if line.startswith("data: {"))
    told = json.loads(line.removeprefix("data: "))
    assert told["params"]["content"] == f"mailstop: letter {n} from peer"
    assert told["params"]["meta"] == {
        "kind": "note",
        "from": "peer",
        "bag": "default",
        "n": str(n),
        "needs_reply": "true",
    }
    assert ann.told("check")["letters"] == [n]  # which it proves nothing of


def heard_of(stream: socket.socket, n: int) -> None:
    """Hear the channel until it tells of a letter."""
    stream.settimeout(40)
    heard = b""
    while f"mailstop: letter {n} from".encode() not in heard:
        more = stream.recv(65536)
        assert more, heard
        heard += more


def test_each_connection_of_a_seats_token_has_a_channel_until_it_is_over(inside: Inside, seat: SeatAt) -> None:
    peer = seat("peer")
    part: dict[str, Any] = {"experimental": {"claude/channel": {}}}
    first, second = (inside.connect("seat", "ann").initialize(part) for _ in range(2))
    with first.listen() as one, second.listen() as other:
        first.told("who"), second.told("who")
        n = peer.send("ann", "for both")
        for stream in (one, other):
            heard_of(stream, n)

        first.close()
        wait_for("one channel is left", lambda: len(inside.service._news._tasks) == 1)
        heard_of(other, peer.send("ann", "for the one that is left"))

        second.close()
        wait_for("no channel is left", lambda: not inside.service._news._tasks)


def test_a_client_that_takes_no_part_in_channels_is_told_nothing(inside: Inside, seat: SeatAt) -> None:
    peer, ann = seat("peer"), inside.joined("ann")
    with ann.listen() as stream:
        peer.send("ann", "hello")
        assert ann.told("who")["mail"]
        stream.settimeout(0.3)
        with pytest.raises(TimeoutError):
            stream.recv(65536)


# -- what is no message ----------------------------------------------------------------------------------------------


def well(connection: Connection) -> bool:
    """Whether a connection is served as if nothing had been."""
    return bool(connection.told("who")["seats"])


CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "who", "arguments": {"bag": "%s"}}}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
        CALL % b"\xff",
        CALL % b"\\ud800",
        b"[" * 100_000,
        b"\x00\x01\x02",
    ],
)
def test_what_is_no_message_is_refused_and_the_next_one_is_served(inside: Inside, body: bytes) -> None:
    ann = inside.joined("ann")

    answered = ann.post(body)

    assert answered.status in (200, 202, 400), answered.body  # the second: it is taken for a notification
    if answered.status == 200:
        (message,) = answered.messages
        assert "error" in message or message["result"]["isError"]
    assert well(ann)


def test_nothing_of_a_letter_is_stored_that_holds_what_no_text_may(inside: Inside) -> None:
    ann = inside.joined("ann")
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    params = '"params": {"name": "send", "arguments": {"to": "human", "body": "half \\ud800"}}'

    answered = ann.post((json.dumps(message)[:-1] + ", " + params + "}").encode())

    assert answered.status == 400 or answered.messages[0].get("error") or answered.messages[0]["result"]["isError"]
    assert "sent" not in ann.told("me")


@pytest.mark.parametrize("megabytes", [1, 10, 20])
def test_large_arguments_are_refused_and_the_next_call_is_served(inside: Inside, megabytes: int) -> None:
    ann = inside.joined("ann")
    arguments = {"to": "human", "body": "x" * megabytes * MEGABYTE}
    request = ann.numbered("tools/call", {"name": "send", "arguments": arguments})

    try:
        answered = ann.post(request)
        assert answered.status == 413 or answered.messages[0]["result"]["structuredContent"]["code"] == "body_too_large"
    except (BrokenPipeError, ConnectionResetError):  # it was not read to its end
        assert megabytes == 20
    assert well(ann)


def test_the_largest_letter_may_be_written_escaped(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    body = "é" * (128 * 1024)
    arguments = json.dumps({"to": "human", "body": body})
    assert len(arguments) > 3 * len(body)

    assert ann.told("send", to="human", body=body)["recipients"][0]["state"] == "stored"


def test_half_a_request_and_then_the_end_harms_nobody(inside: Inside) -> None:
    ann = inside.joined("ann")
    broken = ann.begin({"jsonrpc": "2.0"})
    broken.close()
    opened = http.client.HTTPConnection(*ann._place, timeout=20)
    opened.connect()
    assert opened.sock
    opened.sock.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{")
    opened.close()

    assert well(ann)


@pytest.mark.parametrize(("method", "status"), [("PUT", 405), ("PATCH", 405), ("DELETE", 400), ("GET", 400)])
def test_another_way_to_ask_is_refused(inside: Inside, method: str, status: int) -> None:
    assert inside.connect().request(method).status in (status, 404, 405, 400)
    assert inside.connect().request("POST", "/elsewhere").status == 404


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
VALUES = st.recursive(
    st.dictionaries(st.text(max_size=8), PLAIN, max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=st.one_of(st.binary(max_size=200), VALUES.map(lambda value: json.dumps(value).encode())))
def test_whatever_comes_the_next_call_is_served(inside: Inside, message: bytes) -> None:
    connection = inside.connect().initialize()
    answered = connection.post(message)

    assert answered.status < 500, answered.body
    assert connection.call("who")["isError"] is False
    connection.close()


def test_nothing_that_was_sent_stands_in_the_log(served: Served, person: Person) -> None:
    ann = served.joined("ann")
    secret = "the-body-that-nobody-logs"
    ann.told("send", to="human", body=secret)
    ann.post(f'{{"jsonrpc": "2.0", "method": "{secret}"'.encode())
    ann.post({"jsonrpc": "2.0", "id": 5, "method": secret, "params": {"x": secret}})
    ann.call("send", to="human", body=secret, kind=secret + " " + secret)
    ann.close()
    assert served.stop() == 0

    assert "no longer serves" in served.log
    assert secret not in served.log + "\n".join(served.said)
