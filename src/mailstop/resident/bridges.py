"""Bridges: lanes that a server bridges with bags for as long as it serves, each in a thread of its own.

One that cannot work (its folder is gone or cannot be written, another process bridges it) says so once in the log and
in the figures, and tries again; the server goes on. Letters wait on either side meanwhile.
"""

from __future__ import annotations

import os
import select
import threading
import time

from mailstop.bridge import RETRY_S, Bridge
from mailstop.records import Record
from mailstop.resident.log import Limit, log, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Bridged(Record):
    """What is to be bridged. lane: a folder. bag: its name."""

    lane: str
    bag: str


class Bridges:
    """The bridges of one server. url: of its store, which is there."""

    def __init__(self, wanted: Sequence[Bridged], url: str) -> None:
        self._limit = Limit()
        self._ends, self._begun = os.pipe()  # hung up, it tells all of them to end
        self._bridges = [self._bridge(each, url) for each in wanted]
        self._threads: list[threading.Thread] = []
        self._broken: set[Bridge] = set()

    def _bridge(self, wanted: Bridged, url: str) -> Bridge:
        def warn(line: str) -> None:
            passed = self._limit.passed(f"bridge of {wanted.lane} and bag {wanted.bag}: {line}", wanted.lane)
            if passed:
                say(passed)

        return Bridge(wanted.lane, wanted.bag, url, say=_unsaid, warn=warn, makes_store=False)

    def begin(self) -> None:
        """Let all of them work."""
        for bridge in self._bridges:
            # The interpreter waits at its end for threads that are no daemons.
            thread = threading.Thread(target=self._work, args=[bridge], name="bridge", daemon=True)
            self._threads.append(thread)
            thread.start()

    def count(self) -> tuple[int, int]:
        """How many there are, and how many of them cannot work now."""
        failing = sum(bool(bridge.trouble) or bridge in self._broken for bridge in self._bridges)
        return len(self._bridges), failing

    def dismiss(self) -> None:
        """Let each of them end after the letter that it is at, and free its seats."""
        if self._begun >= 0:
            os.close(self._begun)
            self._begun = -1

    def ended(self, seconds: float) -> bool:
        """Wait until all have ended, so many seconds at most; whether they have."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self, bridge: Bridge) -> None:
        """In a thread: bridge until told to end, whatever happens."""
        while True:
            try:
                bridge.run([self._ends])
                break
            except Exception as error:  # the end of one look, not of the bridge; it goes on where it was
                self._broken.add(bridge)
                self._logged(error)
            if self._told_to_end(RETRY_S):
                break
            self._broken.discard(bridge)
        bridge.close()

    def _told_to_end(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._ends, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _logged(self, error: Exception) -> None:
        try:
            log(error, "a bridge")
        except OSError:  # nobody reads the log any more
            pass


def _unsaid(_line: str) -> None:
    """Letters that were handed over are told by the store and the lane."""
