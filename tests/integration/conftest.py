"""Parties for tests that go through real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.party import Party, Person

Seat = Callable[..., Party]


@pytest.fixture
def parties() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def seat(own_home: Path, parties: ExitStack) -> Seat:
    """Give a party that sits at a seat: `seat("builder")`; with more words, those of `mailstop join`."""

    def at(name: str, *words: str) -> Party:
        party = Party(own_home)
        parties.callback(party.close)
        party.join(name, *words)
        return party

    return at


@pytest.fixture
def stranger(own_home: Path, parties: ExitStack) -> Party:
    """Give a party that has not joined."""
    party = Party(own_home)
    parties.callback(party.close)
    return party


@pytest.fixture
def person(own_home: Path, parties: ExitStack) -> Person:
    """Give the person, at a terminal of 100 columns."""
    person = Person(own_home)
    parties.callback(person.close)
    return person
