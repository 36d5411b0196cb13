"""`mailstop serve` behind its gate: tokens that the person has made, over real sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.http_served import NEW, Connection, Served
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
