"""The pictures of the documentation, played again."""

from __future__ import annotations

from pathlib import Path

from recordings import PICTURES
from recordings.drawing import drawn
from recordings.sameness import without_accidents
from recordings.scenario import Scenario
from recordings.stage import play


def committed(scenario: Scenario) -> list[str]:
    """The lines of the picture that lies in the repository, without what differs from run to run."""
    return without_accidents((PICTURES / f"{scenario.name}.svg").read_text()).splitlines()


def played(scenario: Scenario, client: Path | None = None) -> list[str]:
    """Those of the picture that a run makes now."""
    return without_accidents(drawn(scenario, play(scenario, client))).splitlines()
