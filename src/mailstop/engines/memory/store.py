"""Store in memory: one view of a world, as one process has it."""

from __future__ import annotations

from mailstop.engines.closing import Closing
from mailstop.engines.memory.board import MemoryBoard
from mailstop.engines.memory.index import MemoryIndex
from mailstop.engines.memory.ledger import MemoryLedger
from mailstop.engines.memory.world import World

__all__ = ["MemoryStore", "World"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Board, Index, Ledger


class MemoryStore(Closing):
    """A store on a world. Opening it catches up with the world, as the start of any command does."""

    url = "memory:"
    index: MemoryIndex

    def __init__(self, world: World) -> None:
        self.index: Index = MemoryIndex(world)
        self.ledger: Ledger = MemoryLedger(world, self.index)
        self.board: Board = MemoryBoard(world)
        self.index.catch_up()

    def close(self) -> None:
        self.index.close()
