"""Receipt: one proved fact about what became of a letter at one of its recipients."""

from __future__ import annotations

from mailstop.records import Record

# In the order in which they can follow each other; each was proved by something of its own.
STATES = (
    "stored",
    "notified",
    "handed",
    "shown in part",
    "shown",
    "answered",
    "held",
    "refused",
    "expired",
    "unreachable",
)


class Receipt(Record):
    """A state, when it was proved (milliseconds since 1970), and by what."""

    n: int
    bag: str
    seat: str
    state: str
    at: int
    evidence: str = ""


class Delivery(Record):
    """Where a letter stands at one recipient: its furthest proved state."""

    n: int
    bag: str
    seat: str
    state: str
    shown: bool
    answered: int | None = None
