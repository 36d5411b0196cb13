"""Lineage: the processes above a server, climbed to again only when they may be others.

A server answers for as long as its client lives, and climbs at each call past the same processes. A process gets
another parent when that one ends, and by nothing else; so as long as none of them has ended, they are the same.
"""

from __future__ import annotations

import os
import select

from mailstop.clients.ancestry import ancestors
from mailstop.clients.process import namespace
from mailstop.watcher import process_end_fd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.clients.ancestry import Ancestor


class Lineage:
    """The processes above this one."""

    def __init__(self) -> None:
        self._found: tuple[Ancestor, ...] = ()
        self._ends: list[int] = []  # a descriptor for each, which becomes readable when it ends
        self._poll: select.poll | None = None  # for all of them; None where it cannot be told

    def now(self) -> tuple[Ancestor, ...]:
        """What `ancestors` gives."""
        if self._poll is None or self._poll.poll(0):
            self._look()
        return self._found

    def close(self) -> None:
        """Let go of the descriptors."""
        self._poll = None
        while self._ends:
            os.close(self._ends.pop())

    def _look(self) -> None:
        self.close()
        self._found = ancestors()
        if not namespace():  # the numbers in /proc are not those by which this process could name them
            return
        poll = select.poll()
        for each in self._found:
            try:
                end = process_end_fd(each.pid)
            except OSError:
                return
            if end is None:
                return
            self._ends.append(end)
            poll.register(end, select.POLLIN)
        if ancestors() == self._found:  # none of the numbers had been used again before its descriptor was there
            self._poll = poll
