"""Any order: a state machine of plays, tried on an engine."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import cast

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from mailstop.engines.base import Store
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.store import SQLiteStore


def try_any_order(
    machine: Callable[[Callable[[], Store], str], RuleBasedStateMachine],
    how: settings,
    engine: str,
    store_folder: Path,
    config_folder: Path,
) -> None:
    """Run the machine, each run on a store of its own. machine: made of what opens that, and of a client's folder."""
    numbers = count()

    def new() -> RuleBasedStateMachine:
        n = next(numbers)
        world = World(seed=n) if engine == "memory" else None
        return machine(
            lambda: MemoryStore(world) if world else SQLiteStore(str(store_folder / f"{n}.db")), str(config_folder)
        )

    run_state_machine_as_test(cast("type[RuleBasedStateMachine]", new), settings=how)  # it takes any maker of one
