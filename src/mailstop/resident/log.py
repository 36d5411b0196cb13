"""Log: what goes wrong, on standard error, a line each. Never a body, never a secret, and nothing while all is well."""

from __future__ import annotations

import logging
import os
import sys
import time

from mailstop.cleaning import one_line
from mailstop.errors import MailstopError

LONGEST = 300  # characters of a message


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


class _Quiet(logging.Handler):
    """What libraries warn of, without what they put into it: that may be a body."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("mailstop."):  # our own quote nothing that was sent
            say(record.getMessage())
            return
        kind = record.exc_info[0] if record.exc_info else None
        say(f"{record.name} {record.levelname.lower()} in {record.funcName}" + (f": {kind.__name__}" if kind else ""))


def quieten() -> None:
    """Let the libraries of this process say no more than that something went wrong."""
    root = logging.getLogger()
    root.handlers[:] = [_Quiet()]
    root.setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
