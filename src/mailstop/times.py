"""Times: milliseconds since 1970 in the ledger; for people, the clock of their own zone."""

from __future__ import annotations

import time


def now_ms() -> int:
    """The time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def clock_text(at_ms: int) -> str:
    """A time for people: the clock when it is of today, else date and clock; `an unknown time` for 0."""
    if not at_ms:
        return "an unknown time"
    then, today = time.localtime(at_ms / 1000), time.localtime()
    same_day = then[:3] == today[:3]
    return time.strftime("%H:%M:%S" if same_day else "%Y-%m-%d %H:%M", then)


def iso_text(at_ms: int) -> str:
    """A time for machines: ISO 8601 in UTC with milliseconds."""
    seconds, milliseconds = divmod(at_ms, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03d}Z"
