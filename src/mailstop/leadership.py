"""Leadership: who leads a project in a bag, and in which term."""

from __future__ import annotations

from mailstop.records import Record


class Leadership(Record):
    """The last that the ledger tells of who leads a project; whether it still holds is for rules/leaders.py to say.

    term: the number of the entry by which it began, which only grows. last: of the last entry on its subject, which a
    guard expects; another than the term where the term was ended. seat, session, epoch: from where it is led, by whom,
    and in which epoch of the seat; seat and session are empty where the term was ended. since: milliseconds since 1970
    of the last change. forced: the person said who leads. reason: why the term was ended.
    """

    bag: str
    project_id: str
    project: str
    last: int
    term: int
    seat: str = ""
    session: str = ""
    epoch: int = 0
    since: int = 0
    forced: bool = False
    reason: str = ""
