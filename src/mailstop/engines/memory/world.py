"""World: what the stores of this engine share, as processes share a server."""

from __future__ import annotations

import time
from random import Random
from threading import RLock

from mailstop.engines.row import Delete, Put, Row
from mailstop.errors import Conflict, Uncertain
from mailstop.json_text import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.entry import Entry

LARGEST_GAP = 3  # numbers left out between two entries: rules may count on order, not on succession


class World:
    """A ledger and a board in this process. Any number of stores, one for each thread, may be opened on it.

    It is as unkind as its contract allows: with a guard, every append or change may fail with Conflict although nobody
    was in the way, `conflicts` of them on average; numbers have gaps. Both follow from `seed`.
    """

    def __init__(self, *, seed: int = 0, conflicts: float = 0.25) -> None:
        self.lock = RLock()
        self.entries: list[Entry] = []
        self.latest: dict[str, Entry] = {}  # the last entry on each subject
        self.rows: dict[str, Row] = {}
        self.idle: list[tuple[Any, int]] = []  # indexes of closed stores, and how many entries each has folded
        self._conflicts = conflicts
        self._chance = Random(seed)
        self._revision = 0
        self._meanwhile: list[Callable[[], object]] = []
        self._losing: str | None = None

    # -- what a test arranges -----------------------------------------------------------------------------------------

    def meanwhile(self, act: Callable[[], object]) -> None:
        """Let `act` happen once, inside the next append: after its changes of guarded rows, before its entries."""
        self._meanwhile.append(act)

    def lose_contact(self, *, stored: bool) -> None:
        """Let the next append raise Uncertain, after or before its entries are stored."""
        self._losing = "after" if stored else "before"

    def lose_nothing(self) -> None:
        """Take back what `lose_contact` arranged, where no append has come to it."""
        self._losing = None

    # -- the ledger's part --------------------------------------------------------------------------------------------

    def last(self, subject: str) -> int:
        """The number of the last entry on a subject, or below a prefix that ends in `.>`; 0 means none."""
        with self.lock:
            if subject.endswith(".>"):
                below = (entry.n for on, entry in self.latest.items() if on.startswith(subject[:-1]))
                return max(below, default=0)
            return self.latest[subject].n if subject in self.latest else 0

    def refuse_moved(self, expect: Mapping[str, int]) -> None:
        """Raise Conflict unless each subject's last number is the one that is expected."""
        for subject, expected in expect.items():
            found = self.last(subject)
            if found != expected:
                raise Conflict(subject=subject, expected=expected, found=found)

    def store(self, entries: Sequence[Entry], expect: Mapping[str, int]) -> int:
        """Store all entries, or none: the one step of an append that is atomic."""
        while self._meanwhile:
            self._meanwhile.pop(0)()
        losing, self._losing = self._losing, None
        if losing == "before":
            raise Uncertain(reason="the engine in memory lost contact before storing")
        with self.lock:
            self.refuse_moved(expect)
            n = self.entries[-1].n if self.entries else 0
            for entry in entries:
                n += self._chance.randint(1, LARGEST_GAP)
                stored = entry.but(n=n, data=loads(dumps(entry.data)))
                self.entries.append(stored)
                self.latest[entry.subject] = stored
        if losing == "after":
            raise Uncertain(reason="the engine in memory lost contact after storing")
        return n if entries else 0

    # -- the board's part ---------------------------------------------------------------------------------------------

    def row(self, key: str) -> Row | None:
        """The row of `key` that has not expired."""
        row = self.rows.get(key)
        return row if row and (row.expires is None or row.expires > time.time_ns() // 1_000_000) else None

    def change(self, changes: Sequence[Put | Delete], expect: Mapping[str, int]) -> None:
        """Make all changes of the board, or none."""
        with self.lock:
            for key, expected in expect.items():
                row = self.row(key)
                found = row.revision if row else 0
                if found != expected:
                    raise Conflict(subject=key, expected=expected, found=found)
            for change in changes:
                if isinstance(change, Put):
                    self._revision += 1
                    value = loads(dumps(change.value))
                    self.rows[change.key] = Row(change.key, value, self._revision, change.due, change.expires)
                else:
                    self.rows.pop(change.key, None)

    def oppose(self, *guards: Mapping[str, int]) -> None:
        """Raise a Conflict that nobody caused, now and then, where there is a guard to blame for it."""
        guarded = [subject for guard in guards for subject in guard]
        if guarded and self._chance.random() < self._conflicts:
            raise Conflict(subject=guarded[0], expected="what was seen", found="the same: it conflicts on purpose")
