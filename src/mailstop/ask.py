"""Ask: a question whose sender waits for one answer, and whether that has come."""

from __future__ import annotations

from mailstop.records import Record

OPEN, ANSWERED, CANCELED = "open", "answered", "canceled"


class Ask(Record):
    """A question that was asked, as the ledger tells of it.

    n, id: of its letter. asker, asked: the seats. state: OPEN, ANSWERED or CANCELED. at: when it was asked. answer: the
    number of the letter that answers it. ended, by: when and by which seat it was answered or canceled. Times are
    milliseconds since 1970, 0 for what has not happened.
    """

    n: int
    id: str
    bag: str
    asker: str
    asked: str
    state: str
    at: int
    answer: int | None = None
    ended: int = 0
    by: str = ""
