"""Who makes a call of a tool: never an argument, and what contradicts itself is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_connection import Connection
from tests.party import ClaudeParty, Party, Person

SeatAt = Callable[..., Party]
FIRST, SECOND = "01a227bc-e031-7b73-a9b7-49711dc7b705", "01a227bc-e031-7b73-a9b7-49711dc7b7aa"
CODEX = "codex-mcp-client"


def of_thread(thread: Any, **more: Any) -> dict[str, Any]:
    """What Codex says beside a call."""
    return {"threadId": thread, "x-codex-turn-metadata": {"turn_id": "turn", **more}}


def codex(party: Party) -> Connection:
    """A connection of a Codex, as far as the process above the server and its name go."""
    connection = Connection(party, named="codex")
    connection.initialize(client=CODEX)
    return connection


# -- any client


def test_a_connection_may_look_and_writes_nothing_before_it_has_a_seat(stranger: Party, seat: SeatAt) -> None:
    seat("peer")
    with Connection(stranger) as connection:
        connection.initialize()
        assert [each["seat"] for each in connection.told("who")["seats"]] == ["peer"]
        assert connection.told("me")["seats"] == []
        calls: list[tuple[str, dict[str, Any]]] = [("send", {"to": "peer", "body": "x"}), ("check", {})]
        for tool, arguments in calls:
            refused = connection.refused(tool, **arguments)
            assert refused["code"] == "must_join"
            assert refused["next"] == {"tool": "me", "arguments": {"action": "join", "name": "NAME"}}


def test_a_look_makes_no_store(stranger: Party) -> None:
    with Connection(stranger) as connection:
        connection.initialize()
        for tool in ("me", "who", "read"):
            connection.told(tool)
        assert connection.refused("send", to="peer", body="x")["code"] == "must_join"
        assert connection.refused("me", action="join", name="Not A Name")["code"] == "invalid_name"
        assert not (stranger.home / ".local/share/mailstop").exists()
        connection.told("me", action="join", name="builder")
        assert connection.told("who")["seats"][0]["you"] is True


def test_each_connection_is_a_session_of_its_own(stranger: Party) -> None:
    with Connection(stranger) as one, Connection(stranger) as other:
        one.joined("one")
        other.joined("other")
        sent = one.told("send", to="other", body="from one")
        assert "from one" in other.told("check")["text"]
        assert one.told("check")["letters"] == []
        assert other.refused("me", action="join", name="one")["code"] == "seat_taken"
        assert [each["seat"] for each in other.told("me")["seats"]] == ["other"]
        assert one.told("me")["sent"][0]["n"] == sent["n"]


def test_no_argument_says_who_writes(stranger: Party) -> None:
    with Connection(stranger) as connection:
        connection.joined("builder")
        for name in ("from", "sender", "seat", "session", "thread", "threadId", "store"):
            named: dict[str, Any] = {name: "human"}
            refused = connection.refused("send", to="human", body="x", **named)
            assert refused["code"] == "invalid_arguments"


def test_a_server_at_the_persons_terminal_is_not_the_person(person: Person) -> None:
    with Connection(person) as connection:
        connection.initialize()
        assert connection.told("me")["seats"] == []
        assert connection.refused("send", to="human", body="x")["code"] == "must_join"


def test_a_program_that_has_joined_is_itself_where_the_client_hands_its_session_on(seat: SeatAt) -> None:
    builder = seat("builder")
    with Connection(builder, session=True) as connection:
        connection.initialize()
        assert [each["seat"] for each in connection.told("me")["seats"]] == ["builder"]
    assert builder.run("send", "human", "-", input="still here").code == 0


def test_a_session_that_is_not_this_process_is_refused(seat: SeatAt, stranger: Party) -> None:
    foreign = seat("builder").environment["MAILSTOP_SESSION"]
    with Connection(stranger, environment={"MAILSTOP_SESSION": foreign}) as connection:
        connection.initialize()
        assert connection.refused("who")["code"] == "doubtful_caller"


# -- Claude Code


def test_claude_code_is_the_session_that_its_hook_told_of(claude: ClaudeParty, seat: SeatAt) -> None:
    peer = seat("peer")
    claude.open(FIRST)
    own = {name: value for name, value in claude.environment.items() if name != "CLAUDE_PID"}  # it hands servers none
    claude.environment = own
    with Connection(claude) as connection:
        connection.initialize(client="claude-code")
        me = connection.told("me")
        assert (me["client"], len(me["seats"])) == ("claude", 1)
        connection.told("me", action="join", name="builder")
        n = connection.told("send", to="peer", body="hello")["n"]
        assert peer.run("read", str(n), "--json").json["from"] == "builder"


def test_after_clear_the_same_server_goes_on_as_the_same_seat(claude: ClaudeParty) -> None:
    claude.open(FIRST)
    handed = {"CLAUDE_CODE_SESSION_ID": FIRST}
    with Connection(claude, environment=handed) as connection:
        connection.initialize(client="claude-code")
        connection.told("me", action="join", name="builder")
        claude.hook("SessionEnd", FIRST, reason="clear")
        claude.hook("SessionStart", SECOND, source="clear")
        assert [each["seat"] for each in connection.told("me")["seats"]] == ["builder"]
        assert connection.told("send", to="human", body="x")["n"]


def test_a_server_ends_and_its_client_session_keeps_the_seat(claude: ClaudeParty) -> None:
    claude.open(FIRST)
    with Connection(claude) as connection:
        connection.initialize(client="claude-code")
        connection.told("me", action="join", name="builder")
    assert claude.run("status", "--json").json["seats"][0]["seat"] == "builder"
    assert claude.run("who", "--json").json["seats"][0]["state"] == "live"


def test_a_thread_of_codex_that_a_claude_code_started_is_refused(claude: ClaudeParty) -> None:
    claude.open(FIRST)
    with Connection(claude) as connection:
        connection.initialize(client=CODEX)
        refused = connection.refused("who", meta=of_thread(SECOND))
        assert refused["code"] == "doubtful_caller"
        assert connection.refused("who")["code"] == "doubtful_caller"


# -- Codex


def test_a_thread_of_codex_is_told_by_each_call(stranger: Party) -> None:
    with codex(stranger) as connection:
        connection.told("me", meta=of_thread(FIRST), action="join", name="first")
        connection.told("me", meta=of_thread(SECOND), action="join", name="second")
        connection.told("send", meta=of_thread(FIRST), to="second", body="from the first")
        assert "from the first" in connection.told("check", meta=of_thread(SECOND))["text"]
        assert connection.told("check", meta=of_thread(FIRST))["letters"] == []
        who = {each["seat"]: each["client"] for each in connection.told("who", meta=of_thread(FIRST))["seats"]}
        assert who == {"first": "codex", "second": "codex"}


def test_a_thread_goes_on_with_its_seat_in_another_server(stranger: Party) -> None:
    with codex(stranger) as connection:
        connection.told("me", meta=of_thread(FIRST.upper()), action="join", name="first")
    with codex(stranger) as connection:
        seats = connection.told("me", meta=of_thread(FIRST))["seats"]
        assert [each["seat"] for each in seats] == ["first"]


def test_a_subagent_writes_from_the_seat_of_its_session_and_takes_no_letter_from_it(
    stranger: Party, seat: SeatAt
) -> None:
    peer = seat("peer")
    with codex(stranger) as connection:
        connection.told("me", meta=of_thread(FIRST), action="join", name="first")
        n = peer.send("first", "for the session's own model")
        subagent = {**of_thread(SECOND), "sessionId": FIRST}
        assert connection.told("check", meta=subagent)["letters"] == [n]
        sent = connection.told("send", meta=subagent, to="peer", body="from below")["n"]
        assert peer.run("read", str(sent), "--json").json["from"] == "first"
        assert peer.run("status", str(n), "--json").json["recipients"][0]["state"] not in ("handed", "shown")
        assert connection.told("check", meta=of_thread(FIRST))["letters"] == [n]


def test_its_home_is_that_of_the_codex_above_which_the_server_is_not_told(stranger: Party, tmp_path: Path) -> None:
    home = tmp_path / "codex-home"
    with Connection(stranger, named="codex", environment={"CODEX_HOME": str(home)}) as connection:
        connection.initialize(client=CODEX)
        connection.told("me", meta=of_thread(FIRST), action="join", name="first")
    registration = json.loads((stranger.home / f".local/state/mailstop/sessions/codex-{FIRST}.json").read_text())
    assert registration["details"]["codex_home"] == str(home)


@pytest.mark.parametrize("thread", ["nonsense", "", 5, None, f"{FIRST}x", {"a": 1}])
def test_a_call_without_a_right_thread_of_codex_writes_nothing(stranger: Party, thread: object) -> None:
    with codex(stranger) as connection:
        meta = {} if thread is None else of_thread(thread)
        for tool, arguments in (
            ("me", {"action": "join", "name": "first"}),
            ("send", {"to": "human", "body": "x"}),
            ("check", {}),
        ):
            assert connection.refused(tool, meta=meta, **arguments)["code"] in ("doubtful_caller", "must_join")
        if thread is None:  # it may look, as anybody
            assert connection.told("who")["seats"] == []
    assert not (stranger.home / ".local/state/mailstop/sessions").exists()


def test_a_thread_that_no_codex_is_above_is_refused(stranger: Party) -> None:
    with Connection(stranger) as connection:
        connection.initialize(client=CODEX)
        assert connection.refused("me", meta=of_thread(FIRST), action="join", name="x")["code"] == "doubtful_caller"


def test_what_the_server_was_started_with_says_nothing_of_a_thread(stranger: Party) -> None:
    leaked = {"CODEX_THREAD_ID": SECOND, "CLAUDE_CODE_SESSION_ID": SECOND}
    with Connection(stranger, named="codex", environment=leaked) as connection:
        connection.initialize(client=CODEX)
        connection.told("me", meta=of_thread(FIRST), action="join", name="first")
        assert os.listdir(stranger.home / ".local/state/mailstop/sessions") == [f"codex-{FIRST}.json"]


def test_no_answer_tells_a_vendors_id_or_a_door(stranger: Party) -> None:
    with codex(stranger) as connection:
        connection.told("me", meta=of_thread(FIRST), action="join", name="first")
        connection.told("me", meta=of_thread(SECOND), action="join", name="second")
        connection.told("send", meta=of_thread(FIRST), to="second", body="x")
        answers = [connection.call(tool, meta=of_thread(FIRST)) for tool in ("me", "who", "check", "read")]
    told = json.dumps(answers)
    for secret in (FIRST, SECOND, ".codex", "session"):
        assert secret not in told


def test_a_thread_that_joins_and_says_what_for_is_itself_in_the_same_call(stranger: Party) -> None:
    with codex(stranger) as connection:
        joined = connection.told("me", meta=of_thread(FIRST), action="join", name="builder", objective="the docs")
        assert [each["seat"] for each in joined["seats"]] == ["builder"]
        assert connection.told("me", meta=of_thread(FIRST))["objective"] == "the docs"
