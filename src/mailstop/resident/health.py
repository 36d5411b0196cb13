"""Health: whether letters can be stored now and the index says what the ledger does. What `GET /healthz` answers."""

from __future__ import annotations

import threading

from mailstop.engines.row import Put
from mailstop.errors import MailstopError
from mailstop.records import Record
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.engines.entry import Entry

KEY = "health"  # the row of the board that is written, as proof that one can be
KEPT_MS = 3_600_000
NEWEST, PAGE = 100, 400  # entries that one look compares: of the newest, and of those where it goes on
OK = "ok"


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

    def __init__(self) -> None:
        self._seen = 0  # up to which entry the index was compared
        self._wrong = 0  # the letter that was missing when it was last looked for
        self._one_at_a_time = threading.Lock()

    def look(self, store: Store) -> Health:
        """Write to the store, and compare the index with the ledger: at its end, and a page further on."""
        with self._one_at_a_time:
            try:
                # In the ledger nothing may beat; the board is behind the same lock, in the same file, on the same disk.
                store.board.change([Put(KEY, {}, expires=now_ms() + KEPT_MS)])
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
    if entry.type != "letter":
        return True
    found = store.index.letter(entry.n)
    if found is None or found.id != entry.id:
        return False
    return bool(found.channel) or {each.seat for each in store.index.deliveries(entry.n)} == set(entry.data["to"])
