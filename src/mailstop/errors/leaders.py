"""Who leads."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused


class ProjectLed(Refused):
    """Project {project}{where} is led by seat {seat} ({holding}) since {since}, in term {term}, and a leader who lives
    is not replaced. Nothing was changed. It may release the post (mailstop lead release), and the person may say who
    leads (mailstop lead claim --force SEAT)."""


class NotLeading(Refused):
    """{who} project {project}{where}: {instead}. Nothing was changed."""


class StaleLeader(Refused):
    """Term {term} of project {project}{where} is over: {instead}. Nothing was stored. As it is now: mailstop lead"""


class NobodyThere(Refused):
    """Nobody sits at seat {name!r}{where}, so nobody can lead from there. Who is here: mailstop who"""


class NoProject(Refused):
    """Seat {name!r}{where} is of no project that is known, so there is nothing to lead from there."""


class NoLeader(NotFound):
    """Nobody leads {whom}{where}{gone}. Nothing was stored. To lead it: {command}{others}"""


class SeveralLeaders(NotFound):
    """Several lead a project each{where}: {told}. Nothing was stored: write to one of these seats."""


class UnknownProject(NotFound):
    """{missing}."""
