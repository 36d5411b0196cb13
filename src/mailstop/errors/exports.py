"""Exports."""

from __future__ import annotations

from mailstop.errors import Refused


class ExportExists(Refused):
    """{path} is there already, and was left as it is. To replace it: --force"""


class ExportFailed(Refused):
    """{path} could not be written: {reason}. Nothing of it was left there; the store is as it was."""

    exit_code = 5


class ExportCutOff(Refused):
    """Standard output could not be written: {reason}. What it has got is not whole; the store is as it was. To a file,
    which is whole or not there: --output FILE"""

    exit_code = 5


class ExportIntoStore(Refused):
    """{path} is a store, or belongs to one, and no export replaces it, also not with --force. Name another --output."""
