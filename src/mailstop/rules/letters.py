"""Letters: who may write to whom, and storing exactly once.

Guards of a send: seats.<bag>.<sender>, so that a session which lost its seat writes nothing; those of
`rules/brakes.py`; and, when the letter has a key, key.<bag>.<sender>.<key>, which must be empty. The letter itself is
an entry on letters.<bag>.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import Entry, subject
from mailstop.errors import Conflict, NotFound, Refused
from mailstop.kinds import action_needed, kind_of
from mailstop.letter import ALL, NOBODY, Letter, checked_body, checked_kind, letter_from, new_id
from mailstop.names import DEFAULT_BAG, LEADER, PERSON, POSTMASTER, RESERVED, in_bag, is_name, nearest
from mailstop.records import Record
from mailstop.rules.brakes import charge
from mailstop.rules.tenure import Writer, guard, still
from mailstop.seat import Seat
from mailstop.times import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.engines.row import Delete, Put
    from mailstop.letter import Draft

    Ride = Callable[[str, Sequence[Seat]], "Rider"]  # gives what is stored with the letter of that id to those seats

MOST_TRIES = 1_000  # while a budget is open, each letter that another stores in the bag sends a writer back
MOST_ARTIFACTS = 32
LONGEST_ARTIFACT = 4096  # characters, as long as a path may be
LONGEST_KEY = 200
LONGEST_QUOTE = 200  # characters of a refused path that its refusal repeats


class Rider(Record):
    """What rides with a letter in the same append, all of it or nothing.

    data: further fields of the letter's entry. entries: what is stored before it. expect, rows, board: see
    `Ledger.append`.
    """

    data: Mapping[str, Any] = {}
    entries: tuple[Entry, ...] = ()
    expect: Mapping[str, int] = {}
    board: tuple[Put | Delete, ...] = ()
    rows: Mapping[str, int] = {}


def store_letter(
    store: Store,
    writer: Writer,
    draft: Draft,
    *,
    now: int,
    claims: Callable[[str, Sequence[Seat]], Sequence[Put | Delete]] | None = None,
    rider: Ride | None = None,
) -> tuple[Letter, bool]:
    """Store a letter, and say whether it is new: with a key that was used for the same letter, the first comes back.

    claims: called with the letter's id and its recipients' seats before each try, gives the changes of the board
        that claim a route for each, made in the same transaction.
    rider: called with the same before each try, gives what is stored with it; it may raise a refusal.
    Raises a refusal before anything is stored; Uncertain when that cannot be told.
    """
    checked_fields(draft)
    for attempt in range(MOST_TRIES):
        if first := _stored_before(store, writer, draft):
            return first, False
        try:
            writer = still(store, writer) if attempt else writer
            entry, ref, append = _ready(store, writer, draft, now, claims, rider)
        except (Refused, NotFound):  # by the very letter, perhaps, which somebody has stored with this key meanwhile
            if first := _stored_before(store, writer, draft):
                return first, False
            raise
        try:
            n = append()
        except Conflict:
            continue
        return _letter(entry, n, ref), True
    raise errors.SeatLost(name=writer.name, where=in_bag(writer.bag), reason="it changes hands without end")


def _ready(
    store: Store,
    writer: Writer,
    draft: Draft,
    now: int,
    claims: Callable[[str, Sequence[Seat]], Sequence[Put | Delete]] | None,
    rider: Ride | None,
) -> tuple[Entry, Letter | None, Callable[[], int]]:
    """The entry of a letter, the letter that it refers to, and the one append that stores it with all that belongs to
    it. Raises a refusal."""
    recipients = resolved(store, writer, draft)
    ref = referred(store, draft.ref)
    entry = letter_entry(writer, draft, recipients, ref, now)
    entries, expect = [entry], guard(writer.seat) if writer.seat else {}
    cost = charge(store, writer, ref, now=now)
    entry.data.update(cost.data)
    expect.update(cost.expect)
    if draft.key:
        keyed = _key_subject(writer, draft.key)
        key = Entry(keyed, "key", writer.bag, new_id(), now, {"letter": entry.id, "key": draft.key})
        entries, expect[keyed] = [key, entry], 0
    board = list(claims(entry.id, recipients)) if claims else []
    rows: Mapping[str, int] = {}
    if rider:
        with_it = rider(entry.id, recipients)
        entry.data.update(with_it.data)
        entries = [*with_it.entries, *entries]
        expect.update(with_it.expect)
        board += with_it.board
        rows = with_it.rows
    return entry, ref, lambda: store.ledger.append(entries, expect=expect, board=board, rows=rows)


def _stored_before(store: Store, writer: Writer, draft: Draft) -> Letter | None:
    """The same letter, when this seat has stored it with the draft's key. Raises KeyReused where it is another."""
    first = with_key(store, writer, draft.key) if draft.key else None
    return same_letter(first, _as_it_was_meant(first, draft)) if first else None


def checked_fields(draft: Draft) -> None:
    """Raise a refusal for a field that no letter may have."""
    checked_body(draft.body)
    checked_kind(draft.kind)
    if draft.key is not None and not (0 < len(draft.key) <= LONGEST_KEY and draft.key.isprintable()):
        raise errors.InvalidField(field="the key", reason=f"it is {_line_rule(draft.key, LONGEST_KEY)}")
    if len(draft.artifacts) > MOST_ARTIFACTS:
        raise errors.InvalidField(field="the artifacts", reason=f"at most {MOST_ARTIFACTS} paths go with one letter")
    for path in draft.artifacts:
        if not 0 < len(path) <= LONGEST_ARTIFACT or not path.isprintable():
            reason = f"a path is {_line_rule(path, LONGEST_ARTIFACT)}"
            raise errors.InvalidField(field=f"artifact {path[:LONGEST_QUOTE]!r}", reason=reason)


def _line_rule(text: str, longest: int) -> str:
    from mailstop.lines import line_rule  # only for a refusal

    return line_rule(text, longest)


def whom_it_wakes(draft: Draft) -> str:
    """Whom the coming of this letter wakes, see Letter: nobody, where its kind wakes nobody."""
    return draft.wakes if kind_of(draft.kind).wakes else NOBODY


def resolved(store: Store, writer: Writer, draft: Draft) -> tuple[Seat, ...]:
    """The recipients' seats, each once. All are looked up first: one unknown, and UnknownSeat names them all.

    None where it is said in a channel. Raises UnknownChannel.
    """
    names = tuple(dict.fromkeys(draft.to))
    if LEADER in names:
        leads = _leading(store, writer)
        names = tuple(dict.fromkeys(leads if name == LEADER else name for name in names))
    if draft.channel:
        return _none_in_a_channel(store, writer, draft)
    if not names:
        raise errors.InvalidField(field="the recipient", reason="name at least one seat")
    if writer.name in names:
        own = errors.OwnSeat if writer.name in draft.to else errors.OwnPost
        raise own(name=writer.name, where=in_bag(writer.bag))
    found = {name: _found(store, writer.bag, name, draft.hold) for name in names}
    unknown = [name for name, seat in found.items() if seat is None]
    if unknown:
        known = [seat.name for seat in store.index.seats(writer.bag)] + [PERSON]
        problem = ". ".join(_problem(name, known, writer.bag) for name in unknown)
        near = {name: nearest(name, known) for name in unknown}
        waits = " For a seat that nobody has taken yet: --hold" if any(map(_may_wait, unknown)) else ""
        raise errors.UnknownSeat(missing=problem, nearest=near, advice=f" Nothing was stored.{waits}")
    return tuple(seat for seat in found.values() if seat)


def _leading(store: Store, writer: Writer) -> str:
    """The seat that `leader` means to the writer. Raises NoLeader, SeveralLeaders."""
    from mailstop.rules.leaders import leading_seat

    return leading_seat(store, writer, now=now_ms()).name


def _none_in_a_channel(store: Store, writer: Writer, draft: Draft) -> tuple[Seat, ...]:
    from mailstop.rules.channels import named

    if draft.to:
        raise errors.InvalidField(field="the recipient", reason="a letter goes to seats or into a channel, not both")
    named(store, writer.bag, draft.channel)
    return ()


def _found(store: Store, bag: str, name: str, hold: bool) -> Seat | None:
    """The seat of that name; the person's is there before anybody has written to it."""
    seat = store.index.seat(bag, name) if is_name(name) else None
    if seat is None and (name == PERSON or (hold and _may_wait(name))):
        return Seat(bag, name)
    return seat


def _may_wait(name: str) -> bool:
    """Whether a letter may wait for the first who takes a seat of this name."""
    return is_name(name) and name not in RESERVED


def known_sender(store: Store, bags: Sequence[str], name: str) -> None:
    """Raise UnknownSeat unless somebody has sat at that seat, or was written to there, in one of these bags."""
    if name == PERSON or any(store.index.seat(bag, name) for bag in bags):
        return
    known = [seat.name for bag in bags for seat in store.index.seats(bag)] + [PERSON]
    problem = _problem(name, known, bags[0] if len(bags) == 1 else DEFAULT_BAG)
    raise errors.UnknownSeat(missing=problem, nearest={name: nearest(name, known)}, advice="")


def _problem(name: str, known: Sequence[str], bag: str) -> str:
    if name == LEADER:
        return f"Seat {name!r} is none of its own, but the one of whoever leads (see: mailstop lead)"
    if name == POSTMASTER:
        return f"Nobody sits at seat {name!r}: mailstop's own notices come from there, and nobody reads there"
    near = nearest(name, known)
    instead = f"nearest: {', '.join(near)}" if near else "see: mailstop who"
    return f"There is no seat {name!r}{in_bag(bag)} ({instead})"


def referred(store: Store, n: int | None) -> Letter | None:
    """The letter that `n` refers to. Raises UnknownNumber."""
    if n is None:
        return None
    letter = store.index.letter(n)
    if letter is None:
        raise errors.UnknownNumber(n=n, newest=store.index.newest())
    return letter


def reply_recipients(letter: Letter, name: str, *, to_all: bool) -> tuple[str, ...]:
    """To whom a reply to `letter` goes: its author, with `to_all` also its other recipients. Raises NoReply."""
    if letter.imported:
        elsewhere = "it was imported, and whoever wrote it there has no seat here"
        advice = f"To write to a seat about it: mailstop send SEAT --ref {letter.n} -"
        raise errors.NoReply(n=letter.n, reason=elsewhere, advice=advice)
    if letter.channel and to_all:
        alone = f"it was said in #{letter.channel}, and an answer goes to its author alone, without --all"
        advice = f"To all: mailstop say {letter.channel} --ref {letter.n} -"
        raise errors.NoReply(n=letter.n, reason=alone, advice=advice)
    others = [letter.sender, *(letter.to if to_all else ())]
    recipients = tuple(seat for seat in dict.fromkeys(others) if seat != name)
    if not recipients:
        advice = "To write to a seat: mailstop send SEAT -"
        raise errors.NoReply(n=letter.n, reason="it is your own letter", advice=advice)
    return recipients


def with_key(store: Store, writer: Writer, key: str) -> Letter | None:
    """The letter that this seat stored with this key."""
    entry = store.ledger.on(_key_subject(writer, key))
    return store.index.letter_with_id(entry.data["letter"]) if entry else None


def _as_it_was_meant(first: Letter, draft: Draft) -> Draft:
    """The draft of a letter that is repeated, with the seat that `leader` meant the first time in its place."""
    meant = [name for name in first.to if name not in draft.to]
    if LEADER not in draft.to or len(meant) > 1:
        return draft
    to = (name for each in draft.to for name in (meant if each == LEADER else [each]))
    return draft.but(to=tuple(dict.fromkeys(to)))


def same_letter(first: Letter, draft: Draft) -> Letter:
    """`first` itself when the draft says the same. Raises KeyReused."""
    said = (first.to, first.channel, first.body, first.kind, first.needs_reply, first.ref, first.final, first.artifacts)
    says = (
        tuple(dict.fromkeys(draft.to)),
        draft.channel,
        draft.body,
        draft.kind,
        draft.needs_reply,
        draft.ref,
        draft.final,
        draft.artifacts,
    )
    if said != says:
        raise errors.KeyReused(key=draft.key, n=first.n)
    return first


def _key_subject(writer: Writer, key: str) -> str:
    return subject("key", writer.bag, writer.name, key)


def _letter(entry: Entry, n: int, ref: Letter | None) -> Letter:
    """The letter of an entry that was stored as number `n`, without reading it back."""
    thread = ref.thread if ref and ref.thread else n
    return letter_from(n, entry.id, entry.at, entry.bag, entry.data, entry.body or "", ref.n if ref else None, thread)


def letter_entry(writer: Writer, draft: Draft, recipients: tuple[Seat, ...], ref: Letter | None, now: int) -> Entry:
    """The entry of a letter as its writer drafted it."""
    data: dict[str, Any] = {
        "from": writer.name,
        "to": [seat.name for seat in recipients],
        "kind": draft.kind,
        "session": writer.session,
    }
    wakes = whom_it_wakes(draft)
    optional = {
        "channel": draft.channel,
        "wakes": wakes if wakes != ALL else "",
        "needs_reply": draft.needs_reply,
        "asks": action_needed(draft.kind, draft.needs_reply, draft.final),
        "final": draft.final,
        "ref": ref.id if ref else None,
        "artifacts": list(draft.artifacts),
        "project": writer.project,
        "client": writer.client,
    }
    data.update({name: value for name, value in optional.items() if value})
    if writer.seat:
        data["epoch"] = writer.seat.epoch
    return Entry(subject("letters", writer.bag), "letter", writer.bag, new_id(), now, data, draft.body)
