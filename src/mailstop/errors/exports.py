"""Exports."""

from __future__ import annotations

from mailstop.errors import Refused


class ExportExists(Refused):
    """{path} is there already, and was left as it is. To replace it: --force"""


class ExportFailed(Refused):
    """{path} could not be written: {reason}. Nothing of it was left there; the store is as it was."""

    exit_code = 5
