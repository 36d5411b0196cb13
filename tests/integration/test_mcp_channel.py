"""Channel notifications: a wake for who takes them, never evidence, and never a second ring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.mcp_connection import Connection
from tests.party import ClaudeParty, Party

SeatAt = Callable[..., Party]
WANTS: dict[str, Any] = {"experimental": {"claude/channel": {}}}
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": WANTS,
}


@pytest.fixture
def peer(seat: SeatAt) -> Party:
    return seat("peer")


def listening(party: Party, **agreed: Any) -> Connection:
    connection = Connection(party)
    connection.initialize(**({"capabilities": WANTS} | agreed))
    connection.told("me", action="join", name="builder")
    return connection


def test_the_capability_is_declared_in_both_eras(stranger: Party) -> None:
    with Connection(stranger) as connection:
        assert connection.initialize()["capabilities"]["experimental"] == {"claude/channel": {}}
        discovered = connection.ask("server/discover", {"_meta": ENVELOPE})["result"]
        assert discovered["capabilities"] == {"tools": {}, "experimental": {"claude/channel": {}}}


def test_a_letter_is_told_of_by_the_fixed_line_with_texts_beside_it(stranger: Party, peer: Party) -> None:
    with listening(stranger) as connection:
        n = peer.send("builder", "the body stays here", "--kind", "question", "--needs-reply")
        assert connection.hear() == {
            "jsonrpc": "2.0",
            "method": "notifications/claude/channel",
            "params": {
                "content": f"mailstop: letter {n} from peer",
                "meta": {"kind": "question", "from": "peer", "bag": "default", "n": str(n), "needs_reply": "true"},
            },
        }


def test_it_proves_nothing_and_the_letter_is_given_as_any(stranger: Party, peer: Party) -> None:
    with listening(stranger) as connection:
        n = peer.send("builder", "hello")
        assert connection.hear()["params"]["meta"]["n"] == str(n)
        receipts = peer.run("status", str(n), "--json").json["recipients"][0]["receipts"]
        assert [each["state"] for each in receipts] == ["stored"]
        assert connection.told("check")["letters"] == [n]


def test_each_letter_is_told_of_once_and_what_waited_at_the_start_too(stranger: Party, peer: Party) -> None:
    first = peer.send("builder", "from before", "--hold")
    with listening(stranger) as connection:
        connection.told("who")
        told = [each["params"]["meta"]["n"] for each in connection.unasked if "method" in each]
        told += [] if told else [connection.hear()["params"]["meta"]["n"]]
        assert told == [str(first)]
        second = peer.send("builder", "and now")
        assert connection.hear()["params"]["meta"]["n"] == str(second)
        connection.unasked.clear()
        for _ in range(3):
            connection.told("who")
        assert connection.unasked == []
        assert connection.is_silent()


def test_more_letters_than_one_look_finds_are_all_told_of(stranger: Party, seat: SeatAt) -> None:
    peers = [seat(f"peer-{number}") for number in range(3)]  # none may write more than 30 letters within a minute
    sent = [peer.send("builder", f"{number}", "--hold") for number in range(20) for peer in peers]
    with Connection(stranger) as connection:
        connection.initialize(capabilities=WANTS)
        connection.told("me", action="join", name="builder")
        told: list[str] = [each["params"]["meta"]["n"] for each in connection.unasked]
        while len(told) < 60:
            told.append(connection.hear()["params"]["meta"]["n"])
        assert told == [str(n) for n in sent]


def test_a_client_that_does_not_take_part_is_told_of_nothing(stranger: Party, peer: Party) -> None:
    with listening(stranger, capabilities={"experimental": {"other": {}}}) as connection:
        peer.send("builder", "hello")
        assert connection.is_silent()
        connection.told("who")
        assert connection.unasked == []


def test_in_the_new_era_a_call_says_that_its_client_takes_part(stranger: Party, peer: Party) -> None:
    with Connection(stranger) as connection:
        connection.told("me", meta=ENVELOPE, action="join", name="builder")
        n = peer.send("builder", "hello")
        assert connection.hear()["params"]["meta"]["n"] == str(n)


def test_two_connections_are_each_told_of_their_own(stranger: Party, peer: Party) -> None:
    with listening(stranger) as one, Connection(stranger) as other:
        other.initialize(capabilities=WANTS)
        other.told("me", action="join", name="other")
        peer.send("builder", "for one")
        n = peer.send("other", "for the other")
        assert other.hear()["params"]["meta"]["n"] == str(n)
        assert one.hear()["params"]["content"].endswith("from peer")
        assert other.is_silent()
        assert one.is_silent()


def test_a_claude_code_with_our_hooks_has_a_monitor_and_is_not_rung_twice(claude: ClaudeParty, peer: Party) -> None:
    claude.open(SESSION)
    with Connection(claude) as connection:
        connection.initialize(client="claude-code")
        connection.told("me", action="join", name="builder")
        peer.send("builder", "hello")
        assert connection.is_silent()


def test_a_claude_code_without_our_hooks_is_told(claude: ClaudeParty, peer: Party) -> None:
    with Connection(claude, named="claude") as connection:
        connection.initialize(client="claude-code")
        connection.told("me", action="join", name="builder")
        n = peer.send("builder", "hello")
        assert connection.hear()["params"]["meta"]["n"] == str(n)
