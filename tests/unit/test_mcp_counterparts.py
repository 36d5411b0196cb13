"""docs/mcp.md says what takes the place of each tool of the mailboxes that people come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mailstop.mcp import tools

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"

POSTBAG = {"postbag_join", "postbag_send", "postbag_read", "postbag_bags", "postbag_leave"}
CLAUDE_MAILBOX = {
    *("register_session", "heartbeat", "update_objective", "set_status", "list_sessions", "deregister"),
    *("get_leader", "claim_leadership", "release_leadership"),
    *("broadcast", "read_channel", "send_dm", "poll_inbox"),
    *("request_info", "respond_info", "check_request", "delegate"),
}
NEEDS_NONE = ("nothing: ", "nothing to call ")


def counterparts(mailbox: str) -> dict[str, str]:
    """What the page's table for a mailbox says of each of its tools."""
    section = PAGE.read_text().partition("## Coming from another mailbox\n")[2]
    rows = section.partition(f"| {mailbox} | here |\n")[2].partition("\n\n")[0].splitlines()[1:]
    found = [row.strip("| ").split(" | ", 1) for row in rows]
    return {name: here for names, here in found for name in re.findall(r"`(\w+)`", names)}


@pytest.mark.parametrize(("mailbox", "foreign"), [("postbag", POSTBAG), ("claude-mailbox", CLAUDE_MAILBOX)])
def test_each_tool_of_another_mailbox_has_its_row(mailbox: str, foreign: set[str]) -> None:
    assert set(counterparts(mailbox)) == foreign


ROWS = {name: here for mailbox in ("postbag", "claude-mailbox") for name, here in counterparts(mailbox).items()}


def test_both_mailboxes_are_looked_at() -> None:
    assert (len(POSTBAG), len(CLAUDE_MAILBOX)) == (5, 17)


@pytest.mark.parametrize(("name", "here"), ROWS.items(), ids=ROWS)
def test_what_takes_its_place_is_a_tool_with_just_these_arguments_or_said_to_need_none(name: str, here: str) -> None:
    named = [word for word in re.findall(r"`([^`]+)`", here) if not word.startswith(("#", "mailstop "))]
    tool = None
    for word in named:
        if found := tools.find(word):
            tool = found
        else:
            assert tool is not None, f"{word!r} stands before any tool of ours"
            actions = tool.properties.get("action", {}).get("enum", ())
            assert word in tool.properties or word in actions, f"{tool.name} knows no {word!r}"
    assert tool is not None or here.startswith(NEEDS_NONE)
    assert here.startswith((f"`{named[0]}`", *NEEDS_NONE))
