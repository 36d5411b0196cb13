"""Offers: which letters a session is given next, and handing them out to it.

What composes and hands out a delivery is imported once there is a letter: most looks find none.
"""

from __future__ import annotations

import os

from mailstop import faults
from mailstop.config import DELIVERY_BYTES, store_name
from mailstop.errors import StoreUnavailable
from mailstop.records import Record
from mailstop.rules.hands import Hand, hand_out, handout_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.fence import Delivery
    from mailstop.letter import Letter
    from mailstop.rules.hands import Handout
    from mailstop.seat import Seat

MOST_TRIES = 50
MOST_LETTERS = 50  # looked at for one offer; more than fit into its bytes


class Terms(Record):
    """How letters are given. act: what gives them, for the evidence. turn, ready: see Hand.

    only: the number of the one letter that is given; 0: all. announced_too: also the mail that is only announced to
    hooks. respect_claims: leave to doors what is theirs. if_waking: only when anything of it wakes its reader, and then
    all. hands_out: whether to hand out what is given; a mere look does not. call: see Hand; the offer's text is then
    not printed.
    store: what the text's commands have to say of the store. compose: makes of letters, and of how many wait besides,
    what is printed instead of that text, and says which of them it holds whole. nonce: of the fence that it prints.
    """

    act: str
    turn: str = ""
    ready: bool = False
    sender: str | None = None
    limit_bytes: int = DELIVERY_BYTES
    announced_too: bool = False
    respect_claims: bool = False
    if_waking: bool = False
    hands_out: bool = True
    call: str = ""
    store: str = ""
    compose: Callable[[Sequence[Letter], int], Delivery] | None = None
    nonce: str = ""
    only: int = 0


class Offer(Record):
    """Letters given to a session: their text for a model, and the hands to be recorded once it was written.

    part: numbers of the letters that are not given whole. more: how many wait besides.
    """

    letters: tuple[Letter, ...] = ()
    text: str = ""
    more: int = 0
    hands: tuple[Hand, ...] = ()
    part: tuple[int, ...] = ()


def offer(store: Store, session: str, seats: Sequence[Seat], terms: Terms, *, now: int) -> Offer:
    """Give the session what waits at its seats, oldest first, as much as fits; empty when nothing waits."""
    for _ in range(MOST_TRIES):
        handout = handout_of(store, session)
        found, waiting = _waiting(store, handout, seats, terms, now=now)
        if not found:
            return Offer(more=0)
        nonce = terms.nonce or os.urandom(4).hex()
        delivery = _delivery([letter for _, letter in found], waiting - len(found), terms, nonce, now)
        given = {*delivery.whole, *delivery.part}
        letters = tuple(letter for _, letter in found if letter.n in given)
        hands = _hands(found, delivery, terms, nonce, now)
        if not terms.hands_out:
            return Offer(letters, delivery.text, delivery.left, (), delivery.part)
        if not hands or hand_out(store, handout, hands, letters):
            faults.reach("letters handed out")
            return Offer(letters, delivery.text, delivery.left, hands, delivery.part)
    raise StoreUnavailable(path=store_name(store.url), reason="others change what this session is given, without end")


def _delivery(letters: Sequence[Letter], more: int, terms: Terms, nonce: str, now: int) -> Delivery:
    if terms.compose:
        return terms.compose(letters, more)
    from mailstop import fence

    return fence.deliver(letters, now_ms=now, more=more, limit_bytes=terms.limit_bytes, nonce=nonce, store=terms.store)


def _waiting(
    store: Store, handout: Handout, seats: Sequence[Seat], terms: Terms, *, now: int
) -> tuple[list[tuple[Seat, Letter]], int]:
    """The letters that may be given, with their seats, by number; and how many wait in all."""
    found: list[tuple[Seat, Letter]] = []
    waiting = 0
    if terms.if_waking and not any(_free(store, handout, seat, terms, now=now, waking=True)[0] for seat in seats):
        return [], 0
    for seat in seats:
        free, complete = _free(store, handout, seat, terms, now=now)
        found += [(seat, as_it_stands(store, letter)) for letter in free]
        whole = complete or terms.sender or terms.respect_claims
        left = len(free) if whole else store.index.count_unread(seat.bag, seat.name) - len(handout.numbers(seat))
        waiting += left
    found.sort(key=lambda pair: pair[1].n)
    return found[:MOST_LETTERS], waiting


def _free(
    store: Store, handout: Handout, seat: Seat, terms: Terms, *, now: int, waking: bool = False
) -> tuple[list[Letter], bool]:
    """The letters of a seat that may be given, and whether no more of them are unread. waking: see `Index.unread`."""
    handed_out = handout.numbers(seat)
    after = 0 if terms.announced_too else seat.announced
    limit = MOST_LETTERS + len(handed_out)
    if terms.only:
        after, limit = terms.only - 1, 1
    letters = store.index.unread(seat.bag, seat.name, sender=terms.sender, after=after, limit=limit, waking=waking)
    free = [letter for letter in letters if letter.n not in handed_out and terms.only in (0, letter.n)]
    if terms.respect_claims and free:
        from mailstop.rules.routes import claimed_elsewhere

        claimed = claimed_elsewhere(store, seat, free, now=now)
        free = [letter for letter in free if letter.n not in claimed]
    return free, len(letters) < limit and not terms.only


def as_it_stands(store: Store, letter: Letter) -> Letter:
    """A letter as its reader is to see it: a question may have ended since it was asked, a task be elsewhere."""
    if letter.asks:
        from mailstop.rules.asks import as_it_stands

        return as_it_stands(store, letter)
    if letter.task and letter.task.brings:
        from mailstop.rules.tasks import as_it_lies

        return as_it_lies(store, letter)
    return letter


def _hands(
    found: Sequence[tuple[Seat, Letter]], delivery: Delivery, terms: Terms, nonce: str, now: int
) -> tuple[Hand, ...]:
    from mailstop.clients.life import my_life
    from mailstop.letter import new_id

    facts: dict[str, Any] = {
        "act": terms.act,
        "turn": terms.turn,
        "ready": terms.ready,
        "at": now,
        "writer": my_life().as_dict() if terms.hands_out else None,
        "nonce": "" if terms.call else nonce,
        "call": terms.call,
    }
    hands = []
    for seat in dict.fromkeys((seat.bag, seat.name) for seat, _ in found):
        numbers = {letter.n for place, letter in found if (place.bag, place.name) == seat}
        whole = tuple(n for n in delivery.whole if n in numbers)
        part = tuple(n for n in delivery.part if n in numbers)
        if whole or part:
            hands.append(Hand(new_id(), *seat, whole, part, **facts))
    return tuple(hands)
