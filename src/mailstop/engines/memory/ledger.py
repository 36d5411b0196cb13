"""Ledger in memory: appends to the world's list, in steps between which others may act."""

from __future__ import annotations

from mailstop.errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mailstop.engines.entry import Entry
    from mailstop.engines.memory.index import MemoryIndex
    from mailstop.engines.memory.world import World
    from mailstop.engines.row import Delete, Put


class MemoryLedger:
    """One store's view of the world's ledger; it tells that store's index when to catch up."""

    def __init__(self, world: World, index: MemoryIndex) -> None:
        self._world = world
        self._index = index

    def append(
        self,
        entries: Sequence[Entry],
        *,
        expect: Mapping[str, int] | None = None,
        board: Sequence[Put | Delete] = (),
        rows: Mapping[str, int] | None = None,
    ) -> int:
        world = self._world
        try:
            world.oppose(expect or {}, rows or {})
            world.refuse_moved(expect or {})
            if rows:
                world.change(board, rows)
            last = world.store(entries, expect or {})
        except Conflict:
            self._index.catch_up()
            raise
        if not rows:
            world.change(board, {})
        self._index.catch_up()
        return last

    def last(self, subject: str) -> int:
        return self._world.last(subject)

    def on(self, subject: str) -> Entry | None:
        entry = self._world.latest.get(subject)
        self._index.catch_up()
        return entry

    def after(self, number: int, *, limit: int = 500) -> list[Entry]:
        with self._world.lock:
            return [entry for entry in self._world.entries if entry.n > number][:limit]
