"""Many clients of `mailstop serve`, and bad ones: an error or a closed connection for those, nothing for the others."""

from __future__ import annotations

import json
import resource
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.clients.waiting import wait_for
from tests.http_served import Connection, Served
from tests.party import Person

CONNECTIONS = 1_000


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process have a socket for each connection."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * CONNECTIONS, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.timeout(120)
def test_a_thousand_connections_at_once_and_all_others_are_served(served: Served, many_files: None) -> None:
    ann = served.joined("ann")
    place = ann._place
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(place, timeout=50)) for _ in range(CONNECTIONS)]
        assert ann.told("who")["seats"][0]["seat"] == "ann"

        for each in opened:  # now all of them ask for something
            each.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for each in opened:
            assert each.recv(65536).startswith(b"HTTP/1.1 200")
        assert ann.told("who")["seats"][0]["seat"] == "ann"
    wait_for("it has let go of them", lambda: open_files(served) < 100)


def open_files(served: Served) -> float:
    lines = served.get("/metrics")[1].splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("process_open_fds "))


@pytest.mark.timeout(120)
def test_a_thousand_sessions_of_the_protocol_each_have_their_own(served: Served) -> None:
    connections = [served.connect().initialize() for _ in range(300)]
    ids = {each.id for each in connections}
    assert len(ids) == len(connections)

    first, last = connections[0].joined("first"), connections[-1].joined("last")
    first.told("send", to="last", body="across all of them")

    assert "across all of them" in last.told("check")["text"]
    assert served.memory_mib < 200


def test_a_client_that_never_reads_keeps_nobody_waiting(served: Served, person: Person) -> None:
    ann, ben = served.joined("ann"), served.joined("ben")
    for number in range(20):
        person.send("ann", f"{number}: " + "x" * 7_000)
    with ExitStack() as stack:
        for _ in range(20):  # each asks for all it can get, over and over, and reads nothing
            read = ann.numbered("tools/call", {"name": "read", "arguments": {"last": 200}})
            opened = stack.enter_context(ann.begin(read))
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        assert ben.told("who")["seats"]
        ben.told("send", to="ann", body="still here")
    assert ann.told("me")["waiting"] >= 1


def test_a_client_that_listens_and_never_reads_keeps_nobody_waiting(served: Served, person: Person) -> None:
    ann = served.joined("ann", experimental={"claude/channel": {}})
    ben = served.joined("ben", experimental={"claude/channel": {}})
    with ann.listen(), ben.listen() as stream:
        ann.told("who"), ben.told("who")
        for number in range(100):
            person.send("ann", f"letter {number}") if number % 10 == 0 else None
        person.send("ben", "for whoever reads")
        assert select.select([stream], [], [], 30)[0]
        assert ben.told("check")["letters"]


def test_a_request_that_never_ends_keeps_nobody_waiting(served: Served) -> None:
    ann = served.joined("ann")
    with ExitStack() as stack:
        for _ in range(50):
            opened = stack.enter_context(socket.create_connection(ann._place, timeout=20))
            opened.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{")
        assert ann.told("who")["seats"]


def test_what_is_no_http_is_closed(served: Served) -> None:
    ann = served.joined("ann")
    for data in (b"\x16\x03\x01\x02\x00\x01", b"nonsense\r\n\r\n", b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(ann._place, timeout=20) as opened:
            try:
                opened.sendall(data)
                answer = opened.recv(65536)
            except ConnectionError:
                answer = b""
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert ann.told("who")["seats"]


def test_as_many_calls_at_once_as_it_likes_are_all_answered(served: Served) -> None:
    ann = served.joined("ann")
    with ExitStack() as stack:
        requests = [ann.numbered("tools/call", {"name": "who", "arguments": {}}) for _ in range(200)]
        opened = [stack.enter_context(ann.begin(request)) for request in requests]
        for each, request in zip(opened, requests, strict=True):
            answer = b""
            while b'"result"' not in answer:
                answer += each.recv(65536)
            line = next(one for one in answer.decode().splitlines() if one.startswith("data: {"))
            assert json.loads(line.removeprefix("data: "))["id"] == request["id"]
    assert isinstance(ann, Connection)
