"""Imports: what was written elsewhere becomes history here, each letter once.

Guards: imports, on which each batch begins with an entry of its own, and which it expects as it was when its ids were
looked up. So of two imports at once none stores what the other has stored meanwhile: it looks again.

What is imported is an entry of a type of its own. It is from no seat of this store and to none: it proves nothing,
wakes nobody, is offered to nobody, and counts for no limit and no budget. Its id is its source's, or follows from what
names it there: to import it again finds it here. Its subject is its old number, by which it can still be found.
"""

from __future__ import annotations

from mailstop.config import store_name
from mailstop.engines.entry import Entry, subject, token
from mailstop.errors import Conflict, StoreUnavailable
from mailstop.letter import new_id
from mailstop.names import is_name
from mailstop.past import BATCHES, LONGEST_NUMBER, LONGEST_SOURCE, PastEvent, PastLetter, PastMove, Source, past_id
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store

    Past = PastLetter | PastMove | PastEvent

_WHERE_GIVEN = ("needs_reply", "final", "channel", "project", "client", "note", "record")
MOST_TRIES = 1_000  # of a batch: each batch of another import sends it back


class Stored(Record):
    """What became of a batch. last: the number of the last of its letters, 0 where none was new.

    elsewhere: how many of those that were here already lie in other bags, by bag: letters with an id of their own.
    """

    letters: int = 0
    moves: int = 0
    here: int = 0
    last: int = 0
    elsewhere: Mapping[str, int] = {}


def is_source(name: str) -> bool:
    """Whether a text may name a source: as seats are named, and short."""
    return len(name) <= LONGEST_SOURCE and is_name(name)


def old_number(text: str) -> tuple[str, str] | None:
    """The source and the number that `SOURCE:NUMBER` names; None where a text is none such."""
    source, colon, number = text.partition(":")
    return (source, number) if colon and is_source(source) and 0 < len(number) <= LONGEST_NUMBER else None


def looked_up(store: Store, source: Source, bag: str, past: Sequence[Past]) -> tuple[list[tuple[str, Past]], Stored]:
    """Those of a batch that are not here yet, each with its id, and what is known of the others."""
    ids = [_id_of(source, bag, each) for each in past]
    known = store.index.imports.known(ids)
    fresh: dict[str, Past] = {}
    elsewhere: dict[str, int] = {}
    for own, each in zip(ids, past, strict=True):
        if own not in known:
            fresh.setdefault(own, each)
        elif known[own] != (each.bag or bag):
            elsewhere[known[own]] = elsewhere.get(known[own], 0) + 1
    letters = sum(isinstance(each, PastLetter) for each in fresh.values())
    here = len(past) - len(fresh)
    return list(fresh.items()), Stored(letters, len(fresh) - letters, here, 0, elsewhere)


def stored(store: Store, source: Source, bag: str, past: Sequence[Past], *, session: str, now: int) -> Stored:
    """Store those of a batch that are not here yet, in one append, in their order. session: whose act it is.

    Raises Uncertain where it is not known whether they are stored: to do it again is safe.
    """
    for _ in range(MOST_TRIES):
        before = store.ledger.on(BATCHES)  # first: the index has then folded it
        fresh, told = looked_up(store, source, bag, past)
        if not fresh:
            return told
        data = {"source": source.name, "kind": source.kind, "path": source.path, "count": len(fresh)}
        bags = dict.fromkeys(past.bag or bag for _, past in fresh)  # each is made by an entry of its own
        entries = [Entry(BATCHES, "import", each, new_id(), now, {**data, "session": session}) for each in bags]
        entries += _entries(store, source, bag, fresh)
        try:
            last = store.ledger.append(entries, expect={BATCHES: before.n if before else 0})
        except Conflict:
            continue
        return told.but(last=last)
    raise StoreUnavailable(path=store_name(store.url), reason="others import without end")


def _id_of(source: Source, bag: str, past: Past) -> str:
    return past.id or past_id(source.kind, bag, past.key, past.at)


def _answered(store: Store, past: Sequence[Past]) -> set[str]:
    """The ids of letters that are here already of those that are answered by some."""
    named = {each.ref_id for each in past if isinstance(each, PastLetter) and each.ref_id}
    return set(store.index.imports.known(sorted(named))) if named else set()


class _Tokens(dict[str, str]):
    """Names as tokens of a subject, each made once: the same few stand in thousands of subjects."""

    def __missing__(self, name: str) -> str:
        self[name] = found = token(name)
        return found


def _entries(store: Store, source: Source, into: str, fresh: Sequence[tuple[str, Past]]) -> list[Entry]:
    entries: list[Entry] = []
    ids: dict[tuple[str, str], str] = {}  # of letters of this batch, by source and number
    known = _answered(store, [past for _, past in fresh])
    tokens = _Tokens()
    for own, past in fresh:
        name, bag = past.source or source.name, past.bag or into
        if not isinstance(past, PastLetter):
            entries.append(_other_entry(name, bag, own, past))
            continue
        data = _letter_data(name, past)
        if past.ref_id in known:
            data["ref"] = past.ref_id
        elif past.ref:
            ref = ids.get((name, past.ref)) or store.index.imports.id_of(name, past.ref, bag)
            data["ref" if ref else "answers"] = ref or past.ref
        ids[name, past.number] = own
        known.add(own)
        on = f"imported.{tokens[name]}.{token(past.number)}.{tokens[bag]}"
        entries.append(Entry(on, "imported", bag, own, past.at, data, past.body, 0))
    return entries


def _other_entry(source: str, bag: str, own: str, past: PastMove | PastEvent) -> Entry:
    on = subject("imported_moves", bag)
    if isinstance(past, PastMove):
        return Entry(on, "imported_move", bag, own, past.at, _move_data(source, past))
    data = {"source": source, "kept": dict(past.kept)}
    return Entry(on, "imported_event", bag, own, past.at, data, past.body or None)


def _letter_data(source: str, past: PastLetter) -> dict[str, Any]:
    told = past.__dict__  # a loop over the fields, each asked for, would take as long as storing it
    data = {
        "source": source,
        "number": past.number,
        "from": past.sender,
        "to": list(past.to),
        "kind": past.kind,
    }
    data.update([(name, told[name]) for name in _WHERE_GIVEN if told[name]])
    if past.artifacts:
        data["artifacts"] = list(past.artifacts)
    return {**data, "kept": dict(past.kept)} if past.kept else data


def _move_data(source: str, past: PastMove) -> dict[str, Any]:
    data: dict[str, Any] = {"source": source, "seat": past.seat, "act": past.act}
    for name in ("client", "project", "reason", "record"):
        if value := getattr(past, name):
            data[name] = value
    return {**data, "kept": dict(past.kept)} if past.kept else data
