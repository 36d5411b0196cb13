"""Health: whether letters can be stored now and the index says what the ledger does. What `GET /healthz` answers."""

from __future__ import annotations

import asyncio

from mailstop.engines.row import Put
from mailstop.errors import MailstopError, StoreUnavailable
from mailstop.records import Record
from mailstop.resident.log import log
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.engines.entry import Entry
    from mailstop.resident.workers import Workers

KEY = "health"  # the row of the board that is written, as proof that one can be
KEPT_MS = 3_600_000
NEWEST, PAGE = 100, 400  # entries that one look compares: of the newest, and of those where it goes on
SHARED_S = 1.0  # that what was found counts for
OK = "ok"


def bridges_text(count: int, failing: int) -> str:
    """What is said of a server's bridges; not where they lie, since whoever asks may be anybody."""
    return f"{failing} of {count} cannot work now: see the log" if failing else OK


class Health(Record):
    """What was found. ledger, index: `ok`, or what is wrong."""

    ledger: str
    index: str

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong."""
        return self.ledger == self.index == OK

    def as_data(self) -> dict[str, Any]:
        """What is answered."""
        return {"ok": self.is_well, **self.as_dict()}


class Examination:
    """The looks at one store. Each goes on where the last one ended, so that together they see every letter."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._last: asyncio.Task[Health] | None = None
        self._ended = 0.0  # when it ended, by the loop's clock
        self._seen = 0  # up to which entry the index was compared
        self._wrong = 0  # the letter that was missing when it was last looked for

    async def found(self) -> Health:
        """What a look finds, or the last one has found within SHARED_S: whoever asks meanwhile is told the same, so
        that nobody makes the server look more often."""
        loop = asyncio.get_running_loop()
        last = self._last
        if last is None or (last.done() and loop.time() - self._ended >= SHARED_S):
            last = self._last = loop.create_task(self._look())
        return await asyncio.shield(last)

    async def _look(self) -> Health:
        try:
            return await self._workers.run(self.look)
        except Exception as error:
            log(error, "health")
            return Health(error.code if isinstance(error, MailstopError) else type(error).__name__, "not looked at")
        finally:
            self._ended = asyncio.get_running_loop().time()

    def look(self, store: Store) -> Health:
        """Write to the store, and compare the index with the ledger: at its end, and a page further on."""
        try:
            # In the ledger nothing may beat; the board is behind the same lock, in the same file, on the same disk.
            store.board.change([Put(KEY, {}, expires=now_ms() + KEPT_MS)])
        except StoreUnavailable:  # the store is opened anew for the next look
            raise
        except MailstopError as error:
            return Health(error.code, "not looked at")
        try:
            return Health(OK, self._index(store))
        except MailstopError as error:
            return Health(OK, error.code)

    def _index(self, store: Store) -> str:
        newest = store.index.newest()
        page = store.ledger.after(self._seen, limit=PAGE)
        self._seen = page[-1].n if len(page) == PAGE else 0
        suspect = store.ledger.after(self._wrong - 1, limit=1) if self._wrong else []
        self._wrong = 0
        for entry in (*suspect, *page, *store.ledger.after(max(0, newest - NEWEST), limit=2 * NEWEST)):
            if not _is_there(store, entry):
                self._wrong = entry.n
                return f"letter {entry.n} is not in it: mailstop doctor --rebuild"
        return OK


def _is_there(store: Store, entry: Entry) -> bool:
    """Whether a letter of the ledger is in the index, with all its recipients."""
    if entry.type not in ("letter", "imported"):
        return True
    found = store.index.letter(entry.n)
    if found is None or found.id != entry.id:
        return False
    return bool(found.channel or found.imported) or {each.seat for each in store.index.deliveries(entry.n)} == set(
        entry.data["to"]
    )
