"""Names and callers: who may do what, and what a name may hold."""

from __future__ import annotations

from mailstop.errors import Refused


class InvalidName(Refused):
    """{name!r} is no name for a {what}: small letters a-z, digits, '.', '_' and '-', a letter or digit first, at
    most 63."""


class ReservedName(Refused):
    """{name!r} is reserved and cannot be taken: `human` is the person's seat, `leader` is whoever leads, `postmaster`
    writes mailstop's own notices."""


class PersonOnly(Refused):
    """{act} is the person's alone: from a terminal of their own, outside every agent session."""


class DoubtfulCaller(Refused):
    """Who is calling is not clear: {reason}. Nothing was done."""


class PersonHasNoSession(Refused):
    """The person has no session, so no objective and no status: those are a session's own. The sessions: mailstop
    who"""


class SessionMoved(Refused):
    """Another process goes on with this session, or the store does not know it any more. Nothing was changed. Who this
    is now: mailstop status"""


class SessionOver(Refused):
    """This session has ended, so nothing that it takes would count. Nothing was {act}."""
