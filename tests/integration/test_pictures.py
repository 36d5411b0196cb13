"""The pictures of the documentation show what the program prints. tests/clients tries those with a real client."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from recordings import PICTURES
from recordings.drawing import DARK, LIGHT, placed
from recordings.sameness import without_accidents
from recordings.scenario import Scenario, Step, all_scenarios
from recordings.stage import Event
from recordings.terminal import NotDrawn, rows_of
from tests.recorded import committed, played

ROOT = Path(__file__).parents[2]
SCENARIOS = all_scenarios()
ALONE = [scenario for scenario in SCENARIOS if not scenario.client]
FILES = sorted(PICTURES.iterdir())
SVG = "{http://www.w3.org/2000/svg}"


def named(scenario: Scenario) -> str:
    return scenario.name


@pytest.mark.parametrize("scenario", ALONE, ids=named)
def test_a_picture_shows_what_the_program_prints_now(scenario: Scenario) -> None:
    assert played(scenario) == committed(scenario), "make pictures draws it anew"


def test_each_scenario_has_its_picture_and_each_picture_its_scenario() -> None:
    assert [file.name for file in FILES] == [f"{scenario.name}.svg" for scenario in SCENARIOS]
    assert len(ALONE) >= 3


def test_each_picture_is_shown_by_a_page_that_says_what_is_on_it() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = [
        image
        for page in pages
        for image in re.findall(r"!\[([^\]]+)\]\((?:docs/)?pictures/([^)]+)\)", page.read_text())
    ]

    assert {name for _, name in shown} == {file.name for file in FILES}
    assert [name for told, name in shown if len(told) < 40] == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=named)
def test_who_cannot_see_a_picture_is_told_what_it_shows(scenario: Scenario) -> None:
    root = ElementTree.parse(PICTURES / f"{scenario.name}.svg").getroot()
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")

    assert title is not None and title.text == scenario.title
    assert description is not None and description.text == " ".join(scenario.description.split())
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=named)
def test_a_picture_fetches_nothing_and_runs_nothing(scenario: Scenario) -> None:
    root = ElementTree.parse(PICTURES / f"{scenario.name}.svg").getroot()
    style = root.findtext(f"{SVG}style") or ""

    assert {each.tag.removeprefix(SVG) for each in root.iter()} == {"svg", "title", "desc", "style", "rect", "text"}
    assert not re.search(r"url\(|@import|@font-face|:\s*//", style)
    assert [name for each in root.iter() for name in each.attrib if "href" in name or name.startswith("on")] == []


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), [("text", "window"), ("said", "window"), ("name", "bar")])
def test_each_text_stands_out_from_what_is_behind_it(colours: dict[str, str], text: str, ground: str) -> None:
    assert contrast(colours[text], colours[ground]) >= 4.5


def contrast(one: str, other: str) -> float:
    """The ratio that WCAG 2.2 defines for two colours."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_what_differs_from_run_to_run_hides_no_other_difference() -> None:
    one = "23:59:01 === mailstop 0e8a810c begin === letter 3 stored, 38 bytes, Done in 1.6 s"

    assert without_accidents(one) == without_accidents(
        one.replace("23:59:01", "08:00:00").replace("0e8a810c", "beefbeef")
    )
    for word in ("mailstop", "begin", "3", "38", "stored"):
        assert without_accidents(one) != without_accidents(one.replace(word, f"x{word}", 1))


def test_what_happened_later_in_another_window_stands_lower() -> None:
    steps = (Step("a", "one"), Step("b", "two"))
    scenario = Scenario("name", "title", "description", 20, ("a", "b"), steps)
    events = [
        Event("a", True, ("a $ one",)),
        Event("a", False, ("1", "2")),
        Event("b", True, ("b $ two",)),
        Event("a", False, ("3",)),
    ]

    windows = placed(scenario, events)

    assert [(each.row, each.text) for each in windows["a"]] == [(0, "a $ one"), (1, "1"), (2, "2"), (3, "3")]
    assert [(each.row, each.text) for each in windows["b"]] == [(2, "b $ two")]


def test_a_row_that_is_too_long_goes_on_in_the_next_and_a_return_begins_it_anew() -> None:
    assert rows_of(b"123456789\n10 %\r90 %\n", 5) == ["12345", "6789", "90 %"]


def test_a_colour_is_not_left_out_in_silence() -> None:
    with pytest.raises(NotDrawn, match="has a colour or a style"):
        rows_of(b"\x1b[31mred", 20)
