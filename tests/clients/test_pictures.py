"""The pictures for which a real client has to be there."""

from __future__ import annotations

import pytest

from recordings.__main__ import client
from recordings.scenario import Scenario, all_scenarios
from tests.clients.world import World
from tests.recorded import committed, played


@pytest.mark.parametrize(
    "scenario", [scenario for scenario in all_scenarios() if scenario.client], ids=lambda scenario: scenario.name
)
def test_a_picture_shows_what_the_program_prints_where_a_client_is(world: World, scenario: Scenario) -> None:
    assert played(scenario, client(scenario)) == committed(scenario), "make pictures draws it anew"
