"""Lanes."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused, StoreUnavailable, Uncertain


class LaneRefused(Refused):
    """{reason}. Nothing was stored."""


class NoLane(NotFound):
    """There is no folder {path}, so there is no lane. The first letter makes one: mailstop lane send {path} --from ROLE
    --to ROLE -"""


class LaneUnavailable(StoreUnavailable):
    """The lane {path} cannot be used: {reason}. {consequence}"""


class LaneInDoubt(Uncertain):
    """The letter lies in the lane {path}, but a crash of the system may still take it: {reason}. Sent again, it would
    be there twice."""


class LaneBridged(Refused):
    """Another process bridges the lane {path} and bag {bag} already; two of them would hold the same seats."""
