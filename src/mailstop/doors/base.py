"""What every door promises, and what can come of ringing one."""

from __future__ import annotations

from abc import ABC, abstractmethod

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

NOTIFIED = "notified"  # the client, or its queue, took the line
HELD = "held"  # the client keeps such a line back until the person agrees
REFUSED = "refused"  # the line itself cannot go through this door; another line might
UNREACHABLE = "unreachable"  # provably not submitted
UNCERTAIN = "uncertain"  # it may have arrived: never ring again before looking at the recipient


class Outcome(Record):
    """What came of ringing a door.

    state: one of these above. evidence: what proves it, in a few words, for the receipt. detail: what a person
    may want to know or do beyond that. Neither ever holds a secret, a path of a socket, or output of a
    vendor's program.
    """

    state: str
    evidence: str
    detail: str = ""


class Door(ABC):
    """One way to wake one session.

    A door is made for one recipient, carries finished text, and is rung while no lock and no transaction is
    held. It decides nothing: whether it is the right door is settled before it is made.
    """

    name: ClassVar[str]  # as receipts show it

    @abstractmethod
    def ring(self, line: str) -> Outcome:
        """Carry `line` to the session, within the door's own time limits, and say what is proved.

        line: the fixed line that names a letter; only a socket of a client without our hooks gets a whole
        letter. Never raises for what the recipient, the system or the line does: each of those is an
        outcome.
        """
