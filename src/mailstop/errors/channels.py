"""Channels."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused


class ChannelStays(Refused):
    """#{name} cannot be left: everyone in a bag reads #general, #leader and the channel of their project. What is said
    there wakes only sessions of the sender's project."""


class NotSubscribed(Refused):
    """This seat does not read #{name}{where}, so there is nothing to leave. What it reads: mailstop channels"""


class TooManyChannels(Refused):
    """One seat reads at most {limit channel}. To leave one: mailstop unsubscribe CHANNEL"""


class NoProjectChannel(Refused):
    """No session of this project has a seat{where}, so there is no channel of it. Name one: mailstop say general -"""


class WakesMany(Refused):
    """Said in #{channel} with --wake-all this wakes {count}{woken}. Nothing was stored. To wake them:
    --wake-all={count}"""


class UnknownChannel(NotFound):
    """There is no channel #{name}{where} ({listed}).{advice}"""
