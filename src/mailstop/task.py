"""Task: work that one seat gave to another, or to its project's pool, and how far it is.

What was asked for never changes; where the task is and in which state does, by entries of the ledger. The states are
those of A2A, in the spelling of its JSON up to version 0.3; one that is over never goes on.
"""

from __future__ import annotations

from mailstop.errors import InvalidField
from mailstop.lines import is_line, line_rule
from mailstop.records import Record

SUBMITTED = "submitted"
WORKING = "working"
INPUT_REQUIRED = "input-required"
COMPLETED = "completed"
FAILED = "failed"
CANCELED = "canceled"
REJECTED = "rejected"

OPEN = (SUBMITTED, WORKING, INPUT_REQUIRED)
OVER = (COMPLETED, FAILED, CANCELED, REJECTED)

LONGEST_TITLE = 200  # characters
LONGEST_ISSUE = 500  # characters
LEAST_URGENT = 4  # priorities are 0, the most urgent, to this
DEFAULT_PRIORITY = 2


class Order(Record):
    """What is asked for. to: a seat, empty for the pool of the giver's project. key: as of a letter."""

    to: str
    title: str
    detail: str = ""
    priority: int = DEFAULT_PRIORITY
    artifacts: tuple[str, ...] = ()
    issue: str = ""
    key: str | None = None


class Task(Record):
    """A task as the index knows it.

    n: number of the entry that gave it, which people and models quote. id: what links are stored by. project_id: of
    the giver's session; project: its name, for display. letter: id of the newest letter about it that is no notice.
    holder: the seat that it lies with; empty in the pool and with its giver. home: the project whose pool it is in, or
    goes back to; empty when it goes back to its giver. epoch: number of the entry by which it came to where it is;
    assigned: when that was. since, mover: when, and by which seat, it came there or into its state. empty_since: since
    when, as its giver was told, nobody sits at the holder's seat; 0 while somebody does, as far as was seen. last:
    number of the newest entry on its subject. Times in milliseconds since 1970. detail: empty in lists.
    """

    n: int
    id: str
    bag: str
    at: int
    giver: str
    title: str
    priority: int
    artifacts: tuple[str, ...]
    issue: str
    project: str
    project_id: str
    letter: str
    holder: str
    home: str
    state: str
    epoch: int
    assigned: int
    since: int
    mover: str
    empty_since: int
    last: int
    detail: str = ""

    @property
    def is_over(self) -> bool:
        """Whether it has come to an end and never goes on."""
        return self.state in OVER

    @property
    def is_pooled(self) -> bool:
        """Whether it lies in a project's pool, to be taken."""
        return not self.holder and bool(self.home) and not self.is_over


class Step(Record):
    """One entry of a task's history. act: `give`, `accept`, `seat-empty` and so on. seat: who did it. holder, state:
    where it was then. text: what they said. letter: number of the letter that told of it, 0 for none."""

    n: int
    at: int
    act: str
    seat: str
    state: str
    holder: str
    text: str = ""
    artifacts: tuple[str, ...] = ()
    letter: int = 0


def checked_order(order: Order) -> None:
    """Raise InvalidField for a title, a priority or an issue that no task may have. Nothing is ever cut."""
    _line("the title", order.title, LONGEST_TITLE)
    if order.issue:
        _line("the issue", order.issue, LONGEST_ISSUE)
    if not 0 <= order.priority <= LEAST_URGENT:
        raise InvalidField(field="the priority", reason=f"it is a number from 0, most urgent, to {LEAST_URGENT}")


def _line(what: str, text: str, longest: int) -> None:
    if not is_line(text, longest) or not text.strip():
        raise InvalidField(field=what, reason=f"it is {line_rule(text, longest)}")
