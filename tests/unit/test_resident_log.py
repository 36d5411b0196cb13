"""The log of a server: equal lines are said once a minute, whoever brings them about."""

from __future__ import annotations

import pytest

from mailstop.resident.log import AGAIN_S, MOST_OF_A_PLACE, MOST_REMEMBERED, Limit


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def limit(seconds: Seconds) -> Limit:
    return Limit(seconds)


def test_an_equal_line_is_said_once_a_minute_and_then_with_how_many_were_kept_back(
    limit: Limit, seconds: Seconds
) -> None:
    assert [limit.passed("refused", "gate:1") for _ in range(4)] == ["refused", None, None, None]

    seconds.now += AGAIN_S
    assert limit.passed("refused", "gate:1") == "refused (and 3 more like it before)"
    seconds.now += AGAIN_S
    assert limit.passed("refused", "gate:1") == "refused"


def test_other_lines_are_said_meanwhile(limit: Limit) -> None:
    limit.passed("refused", "gate:1")
    limit.passed("refused", "gate:1")

    assert limit.passed("another", "gate:1") == "another"


def test_different_lines_of_one_place_have_a_limit_too_and_leave_other_places_alone(
    limit: Limit, seconds: Seconds
) -> None:
    said = [limit.passed(f"called {number}", "gate:1") for number in range(MOST_OF_A_PLACE + 5)]

    assert [line for line in said if line] == [f"called {number}" for number in range(MOST_OF_A_PLACE)]
    assert limit.passed("the store is full", "store:1") == "the store is full"
    seconds.now += AGAIN_S
    assert limit.passed("called", "gate:1") == "called (and 5 more like it before)"


def test_what_it_remembers_does_not_grow(limit: Limit, seconds: Seconds) -> None:
    for number in range(2 * MOST_REMEMBERED):
        seconds.now += AGAIN_S
        limit.passed(f"line {number}", f"place {number}")

    assert len(limit._lines) <= MOST_REMEMBERED
    assert len(limit._places) <= MOST_REMEMBERED
