"""Imports."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused, UsageError


class UnknownOldNumber(NotFound):
    """No letter was imported as {number!r}{where}. What was imported is history like other letters: mailstop read
    --search TEXT"""


class AmbiguousOldNumber(NotFound):
    """Several imported letters were called {number!r}: {letters}. Say which: by that number, or with --bag BAG"""


class SourceUnavailable(Refused):
    """{path} cannot be imported: {reason}."""


class SourceAbsent(NotFound):
    """There is no {path}, so nothing can be imported from there."""


class InvalidSource(Refused):
    """{name!r} cannot be the name of a source. It stands before old numbers, as in postbag:142: at most
    {limit character} of a-z, 0-9, dots, - and _, the first of them a-z or 0-9."""


class InvalidMap(UsageError):
    """{part!r} maps nothing: {reason}."""
