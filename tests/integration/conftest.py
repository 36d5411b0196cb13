"""Parties for tests that go through real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from tests import lane_side
from tests.http_served import Served
from tests.mcp_connection import Connection
from tests.party import ClaudeParty, Party, Person

if TYPE_CHECKING:
    from tests.serve_inside import Inside

AnyParty = TypeVar("AnyParty", bound=Party)
Arrive = Callable[[type[AnyParty]], AnyParty]
SeatAt = Callable[..., Party]


@pytest.fixture
def arrive(own_home: Path) -> Iterator[Callable[[type[Party]], Party]]:
    """Give a new party of a kind."""
    with ExitStack() as stack:

        def new(kind: type[Party]) -> Party:
            party = kind(own_home)
            stack.callback(party.close)
            return party

        yield new


@pytest.fixture
def seat(arrive: Callable[[type[Party]], Party]) -> SeatAt:
    """Give a party that sits at a seat: `seat("builder")`; further words are those of `mailstop join`."""

    def at(name: str, *words: str) -> Party:
        party = arrive(Party)
        party.join(name, *words)
        return party

    return at


@pytest.fixture
def stranger(arrive: Callable[[type[Party]], Party]) -> Party:
    """Give a party that has not joined."""
    return arrive(Party)


@pytest.fixture
def inside(own_home: Path) -> Iterator[Inside]:
    """Give the service of `mailstop serve`, in a thread of the tests, on the default store."""
    from tests.serve_inside import Inside  # the SDK takes a second to import

    folder = own_home / ".local/share/mailstop"
    folder.mkdir(parents=True, mode=0o700)
    with Inside(folder / "mailstop.db") as inside:
        yield inside


@pytest.fixture
def person(arrive: Arrive[Person]) -> Person:
    """Give the person, at a terminal of 100 columns."""
    return arrive(Person)


@pytest.fixture
def claude(arrive: Arrive[ClaudeParty]) -> ClaudeParty:
    """Give what passes for a Claude Code that has not told of a session yet."""
    return arrive(ClaudeParty)


@pytest.fixture
def served(stranger: Party) -> Iterator[Served]:
    """Give a server over HTTP."""
    with Served(stranger) as server:
        yield server


@pytest.fixture
def builder(stranger: Party) -> Iterator[Connection]:
    """Give a client of tools that sits at the seat `builder`."""
    with Connection(stranger) as connection:
        yield connection.joined("builder")


@pytest.fixture
def peer(stranger: Party) -> Iterator[Connection]:
    """Give a client of tools that sits at the seat `peer`."""
    with Connection(stranger) as connection:
        yield connection.joined("peer")


@pytest.fixture
def lane(own_home: Path) -> Path:
    """A lane in which a builder has written, so that somebody plays that role."""
    lane = own_home / "work" / "lane"
    lane_side.send(lane, from_role="builder", to_role="docs", kind="note", msg="not for the bag")
    return lane
