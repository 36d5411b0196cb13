"""The guard of a hook in a running turn, with nothing new: against `sh -c :`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from benchmarks.ground import Ground
from benchmarks.measure import Comparison, compare
from mailstop import plugin_folder


def comparisons() -> Iterator[Comparison]:
    with open(os.path.join(plugin_folder(), "hooks", "hooks.json"), encoding="utf-8") as file:
        hooks = json.load(file)["hooks"]
    with Ground() as ground:
        env = {**ground.env, "CLAUDE_PID": "4242"}

        def shell(command: str) -> None:
            os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", command], env), 0)

        for event in ("UserPromptSubmit", "PostToolBatch"):
            guard = hooks[event][0]["hooks"][0]["command"]
            yield compare(
                f"guarded {event} hook, nothing new",
                lambda: shell(":"),
                lambda guard=guard: shell(guard),  # type: ignore[misc]
                budget=2.0,
                rounds=201,
            )
