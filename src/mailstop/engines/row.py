"""Row: one fact of the board, and the ways to change it."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Row(Record):
    """One fact of the board. revision: raised by each change. due, expires: milliseconds since 1970."""

    key: str
    value: dict[str, Any]
    revision: int = 0
    due: int | None = None
    expires: int | None = None


class Put(Record):
    """A change of the board: set `key`. due: when somebody should look at it. expires: when it may be forgotten."""

    key: str
    value: dict[str, Any]
    due: int | None = None
    expires: int | None = None


class Delete(Record):
    """A change of the board: forget `key`; not there is fine."""

    key: str
