"""Whatever sessions and the person do, in whatever order: one leads at most, and it is whoever was granted it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mailstop.engines.base import Store
from mailstop.errors import MustJoin, NobodyThere, NotLeading, NotSeated, ProjectLed, SeatTaken
from tests.conformance.any_order import try_any_order
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer
from tests.conformance.test_leaders import APP, appoint, claim, off_default, place, release, types

SEATS = ("builder", "reviewer", "tester")
players = st.integers(0, len(SEATS) - 1)
seats = st.sampled_from(SEATS)

SETTINGS = settings(
    max_examples=10,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Leading(RuleBasedStateMachine):
    """Rules are what players do. leading: the session that leads, as long as it lives and sits where it did."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.players: list[SessionPlayer] = []
        self.alive: set[int] = set()
        self.leading: int | None = None
        self.terms: list[int] = []
        self.changes = 0

    def teardown(self) -> None:
        self.play.close()

    @initialize()
    def all_sit_down(self) -> None:
        for number, seat in enumerate(SEATS):
            self.players.append(off_default(self.play, seat))
            self.alive.add(number)

    # -- who leads, by all that was granted

    def seat_of(self, which: int) -> str | None:
        """Where a player sits, whether it lives or not."""
        return next(iter(self.players[which].seats()), None)

    def leader(self) -> int | None:
        """Who leads now."""
        return self.leading if self.leading in self.alive else None

    def begins(self, which: int) -> None:
        self.leading = which
        self.changes += 1

    def ends(self) -> None:
        self.leading = None
        self.changes += 1

    # -- acts

    @rule(which=players)
    def claims(self, which: int) -> None:
        if which not in self.alive:
            return
        leads = self.leader()
        try:
            new = claim(self.players[which])
        except ProjectLed:
            assert leads not in (None, which)
        except MustJoin:
            assert self.seat_of(which) is None
        else:
            assert leads in (None, which)
            assert new == (leads is None)
            if new:
                self.begins(which)

    @rule(which=players)
    def releases(self, which: int) -> None:
        if which not in self.alive:
            return
        try:
            release(self.players[which])
        except NotLeading:
            assert self.leader() != which
        else:
            assert self.leader() == which
            self.ends()

    @rule(seat=seats, force=st.booleans())
    def the_person_appoints(self, seat: str, force: bool) -> None:
        there = [which for which in self.alive if self.seat_of(which) == seat]
        leads = self.leader()
        try:
            appoint(self.play, seat, force=force)
        except NobodyThere:
            assert there == []
        except ProjectLed:
            assert leads is not None and leads not in there and not force
        else:
            (which,) = there
            if leads != which:
                self.begins(which)

    @rule(which=players, cleanly=st.booleans())
    def dies(self, which: int, cleanly: bool) -> None:
        if which not in self.alive:
            return
        leads = self.leader() == which
        self.players[which].end() if cleanly else self.players[which].die()
        self.alive.discard(which)
        if leads and cleanly:
            self.ends()

    @rule(which=players)
    def resumes(self, which: int) -> None:
        if which not in self.alive:
            self.players[which] = self.players[which].resumed()
            self.alive.add(which)

    @rule(which=players)
    def clears(self, which: int) -> None:
        if which in self.alive:
            self.players[which].clear()

    @rule(which=players)
    def leaves(self, which: int) -> None:
        if which not in self.alive:
            return
        leads = self.leader() == which
        try:
            self.players[which].leave()
        except NotSeated:
            assert not leads
        else:
            if leads:
                self.ends()

    @rule(which=players, seat=seats)
    def takes_a_seat(self, which: int, seat: str) -> None:
        if which not in self.alive:
            return
        before, leads = self.seat_of(which), self.leader() == which
        try:
            self.players[which].join(seat)
        except SeatTaken:
            return
        if leads and before != seat:
            self.begins(which)
        elif self.leading is not None and self.leading not in self.alive and self.seat_of(self.leading) is None:
            self.leading = None  # a dead leader's seat is another's now

    # -- what the store must say

    @invariant()
    def one_leads_at_most_and_it_is_who_was_granted_it(self) -> None:
        if not self.players:
            return
        leads = place(self.play).leads
        which = self.leader()
        if which is None:
            assert leads is None
        else:
            assert leads is not None
            assert (leads.session, leads.seat) == (self.players[which].id, self.seat_of(which))

    @invariant()
    def terms_only_grow_and_each_change_is_told_once(self) -> None:
        with self.play.store() as store:
            entries = store.ledger.after(0, limit=10_000)
            told = store.index.leaders.of("default", APP)
        led = [entry.n for entry in entries if entry.type == "led"]
        assert told is None or told.term == led[-1]
        assert self.changes == sum(kind in ("led", "unled") for kind in types(self.play))
        assert self.changes == sum(entry.data.get("channel") == "leader" for entry in entries)


@pytest.mark.timeout(300)  # on a machine that does much else
def test_in_any_order_of_acts_one_leads_at_most(engine: str, store_folder: Path, tmp_path: Path) -> None:
    try_any_order(Leading, SETTINGS, engine, store_folder, tmp_path / "claude")
