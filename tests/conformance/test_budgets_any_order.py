"""Whatever sessions and the person do, in whatever order, and sixteen of them at once: no budget carries more letters
than its limit, no two letters have one place in it, and no chain of letters is longer than its bag's limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from mailstop.engines.base import Store
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import BudgetSpent, NoBudget, NoBudgetOpen, Refused, TooManyHops
from mailstop.letter import Letter
from mailstop.limits import LARGEST, Limits
from mailstop.rules.chains import chain_of
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

RACERS = 16
SEATS = [f"s{number}" for number in range(RACERS)]

players = st.integers(0, 3)
limits = st.integers(1, 20)
referred = st.none() | st.integers(0, 9)

SETTINGS = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Bounded(RuleBasedStateMachine):
    """Rules are what players do; beside them runs what must come of it, counted by hand."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.players: list[SessionPlayer] = []
        self.hops: dict[int, int] = {}  # of each letter
        self.given: dict[SessionPlayer, int] = {}  # the most hops of what it was given since the person's last word
        self.word: dict[SessionPlayer, int] = {}  # the newest letter then
        self.limits: dict[int, int] = {}  # of each budget
        self.spent: dict[int, int] = {}
        self.is_open = False
        self.set = Limits()
        self.keyed: Letter | None = None

    def teardown(self) -> None:
        self.play.close()

    @property
    def left(self) -> int | None:
        """How many letters the open budget covers."""
        last = len(self.limits)
        return self.limits[last] - self.spent[last] if self.is_open else None

    @initialize()
    def all_sit_down(self) -> None:
        self.players = [self.play.as_(seat) for seat in SEATS]
        self.given = dict.fromkeys(self.players, 0)
        self.word = dict.fromkeys(self.players, 0)
        self.sets_limits(5, False)

    # -- the person

    @rule(limit=limits)
    def opens(self, limit: int) -> None:
        budget = self.play.person.opens_budget(limit)
        self.limits[budget.ordinal], self.spent[budget.ordinal] = limit, 0
        assert budget.ordinal == len(self.limits)
        self.is_open = True

    @rule()
    def closes(self) -> None:
        try:
            self.play.person.closes_budget()
        except NoBudgetOpen:
            assert not self.is_open
        self.is_open = False

    @rule(hops=st.integers(1, 8), budgeted=st.booleans())
    def sets_limits(self, hops: int, budgeted: bool) -> None:
        self.set = self.play.person.sets_limits(hops=hops, rate=LARGEST, budgeted=budgeted)
        assert (self.set.hops, self.set.budgeted) == (hops, budgeted)

    @rule(which=players, ref=referred)
    def the_person_writes(self, which: int, ref: int | None) -> None:
        letter = self.play.person.send(SEATS[which], ref=self.number(ref)).letter
        assert (letter.hops, letter.budget) == (0, ())
        self.hops[letter.n] = 0

    @rule(which=players)
    def the_person_prompts(self, which: int) -> None:
        player = self.players[which]
        with player.at_office() as office:
            office.person_prompted()
        if self.given[player]:
            self.given[player], self.word[player] = 0, max(self.hops)

    # -- sessions

    @rule(which=players, to=players, ref=referred)
    def writes(self, which: int, to: int, ref: int | None) -> None:
        player = self.players[which]
        n = self.number(ref)
        hops = self.next_hops(player, n)
        before = self.left
        try:
            letter = player.send(SEATS[to] if to != which else "human", ref=n).letter
        except TooManyHops:
            assert hops > self.set.hops
        except NoBudget:
            assert (self.is_open, self.set.budgeted) == (False, True)
        except BudgetSpent:
            assert before == 0
        else:
            assert letter.hops == hops <= self.set.hops
            self.stored(letter)

    @rule()
    def repeats_with_its_key(self) -> None:
        """The same letter again is never refused once it is stored, and costs nothing then."""
        try:
            letter = self.players[0].send("human", body="once", key="k1").letter
        except Refused:
            assert self.keyed is None
            return
        if self.keyed is None:
            self.keyed = letter
            self.stored(letter)
        assert letter == self.keyed

    @rule(which=players)
    def checks(self, which: int) -> None:
        player = self.players[which]
        with self.play.store() as store:
            people = {letter.n for letter in store.index.unread("default", SEATS[which]) if letter.sender == "human"}
        given = [letter.n for letter in player.check().letters]
        player.goes_on()
        word = max(people.intersection(given), default=0)
        if word:
            self.given[player], self.word[player] = 0, max(word, self.word[player])
        self.given[player] = max([self.given[player], *(self.hops[n] for n in given if n > word)])

    @rule()
    def all_write_at_once(self) -> None:
        """Each one letter; as many are stored as the budget covers of those whose chains are short enough."""
        fit = [player for player in self.players if self.next_hops(player, None) <= self.set.hops]
        covered = self.left if self.left is not None else 0 if self.set.budgeted else RACERS
        outcomes = at_once(*(partial(self.tried, player) for player in self.players))
        letters = [outcome for outcome in outcomes if isinstance(outcome, Letter)]
        assert len(letters) == min(len(fit), covered)
        for letter in letters:
            assert letter.hops == self.next_hops(self.play.as_(letter.sender), None)
            self.stored(letter)

    def tried(self, player: SessionPlayer) -> Letter | Refused:
        try:
            return player.send("human").letter
        except Refused as refusal:
            return refusal

    # -- what must come of it

    def number(self, which: int | None) -> int | None:
        numbers = sorted(self.hops)
        return numbers[-1 - which % len(numbers)] if which is not None and numbers else None

    def next_hops(self, player: SessionPlayer, ref: int | None) -> int:
        counts = ref is not None and ref > self.word[player]
        return 1 + max(self.given[player], self.hops[ref] if counts and ref is not None else 0)

    def stored(self, letter: Letter) -> None:
        self.hops[letter.n] = letter.hops
        assert bool(letter.budget) == self.is_open
        if letter.budget:
            ordinal, slot, limit = letter.budget
            assert (ordinal, limit) == (len(self.limits), self.limits[ordinal])
            self.spent[ordinal] += 1
            assert slot <= limit

    @invariant()
    def no_budget_carries_more_than_its_limit_and_no_place_is_taken_twice(self) -> None:
        slots: dict[int, list[int]] = {ordinal: [] for ordinal in self.limits}
        with self.play.store() as store:
            for entry in store.ledger.after(0, limit=100_000):
                if entry.type == "letter" and "budget" in entry.data:
                    ordinal, slot, _ = entry.data["budget"]
                    slots[ordinal].append(slot)
            last = store.index.budgets.last("default")
            is_open = store.index.budgets.open("default") is not None
        for ordinal, taken in slots.items():
            assert taken == list(range(1, self.spent[ordinal] + 1))
            assert len(taken) <= self.limits[ordinal]
        assert is_open == self.is_open
        assert (last.ordinal if last else 0) == len(self.limits)
        assert last is None or (last.spent, last.limit) == (self.spent[last.ordinal], self.limits[last.ordinal])

    @invariant()
    def each_session_stands_where_its_letters_and_the_person_have_put_it(self) -> None:
        with self.play.store() as store:
            for player in self.players[:4]:
                assert chain_of(store, player.id).hops == self.given[player]


@pytest.mark.timeout(300)  # on a machine that does much else
def test_any_order_of_acts_keeps_to_budgets_and_hops(engine: str, store_folder: Path, tmp_path: Path) -> None:
    numbers = count()

    class Tried(Bounded):
        """The machine on this engine, a store of its own for each run."""

        def __init__(self) -> None:
            n = next(numbers)
            world = World(seed=n)
            super().__init__(
                lambda: MemoryStore(world) if engine == "memory" else SQLiteStore(str(store_folder / f"{n}.db")),
                str(tmp_path / "claude"),
            )

    run_state_machine_as_test(Tried, settings=SETTINGS)
