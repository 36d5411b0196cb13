"""Leases on resources."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused, StoreUnavailable, TimedOut, Uncertain


class InvalidResource(Refused):
    """{text!r} cannot be taken: {reason}."""


class InvalidLease(Refused):
    """{field} of a lease was refused: {reason}. Nothing was taken."""


class LeaseTaken(Refused):
    """{standing}. Nothing was {act}. To wait until it is free, repeat it with --wait SECONDS; to ask: {asking}"""


class LeaseOfOthers(Refused):
    """This session holds no lease on {resource}: {standing}. Nothing was {act}. To ask: {asking}"""


class StaleTerm(Refused):
    """Term {term} does not hold {resource}: {now}. Nothing was {act}. What is taken: mailstop lease list"""


class LeasesMove(Refused):
    """Leases were taken and ended faster than this one could be {act}. Nothing was {act}: try again."""


class UnknownLease(NotFound):
    """{who} a lease on {resource}{listed}. Nothing was done. All leases: mailstop lease list"""


class NoLease(NotFound):
    """This session holds no lease. To take one: mailstop lease take PATH"""


class LeaseStillTaken(TimedOut):
    """{standing}{still}. Nothing was taken. To wait again, repeat this; to ask: {asking}"""


class LeasesInCircle(Refused):
    """To wait for this would close a circle in which each waits for the next: {around}. Nothing was taken. {first}To
    try without waiting: mailstop lease take PATH"""


class CannotTell(StoreUnavailable):
    """Whether it is taken cannot be told: {reason}"""


class LeaseUncertain(Uncertain):
    """Whether this was stored is not known ({reason}). Repeat the same command: who holds a lease already renews it by
    taking it again."""
