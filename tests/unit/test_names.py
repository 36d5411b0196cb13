from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.errors import InvalidName, ReservedName
from mailstop.names import (
    LONGEST,
    RESERVED,
    checked_name,
    is_name,
    name_from,
    nearest,
    numbered,
    seat_to_take,
)

LEGAL = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
NAMES = st.from_regex(LEGAL, fullmatch=True)
# Texts near the border: what a name may hold, and the characters that break paths, SQL and shells.
NEAR = st.text(alphabet="abz09._-AZ/\\'\"[]:;$ \n\x00*äİＡ１", max_size=70)


@given(NEAR | st.text() | NAMES)
def test_a_name_is_exactly_what_its_pattern_says(text: str) -> None:
    assert is_name(text) == bool(LEGAL.fullmatch(text))


@pytest.mark.parametrize(
    "text", ["", ".", "..", "-x", "_x", "A", "a b", "a/b", "a\n", "é", "１", "a" * (LONGEST + 1), "a[0]", 'a"']
)
def test_what_is_no_name_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(InvalidName) as refused:
        checked_name(text, "bag")
    assert "bag" in refused.value.message
    assert repr(text) in refused.value.message


def test_the_refusal_of_an_endless_name_is_short() -> None:
    with pytest.raises(InvalidName) as refused:
        checked_name("x" * 200_000)
    assert len(refused.value.message) < 400


@given(NAMES)
def test_a_name_is_taken_as_it_is(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_nobody_takes_the_seat_of_the_person_or_a_role(name: str) -> None:
    with pytest.raises(ReservedName):
        seat_to_take(name)


@given(st.text() | NEAR)
def test_a_name_made_of_any_text_may_be_taken(text: str) -> None:
    assert seat_to_take(name_from(text))


@given(NAMES.filter(lambda name: name[-1] not in "._-" and name not in RESERVED))
def test_a_name_made_of_a_name_is_that_name(name: str) -> None:
    assert name_from(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [("My Project", "my-project"), ("...", "session"), ("", "session"), ("human", "human-1"), ("-a-", "a")],
)
def test_a_folder_gives_a_name_that_people_recognise(text: str, name: str) -> None:
    assert name_from(text) == name


@given(NAMES, st.integers(1, 10_000))
def test_a_numbered_name_is_a_name(name: str, number: int) -> None:
    assert is_name(numbered(name, number))


@given(NAMES)
def test_numbered_names_differ_from_each_other(name: str) -> None:
    assert len({numbered(name, number) for number in range(2, 50)}) == 48
    assert numbered(name, 1) == name


def test_a_mistyped_name_is_near_the_right_one() -> None:
    assert nearest("buidler", ["builder", "reviewer", "qc"])[0] == "builder"
    assert nearest("BUILDER", ["builder", "reviewer"]) == ["builder"]


def test_a_name_is_near_those_it_begins() -> None:
    assert nearest("api", ["web", "api-main-of-the-second-checkout"]) == ["api-main-of-the-second-checkout"]


@given(st.text(max_size=200), st.lists(NAMES, max_size=20), st.integers(1, 5))
def test_nearest_names_are_known_ones_each_once_and_not_too_many(name: str, known: list[str], limit: int) -> None:
    near = nearest(name, known, limit)
    assert len(near) == len(set(near)) <= limit
    assert set(near) <= set(known)


@given(st.lists(NAMES, min_size=1, max_size=20))
def test_a_known_name_is_nearest_to_itself(known: list[str]) -> None:
    assert nearest(known[0], known)[0] == known[0]
