"""mailstop's own faults."""

from __future__ import annotations

from mailstop.errors import MailstopError


class Failed(MailstopError):
    """mailstop itself failed ({what}), and nothing was stored by it. The details are in {log}"""

    exit_code = 5


class FailedInDoubt(Failed):
    """mailstop itself failed ({what}), and whether anything was stored is not known. {look} The details are
    in {log}"""

    exit_code = 6
