"""Who calls over HTTP: each connection is a session of its own, and how it comes to its end."""

from __future__ import annotations

import fcntl
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.resident.callers import RETRY_MS
from tests.clients.waiting import wait_for
from tests.http_served import NEW, Connection, Served
from tests.party import Party, Person
from tests.serve_inside import HEADER, Inside

SeatAt = Callable[..., Party]


# -- each its own ----------------------------------------------------------------------------------------------------


def test_of_two_connections_at_once_each_acts_and_reads_as_itself(inside: Inside) -> None:
    ann, ben = inside.joined("ann"), inside.joined("ben")

    to_ben = ann.told("send", to="ben", body="from ann")["n"]
    to_ann = ben.told("send", to="ann", body="from ben")["n"]

    assert "from ben" in ann.told("check")["text"]
    assert "from ann" in ben.told("check")["text"]
    assert [each["seat"] for each in ann.told("me")["seats"]] == ["ann"]
    assert [each["seat"] for each in ben.told("me")["seats"]] == ["ben"]
    assert ann.told("me")["sent"][0]["recipients"] == ["ben: shown"]
    assert (to_ben, to_ann) == tuple(sorted((to_ben, to_ann)))
    held = {each["seat"]: each.get("you", False) for each in ann.told("who")["seats"]}
    assert held == {"ann": True, "ben": False}


def test_leaving_by_one_connection_touches_no_other(inside: Inside) -> None:
    ann, ben = inside.joined("ann"), inside.joined("ben")

    ann.told("me", action="leave")

    assert ann.refused("send", to="ben", body="hello")["code"] == "seat_was_left"
    assert ben.told("send", to="ann", body="hello")["recipients"][0]["state"] == "stored"


def test_a_seat_that_one_connection_holds_is_not_given_to_another(inside: Inside) -> None:
    inside.joined("ann")

    assert inside.connect().initialize().refused("me", action="join", name="ann")["code"] == "seat_taken"


def test_a_connection_that_has_not_joined_may_look_and_writes_nothing(inside: Inside) -> None:
    inside.joined("ann")
    other = inside.connect().initialize()

    assert [each["seat"] for each in other.told("who")["seats"]] == ["ann"]
    assert other.refused("send", to="ann", body="hello")["code"] == "must_join"
    assert other.refused("check")["code"] == "must_join"


def test_where_the_server_works_says_nothing_of_where_its_clients_do(inside: Inside, stranger: Party) -> None:
    inside.joined("ann")

    (session,) = [each for each in stranger.run("who", "--json").json["seats"] if each["seat"] == "ann"]
    assert not session["project"] and not session["branch"] and not session["folder"]


# -- its end ---------------------------------------------------------------------------------------------------------


def test_a_connection_that_is_closed_frees_its_seat_at_once_and_its_mail_stays(
    inside: Inside, stranger: Party, person: Person
) -> None:
    ann = inside.joined("ann")
    n = person.send("ann", "for whoever sits there")

    assert ann.close() == 200

    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")
    assert inside.joined("ann").told("check")["letters"] == [n]


def test_a_client_that_hangs_up_frees_its_seat_at_once(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    stream = ann.listen()
    assert stranger.seat_state("ann") == "live"

    stream.close()

    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


def test_a_client_that_had_hung_up_and_calls_again_goes_on_where_it_was(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    epoch = ann.told("me")["seats"][0]["epoch"]
    ann.listen().close()
    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")

    assert ann.told("me")["seats"] == [{"seat": "ann", "bag": "default", "epoch": epoch}]
    assert stranger.seat_state("ann") == "live"


def test_a_client_that_had_hung_up_and_listens_again_is_there_again(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    ann.listen().close()
    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")

    with ann.listen():
        wait_for("it is there again", lambda: stranger.seat_state("ann") == "live")


def test_a_client_that_listens_again_while_its_session_is_being_ended_stays(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    (connected,) = inside.service.callers._known.values()
    stream = ann.listen()
    with open(stranger.home / ".local/share/mailstop/mailstop.db.lock") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        stream.close()
        wait_for("its session is being ended", connected.one_at_a_time.locked)
        stream = wait_for("it listens again", lambda: listening(ann))
    with stream:
        inside.later(0)  # whatever was to be ended has been
        assert stranger.seat_state("ann") == "live"


def listening(connection: Connection) -> socket.socket | None:
    """Its stream; None while the server has not noticed that the last one is closed."""
    opened = connection.begin(None, method="GET")
    if opened.recv(65536).startswith(b"HTTP/1.1 200"):
        return opened
    opened.close()
    return None


def test_a_client_that_had_hung_up_does_not_get_back_what_another_has_taken(inside: Inside, stranger: Party) -> None:
    ann = inside.joined("ann")
    ann.listen().close()
    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")
    inside.joined("ann")

    assert ann.refused("send", to="human", body="hello")["code"] == "seat_was_taken"


def test_when_the_server_is_killed_all_its_sessions_are_over_at_once(served: Served, stranger: Party) -> None:
    for name in ("ann", "ben", "cal"):
        served.joined(name)
    assert {stranger.seat_state(name) for name in ("ann", "ben", "cal")} == {"live"}

    served.kill()

    assert {stranger.seat_state(name) for name in ("ann", "ben", "cal")} == {"empty"}


def test_an_ended_connection_is_unknown(inside: Inside) -> None:
    ann = inside.joined("ann")
    ann.close()

    answered = ann.post(ann.numbered("tools/call", {"name": "who", "arguments": {}}))
    assert answered.status == 404


# -- idle ------------------------------------------------------------------------------------------------------------


def test_a_connection_without_a_call_for_half_an_hour_is_over_and_its_mail_stays(
    inside: Inside, stranger: Party, person: Person
) -> None:
    _, ben = inside.connect().joined("ann"), inside.connect().joined("ben")
    n = person.send("ann", "for whoever sits there")

    inside.later(29)
    assert stranger.seat_state("ann") == "live"
    ben.told("who")
    inside.later(2)

    assert (stranger.seat_state("ann"), stranger.seat_state("ben")) == ("empty", "live")
    assert inside.connect().joined("ann").told("check")["letters"] == [n]


def test_an_idle_connection_that_calls_again_goes_on_where_nobody_has_sat_down(inside: Inside, stranger: Party) -> None:
    ann = inside.connect().joined("ann")
    inside.later(31)
    assert stranger.seat_state("ann") == "empty"

    assert ann.told("send", to="human", body="still here")["recipients"][0]["seat"] == "human"
    assert stranger.seat_state("ann") == "live"


def test_a_call_that_waits_is_not_idle(inside: Inside, stranger: Party, person: Person) -> None:
    ann = inside.connect().joined("ann")
    waiting = ann.begin(ann.numbered("tools/call", {"name": "check", "arguments": {"wait": 45}}))
    wait_for("it waits", lambda: "mailstop_waiting_calls 1.0" in ann.request("GET", "/metrics").body.decode())

    inside.later(31)

    assert stranger.seat_state("ann") == "live"
    person.send("ann", "a letter at last")
    with waiting, waiting.makefile("rb") as answer:
        assert any(b"a letter at last" in line for line in answer if line.startswith(b"data:"))


def test_what_the_server_knows_of_connections_that_are_long_gone_is_forgotten(inside: Inside) -> None:
    for number in range(5):
        inside.connect().joined(f"seat-{number}")
    assert inside.service.callers.count() == (5, 5)

    inside.later(31)
    assert inside.service.callers.count() == (5, 0)
    inside.later(31)
    assert inside.service.callers.count() == (0, 0)


def test_a_session_that_cannot_be_ended_now_is_ended_later_and_tried_once_at_a_time(
    own_home: Path, stranger: Party, capsys: pytest.CaptureFixture[str]
) -> None:
    store = own_home / ".local/share/mailstop/mailstop.db"
    store.parent.mkdir(parents=True, mode=0o700)
    with Inside(store, idle_ms=500) as inside:
        inside.joined("ann")
        most, said = 0, ""

        def has_failed() -> bool:
            nonlocal most, said
            most = max(most, len(inside.service._ending))
            said += capsys.readouterr().err
            return "the end of a session" in said

        with open(f"{store}.lock") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            wait_for("it cannot be ended", has_failed)
            again = inside.service.callers.next_reaping()

        assert most == 1
        assert again is not None and again - inside.clock() > RETRY_MS - 1000
        wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


# -- tokens ----------------------------------------------------------------------------------------------------------


def test_who_bears_a_seats_token_sits_there_from_the_first_call_on(inside: Inside, stranger: Party) -> None:
    ann = inside.connect("seat", "ann").initialize()

    assert ann.told("me")["seats"][0]["seat"] == "ann"
    assert ann.told("send", to="human", body="hello")["recipients"][0]["seat"] == "human"
    assert stranger.seat_state("ann") == "live"


def test_a_seats_token_gives_no_other_seat(inside: Inside) -> None:
    ann = inside.connect("seat", "ann").initialize()

    refused = ann.refused("me", action="join", name="ben")
    assert refused["code"] == "token_of_other_seat"
    assert ann.refused("me", action="join", name="ann", bag="other")["code"] == "token_of_other_seat"
    assert [each["seat"] for each in ann.told("me")["seats"]] == ["ann"]


def test_two_connections_with_one_seats_token_are_one_session_until_the_last_is_closed(
    inside: Inside, stranger: Party
) -> None:
    first, second = inside.connect("seat", "ann").initialize(), inside.connect("seat", "ann").initialize()
    epochs = {each.told("me")["seats"][0]["epoch"] for each in (first, second)}
    assert len(epochs) == 1

    first.close()
    assert stranger.seat_state("ann") == "live"
    second.close()
    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


def asked_newly(connection: Connection, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says to a request of the new era, which belongs to no connection."""
    meta = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
    message = connection.numbered("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})
    headers = {**connection.headers, "MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    answered = connection.request("POST", body=json.dumps(message).encode(), headers=headers)
    said: dict[str, Any] = answered.messages[-1]["result"]["structuredContent"]
    return said


def waiting(inside: Inside) -> bool:
    return "mailstop_waiting_calls 1.0" in inside.connect().request("GET", "/metrics").body.decode()


def test_whichever_of_a_tokens_clients_hangs_up_last_frees_the_seat_at_once(inside: Inside, stranger: Party) -> None:
    for _ in range(3):  # one after the other; none says that it goes
        ann = inside.connect("seat", "ann").initialize()
        with ann.listen():
            assert ann.told("me")["seats"][0]["seat"] == "ann"
            assert stranger.seat_state("ann") == "live"
        wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


def test_while_another_of_a_tokens_clients_listens_nothing_is_over(inside: Inside, stranger: Party) -> None:
    first, second = inside.connect("seat", "ann").initialize(), inside.connect("seat", "ann").initialize()
    with second.listen():
        with first.listen():
            first.told("me")
        inside.later(0)  # whatever was to be ended has been
        assert stranger.seat_state("ann") == "live"
        first.close()
        inside.later(0)
        assert stranger.seat_state("ann") == "live"
        second.close()
        wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


def test_one_of_a_tokens_clients_that_ends_takes_nothing_from_another_that_waits_in_the_new_era(
    inside: Inside, stranger: Party, person: Person
) -> None:
    newer, older = inside.connect("seat", "ann"), inside.connect("seat", "ann").initialize()
    assert asked_newly(newer, "lease", action="take", resources=["name:x"])
    found: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: found.append(asked_newly(newer, "check", wait=45)))
    thread.start()
    wait_for("it waits", lambda: waiting(inside))

    older.told("me")
    assert older.close() == 200
    inside.later(0)  # whatever was to be ended has been

    assert stranger.seat_state("ann") == "live"
    n = person.send("ann", "for the one that waits")
    thread.join(40)
    assert found[0]["letters"] == [n]
    assert [each["resource"] for each in asked_newly(newer, "lease", action="list")["leases"]] == ["name:x"]
    assert stranger.seat_state("ann") == "live"


def test_a_tokens_client_of_the_new_era_keeps_the_seat_for_half_an_hour(inside: Inside, stranger: Party) -> None:
    newer, older = inside.connect("seat", "ann"), inside.connect("seat", "ann").initialize()
    assert asked_newly(newer, "me")["seats"][0]["seat"] == "ann"
    inside.later(29)
    older.told("me")
    inside.later(2)
    assert stranger.seat_state("ann") == "live"

    older.close()

    wait_for("the seat is free", lambda: stranger.seat_state("ann") == "empty")


def test_connections_of_a_token_that_vanish_are_forgotten_while_another_calls_on(inside: Inside) -> None:
    for _ in range(5):
        inside.connect("seat", "ann").initialize().told("me")
    inside.later(20)
    last = inside.connect("seat", "ann").initialize()
    last.told("me")
    inside.later(11)

    (ann,) = inside.service.callers.everyone()
    assert list(ann.open) == [last.id]


def test_a_seats_token_does_not_take_the_seat_from_whoever_lives_there(inside: Inside, seat: SeatAt) -> None:
    seat("ann")
    ann = inside.connect("seat", "ann").initialize()

    assert ann.refused("send", to="human", body="hello")["code"] == "seat_taken"
    assert [each["seat"] for each in ann.told("who")["seats"]] == ["ann"]


def test_a_connection_is_nobody_elses_who_brings_another_token(inside: Inside) -> None:
    ann = inside.connect("seat", "ann").initialize()
    other = inside.connect("seat", "ben")
    other.id = ann.id

    assert other.post(other.numbered("tools/call", {"name": "me", "arguments": {}})).status == 404


def test_who_bears_the_persons_token_is_the_person(inside: Inside, seat: SeatAt) -> None:
    ann = seat("ann")
    person = inside.connect("human").initialize()

    person.told("send", to="ann", body="from the person")

    assert "the person" in ann.run("check").out
    assert person.refused("me", action="join", name="ben")["code"] == "person_stays"


# -- the new era -----------------------------------------------------------------------------------------------------


def called(address: str, mode: str, steps: list[tuple[str, dict[str, Any]]], token: str = "") -> list[Any]:
    """The SDK's client, in one mode: its version, and what came of each call."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def main() -> list[Any]:
        async with create_mcp_http_client(headers={HEADER: token} if token else {}) as http_client:
            transport = streamable_http_client(f"{address}/mcp", http_client=http_client)
            async with Client(transport, mode=mode) as client:
                found: list[Any] = [client.protocol_version]
                for name, arguments in steps:
                    result = await client.call_tool(name, arguments)
                    found.append((result.is_error, result.structured_content))
                return found

    return anyio.run(main)


def test_a_request_of_the_new_era_without_a_token_belongs_to_nobody_and_may_look(inside: Inside) -> None:
    inside.joined("ann")

    _, who, join, send = called(
        inside.address,
        NEW,
        [("who", {}), ("me", {"action": "join", "name": "ben"}), ("send", {"to": "ann", "body": "hello"})],
    )

    assert who[1]["seats"][0]["seat"] == "ann"
    assert (join[0], join[1]["code"]) == (True, "no_connection")
    assert (send[0], send[1]["code"]) == (True, "no_connection")


def test_a_client_that_asks_is_led_to_the_era_in_which_its_connection_is_a_session(inside: Inside) -> None:
    version, joined = called(inside.address, "auto", [("me", {"action": "join", "name": "ben"})])

    assert version == "2025-11-25"
    assert joined[1]["seats"][0]["seat"] == "ben"


def test_with_a_seats_token_the_new_era_is_served_and_the_seat_is_the_tokens(inside: Inside) -> None:
    token = json.dumps({"kind": "seat", "seat": "ann", "bag": "default"})

    version, me, sent, again = called(
        inside.address, "auto", [("me", {}), ("send", {"to": "human", "body": "hello"}), ("me", {})], token
    )

    assert version == NEW
    assert me[1]["seats"][0]["seat"] == "ann"
    assert sent[1]["recipients"][0]["seat"] == "human"
    assert again[1]["seats"] == me[1]["seats"]


def test_an_id_that_a_request_of_the_new_era_names_makes_no_session(inside: Inside) -> None:
    ann = inside.joined("ann")
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"name": "me", "arguments": {}, "_meta": meta}
    headers = {**ann.headers, "MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "me"}

    answered = ann.request("POST", body=json.dumps(ann.numbered("tools/call", message)).encode(), headers=headers)

    assert answered.messages[0]["result"]["structuredContent"]["seats"] == []


def test_nothing_of_a_connection_lies_around_when_it_is_over(inside: Inside, own_home: Path, person: Person) -> None:
    ann = inside.joined("ann")
    person.send("ann", "which rings its bell")
    ann.close()
    state = own_home / ".local/state/mailstop"
    wait_for("its bell is gone", lambda: not list((state / "bells").glob("program-*")))
    assert not list((state / "sessions").glob("program-*"))

    inside.joined("ben")  # who joins sweeps
    with SQLiteStore(str(own_home / ".local/share/mailstop/mailstop.db")) as store:
        assert len(store.board.under("session/")) == 1


def test_a_seat_is_known_by_its_connection_even_in_requests_over_one_tcp_connection(inside: Inside) -> None:
    ann, ben = inside.joined("ann"), inside.joined("ben")

    with ann.begin(ann.numbered("tools/call", {"name": "me", "arguments": {}})) as opened:
        opened.settimeout(20)
        first = opened.recv(65536)
        while b'"ann"' not in first:
            first += opened.recv(65536)
    assert [each["seat"] for each in ben.told("me")["seats"]] == ["ben"]
    assert isinstance(ben, Connection)
