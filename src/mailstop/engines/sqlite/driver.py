"""Driver: the interpreter's SQLite module, without what `sqlite3` adds for dates.

`sqlite3` imports `datetime` to convert values nobody here stores; that is a sixth of what a whole `check` may cost.
`_sqlite3` is the same module without it. Where an interpreter has none, `sqlite3` does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:  # another interpreter than CPython
        import sqlite3

__all__ = ["sqlite3"]
