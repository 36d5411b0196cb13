"""Exporting: all that was written, as of one moment, for who may read it anyway.

It is no more than reading: whoever may call `read` sees the same letters there. It changes nothing and proves nothing.
"""

from __future__ import annotations

from mailstop import __version__
from mailstop.exports.conversation import Written
from mailstop.exports.lines import LETTERS, OWN, TYPES, Names, event_line, header, letter_line, time_text
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.receipt import Receipt

PAGE = 500  # entries at once
LETTERS_OF_A_PAGE = 200  # of a conversation


class Wanted(Record):
    """What of a store. bag: None for all. since: milliseconds since 1970. thread: a letter of the one conversation."""

    bag: str | None = None
    since: int = 0
    thread: int | None = None

    def as_data(self) -> dict[str, Any]:
        """As the first line of an export says it."""
        told: dict[str, Any] = {"bag": self.bag} if self.bag else {}
        if self.since:
            told["since"] = time_text(self.since)
        if self.thread is not None:
            told["thread"] = self.thread
        return told


class Exporting:
    """What a caller may take along."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """What is there now. Raises UnknownBag, UnknownNumber, OtherBag."""
        if wanted.bag is not None:
            self._office.checked_bag(wanted.bag)
        if wanted.thread is not None:
            letter = self._office.letter(wanted.thread, bag=wanted.bag)
            wanted = wanted.but(thread=letter.thread or letter.n)
        return Snapshot(self._office, wanted)


class Snapshot:
    """A store as it is at one number of its ledger, whatever is written meanwhile. Nothing of it is kept in memory, and
    no query lasts longer than a page."""

    def __init__(self, office: Office, wanted: Wanted) -> None:
        self._index = office.store.index.exports
        self._now = office.clock()
        self.wanted = wanted
        self.until = self._index.newest_entry()
        self.own = self._own_name()
        self.counts = self._index.counts(self.until, bag=wanted.bag, since=wanted.since)
        self.letters = sum(
            self.counts.get(kind, 0) for kind in LETTERS
        )  # more than there are where one thread is wanted

    def _own_name(self) -> str:
        """What stands before the numbers of this store: a name that nothing was imported under."""
        taken = set(self._index.sources())
        name, further = OWN, 1
        while name in taken:
            further += 1
            name = f"{OWN}-{further}"
        return name

    # -- lines

    def lines(self, progress: Callable[[int, int], None]) -> Iterator[dict[str, Any]]:
        """The letters and events, in their order. progress: is told up to which number, and of which."""
        for entries in self._thread_entries() if self.wanted.thread is not None else self._entries(progress):
            yield from self._page(entries)

    def header(self) -> dict[str, Any]:
        """The first line."""
        counts = self.counts if self.wanted.thread is None else {}
        told = header(version=__version__, now=self._now, own=self.own, wanted=self.wanted.as_data(), counts=counts)
        if self.wanted.thread is not None:
            told.update(letters=sum(1 for each in self._of_thread(self.wanted.thread)))
            told["left_out"] = {"all but one conversation": 1}
        return told

    def _entries(self, progress: Callable[[int, int], None]) -> Iterator[list[Entry]]:
        after, wanted = 0, self.wanted
        while True:
            found, last = self._index.page(after, self.until, TYPES, bag=wanted.bag, since=wanted.since, limit=PAGE)
            if not last:
                return
            if found:
                yield found
            after = last
            progress(after, self.until)

    def _thread_entries(self) -> Iterator[list[Entry]]:
        for letter in self._of_thread(self.wanted.thread or 0):
            found, _last = self._index.page(letter.n - 1, letter.n, LETTERS, limit=1)
            yield found

    def _page(self, entries: list[Entry]) -> Iterator[dict[str, Any]]:
        letters = [entry for entry in entries if entry.type in LETTERS]
        answered = [entry.data["ref"] for entry in letters if "ref" in entry.data]
        names = Names(self.own, self._index.names(answered) if answered else {})
        receipts = self._receipts([entry.n for entry in letters if entry.type == "letter"])
        for entry in entries:
            if entry.type in LETTERS:
                yield letter_line(entry, names, receipts.get(entry.n, ()))
            else:
                yield event_line(entry, names)

    def _receipts(self, numbers: list[int]) -> dict[int, list[Receipt]]:
        found: dict[int, list[Receipt]] = {}
        if numbers:
            for receipt in self._index.receipts(min(numbers), max(numbers), self.until):
                found.setdefault(receipt.n, []).append(receipt)
        return found

    # -- conversations

    def conversations(self, progress: Callable[[int, int], None]) -> Iterator[Iterator[Written]]:
        """The conversations that hold a letter that is wanted, by their first letters; each is to be read before the
        next."""
        if self.wanted.thread is not None:
            yield self._written(self.wanted.thread)
            return
        after = 0
        while found := self._index.conversations(after, self.until, bag=self.wanted.bag, limit=PAGE):
            for thread in found:
                letters = self._written(thread)
                first = next(letters, None)
                if first is not None:
                    yield _again(first, letters)
                progress(thread, self.until)
            after = found[-1]

    def _of_thread(self, thread: int) -> Iterator[Letter]:
        after, wanted = 0, self.wanted
        while found := self._index.conversation(
            thread, after, self.until, bag=wanted.bag, since=wanted.since, limit=LETTERS_OF_A_PAGE
        ):
            yield from found
            after = found[-1].n

    def _written(self, thread: int) -> Iterator[Written]:
        for letter in self._of_thread(thread):
            proved = [] if letter.imported else self._index.receipts(letter.n, letter.n, self.until)
            name = f"{letter.imported.source}:{letter.imported.number}" if letter.imported else ""
            yield Written(letter, tuple(proved), name)


def _again(first: Written, rest: Iterator[Written]) -> Iterator[Written]:
    yield first
    yield from rest
