"""The official SDK's client speaks with `mailstop mcp` over real pipes, in both eras."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mailstop.mcp import tools
from tests.party import MAILSTOP, Party
from tests.sdk_exchange import letters_go_to_and_fro

CLIENT = str(Path(__file__).parents[1] / "mcp_client.py")
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def done(party: Party, mode: str, *steps: list[Any]) -> list[Any]:
    """What came of each step, after what was agreed."""
    told = {"mode": mode, "command": [MAILSTOP, "mcp"], "steps": list(steps)}
    run = party.call([sys.executable, CLIENT], input=json.dumps(told))
    assert run.code == 0, run.err
    assert run.err == ""
    found: list[Any] = run.json
    return found


@pytest.mark.parametrize(("mode", "version"), MODES.items())
def test_a_session_is_agreed_in_either_era_and_its_tools_are_listed(stranger: Party, mode: str, version: str) -> None:
    agreed, listed = done(stranger, mode, ["list_tools"])

    assert agreed["version"] == version
    # A client that states a version asks for nothing before its first call.
    assert mode == version or agreed["instructions"].startswith("mailstop: mail between coding agents")
    assert [tool["name"] for tool in listed["tools"]] == list(tools.NAMES)
    for tool in listed["tools"]:
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"]["required"]
        hints = tool["annotations"]  # of which only those are said that are not the protocol's own
        assert hints["openWorldHint"] is False
        assert hints.get("readOnlyHint") is True or hints["destructiveHint"] is False


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_letters_go_to_and_fro(seat: Any, stranger: Party, mode: str) -> None:
    peer: Party = seat("peer")
    letters_go_to_and_fro(peer, lambda *steps: done(stranger, mode, *steps))


def test_the_client_finds_every_answer_as_the_tools_schema_says(stranger: Party) -> None:
    """It validates the structured content of each call that is no error."""
    steps = [["call_tool", "me", {"action": "join", "name": "builder"}], ["call_tool", "me", {}]]
    steps += [["call_tool", name, {}] for name in ("who", "check", "read")]
    steps += [["call_tool", "send", {"to": ["human"], "body": "hello"}]]
    steps += [["call_tool", "send", {"to": "#general", "body": "hello, all"}]]
    steps += [["call_tool", "read", {"channel": "general"}]]
    steps += [
        ["call_tool", "ask", {"to": "human", "body": "May I?", "wait": 0}],
        ["call_tool", "ask", {"action": "list"}],
    ]
    steps += [["call_tool", "task", {"action": "give", "to": "human", "title": "Look"}]]
    steps += [["call_tool", "task", {"action": "list", "whose": "given"}]]
    steps += [["call_tool", "lease", {"action": "take", "resources": ["name:deploy"]}]]
    steps += [["call_tool", "lease", {"action": action}] for action in ("list", "renew", "release")]
    steps += [["call_tool", "lead", {}], ["call_tool", "me", {"action": "subscribe", "name": "plans"}]]
    steps += [["call_tool", "me", {"objective": "the parser", "status": "blocked"}]]
    steps += [["call_tool", "me", {"action": "leave"}]]

    for step, result in zip(steps, done(stranger, "auto", ["list_tools"], *steps)[2:], strict=True):
        assert result["isError"] is False, (step, result)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_tool_refuses_with_a_code_a_message_and_the_next_call(stranger: Party, mode: str) -> None:
    refused: dict[str, tuple[dict[str, Any], str]] = {
        "me": ({"action": "join", "name": "Not A Name"}, "invalid_name"),
        "who": ({"bag": "missing"}, "unknown_bag"),
        "send": ({"to": "nobody", "body": "x"}, "unknown_seat"),
        "check": ({"bag": "missing"}, "unknown_bag"),
        "read": ({"number": 1_000}, "unknown_number"),
        "ask": ({"number": 1_000}, "unknown_question"),
        "answer": ({"number": 1_000, "body": "x"}, "unknown_number"),
        "task": ({"action": "accept", "number": 1_000}, "unknown_task"),
        "lead": ({"action": "release"}, "not_leading"),
        "lease": ({"action": "renew"}, "no_lease"),
    }
    assert list(refused) == list(tools.NAMES)
    steps = [["call_tool", "me", {"action": "join", "name": "builder"}]]
    steps += [["call_tool", tool, arguments] for tool, (arguments, _) in refused.items()]

    results = done(stranger, mode, *steps)[2:]

    for (tool, (_, code)), result in zip(refused.items(), results, strict=True):
        assert result["isError"] is True, tool
        assert result["structuredContent"]["code"] == code
        assert result["structuredContent"]["message"]
        assert result["structuredContent"]["next"]["tool"] in tools.NAMES


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_unknown_tool_and_an_unknown_method_are_errors_of_the_protocol(stranger: Party, mode: str) -> None:
    _, tool, prompts = done(stranger, mode, ["call_tool", "nonsense", {}], ["list_prompts"])

    assert tool == {"error": -32602}
    assert prompts == {"error": -32601}


def test_the_server_ends_by_itself_when_its_client_leaves(stranger: Party) -> None:
    done(stranger, "legacy", ["call_tool", "me", {"action": "join", "name": "builder"}])

    assert "builder" not in stranger.run("who").out.split("\n")[0]
    assert stranger.run("who", "--all", "--json").json["seats"][0]["state"] == "empty"
