"""Tools: what a call of one may hold."""

from __future__ import annotations

from mailstop.errors import UsageError


class InvalidArguments(UsageError):
    """{problem}. Nothing was done. The tool {tool} takes: {takes}"""
