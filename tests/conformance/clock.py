"""A clock that moves only when a test says so."""

from __future__ import annotations

from mailstop.times import now_ms


class Clock:
    """Gives milliseconds since 1970, first the real time."""

    def __init__(self) -> None:
        self.now = now_ms()

    def __call__(self) -> int:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * 1000)
