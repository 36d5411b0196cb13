"""Log: what goes wrong, on standard error, a line each. Never a body, never a secret, and nothing while all is well."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time

from mailstop.cleaning import one_line
from mailstop.errors import MailstopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 300  # characters of a message
EQUAL_S = 10.0  # between two lines that are equal
MOST_KNOWN = 200  # lines of which it is known when they were said


class Seldom:
    """Says a line that is equal to an earlier one no more than once in EQUAL_S, and then how often it was left out.

    say: writes a line. clock: seconds, which only grow.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._known: dict[str, tuple[float, int]] = {}  # when it was said, and how often left out since
        self._one_at_a_time = threading.Lock()

    def __call__(self, line: str) -> None:
        """Say a line, or leave it out."""
        with self._one_at_a_time:
            now = self._clock()
            said, left_out = self._known.get(line, (now - EQUAL_S, 0))
            if now - said < EQUAL_S:
                self._known[line] = (said, left_out + 1)
                return
            self._known.pop(line, None)
            self._known[line] = (now, 0)
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        self._say(f"{line} (and {left_out} times since it was last said)" if left_out else line)


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
    _seldom(f"{what}: {type(error).__name__}{message}{place}")


def say(line: str) -> None:
    """Write one line of the log."""
    if sys.stderr is not None:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        print(f"{stamp} mailstop: {one_line(line, LONGEST)}", file=sys.stderr, flush=True)


_seldom = Seldom(say)


class _Quiet(logging.Handler):
    """What libraries warn of, without what they put into it: that may be a body."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("mailstop."):  # our own quote nothing that was sent
            _seldom(record.getMessage())
            return
        kind = record.exc_info[0] if record.exc_info else None
        _seldom(
            f"{record.name} {record.levelname.lower()} in {record.funcName}" + (f": {kind.__name__}" if kind else "")
        )


def quieten() -> None:
    """Let the libraries of this process say no more than that something went wrong."""
    root = logging.getLogger()
    root.handlers[:] = [_Quiet()]
    root.setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
