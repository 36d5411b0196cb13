"""Receipt: one proved fact about what became of a letter at one of its recipients."""

from __future__ import annotations

from mailstop.records import Record

# How far a letter has come, by state; each is proved by something of its own. A delivery never moves back: what a door
# did after the letter was handed, or a second handing, changes nothing of what was proved before.
RANK = {
    "stored": 0,
    "unreachable": 1,
    "refused": 1,
    "held": 1,
    "notified": 2,
    "handed": 3,
    "shown in part": 4,
    "shown": 5,
    "answered": 6,
}


class Receipt(Record):
    """A state, when it was proved (milliseconds since 1970, for people), by what, and by which entry of the ledger.

    entry: 0 for what is no entry of its own: the letter's own storing.
    """

    n: int
    bag: str
    seat: str
    state: str
    at: int
    evidence: str = ""
    entry: int = 0


class Delivery(Record):
    """Where a letter stands at one recipient: its furthest proved state."""

    n: int
    bag: str
    seat: str
    state: str
    shown: bool
    answered: int | None = None
