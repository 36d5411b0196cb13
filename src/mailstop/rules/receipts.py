"""Receipts: recording what was proved of letters, one entry for each act.

Guards: the seat's subject, so that a session which lost its seat proves nothing there; the row of the session's
handout, so that of two events at once each hand is judged by one.
"""

from __future__ import annotations

from mailstop.engines.entry import Entry, subject
from mailstop.errors import Conflict
from mailstop.letter import new_id
from mailstop.rules.hands import handout_of
from mailstop.rules.proofs import judge
from mailstop.rules.routes import settled
from mailstop.rules.tenure import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mailstop.engines.base import Store
    from mailstop.engines.row import Delete, Put
    from mailstop.rules.hands import Hand, Handout
    from mailstop.rules.proofs import Event
    from mailstop.seat import Seat

MOST_TRIES = 50


def receipt(seat: Seat, state: str, numbers: Sequence[int], evidence: str, now: int) -> Entry:
    """The entry that says: these letters reached this state at this seat, proved by this."""
    data = {"seat": seat.name, "state": state, "letters": list(numbers), "evidence": evidence}
    return Entry(subject("receipts", seat.bag, seat.name), "receipt", seat.bag, new_id(), now, data)


def record_handed(store: Store, session: str, hands: Sequence[Hand], *, now: int, keep: bool = True) -> None:
    """Record that these hands were written to the client completely.

    keep: whether they stay in hand until a proof; without it no proof can come, so they are offered again. The ledger
    does not grow by those: of one letter it is recorded once.
    """
    written = {hand.id for hand in hands}
    for _ in range(MOST_TRIES):
        handout = handout_of(store, session)
        entries: list[Entry] = []
        expect: dict[str, int] = {}
        for hand in hands:
            numbers = hand.numbers if keep else [n for n in hand.numbers if not _was_handed(store, hand, n)]
            if numbers and (seat := _own(store, session, hand)):
                entries.append(receipt(seat, "handed", numbers, hand.act, now))
                expect.update(guard(seat))
        left = [hand.but(writer=None) if hand.id in written else hand for hand in handout.hands]
        if not keep:
            left = [hand for hand in left if hand.id not in written]
        try:
            if entries:
                store.ledger.append(entries, expect=expect, board=[handout.change(left)], rows=handout.rows)
            else:
                store.board.change([handout.change(left)], expect=handout.rows)
            return
        except Conflict:
            continue


def _was_handed(store: Store, hand: Hand, n: int) -> bool:
    letter = store.index.letter(n)
    if letter and letter.channel:  # of which the index keeps no receipts: none is needed
        return True
    return any(one.seat == hand.seat and one.state == "handed" for one in store.index.receipts(n))


def prove(store: Store, session: str, event: Event, *, now: int) -> tuple[int, ...]:
    """Record what the event proves, give up what it ends, and return the letters that were proved shown."""
    for _ in range(MOST_TRIES):
        handout = handout_of(store, session)
        if not handout.hands:
            forget_void(store, handout)
            return ()
        verdict = judge(handout.hands, event)
        if verdict.kept == handout.hands:
            return ()
        entries: list[Entry] = []
        expect: dict[str, int] = {}
        board: list[Put | Delete] = [handout.change(verdict.kept)]
        proved: list[int] = []
        for hand in verdict.shown:
            seat = _own(store, session, hand)
            if seat is None:  # lost: its new holder is offered the letters
                continue
            evidence = f"{event.name} after {hand.act}" if event.name else hand.act
            proved += hand.numbers
            entries += _shown(seat, hand, evidence, now)
            expect.update(guard(seat))
            board += settled(store, seat, _letter_ids(store, hand), now=now)
        try:
            if entries:
                store.ledger.append(entries, expect=expect, board=board, rows=handout.rows)
            else:
                store.board.change(board, expect=handout.rows)
        except Conflict:
            continue
        return tuple(proved)
    return ()


def forget_void(store: Store, handout: Handout) -> None:
    """Remove a row that only holds what dead processes took: it would keep the session's bell ringing."""
    if handout.revision:
        try:
            store.board.change([handout.change(())], expect=handout.rows)
        except Conflict:
            pass


def record_shown(store: Store, session: str, hands: Sequence[Hand], *, evidence: str, now: int) -> None:
    """Record that these hands were shown, where writing them was all the proof there is: to a person's terminal."""
    done = {hand.id for hand in hands}
    for _ in range(MOST_TRIES):
        handout = handout_of(store, session)
        entries: list[Entry] = []
        expect: dict[str, int] = {}
        board: list[Put | Delete] = [handout.change([hand for hand in handout.hands if hand.id not in done])]
        for hand in hands:
            if seat := _own(store, session, hand):
                entries += _shown(seat, hand, evidence, now)
                expect.update(guard(seat))
                board += settled(store, seat, _letter_ids(store, hand), now=now)
        try:
            store.ledger.append(entries, expect=expect, board=board, rows=handout.rows)
            return
        except Conflict:
            continue


def _shown(seat: Seat, hand: Hand, evidence: str, now: int) -> Iterable[Entry]:
    if hand.whole:
        yield receipt(seat, "shown", hand.whole, evidence, now)
    if hand.part:
        yield receipt(seat, "shown in part", hand.part, evidence, now)


def _own(store: Store, session: str, hand: Hand) -> Seat | None:
    """The seat of a hand while the session holds it; the person holds theirs in every bag."""
    from mailstop.names import PERSON
    from mailstop.seat import Seat

    seat = store.index.seat(hand.bag, hand.seat)
    if hand.seat == PERSON and session == PERSON:
        return seat or Seat(hand.bag, PERSON)
    return seat if seat and seat.session == session else None


def _letter_ids(store: Store, hand: Hand) -> list[str]:
    return [letter.id for n in hand.numbers if (letter := store.index.letter(n))]
