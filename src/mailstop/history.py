"""History: a stretch of what happened in a bag, for reading."""

from __future__ import annotations

from mailstop.letter import Letter
from mailstop.records import Record


class Move(Record):
    """A seat was taken or left."""

    n: int
    at: int
    bag: str
    seat: str
    act: str  # "taken" or "left"
    client: str = ""
    project: str = ""
    reason: str = ""
    imported: str = ""  # the name of the source that it was imported from; nobody's seat here was moved


class History(Record):
    """Letters and moves, oldest first. older: whether there are more before the first."""

    records: tuple[Letter | Move, ...]
    older: bool = False
