"""Automatic names, and that each is a seat that a session may take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.engines.memory.store import MemoryStore, World
from mailstop.names import LONGEST, seat_to_take
from mailstop.rules.seats import automatic_name, take_automatically
from mailstop.session import Session


def session(project: str, branch: str = "", *, on_default_branch: bool = False, number: int = 1) -> Session:
    """A session in a folder of that project."""
    return Session(
        f"session-{number}",
        "claude",
        "",
        {},
        "bell",
        project=project,
        branch=branch,
        worktree=f"/srv/{number}",
        on_default_branch=on_default_branch,
    )


@pytest.mark.parametrize(
    ("project", "branch", "on_default_branch", "name"),
    [
        ("shop", "main", True, "shop"),
        ("shop", "trunk", True, "shop"),
        ("shop", "feature", False, "shop-feature"),
        ("shop", "", False, "shop"),
        ("", "", False, "session"),
        ("My Shop!", "fix/#12", False, "my-shop-fix--12"),
        ("leader", "main", True, "leader-1"),
        ("x" * 80, "main", True, "x" * 63),
    ],
)
def test_the_name_of_a_folders_seat(project: str, branch: str, on_default_branch: bool, name: str) -> None:
    assert automatic_name(session(project, branch, on_default_branch=on_default_branch)) == name


@given(st.text(max_size=80), st.text(max_size=80), st.booleans())
def test_every_folder_gives_a_name_that_may_be_taken(project: str, branch: str, on_default_branch: bool) -> None:
    name = automatic_name(session(project, branch, on_default_branch=on_default_branch))

    assert seat_to_take(name) == name


def test_names_with_numbers_stay_within_their_length_and_differ() -> None:
    world = World()
    names = []
    for number in range(12):
        with MemoryStore(world) as store:
            seated = take_automatically(store, session("x" * 80, number=number), now=number)
            names.append(seated.seat.name)

    assert len(set(names)) == 12
    assert max(map(len, names)) == LONGEST
