"""Chains: how many letters of sessions led to a letter, one by way of another, which are its hops.

Guards: the row of a session's chain, so that of two changes at once none is lost.

A letter's hops are 1 + the most of those that its session was given since the person's last word to it, and of the
letter that it refers to, if that is no older. The person's word is a prompt of their own in the session's window, or a
letter of theirs. Who has no window whose prompts we hear about begins anew with each giving of sessions' letters: a
program answers what it was given last.
"""

from __future__ import annotations

from mailstop.engines.row import Put
from mailstop.errors import Conflict
from mailstop.names import PERSON
from mailstop.records import Record
from mailstop.session import chain_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.base import Store
    from mailstop.letter import Letter

MOST_TRIES = 50


class Chain(Record):
    """Where a session stands in the chains of letters, and the revision of its row (0: there is none).

    hops: the most of any letter that it was given. since: what has no higher number came before the person's last word.
    """

    session: str
    hops: int = 0
    since: int = 0
    revision: int = 0

    @property
    def key(self) -> str:
        """Its row on the board."""
        return chain_key(self.session)

    def put(self) -> Put:
        """The change of the board that stores it."""
        return Put(self.key, {"hops": self.hops, "since": self.since})

    def next_hops(self, ref: Letter | None) -> int:
        """The hops of a letter that the session writes now. ref: the letter that it refers to."""
        referred = ref.hops if ref and ref.n > self.since else 0
        return 1 + max(self.hops, referred)

    def given(self, letters: Sequence[Letter], *, anew: bool) -> Chain:
        """The chain once the session is given these letters. anew: letters of sessions take the place of those
        before."""
        word = max((letter.n for letter in letters if letter.sender == PERSON), default=0)
        most = max((letter.hops for letter in letters if letter.n > word), default=0)
        hops = most if word or (anew and most) else max(self.hops, most)
        return self.but(hops=hops, since=max(word, self.since))


def chain_of(store: Store, session: str) -> Chain:
    """Where a session stands."""
    row = store.board.get(chain_key(session))
    return Chain(session, row.value["hops"], row.value["since"], row.revision) if row else Chain(session)


def chain_given(store: Store, session: str, letters: Sequence[Letter]) -> tuple[Chain, Chain]:
    """Where a session stands, and where once it is given these letters."""
    from mailstop.rules.presence import session_of

    there = chain_of(store, session)
    known = session_of(store, session)
    return there, there.given(letters, anew=known is None or not known.tells_of_prompts)


def person_spoke(store: Store, session: str) -> None:
    """The person has prompted a session themselves: what it was given before counts no longer."""
    for _ in range(MOST_TRIES):
        chain = chain_of(store, session)
        if not chain.hops:
            return
        word = chain.but(hops=0, since=store.index.newest())
        try:
            store.board.change([word.put()], expect={chain.key: chain.revision})
        except Conflict:
            continue
        return
