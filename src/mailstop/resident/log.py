"""Log: what goes wrong, on standard error, a line each. Never a body, never a secret, and nothing while all is well."""

from __future__ import annotations

import logging
import os
import sys
import time

from mailstop.cleaning import one_line
from mailstop.errors import MailstopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 300  # characters of a message
AGAIN_S = 60.0  # until an equal line is said again
MOST_OF_A_PLACE = 30  # different lines of one place in the code, in that time
MOST_REMEMBERED = 1_000


def log(error: BaseException, what: str) -> None:
    """Say that something went wrong, and where. what: that was being done."""
    place = ""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None:
        place = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    # Only our own messages are known to quote no body.
    message = f": {error}" if isinstance(error, (MailstopError, OSError)) else ""
    say(f"{what}: {type(error).__name__}{message}{place}")


def say(line: str) -> None:
    """Write one line of the log."""
    if sys.stderr is not None:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        print(f"{stamp} mailstop: {one_line(line, LONGEST)}", file=sys.stderr, flush=True)


class Limit:
    """How often the same is said: an equal line once a minute, of one place in the code so many lines a minute. Whoever
    comes by over the network brings about lines of the log, and may come by a thousand times a second.

    clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lines: dict[str, _Minute] = {}
        self._places: dict[str, _Minute] = {}

    def passed(self, line: str, place: str) -> str | None:
        """The line as it is to be said, with how many were kept back before it; None where it is not."""
        now = self._clock()
        of_line, of_place = _minute(self._lines, line, now), _minute(self._places, place, now)
        if of_line.said:
            of_line.kept_back += 1
            return None
        if of_place.said >= MOST_OF_A_PLACE:
            of_place.kept_back += 1
            return None
        of_line.said, of_place.said = 1, of_place.said + 1
        more = of_line.before + of_place.before
        of_line.before = of_place.before = 0
        return f"{line} (and {more} more like it before)" if more else line


class _Minute:
    """What was said since the first line of a minute, and kept back; and what was kept back before it, and told of by
    nobody yet."""

    def __init__(self, began: float, before: int) -> None:
        self.began, self.before = began, before
        self.said = self.kept_back = 0


def _minute(minutes: dict[str, _Minute], key: str, now: float) -> _Minute:
    minute = minutes.get(key)
    if minute is None or now - minute.began >= AGAIN_S:
        minutes.pop(key, None)  # to the end of the order
        if len(minutes) >= MOST_REMEMBERED:
            del minutes[next(iter(minutes))]
        minute = minutes[key] = _Minute(now, minute.before + minute.kept_back if minute else 0)
    return minute


class _Quiet(logging.Handler):
    """What libraries warn of, without what they put into it: that may be a body."""

    def __init__(self) -> None:
        super().__init__()
        self._limit = Limit()

    def emit(self, record: logging.LogRecord) -> None:
        line = self._limit.passed(one_line(_line_of(record), LONGEST), f"{record.pathname}:{record.lineno}")
        if line is not None:
            say(line)


def _line_of(record: logging.LogRecord) -> str:
    if record.name.startswith("mailstop."):  # our own quote nothing that was sent
        return record.getMessage()
    kind = record.exc_info[0] if record.exc_info else None
    return f"{record.name} {record.levelname.lower()} in {record.funcName}" + (f": {kind.__name__}" if kind else "")


def quieten() -> None:
    """Let the libraries of this process say no more than that something went wrong."""
    root = logging.getLogger()
    root.handlers[:] = [_Quiet()]
    root.setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
