"""Progress: a line on the person's terminal that tells how far something is that takes longer than a moment.

Nothing is written where no terminal is, nor during the first moment, and nothing of it stays.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TextIO

PATIENCE_S = 0.5  # before the first line
_PAUSE_S = 0.1  # between two
_BAR = 24  # characters


class Progress:
    """The line. A context manager, which removes it."""

    def __init__(
        self, *, shown: bool = True, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """shown: whether it is wanted at all. stream: a terminal, else it stays silent; standard error by default."""
        self._stream = stream or sys.stderr
        self._shown = shown and self._stream is not None and self._stream.isatty()
        self._clock = clock
        self._next = self._clock() + PATIENCE_S
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._write("")

    def stage(self, text: str) -> Callable[[int, int], None]:
        """Something begins; give what is told how much of it is done, and of how much: of 0 where nobody knows."""
        began = self._clock()

        def tell(done: int, total: int) -> None:
            now = self._clock()
            if not self._shown or now < self._next:
                return
            self._next = now + _PAUSE_S
            self._write(f"{text} {bar(done, total)}" if total else f"{text} {now - began:.0f} s")

        return tell

    def _write(self, line: str) -> None:
        if not line and not self._width:
            return
        blank = " " * (self._width - len(line))
        self._stream.write(f"\r{line}{blank}" if line else f"\r{blank}\r")
        self._stream.flush()
        self._width = len(line)


def bar(done: int, total: int) -> str:
    """A bar and the part in per cent."""
    part = min(done / total, 1.0)
    full = int(part * _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}] {part * 100:3.0f} %"
