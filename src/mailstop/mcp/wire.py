"""The wire: lines in and out on this process's standard input and output, which from here on are nobody else's.

A client that never reads stops its own server and nothing else: no write waits without listening for the client's end.
"""

from __future__ import annotations

import os
import select
import time

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_LINE = 16 << 20  # bytes; the largest letter takes a tenth of it, escaped
CHUNK = 65536  # bytes read at once
_SURE = 4096  # bytes that do not block once a pipe or a socket is writable (PIPE_BUF)


class Line(Record):
    """A line without its end. arrived: when it was read, by the monotonic clock in nanoseconds.

    too_long: it was dropped, and only that is known of it.
    """

    data: bytes
    arrived: int
    too_long: bool = False


class Ended(Exception):
    """The client is gone, or this process was told to end."""


class Wire:
    """The client's lines. ends: descriptors that become readable when there is nobody to serve any more."""

    def __init__(self, ends: Sequence[int] = ()) -> None:
        self.input, self._output = os.dup(0), os.dup(1)  # copies that nothing we start inherits
        self._ends = tuple(ends)
        self._begun = bytearray()  # of a line whose end has not come
        self._searched = 0
        self._dropping = False
        self.lines: list[Line] = []
        self.is_open = True
        _divert()

    def read(self) -> None:
        """Take in what is there; call it when the input is readable."""
        try:
            data = os.read(self.input, CHUNK)
        except BlockingIOError:  # somebody who shares it has made it so, and has been faster
            return
        except OSError:  # a terminal that is gone, say
            data = b""
        arrived = time.monotonic_ns()
        if not data:
            self._close(arrived)
            return
        self._begun += data
        while (end := self._begun.find(b"\n", self._searched)) >= 0:
            self._take(end, arrived)
            del self._begun[: end + 1]
            self._searched = 0
        self._searched = len(self._begun)
        if len(self._begun) > LONGEST_LINE:
            self._dropping = True
        if self._dropping:
            self._begun.clear()
            self._searched = 0

    def read_all(self) -> None:
        """Take in all that has come by now, so that it is known to be older than what is written next."""
        while self.is_open and _readable(self.input, 0) and len(self.lines) < 1000:
            self.read()

    def _take(self, end: int, arrived: int) -> None:
        if self._dropping or end > LONGEST_LINE:
            self.lines.append(Line(b"", arrived, too_long=True))
            self._dropping = False
        elif self._begun[:end].strip():
            self.lines.append(Line(bytes(self._begun[:end]), arrived))

    def _close(self, arrived: int) -> None:
        """The input has ended; what stands there without a line's end is the last line."""
        self.is_open = False
        if self._begun or self._dropping:
            self._take(len(self._begun), arrived)
        self._begun.clear()

    def write(self, text: str) -> None:
        """Write a line, whole. Raises Ended."""
        # Half of a surrogate pair becomes what JSON writes for it.
        data = memoryview(text.encode("utf-8", "backslashreplace") + b"\n")
        while data:
            self._await_reader()
            try:
                data = data[os.write(self._output, data[:_SURE]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Ended from None

    def _await_reader(self) -> None:
        poll = select.poll()
        poll.register(self._output, select.POLLOUT)
        for end in self._ends:
            poll.register(end, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll()]
        if self._output not in ready:
            raise Ended


def _readable(descriptor: int, milliseconds: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(milliseconds))


def _divert() -> None:
    """Leave nothing of the wire on the standard descriptors: what anything else prints goes to standard error."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(null, 1)
    os.close(null)
