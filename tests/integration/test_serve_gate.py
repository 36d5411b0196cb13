"""`mailstop serve` behind its gate: tokens that the person has made, over real sockets."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.clients.waiting import wait_for
from tests.http_served import NEW, OLD, Connection, Served, check, figure, waiting
from tests.party import Party, Person


def with_token(served: Served, token: str) -> Connection:
    return Connection(served.address, {"Authorization": f"Bearer {token}"})


def made(person: Person, whose: str) -> str:
    """A token that the person has made."""
    run = person.run("token", "create", whose)
    assert run.code == 0, run.err
    return run.out.strip()


def test_the_bearer_of_a_seats_token_sits_there_and_nobody_comes_in_without(stranger: Party, person: Person) -> None:
    token = made(person, "builder")
    with Served(stranger) as served:
        refused = served.connect().request("POST", body=b"{}")
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")

        builder = with_token(served, token).initialize()
        assert builder.told("me")["seats"][0]["seat"] == "builder"
        assert builder.told("send", to="human", body="from a distance")["recipients"][0]["seat"] == "human"
        assert "from a distance" in person.run("check").out
        assert token not in served.log


def test_the_bearer_of_the_persons_token_is_the_person(stranger: Party, person: Person) -> None:
    token = made(person, "human")
    with Served(stranger) as served:
        human = with_token(served, token).initialize()
        human.told("send", to="builder", body="from the person", hold=True)

    assert person.run("read", "--last", "1", "--json").json["records"][-1]["from"] == "human"


def test_a_token_that_is_revoked_opens_nothing_from_the_next_request_on(stranger: Party, person: Person) -> None:
    token = made(person, "builder")
    with Served(stranger) as served:
        builder = with_token(served, token).initialize()
        assert builder.told("me")["seats"]

        assert person.run("token", "revoke", token.split("_")[1]).code == 0

        assert builder.post(builder.numbered("tools/call", {"name": "me", "arguments": {}})).status == 401


@pytest.mark.parametrize("era", [OLD, NEW])
def test_a_letter_that_comes_for_a_revoked_token_that_waits_is_kept_for_the_next_one(
    stranger: Party, person: Person, era: str
) -> None:
    token = made(person, "builder")
    with Served(stranger) as served:
        waits = with_token(served, token).initialize()
        assert waits.told("me")["seats"]
        request = check(40, waits)
        with begun(waits, request, era) as opened:
            believed_until = time.monotonic() + 1.1
            wait_for("it waits", lambda: waiting(served) == 1)
            assert person.run("token", "revoke", token.split("_")[1]).code == 0
            wait_for("the token is looked up again", lambda: time.monotonic() > believed_until)
            n = person.send("builder", "for whom it concerns")
            said = everything_on(opened)
        wait_for("nobody waits", lambda: waiting(served) == 0)

        assert b"for whom it concerns" not in said
        (delivery,) = person.run("read", str(n), "--json").json["recipients"]
        assert delivery["state"] == "stored"
        assert with_token(served, made(person, "builder")).initialize().told("check")["letters"] == [n]


def begun(connection: Connection, request: dict[str, Any], era: str) -> socket.socket:
    """A request that has begun, by the old era's connection or by the new era, which has none."""
    if era == OLD:
        return connection.begin(request)
    client = {"name": "test", "version": "1"}
    meta = {"protocolVersion": NEW, "clientCapabilities": {}, "clientInfo": client}
    params = {**request["params"], "_meta": {f"io.modelcontextprotocol/{name}": one for name, one in meta.items()}}
    named = {"MCP-Protocol-Version": NEW, "Mcp-Method": request["method"], "Mcp-Name": request["params"]["name"]}
    return Stateless(connection, named).begin({**request, "params": params})


class Stateless(Connection):
    """The new era, with the token of a connection of the old one."""

    def __init__(self, connection: Connection, named: dict[str, str]) -> None:
        super().__init__("http://{}:{}".format(*connection._place), connection._always)
        self._named = named

    @property
    def headers(self) -> dict[str, str]:
        return {**super().headers, **self._named}


def everything_on(opened: socket.socket) -> bytes:
    """All that comes, up to the end of the answer."""
    said = b""
    while not said.endswith((b"0\r\n\r\n", b"}\n")) and (piece := opened.recv(65536)):
        said += piece
    return said


def test_a_call_that_began_before_letters_were_given_proves_nothing_of_them(stranger: Party, person: Person) -> None:
    with Served(stranger) as served:
        ann = served.joined("ann")
        n = person.send("ann", "hello")

        def state() -> str:
            (delivery,) = stranger.run("read", str(n), "--json").json["recipients"]
            return str(delivery["state"])

        with ann.begin_slowly(ann.numbered("tools/call", {"name": "who", "arguments": {}})) as (slow, rest):
            assert ann.told("check")["letters"] == [n]
            wait_for("it was handed", lambda: state() == "handed")
            slow.sendall(rest)
            assert b'"result"' in everything_on(slow)
        assert state() == "handed"

        ann.told("who")
        assert state() == "shown"


def test_requests_with_large_bodies_shut_nobody_out(stranger: Party) -> None:
    large = b"x" * (4 << 20)
    with Served(stranger) as served, ExitStack() as stack:
        ann = served.joined("ann")
        for _ in range(17):
            one = served.connect().initialize()
            opened = stack.enter_context(one.begin(large, method="GET"))
            assert opened.recv(20).startswith(b"HTTP/1.1 400")

        assert ann.told("who")


def test_a_body_that_the_server_would_be_long_busy_with_is_refused(stranger: Party) -> None:
    with Served(stranger) as served:
        ann = served.joined("ann")
        refused = ann.post(b"[" + b"1," * 2_000_000 + b"1]")
        assert (refused.status, refused.messages[0]["error"]["data"]["code"]) == (413, "too_many_items")

        commas = "," * 200_000
        n = ann.told("send", to="human", body=commas)["n"]
        assert commas in stranger.run("read", str(n), "--json").json["body"]


def test_the_log_says_who_was_refused_and_why_and_says_it_once(stranger: Party, person: Person) -> None:
    revoked = made(person, "builder")
    assert person.run("token", "revoke", revoked.split("_")[1]).code == 0
    with Served(stranger) as served:
        for _ in range(5):
            assert served.connect().request("POST", body=b"{}").status == 401
            assert with_token(served, revoked).request("POST", body=b"{}").status == 401
            assert with_token(served, "unknown").request("POST", body=b"{}").status == 401
        log = served.log

    assert log.count("is refused: it sends no token") == 1
    assert log.count(f"is refused: token {revoked.split('_')[1]} is revoked") == 1
    assert log.count("is refused: its token is unknown") == 1


def test_who_comes_by_again_and_again_under_other_names_does_not_fill_the_log(stranger: Party) -> None:
    with Served(stranger) as served:
        for number in range(100):
            served.connect().request("POST", body=b"{}", headers={"Host": f"evil-{number}.example"})

        assert 1 <= served.log.count("evil-") <= 30


def test_what_the_gate_refuses_is_told_among_the_figures(stranger: Party, person: Person) -> None:
    made(person, "builder")
    with Served(stranger) as served:
        for _ in range(2):
            served.connect().request("POST", body=b"{}")
        served.connect().request("POST", body=b"{}", headers={"Host": "evil.example"})

        assert figure(served, 'mailstop_refused_requests_total{code="token_needed"}') == 2
        assert figure(served, 'mailstop_refused_requests_total{code="host_refused"}') == 1


def test_a_seats_token_is_a_session_in_the_new_era_by_the_sdks_client(stranger: Party, person: Person) -> None:
    token = made(person, "builder")

    async def main(address: str) -> tuple[str, Any]:
        async with create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http_client:
            transport = streamable_http_client(f"{address}/mcp", http_client=http_client)
            async with Client(transport) as client:
                found = await client.call_tool("me", {})
                return client.protocol_version, found.structured_content

    with Served(stranger) as served:
        version, me = anyio.run(main, served.address)

    assert version == NEW
    assert me["seats"][0]["seat"] == "builder"


def test_the_shared_token_lets_in_and_says_nothing_of_who_it_is(stranger: Party, own_home: Path) -> None:
    stranger.environment["MAILSTOP_TOKEN"] = "a-token-for-all"
    with Served(stranger) as served:
        assert served.connect().request("POST", body=b"{}").status == 401
        ann = with_token(served, "a-token-for-all").joined("ann")
        ben = with_token(served, "a-token-for-all").joined("ben")
        ann.told("send", to="ben", body="hello")
        assert "hello" in ben.told("check")["text"]
        environment = Path(f"/proc/{served.pid}/environ").read_bytes()
        arguments = Path(f"/proc/{served.pid}/cmdline").read_bytes()
        assert b"a-token-for-all" not in environment + arguments
        assert "a-token-for-all" not in served.log


def test_an_address_that_is_open_to_others_is_not_bound_without_a_token(stranger: Party, person: Person) -> None:
    refused = stranger.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert (refused.code, "token" in refused.err) == (1, True)

    made(person, "builder")
    with Served(stranger, "--host", "0.0.0.0") as served:
        assert served.told["serving"]


def test_another_sites_page_and_another_name_are_refused(stranger: Party) -> None:
    with Served(stranger) as served:
        connection = served.connect()
        assert connection.request("POST", body=b"{}", headers={"Host": "evil.example"}).status == 421
        assert connection.request("POST", body=b"{}", headers={"Origin": "https://evil.example"}).status == 403


def test_the_unit_serves_as_the_command_line_says(stranger: Party) -> None:
    unit = stranger.run("serve", "--unit", "--port", "9000")

    assert unit.code == 0
    assert '"serve" "--port" "9000"' in unit.out
