"""What every behaviour is tried on: each engine, and the players of a play."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import pytest

from mailstop.engines.base import Store
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.store import SQLiteStore
from tests.conformance.play import Play

ENGINES = ("sqlite", "memory")
# A disk's own time has no part in what is tried here; where it has, in the fault tests, the store lies on one.
FAST = "/dev/shm"


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The engine's name."""
    return str(request.param)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> World:
    """What the stores in memory share. Its conflicts are the same in each run of a test."""
    return World(seed=crc32(request.node.nodeid.encode()))


@pytest.fixture
def store_folder(tmp_path: Path) -> Iterator[Path]:
    """Where an SQLite store may lie."""
    if not os.access(FAST, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="mailstop-", dir=FAST))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def open_store(engine: str, world: World, store_folder: Path) -> Callable[[], Store]:
    """Opens the one store of the test, as often as asked."""
    if engine == "memory":
        return lambda: MemoryStore(world)
    return lambda: SQLiteStore(str(store_folder / "mail.db"))


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Iterator[Store]:
    """The store, opened once."""
    with open_store() as store:
        yield store


@pytest.fixture
def office(open_store: Callable[[], Store], tmp_path: Path) -> Iterator[Play]:
    """Players at one store: `office.as_("builder").send("reviewer", body="please look")`."""
    play = Play(open_store, str(tmp_path / "claude"))
    yield play
    play.close()
