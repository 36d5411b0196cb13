"""Unheld: letters that wait at a seat where nobody sits. After an hour, who wrote them is told: once for each letter
and recipient, for good.

Guards: waited.<bag>.<seat>.<letter id>, which must be empty: whoever tells writes there, in the append that stores the
notice. A row of the board for each such seat (`unheld/<bag>/<seat>`) says when to look next. It may be lost: then who
waits is told only once somebody writes to that seat again. Not known to be dead is not empty.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry, subject
from mailstop.engines.row import Put
from mailstop.letter import Draft, new_id
from mailstop.names import PERSON, POSTMASTER
from mailstop.records import Record
from mailstop.rules.presence import holder_of
from mailstop.rules.routes import LONGEST_DEADLINE_MS
from mailstop.rules.tellings import empty_text
from mailstop.seat import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder

WAIT_MS = 60 * 60_000  # after so long who wrote is told
MOST_AT_ONCE = 50  # letters of one look
KEY = "unheld/"


class Found(Record):
    """What one look found. ripe: the letters that have waited for long enough, and whose writers were not told.

    seen: up to which number no other letter needs to be looked at again. due: when to look next, in milliseconds since
    1970; None: not before somebody writes to the seat.
    """

    holder: Holder
    ripe: tuple[Letter, ...] = ()
    seen: int = 0
    due: int | None = None


def unheld_key(bag: str, name: str) -> str:
    """The board's key of a seat at which letters wait for somebody to sit down."""
    return f"{KEY}{bag}/{name}"


def awaited(store: Store, bag: str, name: str, *, now: int) -> list[Put]:
    """The change of the board when a letter comes to wait at a seat where nobody sits."""
    key = unheld_key(bag, name)
    if name == PERSON or store.board.get(key):
        return []
    return [put(bag, name, 0, now + LONGEST_DEADLINE_MS)]


def put(bag: str, name: str, seen: int, due: int) -> Put:
    """The row of a seat. seen, due: see Found."""
    return Put(unheld_key(bag, name), {"bag": bag, "seat": name, "seen": seen}, due=due)


def look(store: Store, bag: str, name: str, *, seen: int, now: int) -> Found:
    """Whom to tell now of what waits at a seat, and when to look again."""
    store.ledger.on(subject("letters", bag))  # the index has folded the newest letter by then
    holder = holder_of(store, store.index.seat(bag, name) or Seat(bag, name))
    if holder.present:
        return Found(holder)
    ripe: list[Letter] = []
    letters = store.index.unread(bag, name, after=seen, limit=MOST_AT_ONCE)
    for letter in letters:
        begun = max(letter.at, holder.since)
        if now < begun + WAIT_MS:
            due = min(begun + WAIT_MS, now + LONGEST_DEADLINE_MS)
            return Found(holder, tuple(ripe), seen, due)
        if not letter.channel and letter.sender != POSTMASTER and not was_told(store, letter, name):
            ripe.append(letter)
        seen = letter.n
    return Found(holder, tuple(ripe), seen, now if len(letters) == MOST_AT_ONCE else None)


def was_told(store: Store, letter: Letter, name: str) -> bool:
    """Whether it was told that a letter waits at a seat."""
    return store.ledger.last(_subject(letter, name)) > 0


def told(letters: Sequence[Letter], name: str, *, now: int) -> tuple[tuple[Entry, ...], dict[str, int]]:
    """The entries that say that it was told, and what they expect."""
    entries = tuple(
        Entry(_subject(letter, name), "waited", letter.bag, new_id(), now, {"letter": letter.id, "seat": name})
        for letter in letters
    )
    return entries, {entry.subject: 0 for entry in entries}


def notice(letters: Sequence[Letter], holder: Holder) -> Draft:
    """What the writer of these letters is told. It wakes them where they want an answer."""
    numbers = [str(letter.n) for letter in letters]
    if len(numbers) == 1:
        has, waits = f"Your letter {numbers[0]} to {holder.seat.name} has", "it waits on"
    else:
        listed = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
        has, waits = f"Your letters {listed} to {holder.seat.name} have", "they wait on"
    body = f"{has} waited for an hour: {empty_text(holder)}. Nothing is lost; {waits} for the seat's next holder."
    wants_answer = any(letter.needs_reply and not letter.final for letter in letters)
    return Draft((letters[0].sender,), body, kind="note" if wants_answer else "fyi", final=True)


def _subject(letter: Letter, name: str) -> str:
    return subject("waited", letter.bag, name, letter.id)
