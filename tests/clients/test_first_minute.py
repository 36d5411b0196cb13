"""A new user's first minute, with real sessions: as docs/tutorial.md says, and with the letter at its reader's model.

It prints how long each step took; no time is asserted. `python -m benchmarks.first_minute` writes them into the page.
"""

from __future__ import annotations

import re

import pytest

from tests.clients.first_minute import SENTENCE, FirstMinute, Step, table
from tests.clients.mail import letters_of
from tests.clients.world import World
from tests.shelf import ROOT

PAGE = ROOT / "docs" / "tutorial.md"
SECTION = "\n## How long it takes\n"
WORDS = {"three": 3, "four": 4, "five": 5, "six": 6}


def told_steps() -> list[tuple[str, str]]:
    """What the page's table says is typed, and what for; without the seconds and their sum."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \| [\d.]+ \|$", PAGE.read_text().partition(SECTION)[2], re.MULTILINE)
    return [(typed, until) for typed, until in rows if typed.strip()]


@pytest.mark.timeout(180)  # it builds a wheel and makes an environment first
def test_the_second_session_of_a_new_user_is_woken_after_as_many_commands_as_the_page_says(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    minute = FirstMinute(world)

    minute.live()

    with capsys.disabled():
        print("\n" + table(minute.steps))
    assert "from seat web" in minute.woken.news and "not the person's words" in minute.woken.news
    assert "from seat api" in minute.answered.news
    assert [letter["from"] for letter in letters_of(world)] == ["web", "api"]
    page = PAGE.read_text()
    (said,) = re.findall(r"(\w+) commands and one sentence", page)
    assert WORDS[said.lower()] == len(minute.commands)
    assert told_steps() == [(step.typed or "–", step.until) for step in minute.steps]
    assert f"> {SENTENCE}" in page


def test_a_step_is_told_by_what_is_typed_and_how_long_it_took() -> None:
    assert table([Step("`claude`", "it is there", 1.26), Step("", "it is woken", 0.5)]).splitlines()[2:] == [
        "| `claude` | it is there | 1.3 |",
        "| – | it is woken | 0.5 |",
        "| | all together | 1.8 |",
    ]
