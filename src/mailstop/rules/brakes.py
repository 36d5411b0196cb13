"""Brakes: what a letter of a session costs, and what makes conversations end without anybody watching.

Guards: budgets.<bag>, expected by each letter of a session, so that none is stored that an opened budget does not
count; and, while one is open, letters.<bag>, which each letter moves: of two that race for the last one, or for any,
one wins. The row of a session's chain, so that of two changes at once none is lost. The rate has no guard: of several
processes of one seat that write at the same moment, each may pass that would have been the last.

Free of all this are the person, and mailstop's own notices.

A letter's hops count the letters of sessions that led to it, one by way of another: 1 + the most of those that its
session was given since the person's last word to it, and of the letter that it refers to, if that is no older. The
person's word is a prompt of their own in the session's window, or a letter of theirs. Who has no window whose prompts
we hear about begins anew with each giving of sessions' letters: a program answers what it was given last.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.engines.entry import subject
from mailstop.engines.row import Put
from mailstop.errors import Conflict
from mailstop.limits import LARGEST, MINUTE_MS
from mailstop.names import DEFAULT_BAG, PERSON, in_bag
from mailstop.records import Record
from mailstop.session import chain_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.limits import Standing
    from mailstop.rules.letters import Writer

MOST_TRIES = 50


class Charge(Record):
    """What a letter costs. data: fields of its entry. expect: see `Ledger.append`."""

    data: Mapping[str, Any] = {}
    expect: Mapping[str, int] = {}


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


def charge(store: Store, writer: Writer, ref: Letter | None, *, now: int) -> Charge:
    """What a letter costs that is about to be stored. ref: the letter that it refers to.

    Raises TooManyHops, TooFast, NoBudget or BudgetSpent.
    """
    if writer.seat is None:  # the person, and mailstop itself
        return Charge()
    standing = store.index.standing(writer.bag, writer.name)
    hops = chain_of(store, writer.session).next_hops(ref)
    _brake(writer, standing, hops, now)
    expect = {subject("budgets", writer.bag): standing.budgets}
    budget = standing.budget
    if budget is None:
        if standing.limits.budgeted:
            raise errors.NoBudget(bag=writer.bag, command=_command("budget open", writer.bag))
        return Charge({"hops": hops}, expect)
    if not budget.left:
        command = _command("budget open", writer.bag)
        raise errors.BudgetSpent(limit=budget.limit, where=in_bag(writer.bag), budget=budget.ordinal, command=command)
    expect[subject("letters", writer.bag)] = standing.letters
    return Charge({"hops": hops, "budget": [budget.ordinal, budget.spent + 1, budget.limit]}, expect)


def _brake(writer: Writer, standing: Standing, hops: int, now: int) -> None:
    """Raise TooManyHops or TooFast for a letter that goes beyond the bag's limits."""
    limits, where = standing.limits, in_bag(writer.bag)
    if hops > limits.hops:
        command = _command(f"limits --hops {min(max(2 * limits.hops, hops), LARGEST)}", writer.bag)
        raise errors.TooManyHops(hops=hops, limit=limits.hops, seat=writer.name, where=where, command=command)
    # A letter from the future was written before the clock was put back: it holds up nobody.
    if standing.paced and now - MINUTE_MS < standing.paced <= now:
        wait_s = -((now - MINUTE_MS - standing.paced) // 1000)
        command = _command(f"limits --rate {min(2 * limits.rate, LARGEST)}", writer.bag)
        raise errors.TooFast(seat=writer.name, rate=limits.rate, where=where, seconds=wait_s, command=command)


def _command(verb: str, bag: str) -> str:
    """The command by which the person lets a bag go on."""
    return f"mailstop {verb}" + ("" if bag == DEFAULT_BAG else f" --bag {bag}")


# -- chains ----------------------------------------------------------------------------------------------------------


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
