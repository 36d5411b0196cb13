"""An exchange that the official SDK's client has with a peer, whatever carries it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.party import Party


def letters_go_to_and_fro(peer: Party, done: Callable[..., list[Any]]) -> None:
    """Join, read what a peer has asked, answer it, be refused, look what became of the answer.

    done: what came of each step, after what was agreed.
    """
    asked = peer.send("builder", "Does it survive?", "--needs-reply", "--hold")

    _, joined, checked, sent, refused, standing = done(
        ["call_tool", "me", {"action": "join", "name": "builder"}],
        ["call_tool", "check", {}],
        ["call_tool", "send", {"ref": asked, "body": "It does."}],
        ["call_tool", "send", {"to": "nobody", "body": "hello"}],
        ["call_tool", "read", {"number": asked}],
    )

    assert joined["structuredContent"]["seats"][0]["seat"] == "builder"
    assert "Does it survive?" in checked["structuredContent"]["text"]
    assert checked["content"][0]["text"] == checked["structuredContent"]["text"]
    assert sent["structuredContent"]["recipients"][0]["seat"] == "peer"
    assert (refused["isError"], refused["structuredContent"]["code"]) == (True, "unknown_seat")
    answer = sent["structuredContent"]["n"]
    assert standing["structuredContent"]["recipients"] == [f"builder: answered by letter {answer}"]
    assert "It does." in peer.run("check").out
