"""Since: from what people type for a moment to milliseconds since 1970."""

from __future__ import annotations

from datetime import datetime

from mailstop.errors import UsageError

_UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
LONGEST_DIGITS = 6


def since_ms(text: str, now: int) -> int:
    """The moment that `7d` or `2026-11-29` means, in this machine's zone unless it names one. Raises UsageError."""
    number, unit = text[:-1], text[-1:]
    if unit in _UNITS and number.isascii() and number.isdigit() and len(number) <= LONGEST_DIGITS:
        return max(1, now - int(number) * _UNITS[unit])
    try:
        at = round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        at = 0
    if at <= 0:
        raise UsageError(reason=f"since {text!r}: no time. So: 2026-11-29, 2026-11-29T08:00, 90m, 12h, 7d, 2w")
    return at
