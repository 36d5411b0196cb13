"""Whatever several sessions and the person do, in whatever order: no letter is lost, doubled, or said to be what it
is not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from mailstop.engines.base import Store
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import KeyReused, MustJoin, NotSeated, OwnSeat, SeatTaken, Uncertain, UnknownSeat
from mailstop.names import PERSON
from mailstop.receipt import RANK
from mailstop.rules.hands import handout_of
from mailstop.rules.offers import Offer
from mailstop.rules.proofs import ANSWER_OVER, PROMPT, STOP, TOOL
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

SEATS = ("builder", "reviewer")
MOST_PLAYERS = 4

players = st.integers(0, MOST_PLAYERS - 1)
seats = st.sampled_from(SEATS)
recipients = st.lists(st.sampled_from((*SEATS, PERSON)), min_size=1, max_size=3, unique=True)
keys = st.none() | st.sampled_from(("k1", "k2"))

SETTINGS = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Mail(RuleBasedStateMachine):
    """Rules are what players do; invariants are what the store must then say."""

    def __init__(self, open_store: Callable[[], Store], world: World | None, config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.world = world  # of the engine in memory
        self.players: list[SessionPlayer] = []
        self.alive: set[SessionPlayer] = set()
        self.writing: list[tuple[SessionPlayer, Offer]] = []
        self.acknowledged: dict[int, str] = {}  # the letters of which a sender was told that they are stored
        self.doubtful: set[str] = set()  # the bodies of those of which it was told that this is not known
        self.keyed: dict[tuple[str, str], int] = {}
        self.ranks: dict[tuple[int, str], int] = {}
        self.epochs: dict[str, int] = {}
        self.count = 0

    def teardown(self) -> None:
        try:
            self.everything_is_read_in_the_end()
        finally:
            self.play.close()

    def player(self, which: int) -> SessionPlayer | None:
        """A living player, if there is one of that number."""
        found = self.players[which] if which < len(self.players) else None
        return found if found in self.alive else None

    # -- sessions come and go

    @initialize()
    def two_sit_down(self) -> None:
        self.play.person.lifts_limits()
        for seat in SEATS:
            self.starts()
            self.players[-1].join(seat)

    @precondition(lambda self: len(self.players) < MOST_PLAYERS)
    @rule()
    def starts(self) -> None:
        player = self.play.player()
        player.start(automatic=False)
        self.players.append(player)
        self.alive.add(player)

    @rule(which=players, seat=seats)
    def joins(self, which: int, seat: str) -> None:
        if not (player := self.player(which)):
            return
        holder = self.holder(seat)
        try:
            player.join(seat)
        except SeatTaken:
            assert holder is not None
            assert holder is not player
            return
        assert holder in (None, player)
        assert player.seats() == [seat]

    @rule(which=players)
    def leaves(self, which: int) -> None:
        if player := self.player(which):
            try:
                player.leave()
            except NotSeated:
                assert player.seats() == []

    @rule(which=players, cleanly=st.booleans())
    def dies(self, which: int, cleanly: bool) -> None:
        if player := self.player(which):
            player.end() if cleanly else player.die()
            self.alive.discard(player)

    @rule(which=players)
    def resumes(self, which: int) -> None:
        if which < len(self.players) and self.players[which] not in self.alive:
            self.players[which] = self.players[which].resumed()
            self.alive.add(self.players[which])

    @rule(which=players)
    def clears(self, which: int) -> None:
        if player := self.player(which):
            session, held = player.id, player.seats()
            player.clear()
            assert player.id == session
            assert set(held) <= set(player.seats())

    # -- letters

    @rule(which=players, to=recipients, key=keys, hold=st.booleans())
    def sends(self, which: int, to: list[str], key: str | None, hold: bool) -> None:
        if player := self.player(which):
            self.send(player, to, key, hold)

    @precondition(lambda self: self.world is not None)
    @rule(which=players, to=recipients, stored=st.booleans())
    def sends_and_loses_contact(self, which: int, to: list[str], stored: bool) -> None:
        if player := self.player(which):
            assert self.world is not None
            self.world.lose_contact(stored=stored)
            self.send(player, to, None, True)
            self.world.lose_nothing()

    def send(self, player: SessionPlayer, to: list[str], key: str | None, hold: bool) -> None:
        self.count += 1
        body = f"letter {self.count}"
        own = player.seats()
        try:
            sent = player.send(*to, body=body, key=key, hold=hold)
        except MustJoin:
            assert own == []
        except OwnSeat:
            assert own[0] in to
        except UnknownSeat:
            assert not hold
        except KeyReused as refusal:
            assert self.keyed[own[0], str(key)] == refusal.details["n"]
        except Uncertain:
            self.doubtful.add(body)
        else:
            assert sent.new  # each body is another
            assert [told.seat for told in sent.recipients] == to
            assert all(told.state in RANK and told.detail for told in sent.recipients)
            self.acknowledged[sent.letter.n] = body
            if key:
                assert (own[0], key) not in self.keyed
                self.keyed[own[0], key] = sent.letter.n

    @rule(which=players, kept=st.integers(0, 5))
    def replies(self, which: int, kept: int) -> None:
        player = self.player(which)
        if player is None or not (own := player.seats()) or not self.acknowledged:
            return
        numbers = sorted(self.acknowledged)
        with self.play.store() as store:
            letter = store.index.letter(numbers[kept % len(numbers)])
        assert letter is not None
        if letter.sender != own[0]:
            self.count += 1
            sent = player.reply(letter.n, f"answer {self.count} to {letter.n}")
            self.acknowledged[sent.letter.n] = sent.letter.body

    @rule(which=players)
    def checks(self, which: int) -> None:
        if (player := self.player(which)) and (offer := self.offered(player)):
            player.hand(offer)

    @rule(which=players)
    def begins_to_check(self, which: int) -> None:
        if (player := self.player(which)) and (offer := self.offered(player)):
            self.writing.append((player, offer))

    @precondition(lambda self: self.writing)
    @rule()
    def has_written_what_it_checked(self) -> None:
        player, offer = self.writing.pop(0)
        if player in self.alive:
            player.hand(offer)

    @rule(which=players)
    def is_killed_while_it_checks(self, which: int) -> None:
        if (player := self.player(which)) and player.seats():
            self.judge(player, player.check_killed_before_its_end)

    def offered(self, player: SessionPlayer) -> Offer | None:
        return self.judge(player, player.offered) if player.seats() else None

    def judge(self, player: SessionPlayer, act: Callable[[], Offer]) -> Offer:
        """Take an offer, which holds only letters to the player's seat that were neither shown nor are given to it."""
        with self.play.store() as store:
            given = {n for hand in handout_of(store, player.id).hands for n in hand.numbers}
        offer = act()
        for letter in offer.letters:
            assert player.seats()[0] in letter.to
            assert letter.n not in given
            assert not set(self.play.states(letter.n, player.seats()[0])) & {"shown", "shown in part", "answered"}
        return offer

    @rule(which=players, kind=st.sampled_from((TOOL, ANSWER_OVER, STOP)))
    def goes_on(self, which: int, kind: str) -> None:
        if player := self.player(which):
            own = player.seats()
            for n in player.prove(kind):
                assert "shown" in self.play.states(n, own[0])

    @rule(which=players)
    def is_prompted(self, which: int) -> None:
        player = self.player(which)
        if player and player.seats():
            player.turn = f"turn {self.count}"
            player.prove(PROMPT)
            self.judge(player, lambda: player.hook(ready=True))

    @rule(killed=st.booleans())
    def the_person_checks(self, killed: bool) -> None:
        if killed:
            self.play.person.check_killed_before_its_end()
        else:
            self.play.person.reads()
            assert self.play.person.peek() == []

    # -- doors

    @rule(which=players, seconds=st.integers(0, 1000))
    def time_passes_and_its_monitor_looks(self, which: int, seconds: int) -> None:
        self.play.clock.advance(seconds)
        if player := self.player(which):
            with player.monitor():
                rung = player.monitor_rings()
            for n in rung:
                assert self.unread(n, player.seats()[0])

    # -- what the store must say

    @invariant()
    def nothing_that_was_acknowledged_is_missing(self) -> None:
        bodies = self.play.letters()
        assert len(bodies) == len(set(bodies))
        assert set(self.acknowledged.values()) <= set(bodies)
        assert set(bodies) <= {*self.acknowledged.values(), *self.doubtful}
        with self.play.store() as store:
            for n, body in self.acknowledged.items():
                letter = store.index.letter(n)
                assert letter is not None
                assert letter.body == body

    @invariant()
    def each_letter_is_shown_or_unread_and_never_moves_back(self) -> None:
        with self.play.store() as store:
            deliveries = [one for n in self.numbers(store) for one in store.index.deliveries(n)]
            for seat in (*SEATS, PERSON):
                unread = {letter.n for letter in store.index.unread("default", seat, limit=10_000)}
                assert unread == {one.n for one in deliveries if one.seat == seat and not one.shown}
                assert store.index.count_unread("default", seat) == len(unread)
        for one in deliveries:
            assert one.shown == (one.state in ("shown", "shown in part", "answered"))
            assert RANK[one.state] >= self.ranks.get((one.n, one.seat), 0)
            self.ranks[one.n, one.seat] = RANK[one.state]

    @invariant()
    def a_letter_is_shown_only_after_it_was_handed(self) -> None:
        with self.play.store() as store:
            for n in self.numbers(store):
                for seat in SEATS:
                    states = [one.state for one in store.index.receipts(n) if one.seat == seat]
                    assert "shown" not in states or "handed" in states[: states.index("shown")]

    @invariant()
    def a_seat_has_one_holder_and_a_session_one_seat(self) -> None:
        with self.play.store() as store:
            found = store.index.seats("default")
        holders = [seat.session for seat in found if seat.session]
        assert len(holders) == len(set(holders))
        for seat in found:
            assert seat.epoch >= self.epochs.get(seat.name, 0)
            self.epochs[seat.name] = seat.epoch

    # -- in the end

    def everything_is_read_in_the_end(self) -> None:
        """A last holder of each seat is given all that was not shown, and then nothing is left, on the board either."""
        self.play.person.reads()
        for seat in SEATS:
            if (holder := self.holder(seat)) is None:
                holder = self.play.player()
                holder.start(automatic=False)
                holder.join(seat)
            holder.clear()
            with self.play.store() as store:
                waiting = {letter.body for letter in store.index.unread("default", seat, limit=10_000)}
            read = holder.reads_all()
            assert sorted(read) == sorted(waiting)
            with self.play.store() as store:
                assert store.index.count_unread("default", seat) == 0
        for _ in range(20):
            self.play.clock.advance(3600)
            with self.play.stranger.at_office() as at:
                at.do_due_work()
        assert self.play.rows("route/") == []

    def holder(self, seat: str) -> SessionPlayer | None:
        """The living player in a seat."""
        return next((player for player in self.alive if player.seats() == [seat]), None)

    def unread(self, n: int, seat: str) -> bool:
        with self.play.store() as store:
            return any(one.seat == seat and not one.shown for one in store.index.deliveries(n))

    def numbers(self, store: Store) -> list[int]:
        return [entry.n for entry in store.ledger.after(0, limit=10_000) if entry.type == "letter"]


@pytest.mark.timeout(300)  # on a machine that does much else
def test_any_order_of_acts_keeps_every_letter(engine: str, store_folder: Path, tmp_path: Path) -> None:
    numbers = count()

    class Tried(Mail):
        """The machine on this engine, a store of its own for each run."""

        def __init__(self) -> None:
            n = next(numbers)
            world = World(seed=n) if engine == "memory" else None
            super().__init__(
                lambda: MemoryStore(world) if world else SQLiteStore(str(store_folder / f"{n}.db")),
                world,
                str(tmp_path / "claude"),
            )

    run_state_machine_as_test(Tried, settings=SETTINGS)
