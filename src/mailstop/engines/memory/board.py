"""Board in memory: the world's rows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mailstop.engines.memory.world import World
    from mailstop.engines.row import Delete, Put, Row


class MemoryBoard:
    """What one store sees of the board: always the present state, as of a bucket on a server."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get(self, key: str) -> Row | None:
        return self._world.row(key)

    def under(self, prefix: str, *, after: str = "", limit: int | None = None, lasting: bool = False) -> list[Row]:
        with self._world.lock:
            keys = sorted(key for key in self._world.rows if key.startswith(prefix) and key > after)
            rows = [row for key in keys if (row := self._world.row(key))]
            return [row for row in rows if row.expires is None or not lasting][:limit]

    def due(self, now: int, *, beyond: int | None = None, limit: int = 50) -> list[Row]:
        with self._world.lock:
            timed = [(row.due, key) for key, row in self._world.rows.items() if row.due is not None]
            due = [(at, key) for at, key in timed if at <= now or (beyond is not None and at > beyond)]
            return [self._world.rows[key] for _, key in sorted(due)[:limit]]

    def next_due(self) -> int | None:
        with self._world.lock:
            return min((row.due for row in self._world.rows.values() if row.due is not None), default=None)

    def forget(self, prefix: str, now: int, *, limit: int = 500) -> int:
        with self._world.lock:
            rows = [row for key, row in self._world.rows.items() if key.startswith(prefix)]
            expired = [row.key for row in rows if row.expires is not None and row.expires <= now][:limit]
            for key in expired:
                del self._world.rows[key]
        return len(expired)

    def change(self, changes: Sequence[Put | Delete], *, expect: Mapping[str, int] | None = None) -> None:
        self._world.oppose(expect or {})
        self._world.change(changes, expect or {})
