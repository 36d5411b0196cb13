"""`python -m recordings [NAME...]`: play the scenarios and draw those of which the picture is not true any more."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from recordings import PICTURES
from recordings.drawing import drawn
from recordings.sameness import without_accidents
from recordings.scenario import Scenario, all_scenarios
from recordings.stage import play
from tests.clients import install


def main(names: Sequence[str]) -> int:
    """Draw all, or those of these names. Exit 1 where a client that one needs cannot be had."""
    scenarios = {scenario.name: scenario for scenario in all_scenarios()}
    if unknown := set(names) - set(scenarios):
        print(f"no scenario {', '.join(sorted(unknown))}; there are: {', '.join(scenarios)}", file=sys.stderr)
        return 2
    try:
        for scenario in [scenarios[name] for name in names] or scenarios.values():
            print(f"{scenario.name}: {_draw(scenario)}")
    except install.NotInstalled as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _draw(scenario: Scenario) -> str:
    picture = drawn(scenario, play(scenario, client(scenario)))
    place = PICTURES / f"{scenario.name}.svg"
    if place.exists() and without_accidents(place.read_text()) == without_accidents(picture):
        return "as it was"
    place.write_text(picture)
    return "drawn"


def client(scenario: Scenario) -> Path | None:
    """The program of the client that a scenario needs. Raises NotInstalled."""
    if not scenario.client:
        return None
    wanted = {"claude": install.CLAUDE, "codex": install.CODEX}[scenario.client]
    install.install(wanted)
    return install.binary(wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
