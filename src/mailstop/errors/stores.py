"""The store, and what else mailstop has to write to."""

from __future__ import annotations

from mailstop.errors import StoreUnavailable


class StoreBusy(StoreUnavailable):
    """The store {path} was busy for {seconds second}; {busy}. Nothing was stored: try again."""


class StoreReplaced(StoreUnavailable):
    """The store {path} was just replaced by a repair. Nothing was stored: try again."""


class StoreDamaged(StoreUnavailable):
    """The store {path} is damaged ({reason}). Nothing was changed. See what can be rescued: mailstop doctor"""


class StoreNewer(StoreUnavailable):
    """The store {path} was written by a newer mailstop (format {found}, this one knows {known}). Upgrade this one."""


class StoreFull(StoreUnavailable):
    """The disk that holds {path} is full. Nothing was stored: make room and try again."""


class StoreSealed(StoreUnavailable):
    """The sandbox of this session does not let mailstop write to {path}. Nothing was done. In Codex's config.toml,
    under [sandbox_workspace_write], add: writable_roots = [{roots}] - it counts in sandbox mode
    workspace-write, for threads that start after that."""


class StoreExposed(StoreUnavailable):
    """Others may get at the store {path} (its mode is {mode}), so nothing is written to it. Nothing was stored. To take
    it from them: mailstop doctor --mend"""


class StoreAbsent(StoreUnavailable):
    """There is no store {path} yet. Nothing was stored. The first to join makes it: {command}"""


class StoreGone(StoreUnavailable):
    """The store {path}, where this session has its seat, is not there any more: it was moved or deleted. Nothing was
    done. Put it back, or take a seat in a new one: {command}"""


class NetworkFileSystem(StoreUnavailable):
    """The store {path} lies on a network file system ({kind}), where SQLite cannot be trusted. Choose a local
    folder: MAILSTOP_STORE=sqlite:///PATH"""


class InvalidStore(StoreUnavailable):
    """{url!r} names no store. Write a path, or sqlite:/// and a path: an absolute one then follows four slashes, as in
    sqlite:////home/ann/mail.db"""


class DoubtfulStore(InvalidStore):
    """{url!r} begins in the folder where this runs, and there is no {folder!r} there. Nothing was done. An absolute
    path follows four slashes: {absolute}. If it is meant as it stands, make that folder first."""


class StateUnavailable(StoreUnavailable):
    """The folder {path} cannot be written ({reason}), so mailstop would not know this session again. Put that right,
    and try again."""
