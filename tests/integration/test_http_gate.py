"""The gate, over real sockets: who is let in, by what, and what becomes of everything else."""

from __future__ import annotations

import json
import logging
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from mailstop import rules
from mailstop.engines.base import Store
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.resident import gate
from mailstop.resident.allowed import Allowed
from mailstop.resident.gate import MOST_HEADERS
from mailstop.resident.shared_token import SharedToken, take_shared_token
from mailstop.times import now_ms
from mailstop.token import id_of, new_secret
from tests.clients.waiting import wait_for
from tests.conformance.clock import Clock
from tests.gated_server import Answer, GatedServer, answer_on

SHARED = "the-one-token-of-all"


@pytest.fixture
def open_store(tmp_path: Path) -> Callable[[], Store]:
    """Opens the store of the test, as often as asked."""
    return lambda: SQLiteStore(str(tmp_path / "mail.db"))


@pytest.fixture
def create(open_store: Callable[[], Store]) -> Callable[..., str]:
    """Create a token and give its text: `create("builder")`."""

    def new(seat: str, bag: str = "default", *, lasts_ms: int | None = None, now: int | None = None) -> str:
        with open_store() as store:
            place = "" if seat == "human" else bag
            return rules.tokens.created(store, seat, place, lasts_ms=lasts_ms, now=now or now_ms())[1]

    return new


@pytest.fixture
def revoke(open_store: Callable[[], Store]) -> Callable[[str], None]:
    def end(text: str) -> None:
        with open_store() as store:
            rules.tokens.revoked(store, id_of(text), now=now_ms())

    return end


@pytest.fixture
def server(open_store: Callable[[], Store]) -> Iterator[GatedServer]:
    """A server on loopback without a shared token."""
    with GatedServer(open_store) as server:
        yield server


@pytest.fixture
def exposed(open_store: Callable[[], Store]) -> Iterator[GatedServer]:
    """A server that others can reach, so far as its gate knows."""
    with GatedServer(open_store, loopback=False) as server:
        yield server


def shared() -> SharedToken:
    token = take_shared_token({"MAILSTOP_TOKEN": SHARED})
    assert token
    return token


@pytest.fixture
def closed(open_store: Callable[[], Store]) -> Iterator[GatedServer]:
    """A server with a shared token, on loopback."""
    with GatedServer(open_store, shared=shared()) as server:
        yield server


def assert_refused(server: GatedServer, answer: Answer, status: int, code: str) -> None:
    """That a request was answered with a refusal, and that the server behind the gate heard nothing of it."""
    assert answer.status == status
    error = answer.json["error"]
    assert error["data"]["code"] == code
    assert error["message"] == f"{error['data']['message']} {error['data']['next']}"
    assert answer.headers["connection"] == "close"
    assert server.heard == 0


# -- tokens


def test_on_loopback_nobody_needs_a_token_while_there_never_was_one(server: GatedServer) -> None:
    answer = server.post()

    assert (answer.status, answer.json["bearer"]) == (200, None)


def test_the_first_token_closes_a_server_that_runs(server: GatedServer, create: Callable[..., str]) -> None:
    assert server.post().status == 200
    text = create("builder")

    assert server.post().status == 401
    assert server.post(token=text).status == 200


def test_it_stays_closed_when_the_last_token_is_revoked(
    server: GatedServer, create: Callable[..., str], revoke: Callable[[str], None]
) -> None:
    revoke(create("builder"))

    assert_refused(server, server.post(), 401, "token_needed")


def test_it_stays_closed_when_the_last_token_expires(
    open_store: Callable[[], Store], create: Callable[..., str]
) -> None:
    clock = Clock()
    text = create("builder", lasts_ms=60_000, now=clock())
    with GatedServer(open_store, clock=clock) as server:
        assert server.post(token=text).status == 200
        clock.advance(60)

        assert server.post().status == 401
        assert server.post(token=text).status == 401


def test_a_seats_token_says_seat_and_bag(server: GatedServer, create: Callable[..., str]) -> None:
    text = create("builder", "side")

    assert server.post(token=text).json["bearer"] == {
        "kind": "seat",
        "seat": "builder",
        "bag": "side",
        "id": id_of(text),
    }


def test_the_persons_token_says_that_it_is_the_person(server: GatedServer, create: Callable[..., str]) -> None:
    text = create("human")

    assert server.post(token=text).json["bearer"] == {"kind": "human", "seat": "human", "bag": "", "id": id_of(text)}


def test_the_shared_token_says_nothing_of_who_it_is(closed: GatedServer) -> None:
    assert closed.post(token=SHARED).json["bearer"] == {"kind": "shared", "seat": "", "bag": "", "id": "shared"}


def test_beside_a_shared_token_those_of_seats_count_too(closed: GatedServer, create: Callable[..., str]) -> None:
    assert closed.post(token=create("builder")).json["bearer"]["kind"] == "seat"


def test_the_server_behind_the_gate_never_sees_the_token(closed: GatedServer) -> None:
    assert closed.post(token=SHARED).json["token"] is None


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Basic {SHARED}",
        f"Token {SHARED}",
        SHARED,
        f"Bearer {SHARED[:-1]}",
        f"Bearer {SHARED}x",
        f"Bearer {SHARED.upper()}",
        f"Bearer {SHARED} {SHARED}",
        f"Bearer, Bearer {SHARED}",
        "Bearer " + "x" * 20_000,
        f"Bearer mailstop_0123abcd_{'0' * 64}",
        f"Bearer {SHARED}é".encode(),
        b"Bearer \xff\xfe\x80",
        "Bearer é".encode("latin-1"),
    ],
)
def test_what_is_no_token_that_counts_is_refused_before_the_server_hears_of_it(
    closed: GatedServer, header: str | bytes | None
) -> None:
    answer = closed.post() if header is None else closed.post(authorization=header)

    assert_refused(closed, answer, 401, "token_needed")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "mailstop token create" in answer.json["error"]["data"]["next"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
def test_the_name_of_the_scheme_may_be_written_in_any_case(closed: GatedServer, scheme: str) -> None:
    assert closed.post(authorization=f"{scheme} {SHARED}").status == 200


def test_two_tokens_are_none(closed: GatedServer) -> None:
    head = closed.text_of("POST", "/mcp", b"{}", authorization=f"Bearer {SHARED}")
    doubled = head.replace(b"authorization:", f"authorization: Bearer {SHARED}\r\nauthorization:".encode(), 1)

    assert_refused(closed, closed.send(doubled), 401, "token_needed")


def test_a_token_in_the_address_is_none(closed: GatedServer) -> None:
    answer = closed.request("POST", f"/mcp?token={SHARED}&access_token={SHARED}", b"{}")

    assert_refused(closed, answer, 401, "token_needed")


def test_unknown_expired_and_revoked_are_one_to_the_client_and_told_apart_in_the_log(
    open_store: Callable[[], Store],
    create: Callable[..., str],
    revoke: Callable[[str], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    expired = create("builder", lasts_ms=60_000, now=clock())
    clock.advance(60)
    revoked = create("builder")
    revoke(revoked)
    unknown = new_secret("0123abcd")
    caplog.set_level(logging.INFO, "mailstop")
    with GatedServer(open_store, clock=clock) as server:
        answers = [server.post(token=text) for text in (unknown, expired, revoked)]
        answers.append(server.post())

    told = {(answer.status, answer.body, answer.headers["www-authenticate"]) for answer in answers}
    assert len(told) == 1
    assert [record.getMessage() for record in caplog.records if record.name.startswith("mailstop")] == [
        "127.0.0.1 is refused: its token is unknown",
        f"127.0.0.1 is refused: token {id_of(expired)} is expired",
        f"127.0.0.1 is refused: token {id_of(revoked)} is revoked",
        "127.0.0.1 is refused: it sends no token",
    ]
    assert all(text.rpartition("_")[2] not in caplog.text for text in (unknown, expired, revoked))


def test_a_revoked_token_opens_nothing_from_the_next_request_on(
    server: GatedServer, create: Callable[..., str], revoke: Callable[[str], None]
) -> None:
    text = create("builder")
    with server.connect() as connection:
        request = server.text_of("POST", "/mcp", b"{}", authorization=f"Bearer {text}")
        connection.sendall(request)
        assert answer_on(connection).status == 200
        revoke(text)
        connection.sendall(request)

        assert answer_on(connection).status == 401, "also on a connection that was let in before"


def test_a_stream_ends_before_anything_is_told_to_a_revoked_token(
    server: GatedServer,
    create: Callable[..., str],
    revoke: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "BELIEVED_S", 0.0)
    text, kept = create("builder"), create("human")
    with server.connect() as connection:
        connection.sendall(server.text_of("GET", "/events", authorization=f"Bearer {text}"))
        data = b""
        while b"begun" not in data:
            data += connection.recv(4096)
        server.tell("before")
        while b"before" not in data:
            data += connection.recv(4096)
        revoke(text)
        server.tell("a secret")
        rest = b""
        while not rest.endswith(b"0\r\n\r\n"):
            piece = connection.recv(4096)
            assert piece
            rest += piece

        assert b"secret" not in rest
    assert server.post(token=kept).status == 200


def test_an_answer_that_was_long_in_the_making_is_not_told_to_a_revoked_token(
    server: GatedServer,
    create: Callable[..., str],
    revoke: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "BELIEVED_S", 0.0)
    text = create("builder")
    with server.connect() as connection:
        connection.sendall(server.text_of("GET", "/answer", authorization=f"Bearer {text}"))
        wait_for("the server makes its answer", lambda: server.heard == 1)
        revoke(text)
        server.tell("a secret")

        answer = answer_on(connection)

    assert answer.status == 401
    assert answer.json["error"]["data"]["code"] == "token_needed"


def test_a_use_is_noted(server: GatedServer, create: Callable[..., str], open_store: Callable[[], Store]) -> None:
    text = create("builder")
    server.post(token=text)

    with open_store() as store:
        wait_for("the use is noted", lambda: rules.tokens.last_use(store, id_of(text)) > 0)


def test_where_the_store_cannot_be_asked_nobody_is_let_in(tmp_path: Path) -> None:
    (tmp_path / "mail.db").write_bytes(b"no store" * 1000)
    with GatedServer(lambda: SQLiteStore(str(tmp_path / "mail.db")), loopback=False) as server:
        answer = server.post(token=new_secret("0123abcd"))

        assert_refused(server, answer, 503, "store_unavailable")
        assert server.get("/healthz").status == 200, "the server itself says how it is"


# -- health and figures


def test_health_is_told_to_everybody_and_figures_to_whoever_has_a_token(exposed: GatedServer) -> None:
    assert exposed.get("/healthz").body == b"ok"
    assert exposed.get("/healthz", host="10.1.2.3:8471").status == 200, "as an orchestrator's probe asks"
    assert exposed.request("HEAD", "/healthz", connection="close").status == 200
    exposed.heard = 0

    assert_refused(exposed, exposed.get("/metrics"), 401, "token_needed")
    assert_refused(exposed, exposed.request("POST", "/healthz", b"x"), 401, "token_needed")


def test_figures_are_told_with_a_token_of_any_kind(exposed: GatedServer, create: Callable[..., str]) -> None:
    assert exposed.get("/metrics", authorization=f"Bearer {create('builder')}").status == 200


def test_on_loopback_figures_need_no_token(closed: GatedServer) -> None:
    assert closed.get("/metrics").status == 200


@pytest.mark.parametrize("path", ["/healthz/", "//healthz", "/healthz/../mcp", "/healthz%2f..%2fmcp", "/healthz?x=1#y"])
def test_only_the_very_path_of_health_is_open(closed: GatedServer, path: str) -> None:
    answer = closed.get(path)

    assert (answer.status, answer.body) in ((200, b"ok"), (401, answer.body))
    assert (answer.status == 200) == path.startswith("/healthz?")


@pytest.mark.parametrize("path", ["/", "/health", "/docs", "/openapi.json", "/.well-known/oauth-protected-resource"])
def test_no_other_path_answers_without_a_token(closed: GatedServer, path: str) -> None:
    assert_refused(closed, closed.get(path), 401, "token_needed")


# -- names and origins


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8471", "LOCALHOST", "localhost.", "[::1]:8471", "[::1]"])
def test_a_server_on_loopback_is_called_by_the_names_of_loopback(server: GatedServer, host: str) -> None:
    assert server.post(host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8471",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.1.2.3",
        "localhost:8471:1",
        "localhost:port",
        "local host",
        "user@localhost",
        "localhost/",
        "localhost,evil.example",
        "[::1",
        "[::2]",
        "::1",
        "",
        "localhost\xe9",
        "x" * 5000,
    ],
)
def test_whatever_else_it_is_called_is_refused_whoever_asks(closed: GatedServer, host: str) -> None:
    answer = closed.post(token=SHARED, host=host)

    assert answer.status in (400, 421)  # 400: uvicorn itself finds it malformed
    assert closed.heard == 0


def test_a_request_without_a_name_or_with_two_is_refused(server: GatedServer) -> None:
    for head in (
        b"POST /mcp HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}",
    ):
        assert server.send(head).status in (400, 421)
    assert server.heard == 0


@pytest.mark.parametrize(
    "origin", ["http://localhost:6274", "http://127.0.0.1:8471", "https://localhost", "http://[::1]:1"]
)
def test_pages_of_this_machine_may_call(server: GatedServer, origin: str) -> None:
    assert server.post(origin=origin).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://evil.example/localhost",
        "null",
        "",
        "http://",
        "localhost",
        "file://localhost",
        "http://localhost@evil.example",
        "http://localhost evil",
        "http://localhost\xe9",
        "x" * 5000,
    ],
)
def test_pages_of_elsewhere_may_not_whatever_token_they_have(closed: GatedServer, origin: str) -> None:
    assert_refused(closed, closed.post(token=SHARED, origin=origin), 403, "origin_refused")


def test_names_and_origins_can_be_added(open_store: Callable[[], Store]) -> None:
    allowed = Allowed.of(
        "127.0.0.1",
        {
            "MAILSTOP_HTTP_ALLOWED_HOSTS": "mail.example.org, 192.0.2.7 ,",
            "MAILSTOP_HTTP_ALLOWED_ORIGINS": "https://desk.example.org:443, vscode-webview://abc",
        },
    )
    with GatedServer(open_store, allowed=allowed) as server:
        for host in ("mail.example.org:8471", "192.0.2.7", "localhost"):
            assert server.post(host=host).status == 200
        for origin in ("https://desk.example.org", "vscode-webview://abc", "https://mail.example.org"):
            assert server.post(origin=origin).status == 200
        for origin in ("http://desk.example.org", "https://desk.example.org:444", "vscode-webview://abcd"):
            assert server.post(origin=origin).status == 403


# -- bodies and headers


def test_a_body_up_to_the_limit_passes_whole(server: GatedServer) -> None:
    assert server.post(b"x" * 100_000).json["length"] == 100_000


def test_a_larger_one_is_refused_by_its_announced_length(server: GatedServer) -> None:
    assert_refused(server, server.post(b"x" * 100_001), 413, "too_large")


def test_a_client_that_sends_all_of_it_gets_to_read_the_refusal(server: GatedServer) -> None:
    assert_refused(server, server.post(b"x" * 10_000_000), 413, "too_large")


def test_an_announced_length_is_refused_before_anything_is_sent(server: GatedServer) -> None:
    with server.connect() as connection:
        connection.sendall(server.text_of("POST", "/mcp", content_length="99999999", expect="100-continue"))

        assert_refused(server, answer_on(connection), 413, "too_large")


@pytest.mark.parametrize("pieces", [101, 2000])
def test_a_larger_one_in_chunks_is_refused_once_it_is_too_large(server: GatedServer, pieces: int) -> None:
    head = server.text_of("POST", "/mcp", transfer_encoding="chunked")
    chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"

    assert_refused(server, server.send(head + chunk * pieces), 413, "too_large")


def test_chunks_within_the_limit_pass_whole(server: GatedServer) -> None:
    head = server.text_of("POST", "/mcp", transfer_encoding="chunked")
    chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"

    assert server.send(head + chunk * 100 + b"0\r\n\r\n").json["length"] == 100_000


def test_a_body_of_somebody_without_a_token_is_not_read(closed: GatedServer) -> None:
    with closed.connect() as connection:
        connection.sendall(closed.text_of("POST", "/mcp", content_length="50000"))

        assert_refused(closed, answer_on(connection), 401, "token_needed")


def test_a_body_that_does_not_come_is_not_waited_for(open_store: Callable[[], Store]) -> None:
    with GatedServer(open_store, body_s=0.2) as server, server.connect() as connection:
        connection.sendall(server.text_of("POST", "/mcp", content_length="100") + b"{")

        assert_refused(server, answer_on(connection), 408, "too_slow")


def test_a_client_that_hangs_up_in_its_body_is_not_heard_of(server: GatedServer) -> None:
    with server.connect() as connection:
        connection.sendall(server.text_of("POST", "/mcp", content_length="100") + b"{")
        connection.shutdown(socket.SHUT_RDWR)

    assert server.post().status == 200
    assert server.heard == 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS"])
def test_a_body_is_refused_where_nobody_reads_one(server: GatedServer, method: str) -> None:
    refused = server.request(method, "/mcp", b"{}")

    assert (refused.status, refused.headers["connection"], server.heard) == (400, "close", 0)
    chunked = server.text_of(method, "/mcp", transfer_encoding="chunked") + b"2\r\n{}\r\n0\r\n\r\n"
    assert (server.send(chunked).status, server.heard) == (400, 0)
    assert server.request(method, "/mcp", content_length="0").status != 400


def test_bodies_of_requests_that_wait_shut_nobody_out(server: GatedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MOST_HELD", 250_000)
    with ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(server.connect())
            connection.sendall(server.text_of("POST", "/answer", b"x" * 100_000))
        wait_for("the server makes their answers", lambda: server.heard == 3)

        assert server.post(b"x" * 100_000).status == 200


def test_bodies_that_are_still_to_come_have_a_limit_together(
    server: GatedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "MOST_HELD", 150_000)
    with server.connect() as slow:
        slow.sendall(server.text_of("POST", "/mcp", content_length="100000") + b"x" * 90_000)
        wait_for("its body is read", lambda: server.gate._held == 90_000)
        assert_refused(server, server.post(b"x" * 90_000), 503, "busy")
        slow.sendall(b"x" * 10_000)
        assert answer_on(slow).status == 200

    assert server.post(b"x" * 90_000).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"1," * 20_000 + b"1]",
        b"[" * 20_000,
        b'{"a":[' + b"{}," * 10_001 + b"{}]}",
        b'{"a":{' + b'"":0,' * 15_000 + b'"":0}}',
        b'["' + rb"\\" * 9 + b'",' + b"1," * 20_000 + b"1]",
        b'["' + rb"\"" * 9 + b'",' + b"1," * 20_000 + b"1]",
        b'"' * 50_000,
    ],
    ids=["numbers", "nested", "objects", "names", "after-backslashes", "after-quotes", "strings"],
)
def test_a_body_of_more_items_than_anybody_needs_is_refused(server: GatedServer, body: bytes) -> None:
    assert_refused(server, server.post(body), 413, "too_many_items")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_body_in_another_encoding_is_refused(server: GatedServer, encoding: str) -> None:
    assert_refused(server, server.post('{"a": "\u2200"}'.encode(encoding)), 400, "not_utf8")


@pytest.mark.parametrize("text", [",", "[", "{", '"', "\\", '\\"', "\n", "é", '",'])
def test_what_stands_in_a_text_is_no_item_however_often(server: GatedServer, text: str) -> None:
    body = json.dumps({"params": {"arguments": {"body": text * 12_000}}}).encode()

    assert server.post(body).json["length"] == len(body)


def test_more_headers_than_anybody_needs_are_refused(server: GatedServer) -> None:
    many = "".join(f"y\r\nx-{number}: y" for number in range(MOST_HEADERS))

    assert_refused(server, server.post(x=many), 431, "headers_too_large")


def test_longer_headers_than_anybody_needs_are_refused(server: GatedServer) -> None:
    assert_refused(server, server.post(cookie="x" * 40_000), 431, "headers_too_large")


def test_refusals_are_counted(closed: GatedServer) -> None:
    for _ in range(2):
        closed.post()
    closed.post(token=SHARED, host="evil.example")

    assert closed.refused == {"token_needed": 2, "host_refused": 1}


def test_a_websocket_is_no_way_in(closed: GatedServer) -> None:
    answer = closed.get("/mcp", connection="upgrade", upgrade="websocket", sec_websocket_key="x" * 24)

    assert_refused(closed, answer, 401, "token_needed")


# -- the official client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_is_told_what_to_do(closed: GatedServer, mode: str) -> None:
    async def connect() -> None:
        async with Client(streamable_http_client(f"http://127.0.0.1:{closed.port}/mcp"), mode=mode):
            pass

    try:
        anyio.run(connect)
    except* MCPError as refused:
        assert "mailstop token create SEAT" in "".join(traceback.format_exception(refused))
    else:
        pytest.fail("it was let in")


# -- anything at all

HEADER_BYTES = st.binary(min_size=0, max_size=200).filter(lambda value: not {10, 13, 0} & set(value))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(authorization=HEADER_BYTES)
def test_no_bytes_in_place_of_a_token_let_anybody_in_or_break_the_server(
    closed: GatedServer, authorization: bytes
) -> None:
    for value in (authorization, b"Bearer " + authorization):
        assert closed.post(authorization=value).status in (400, 401)  # 400: uvicorn finds it malformed

    assert closed.heard == 0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(host=HEADER_BYTES, origin=HEADER_BYTES)
def test_no_bytes_in_place_of_a_name_or_an_origin_break_the_server(
    closed: GatedServer, host: bytes, origin: bytes
) -> None:
    answer = closed.post(token=SHARED, host=host, origin=origin)

    assert answer.status in (400, 403, 421)
    assert closed.heard == 0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.binary(min_size=1, max_size=400))
def test_no_bytes_in_place_of_a_request_get_through(closed: GatedServer, head: bytes) -> None:
    with closed.connect() as connection:
        connection.sendall(head + b"\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = answer_on(connection)

    assert answer.status in (0, 400, 401, 421)
    assert closed.heard == 0
