"""The seats of a world, as its store knows them."""

from __future__ import annotations

from mailstop.config import SQLITE
from mailstop.engines import open_store
from mailstop.names import DEFAULT_BAG
from mailstop.seat import Seat
from tests.clients.waiting import wait_for
from tests.clients.world import World


def seat_of(world: World, name: str, bag: str = DEFAULT_BAG) -> Seat | None:
    """That seat; None when nobody has ever taken it."""
    with open_store(f"{SQLITE}{world.home}/.local/share/mailstop/mailstop.db") as store:
        return store.index.seat(bag, name)


def seat(world: World, name: str) -> Seat:
    """A seat that was taken already."""
    found = seat_of(world, name)
    assert found, f"there is no seat {name}"
    return found


def seated(world: World, name: str, bag: str = DEFAULT_BAG) -> Seat:
    """That seat, once a session has taken it: windows open before their hooks have run."""
    return wait_for(f"seat {name} taken", lambda: seat_of(world, name, bag))
