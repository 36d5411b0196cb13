"""Importing: what a person brings along from another system, or from another store.

It is the person's act. What is imported says of itself who wrote it, and nothing proves that: a session could put words
into anybody's mouth, the person's among them.
"""

from __future__ import annotations

import gc

from mailstop import errors, faults, rules
from mailstop.names import DEFAULT_BAG, checked_name, in_bag
from mailstop.past import LONGEST_SOURCE, Changed, LeftOut, PastLetter
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mailstop.office import Office
    from mailstop.past import Batch, Item, PastEvent, PastMove, Reader, Source

    Past = PastLetter | PastMove | PastEvent

BATCH_LETTERS = 800  # in one append, which holds other writers up for some twenty milliseconds
BATCH_BYTES = 512 * 1024  # of bodies, likewise
COLLECTED_AFTER = 100_000  # objects that were made and not freed
MOST_NAMED = 1_000  # of what was left out or changed, that are named one by one


class Account(Record):
    """What an import has brought. source: where from. bag: where to; empty: each to the bag that its source names.

    written: whether anything was to be stored. letters, moves: how many are new here, or would be; here: how many were
    here already, elsewhere: how many of those in other bags, by bag. last: the number of the last that is new.
    left_out, changed: what was not taken, and not exactly, the first of them; left_out_count, changed_count: how many.
    """

    source: Source
    bag: str
    written: bool
    letters: int = 0
    moves: int = 0
    here: int = 0
    elsewhere: Mapping[str, int] = {}
    last: int = 0
    left_out: tuple[LeftOut, ...] = ()
    left_out_count: int = 0
    changed: tuple[Changed, ...] = ()
    changed_count: int = 0


class Importing:
    """What a caller may bring along, and how it is found again."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def take(
        self,
        reader: Reader,
        *,
        bag: str | None = None,
        preview: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Account:
        """Import what a reader gives, in its order, in batches. What is here already is passed over, so that an import
        that was interrupted is gone on with by doing it again.

        bag: where all of it goes; None: what names a bag of its own goes there, the rest to `default`.
        preview: store nothing; anybody may do that. progress: is told how many bytes are read, and of how many.
        Raises PersonOnly, InvalidName, InvalidSource, and what the reader raises; what was stored before stays.
        """
        if not preview:
            self._office.require_person("Importing letters")
        into = checked_name(bag or DEFAULT_BAG, "bag")
        if not rules.imports.is_source(reader.source.name):
            raise errors.InvalidSource(name=reader.source.name[:LONGEST_SOURCE], limit=LONGEST_SOURCE)
        tally = _Tally(Account(reader.source, bag or "", not preview))
        with _FewCollections():
            for past in _batches(reader, tally):
                if bag is not None:
                    past = [each.but(bag="") if each.bag else each for each in past]
                tally.add(self._batch(reader.source, into, past, preview))
                faults.reach("batch imported")
                progress(reader.done_bytes, reader.total_bytes)
        return tally.account()

    def _batch(self, source: Source, bag: str, past: Sequence[Past], preview: bool) -> rules.imports.Stored:
        store = self._office.store
        if preview:
            return rules.imports.looked_up(store, source, bag, past)[1]
        return rules.imports.stored(store, source, bag, past, session=self._office.session_id, now=self._office.clock())

    # -- old numbers --------------------------------------------------------------------------------------------------

    def number(self, text: str, *, bag: str | None = None) -> int:
        """The number here of the letter that `SOURCE:NUMBER` names. Raises UnknownOldNumber, AmbiguousOldNumber."""
        named = rules.imports.old_number(text)
        found = self._office.store.index.imports.numbered(*named, bag) if named else []
        if not found:
            where = in_bag(bag) if bag else ""
            raise errors.UnknownOldNumber(number=text[:LONGEST_SOURCE], where=where)
        if len(found) > 1:
            raise errors.AmbiguousOldNumber(number=text, letters=[f"{n} in bag {place}" for n, place in found[:5]])
        return found[0][0]

    def batch_of(self, n: int) -> Batch | None:
        """With which import letter `n` came."""
        return self._office.store.index.imports.batch_of(n)


class _FewCollections:
    """Python looks for cycles of objects less often while the block runs: the thousands of records of a batch make
    none, and looking through them takes a quarter of an import."""

    def __enter__(self) -> None:
        self._before = gc.get_threshold()
        gc.set_threshold(COLLECTED_AFTER, *self._before[1:])

    def __exit__(self, *_exception: object) -> None:
        gc.set_threshold(*self._before)


class _Tally:
    """Counts what an import brings, in bounded memory."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._elsewhere: dict[str, int] = {}
        self._left_out: list[LeftOut] = []
        self._changed: list[Changed] = []
        self._left_out_count = self._changed_count = 0

    def add(self, told: rules.imports.Stored) -> None:
        """A batch was stored."""
        before = self._account
        for bag, count in told.elsewhere.items():
            self._elsewhere[bag] = self._elsewhere.get(bag, 0) + count
        self._account = before.but(
            letters=before.letters + told.letters,
            moves=before.moves + told.moves,
            here=before.here + told.here,
            last=told.last or before.last,
        )

    def note(self, item: LeftOut | Changed) -> None:
        """Something was not taken, or not exactly."""
        if isinstance(item, LeftOut):
            self._left_out_count += 1
            if len(self._left_out) < MOST_NAMED:
                self._left_out.append(item)
        else:
            self._changed_count += 1
            if len(self._changed) < MOST_NAMED:
                self._changed.append(item)

    def account(self) -> Account:
        """All of it."""
        return self._account.but(
            elsewhere=self._elsewhere,
            left_out=tuple(self._left_out),
            left_out_count=self._left_out_count,
            changed=tuple(self._changed),
            changed_count=self._changed_count,
        )


def _batches(items: Reader, tally: _Tally) -> Iterator[list[Past]]:
    """What is to be stored, as much at once as one append takes; the rest is noted."""
    batch: list[Past] = []
    size = 0
    item: Item
    for item in items:
        if isinstance(item, (LeftOut, Changed)):
            tally.note(item)
            continue
        batch.append(item)
        if isinstance(item, PastLetter):
            size += len(item.body) if item.body.isascii() else 4 * len(item.body)
        if len(batch) == BATCH_LETTERS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
