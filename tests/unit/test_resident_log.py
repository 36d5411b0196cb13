"""The server's log: equal lines do not flood it."""

from __future__ import annotations

from mailstop.resident.log import EQUAL_S, MOST_KNOWN, Seldom


def test_a_line_that_comes_again_and_again_is_said_once_and_later_how_often_it_was_left_out() -> None:
    said: list[str] = []
    now = 0.0
    seldom = Seldom(said.append, lambda: now)
    for _ in range(1000):
        seldom("no more descriptors")
    seldom("something else")
    assert said == ["no more descriptors", "something else"]

    now = EQUAL_S
    seldom("no more descriptors")
    assert said[2:] == ["no more descriptors (and 999 times since it was last said)"]

    now = 2 * EQUAL_S
    seldom("no more descriptors")
    assert said[3:] == ["no more descriptors"]


def test_it_keeps_no_more_lines_than_it_needs() -> None:
    said: list[str] = []
    seldom = Seldom(said.append, lambda: 0.0)
    for number in range(10 * MOST_KNOWN):
        seldom(f"line {number}")
    assert len(said) == 10 * MOST_KNOWN
    assert len(seldom._known) == MOST_KNOWN
