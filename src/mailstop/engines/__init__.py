"""Engines: one folder each, with its ledger, board and index. A store's URL chooses the engine."""

from __future__ import annotations

import os

from mailstop.config import store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.engines.base import Store
    from mailstop.engines.sqlite.readable import Progress


def open_store(url: str, *, makes: bool = True, progress: Progress | None = None) -> Store:
    """The store that `url` names: `sqlite:///absolute/path`. Raises StoreUnavailable or one of its kinds.

    makes: whether it is made where it is not there; else StoreGone is raised, also once it is lost while it is open.
    progress: is told how much of the store is brought to a newer format, and of how much, where it is of an older one.
    """
    from mailstop.engines.sqlite.store import SQLiteStore

    return SQLiteStore(store_path(url), makes=makes, progress=progress)


def reopen_store(url: str) -> Store:
    """The store that `url` names, which was there before. Raises StoreGone where it is not, and makes none."""
    if is_absent(url):
        from mailstop.errors import StoreGone

        raise StoreGone(path=store_path(url), command="mailstop join NAME")
    return open_store(url)


def is_absent(url: str) -> bool:
    """Whether nobody has made the store that `url` names, or it is gone without a trace."""
    path = store_path(url)
    try:
        os.lstat(path)
        return False
    except FileNotFoundError:
        pass
    except OSError:  # what cannot be looked into is never taken for an empty one
        return False
    from mailstop.engines.sqlite.replacement import is_unfinished

    return not os.path.exists(f"{path}-wal") and not is_unfinished(path)
