"""A scenario: the commands of a recording, in files that people write."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from recordings import SCENARIOS

PERSON = "you"  # whose window is that of the person, who has no seat to take


@dataclass(frozen=True)
class Step:
    """One command. window: whose it is. waits: it goes on until something wakes it, and others go on meanwhile.

    shown: whether it is in the picture; what is not, only prepares it.
    """

    window: str
    run: str
    waits: bool = False
    shown: bool = True


@dataclass(frozen=True)
class Scenario:
    """What is recorded. columns: of each window. rows: how many the picture shows at most; what follows is counted.

    windows: from left to right. title, description: for those who cannot see the picture. client: the real client that
    has to be there, if any.
    """

    name: str
    title: str
    description: str
    columns: int
    windows: tuple[str, ...]
    steps: tuple[Step, ...]
    rows: int = 1000
    client: str = ""


def read(path: Path) -> Scenario:
    """Read a scenario's file. Raises TypeError where it has a word that scenarios do not have."""
    told = tomllib.loads(path.read_text())
    steps = tuple(Step(**each) for each in told.pop("step"))
    return Scenario(name=path.stem, steps=steps, windows=tuple(told.pop("windows")), **told)


def all_scenarios() -> list[Scenario]:
    """Every scenario, by name."""
    return [read(path) for path in sorted(SCENARIOS.glob("*.toml"))]
