"""Hands: which letters a session has been given and has not yet proved to have shown.

What is handed out to one is given to nobody else (`handed/<session>` on the board). A handout that ends without proof
makes its letters unread again: repeated rather than lost.
"""

from __future__ import annotations

from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict
from mailstop.names import PERSON
from mailstop.records import Record
from mailstop.rules.presence import process_lives
from mailstop.session import handout_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.seat import Seat

MOST_TRIES = 50


class Hand(Record):
    """Letters of one seat given to a session by one act.

    whole, part: numbers of letters given whole, or cut. act: what gave them, for the evidence. turn: the client's id
    of the turn, empty where it is not known. ready: whether the next event of that turn is proof; otherwise the
    model's answer that is being worked on has to end first. writer: proof of life of the process that is still
    writing, None once it has written all. nonce: of the fence around its letters; call: the client's tool call whose
    output they are, where no fence is printed. By either a client's own record of its conversation shows them.
    """

    id: str
    bag: str
    seat: str
    whole: tuple[int, ...]
    part: tuple[int, ...] = ()
    act: str = ""
    turn: str = ""
    ready: bool = False
    at: int = 0
    writer: dict[str, Any] | None = None
    nonce: str = ""
    call: str = ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """All letters of it."""
        return tuple(sorted((*self.whole, *self.part)))

    @classmethod
    def of(cls, value: dict[str, Any]) -> Hand:
        """The hand of a stored value."""
        known = {name: value[name] for name in cls.fields if name in value}
        return cls(**{**known, "whole": tuple(known["whole"]), "part": tuple(known.get("part", ()))})


class Handout(Record):
    """All that is handed out to a session, and the revision of the row it was read from (0: there is none)."""

    session: str
    hands: tuple[Hand, ...] = ()
    revision: int = 0

    @property
    def key(self) -> str:
        """Its row on the board."""
        return handout_key(self.session)

    @property
    def rows(self) -> dict[str, int]:
        """What a change of it expects of the board."""
        return {self.key: self.revision}

    def numbers(self, seat: Seat) -> frozenset[int]:
        """The letters of a seat that are handed out."""
        hands = [hand for hand in self.hands if (hand.bag, hand.seat) == (seat.bag, seat.name)]
        return frozenset(n for hand in hands for n in hand.numbers)

    def change(self, hands: Sequence[Hand]) -> Put | Delete:
        """The change of the board that leaves these hands."""
        return Put(self.key, {"hands": [hand.as_dict() for hand in hands]}) if hands else Delete(self.key)


def handout_of(store: Store, session: str) -> Handout:
    """What is handed out to a session. What a process took that died before it had written it all counts no longer."""
    row = store.board.get(Handout(session).key)
    if row is None:
        return Handout(session)
    hands = [Hand.of(value) for value in row.value["hands"]]
    valid = [hand for hand in hands if hand.writer is None or process_lives(hand.writer) is not False]
    return Handout(session, tuple(valid), row.revision)


def hand_out(store: Store, handout: Handout, hands: Sequence[Hand], letters: Sequence[Letter]) -> bool:
    """Hand out these as well, which hold these letters; False when somebody else has changed the session's handout
    meanwhile.

    What they mean for the chain of the session is stored before it can read them.
    """
    changes: list[Put | Delete] = [handout.change([*handout.hands, *hands])]
    rows = handout.rows
    if handout.session != PERSON:
        from mailstop.rules.chains import chain_given

        before, after = chain_given(store, handout.session, letters)
        if after != before:
            changes.append(after.put())
            rows = {**rows, before.key: before.revision}
    try:
        store.board.change(changes, expect=rows)
    except Conflict:
        return False
    return True


def give_back(store: Store, session: str, hands: Sequence[Hand]) -> None:
    """End these hands, of which the client was written nothing whole: their letters are offered again, and nothing was
    proved of them."""
    given_back = {hand.id for hand in hands}
    for _ in range(MOST_TRIES):
        handout = handout_of(store, session)
        left = [hand for hand in handout.hands if hand.id not in given_back]
        if len(left) == len(handout.hands):
            return
        try:
            store.board.change([handout.change(left)], expect=handout.rows)
            return
        except Conflict:
            continue
