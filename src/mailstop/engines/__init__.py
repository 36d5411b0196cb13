"""Engines: one folder each, with its ledger, board and index. A store's URL chooses the engine."""

from __future__ import annotations

from mailstop.config import store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store


def open_store(url: str) -> Store:
    """The store that `url` names: `sqlite:///absolute/path`. Raises StoreUnavailable or one of its kinds."""
    from mailstop.engines.sqlite.store import SQLiteStore

    return SQLiteStore(store_path(url))
