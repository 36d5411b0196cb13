"""The resident: `mailstop serve`, and who calls through it."""

from __future__ import annotations

from mailstop.errors import MailstopError, Refused, UsageError


class ServeNotInstalled(UsageError):
    """mailstop serve needs more than Python's standard library, and {module} is missing. Install it: pip install
    'mailstop[serve]' (with uv: uv tool install 'mailstop[serve]')"""


class AlreadyServing(Refused):
    """The store {store} is served already: process {pid} at {address}, mailstop {version}, since {since}. Only one
    serves a store. To end it: mailstop serve --stop{option}"""


class ServesOn(MailstopError):
    """Process {pid}, which serves the store {store} at {address}, was asked to end and has not, though it was
    given {seconds second}."""


class ServesElsewhere(MailstopError):
    """What serves the store {store} at {address} (process {pid} of another container or machine) cannot be reached from
    here. End it there."""


class CannotBind(MailstopError):
    """{address} cannot be listened at: {reason}. Another port: mailstop serve --port N (0: any that is free)"""


class NoConnection(Refused):
    """This call belongs to no session. In protocol 2026-07-28 each request over HTTP stands alone, so only a token says
    whose it is. Send a seat's token (mailstop token create SEAT) as Authorization: Bearer, or connect with initialize
    and an earlier version: then the connection is a session. Looking (who, read) needs neither."""


class TokenOfOtherSeat(Refused):
    """The token that this client sends is for seat {own!r}, and for no other. Another seat has another token: mailstop
    token create SEAT"""
