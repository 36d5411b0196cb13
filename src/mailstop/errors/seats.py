"""Seats."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused


class MustJoin(Refused):
    """This process has no seat{where}, so it may look but not write. Take one first: {command}"""


class SeatWasLeft(MustJoin):
    """This session left seat {name!r}{where} at {since}, so it may look (mailstop read) but not write. Only if the
    person asks for it, sit down again: {command}"""


class SeatWasTaken(MustJoin):
    """Seat {name!r}{where} of this session was taken by a session of {client} at {since}, so it may look (mailstop
    read) but not write. To take another: {command}"""


class SeatTaken(Refused):
    """Seat {name!r}{where} is held by {holding} since {since}. One live holder a seat: take another name, or ask it to
    leave."""


class SeatLost(Refused):
    """This session no longer holds seat {name!r}{where}: {reason}. Nothing was stored. Take a seat again: mailstop
    join NAME"""


class NotSeated(Refused):
    """This session holds no seat{where}, so there is nothing to leave. Where it sits: mailstop status"""


class PersonStays(NotSeated):
    """`human` is the person's own seat in every bag: nobody takes it, and nobody leaves it."""


class UnknownSeat(NotFound):
    """{missing}.{advice}"""


class UnknownBag(NotFound):
    """There is no bag {name!r}{listed}. All bags: mailstop bags. The first to join makes it: {command}"""
