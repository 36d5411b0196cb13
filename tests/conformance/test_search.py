"""Search: letters are found by their words, newest first, whoever folded the text."""

from __future__ import annotations

import pytest

from tests.conformance.play import Play


def found(office: Play, text: str, **place: object) -> list[str]:
    """The bodies that a search gives, oldest first."""
    with office.stranger.at_office() as at:
        return [record.body for record in at.reading.search(text, **place).records]  # type: ignore[arg-type, union-attr]


def test_letters_are_found_by_all_their_words_in_any_case_and_order(office: Play) -> None:
    for body in ("the red fox", "A RED house", "fox"):
        office.as_("writer").send("human", body=body)

    assert found(office, "red") == ["the red fox", "A RED house"]
    assert found(office, "FOX the") == ["the red fox"]
    assert found(office, "nothing") == []


def test_a_letter_is_found_that_came_after_an_earlier_search(office: Play) -> None:
    office.as_("writer").send("human", body="first word")
    assert found(office, "word") == ["first word"]

    office.as_("writer").send("human", body="second word")

    assert found(office, "word") == ["first word", "second word"]


def test_a_bag_is_searched_by_itself(office: Play) -> None:
    office.as_("writer").send("human", body="word here")
    office.as_("writer").join("writer", "side")
    office.as_("writer").send("human", bag="side", body="word there")

    assert found(office, "word", bag="side") == ["word there"]
    assert found(office, "word") == ["word here", "word there"]


@pytest.mark.parametrize("text", ["it's", '"quoted', "OR", "not*", "(a-b)", "a -b", "quoted OR"])
def test_what_is_syntax_elsewhere_is_a_word_here(office: Play, text: str) -> None:
    body = """it's "quoted" OR not* (a-b)"""
    office.as_("writer").send("human", body=body)

    assert found(office, text) == [body]
    assert found(office, f"{text} AND") == []
