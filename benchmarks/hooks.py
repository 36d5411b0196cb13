"""Hooks that always start Python, or have something to show: whole processes of a session that is registered."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from benchmarks.durable_send import office_of
from benchmarks.ground import BODY, Ground, run
from benchmarks.measure import Comparison, compare
from mailstop.fence import ring_line
from mailstop.letter import Draft

SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
OUTPUT = "x" * 8000
OF_EVENT: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "compact", "model": "claude-opus"},
    "UserPromptSubmit": {"prompt": "Please look whether the parser survives an empty file, and add a test. " * 10},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1"},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": OUTPUT},
    },
    "PostToolBatch": {"tools": [{"tool_name": "Bash", "tool_response": {"stdout": OUTPUT}}]},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "The parser survives it. " * 20},
}


def event(name: str, folder: str, **more: Any) -> str:
    """The JSON of an event, as long as a client's usually is."""
    told = {
        "session_id": SESSION,
        "transcript_path": f"{folder}/.claude/projects/-work/{SESSION}.jsonl",
        "cwd": folder,
        "permission_mode": "default",
        "prompt_id": "01a227bc-0000-7b73-a9b7-49711dc7b705",
        "hook_event_name": name,
        **OF_EVENT[name],
        **more,
    }
    return json.dumps(told)


def comparisons() -> Iterator[Comparison]:
    with Ground() as ground:
        me = ground.join("me")
        # This process passes for the client: it is the parent of the hooks, and the variable names it.
        claude = {**ground.env, "CLAUDECODE": "1", "CLAUDE_PID": str(os.getpid()), "CLAUDE_CODE_SESSION_ID": SESSION}
        claude["MAILSTOP_SEAT"] = "reader"
        home = str(ground.home)
        floor = [ground.floor_script(), str(ground.store)]
        hook = [ground.command, "hook"]
        run(hook, claude, event("SessionStart", home, source="startup"))
        for name in ("SessionStart", "Stop"):
            text = event(name, home)
            yield compare(
                f"{name} hook, nothing new",
                lambda text=text: run(floor, claude, text),  # type: ignore[misc]
                lambda text=text: run(hook, claude, text),  # type: ignore[misc]
                budget=1.5,
            )
        prompt, turn = "", ""

        def ring() -> None:
            nonlocal prompt, turn
            run(hook, claude, event("Stop", home, prompt_id=turn))  # proves what the last prompt showed
            office = office_of(me, home)
            n = office.send(Draft(("reader",), BODY)).letter.n
            office.store.close()
            turn = f"prompt-{n}"
            prompt = event("UserPromptSubmit", home, prompt=ring_line([n], "me"), prompt_id=turn)

        yield compare(
            "UserPromptSubmit hook of a ring, shows a letter of 1 KiB",
            lambda: run(floor, claude, prompt),
            lambda: run(hook, claude, prompt),
            budget=1.5,
            prepare=ring,
        )
        shown = office_of(me, home)
        numbers = [letter.n for letter in shown.store.index.sent("default", "me", limit=5)]
        states = {delivery.state for n in numbers[1:] for delivery in shown.store.index.deliveries(n)}
        shown.store.close()
        assert states == {"shown"}, f"the hooks did not do what was measured: {states}"
