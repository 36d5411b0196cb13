"""Seat: a durable, functional address; who sits there may change."""

from __future__ import annotations

from mailstop.records import Record


class Seat(Record):
    """A seat as the index knows it.

    last: number of the last entry on the seat's subject, which a guard expects. epoch: number of the entry by which
    its present or last holder took it; 0 when nobody ever sat here. session: the holder's, None when it is empty.
    since: milliseconds since 1970 of the last change.
    """

    bag: str
    name: str
    last: int = 0
    epoch: int = 0
    session: str | None = None
    since: int = 0
    automatic: bool = False
    client: str = ""
    project: str = ""
    project_id: str = ""
    folder: str = ""
    holder: str = ""  # the session that held it last, also when it is empty now
    announced: int = 0  # letters up to this number are announced to the holder, not shown by hooks


def tasks_key(bag: str, name: str) -> str:
    """The board's key of the row that is there while open tasks lie with a seat."""
    return f"task/{bag}/{name}"
