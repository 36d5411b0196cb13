"""`mailstop limits`, and the brakes, by real processes and hooks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import mailstop
from mailstop import bells
from mailstop.limits import Limits
from tests.party import MAILSTOP, ClaudeParty, CompletedRun, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
HOOKS = json.loads((Path(mailstop.__file__).parent / "plugin" / "mailstop" / "hooks" / "hooks.json").read_text())
BACKGROUND = (
    "<task-notification>\n<task-id>b1</task-id>\n<summary>Background command completed</summary>\n</task-notification>"
)
VENDORS_OWN = '<cross-session-message from="uds:/tmp/x.sock" from-name="beta">\ngo on\n</cross-session-message>'


def test_the_person_sets_them_and_everybody_may_look(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    assert builder.run("limits", "--json").json == {
        "bag": "default",
        "hops": 24,
        "rate": 30,
        "budgeted": False,
        "task_return_minutes": 10,
    }

    told = person.run("limits", "--hops", "5", "--rate", "6", "--budgeted", "--task-return", "7")

    assert told.code == 0
    assert [line.split()[:2] for line in told.lines[2:]] == [
        ["--hops", "5"],
        ["--rate", "6"],
        ["--budgeted", "yes"],
        ["--task-return", "7"],
    ]
    assert person.run("limits", "--not-budgeted", "--json").json["budgeted"] is False
    assert builder.run("limits").lines == person.run("limits").lines


def test_no_session_no_program_and_no_stranger_sets_them(seat: SeatAt, claude: ClaudeParty, stranger: Party) -> None:
    claude.open(SESSION)
    for party in (seat("builder"), claude, stranger):
        refused = party.run("limits", "--hops", "9999")
        assert refused.code == 1
        assert "is the person's alone" in refused.err
    assert stranger.run("limits", "--json").json["hops"] == Limits.hops


@pytest.mark.parametrize(
    "words",
    [("--hops", "0"), ("--rate", "many"), ("--budgeted", "--not-budgeted"), ("--task-return", "-1"), ("what",)],
)
def test_what_is_no_limit_is_wrong_usage(seat: SeatAt, person: Person, words: tuple[str, ...]) -> None:
    seat("builder")

    assert person.run("limits", *words).code == 2


def test_who_is_too_fast_is_told_when_to_go_on(seat: SeatAt, person: Person) -> None:
    builder = seat("builder")
    person.run("limits", "--rate", "2")
    for _ in range(2):
        builder.send("human", "hello")

    refused = builder.run("send", "human", "hello")

    assert (refused.code, refused.out) == (1, "")
    assert "Try again in " in refused.err
    assert "mailstop limits --rate 4" in refused.err


# -- a session whose chain is at its end, and what its hooks hear


@pytest.fixture
def stuck(seat: SeatAt, person: Person, claude: ClaudeParty) -> ClaudeParty:
    """A Claude Code that was given a letter of the longest chain there may be; its seat is `reader`."""
    claude.open(SESSION)
    assert claude.run("join", "reader").code == 0
    assert person.run("limits", "--hops", "1").code == 0
    seat("writer").send("reader", "as far as it goes")
    assert "as far as it goes" in prompted(claude, "mailstop: letter 9 from writer").out
    claude.hook("PostToolBatch", SESSION)
    claude.hook("Stop", SESSION)
    assert claude.run("send", "writer", "hello").code == 1
    assert not bells.is_ringing(f"claude-{claude.pid}"), "tools cost no Python"
    return claude


def prompted(claude: ClaudeParty, prompt: str) -> CompletedRun:
    """Run the hook of a prompt as the plugin has it, its guard in front."""
    (group,) = HOOKS["hooks"]["UserPromptSubmit"]
    event = {"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": str(claude.home), "prompt": prompt}
    environment = {"PATH": f"{Path(MAILSTOP).parent}:/usr/bin:/bin", "CLAUDE_PLUGIN_ROOT": "/the/plugin"}
    return claude.call(["sh", "-c", group["hooks"][0]["command"]], input=json.dumps(event), environment=environment)


def test_a_prompt_that_the_person_types_lets_a_session_go_on(stuck: ClaudeParty) -> None:
    assert prompted(stuck, "Please go on, and tell writer.").code == 0

    assert stuck.run("send", "writer", "hello").code == 0
    assert not bells.is_ringing(bells.prompt_bell(f"claude-{stuck.pid}")), "the next one costs no Python"


@pytest.mark.parametrize("prompt", ["mailstop: letter 9 from writer", BACKGROUND, VENDORS_OWN])
def test_a_prompt_that_the_person_did_not_type_does_not(stuck: ClaudeParty, prompt: str) -> None:
    prompted(stuck, prompt)

    refused = stuck.run("send", "writer", "hello")
    assert refused.code == 1
    assert "a prompt of their own in this session's window" in refused.err
    assert prompted(stuck, "go on").code == 0
    assert stuck.run("send", "writer", "hello").code == 0


def test_a_lost_prompt_bell_is_rung_again_at_the_end_of_the_next_turn(stuck: ClaudeParty) -> None:
    bells.silence(bells.prompt_bell(f"claude-{stuck.pid}"))

    stuck.hook("Stop", SESSION)
    prompted(stuck, "go on")

    assert stuck.run("send", "writer", "hello").code == 0


def test_a_prompt_of_a_subagent_does_not(stuck: ClaudeParty) -> None:
    stuck.hook("UserPromptSubmit", SESSION, prompt="do it", agent_id="a1")

    assert stuck.run("send", "writer", "hello").code == 1


def test_a_check_rings_the_prompt_bell_too(seat: SeatAt, claude: ClaudeParty) -> None:
    claude.open(SESSION)
    claude.run("join", "reader")
    seat("writer").send("reader", "hello")

    assert claude.run("check").code == 0

    assert bells.is_ringing(bells.prompt_bell(f"claude-{claude.pid}"))


def test_status_and_read_say_how_many_hops_a_letter_has(stuck: ClaudeParty, person: Person) -> None:
    person.run("limits", "--hops", "9")
    n = str(stuck.send("writer", "hello"))

    assert "2 hops" in person.run("status", n).out
    assert "hop 2" in person.run("read", n).out
    assert person.run("status", n, "--json").json["hops"] == 2
