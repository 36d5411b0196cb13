"""Parties whose commands are killed, starved of disk, or given a damaged store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.soundness import default_store
from tests.party import ClaudeParty, Party


@pytest.fixture
def parties() -> Iterator[ExitStack]:
    """Ends the parties that are pushed onto it."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def stranger(own_home: Path, parties: ExitStack) -> Callable[[], Party]:
    """Makes a party that has not joined."""

    def new() -> Party:
        party = Party(own_home)
        parties.callback(party.close)
        return party

    return new


@pytest.fixture
def seat(stranger: Callable[[], Party]) -> Callable[[str], Party]:
    """Makes a party that sits at a seat: `seat("builder")`."""

    def at(name: str) -> Party:
        party = stranger()
        party.join(name)
        return party

    return at


@pytest.fixture
def claude(own_home: Path, parties: ExitStack) -> Callable[[], ClaudeParty]:
    """Makes what passes for a Claude Code that has not told of a session yet."""

    def new() -> ClaudeParty:
        party = ClaudeParty(own_home)
        parties.callback(party.close)
        return party

    return new


@pytest.fixture
def store(own_home: Path) -> Path:
    """The file of the default store."""
    return default_store(own_home)
