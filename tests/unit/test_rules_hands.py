"""Handouts as data: what is given comes back from the board as it was, and knows its letters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mailstop.engines.row import Delete, Put
from mailstop.json_text import dumps, loads
from mailstop.rules.hands import Hand, Handout
from mailstop.seat import Seat

_numbers = st.lists(st.integers(1, 1 << 40), max_size=4, unique=True).map(tuple)
_text = st.text(st.characters(codec="utf-8"), max_size=10)
_hands = st.builds(
    Hand,
    _text,
    st.sampled_from(("default", "side")),
    st.sampled_from(("reader", "writer")),
    _numbers,
    _numbers,
    act=_text,
    turn=_text,
    ready=st.booleans(),
    at=st.integers(0, 1 << 50),
    writer=st.none() | st.dictionaries(_text, st.integers(0, 1 << 50), max_size=3),
)


@given(_hands)
def test_a_hand_comes_back_from_the_board_as_it_was(hand: Hand) -> None:
    stored = loads(dumps({**hand.as_dict(), "of a newer program": [1]}))

    assert Hand.of(stored) == hand


@given(st.lists(_hands, max_size=4))
def test_a_lease_holds_the_letters_of_a_seat_and_of_no_other(hands: list[Hand]) -> None:
    handout = Handout("session", tuple(hands))

    for bag in ("default", "side"):
        for name in ("reader", "writer"):
            own = [hand for hand in hands if (hand.bag, hand.seat) == (bag, name)]
            assert handout.numbers(Seat(bag, name)) == {n for hand in own for n in (*hand.whole, *hand.part)}


def test_a_lease_of_nothing_leaves_no_row() -> None:
    handout = Handout("session", (Hand("id", "default", "reader", (1,)),), revision=7)

    assert handout.change([]) == Delete("handed/session")
    assert isinstance(handout.change(handout.hands), Put)
    assert handout.rows == {"handed/session": 7}
