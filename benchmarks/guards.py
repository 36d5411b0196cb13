"""The guard of a hook in a running turn, with nothing new: against `sh -c :`. Both are given the event as input."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from benchmarks.ground import Ground
from benchmarks.hooks import event
from benchmarks.measure import Comparison, compare
from mailstop import plugin_folder


def comparisons() -> Iterator[Comparison]:
    with open(os.path.join(plugin_folder(), "hooks", "hooks.json"), encoding="utf-8") as file:
        hooks = json.load(file)["hooks"]
    with Ground() as ground:
        env = {**ground.env, "CLAUDE_PID": "4242"}
        given = ground.home / "event.json"

        def shell(command: str) -> None:
            opened = [(os.POSIX_SPAWN_OPEN, 0, str(given), os.O_RDONLY, 0)]
            os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", command], env, file_actions=opened), 0)

        for name in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"):
            given.write_text(event(name, str(ground.home)))
            guard = hooks[name][0]["hooks"][0]["command"]
            yield compare(
                f"guarded {name} hook, nothing new",
                lambda: shell(":"),
                lambda guard=guard: shell(guard),  # type: ignore[misc]
                budget=2.0,
                rounds=201,
            )
