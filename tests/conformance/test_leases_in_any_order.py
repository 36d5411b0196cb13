"""Whatever several sessions take, let go, and do else, in whatever order: what is said of leases is what a simple model
says, and no two stand in each other's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
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
)

from mailstop.engines.base import Store
from mailstop.errors import LeaseOfOthers, LeaseTaken, MustJoin, NoLease, NotSeated, SeatTaken, StaleTerm, UnknownLease
from mailstop.rules.held import check
from tests.conformance.any_order import try_any_order
from tests.conformance.leasing import read, release, renew, take
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

# What each word is about, among the few things that there are.
THINGS: dict[str, set[str]] = {
    "src": {"src", "src/a.py", "src/b.md"},
    "src/a.py": {"src/a.py"},
    "src/b.md": {"src/b.md"},
    "src/*.py": {"src/a.py"},
    "**/a.py": {"src/a.py", "docs/a.py"},
    "docs/?.py": {"docs/a.py"},
    "docs": {"docs", "docs/a.py"},
    ".": {"src", "src/a.py", "src/b.md", "docs", "docs/a.py"},
    "name:src": {"the name"},
}
RESOURCES = [read(word) for word in THINGS]
SEATS = ("builder", "reviewer", "critic")
MOST_PLAYERS = 4
MINUTE_MS = 60_000

players = st.integers(0, MOST_PLAYERS - 1)
words = st.sampled_from(tuple(THINGS))
ttls = st.sampled_from((None, MINUTE_MS, 10 * MINUTE_MS))

SETTINGS = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@dataclass
class Held:
    """A lease in the model, until somebody ends it."""

    session: str
    word: str
    shared: bool
    until: int
    ttl: int
    term: int
    seated: bool = True


@dataclass
class Actor:
    """A player, and what the model knows of it."""

    player: SessionPlayer
    alive: bool = True
    seat: str | None = None
    earlier: list[int] = field(default_factory=list)  # terms that it was ever given


def is_wild(word: str) -> bool:
    return "*" in word or "?" in word


def covers(held: str, wanted: str) -> bool:
    """Whether who holds the one may go on in the other, beside others who share it."""
    if not is_wild(held):
        return wanted == held or (held == "." and wanted != "name:src") or wanted.startswith(f"{held}/")
    is_file = not is_wild(wanted) and "." in wanted[1:]
    return wanted == held or (is_file and THINGS[wanted] <= THINGS[held])


class Leases(RuleBasedStateMachine):
    """Rules are what sessions do, and say what must come of it; invariants are what a look must then say."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.actors: list[Actor] = []
        self.held: list[Held] = []
        self.newest = 0

    def teardown(self) -> None:
        self.play.close()

    # -- the model

    def actor(self, which: int) -> Actor | None:
        """A living one, if there is one of that number."""
        found = self.actors[which] if which < len(self.actors) else None
        return found if found and found.alive else None

    def lives(self, session: str) -> bool:
        return any(actor.alive for actor in self.actors if actor.player.id == session)

    def counts(self, held: Held) -> bool:
        return held.seated and held.until > self.play.clock() and self.lives(held.session)

    def own(self, actor: Actor) -> list[Held]:
        return [held for held in self.held if held.session == actor.player.id and held.seated]

    def on(self, word: str, without: list[Held]) -> list[Held]:
        """What overlaps a word, but for these."""
        return [held for held in self.held if THINGS[held.word] & THINGS[word] and held not in without]

    def in_the_way(self, actor: Actor, word: str, shared: bool) -> list[Held]:
        return [held for held in self.on(word, self.own(actor)) if self.counts(held) and not (held.shared and shared)]

    # -- sessions come and go

    @initialize()
    def two_sit_down(self) -> None:
        for seat in SEATS[:2]:
            self.starts(seat)

    @precondition(lambda self: len(self.actors) < MOST_PLAYERS)
    @rule(seat=st.sampled_from(SEATS))
    def starts(self, seat: str) -> None:
        player = self.play.player()
        player.start(automatic=False)
        self.actors.append(Actor(player))
        self.joins(len(self.actors) - 1, seat)

    @rule(which=players, seat=st.sampled_from(SEATS))
    def joins(self, which: int, seat: str) -> None:
        if not (actor := self.actor(which)):
            return
        try:
            actor.player.join(seat)
        except SeatTaken:
            return
        if actor.seat != seat:
            self.stands_up(actor)
        for other in self.actors:
            if other is not actor and other.seat == seat:  # it has died there
                self.stands_up(other)
        actor.seat = seat

    @rule(which=players)
    def leaves(self, which: int) -> None:
        if actor := self.actor(which):
            try:
                actor.player.leave()
            except NotSeated:
                assert actor.seat is None
            self.stands_up(actor)

    def stands_up(self, actor: Actor) -> None:
        actor.seat = None
        for held in self.held:
            if held.session == actor.player.id:
                held.seated = False

    @rule(which=players, cleanly=st.booleans())
    def dies(self, which: int, cleanly: bool) -> None:
        if actor := self.actor(which):
            actor.player.end() if cleanly else actor.player.die()
            actor.alive = False

    @rule(which=players)
    def resumes(self, which: int) -> None:
        if which < len(self.actors) and not self.actors[which].alive:
            actor = self.actors[which]
            actor.player = actor.player.another_process()
            actor.player.start(automatic=False)
            actor.alive = True
            assert actor.player.seats() == ([actor.seat] if actor.seat else [])

    @rule(seconds=st.integers(1, 900))
    def time_passes(self, seconds: int) -> None:
        self.play.clock.advance(seconds)

    # -- leases

    @rule(which=players, wanted=st.lists(words, min_size=1, max_size=3, unique=True), shared=st.booleans(), ttl=ttls)
    def takes(self, which: int, wanted: list[str], shared: bool, ttl: int | None) -> None:
        if not (actor := self.actor(which)):
            return
        in_the_way = [held for word in wanted for held in self.in_the_way(actor, word, shared)]
        try:
            took = take(actor.player, *wanted, shared=shared, ttl=ttl)
        except MustJoin:
            assert actor.seat is None
            return
        except LeaseTaken as refusal:
            terms = {fact["term"] for fact in refusal.facts["taken"]}
            assert terms == {held.term for held in in_the_way}
            assert terms
            return
        assert actor.seat
        assert not in_the_way
        own = self.own(actor)
        now = self.play.clock()
        for word in wanted:
            for held in self.on(word, own):
                if held.until <= now or not (held.shared and shared):
                    self.held.remove(held)
        for lease, word in zip(took.leases, wanted, strict=True):
            before = next((held for held in own if held.word == word), None)
            if before and before.shared == shared:
                before.ttl = ttl or before.ttl
                before.until = now + before.ttl
                assert lease.term == before.term
            else:
                self.held = [held for held in self.held if held is not before]
                lasts = ttl or 60 * MINUTE_MS
                self.held.append(Held(actor.player.id, word, shared, now + lasts, lasts, lease.term))
                assert lease.term == took.term > self.newest
                actor.earlier.append(took.term)
        self.newest = max(self.newest, took.term)

    @rule(which=players, word=st.none() | words)
    def releases(self, which: int, word: str | None) -> None:
        if not (actor := self.actor(which)) or not actor.seat:
            return
        chosen = [held for held in self.own(actor) if word in (None, held.word)]
        try:
            released = release(actor.player, *([word] if word else []))
        except (UnknownLease, LeaseOfOthers) as refusal:
            assert word
            assert not chosen
            others = [held for held in self.on(word, self.own(actor)) if self.counts(held)]
            assert isinstance(refusal, LeaseOfOthers) == bool(others)
            return
        assert len(released) == len(chosen)
        self.held = [held for held in self.held if held not in chosen]

    @rule(which=players, word=st.none() | words, ttl=ttls, earlier=st.integers(0, 5))
    def renews(self, which: int, word: str | None, ttl: int | None, earlier: int) -> None:
        if not (actor := self.actor(which)) or not actor.seat:
            return
        term = actor.earlier[earlier] if earlier < len(actor.earlier) else None
        chosen = [held for held in self.own(actor) if word in (None, held.word)]
        try:
            renewed = renew(actor.player, *([word] if word else []), ttl=ttl, term=term)
        except (UnknownLease, LeaseOfOthers, NoLease):
            assert not chosen
            return
        except StaleTerm:
            assert not chosen or any(held.term != term for held in chosen)
            return
        assert {lease.term for lease in renewed} == {held.term for held in chosen}
        assert term is None or {held.term for held in chosen} == {term}
        for held in chosen:
            held.ttl = ttl or held.ttl
            held.until = self.play.clock() + held.ttl

    # -- what a look must say

    @invariant()
    def a_check_says_what_the_model_says(self) -> None:
        with self.play.store() as store:
            for actor in [each for each in self.actors if each.alive]:
                found = check(store, RESOURCES, actor.player.id, now=self.play.clock())
                told = {word: verdict.state for word, verdict in zip(THINGS, found, strict=True)}
                assert told == {word: self.verdict(actor, word) for word in THINGS}

    def verdict(self, actor: Actor, word: str) -> str:
        mine = [held for held in self.own(actor) if self.counts(held)]
        covered = any(covers(held.word, word) for held in mine)
        if self.in_the_way(actor, word, covered):
            return "taken"
        return "mine" if any(THINGS[held.word] & THINGS[word] for held in mine) else "free"

    @invariant()
    def no_two_are_in_each_others_way(self) -> None:
        for one, other in combinations([held for held in self.held if self.counts(held)], 2):
            overlap = THINGS[one.word] & THINGS[other.word]
            assert not overlap or one.session == other.session or (one.shared and other.shared)

    @invariant()
    def the_index_holds_what_nobody_has_ended(self) -> None:
        with self.play.store() as store:
            found = store.index.leases.all()
        kept = sorted((lease.term, lease.resource.key.literal, lease.until, lease.shared) for lease in found)
        assert kept == sorted((held.term, read(held.word).key.literal, held.until, held.shared) for held in self.held)


@pytest.mark.timeout(300)  # on a machine that does much else
def test_leases_taken_and_let_go_in_any_order_are_what_a_simple_model_says(
    engine: str, store_folder: Path, tmp_path: Path
) -> None:
    try_any_order(Leases, SETTINGS, engine, store_folder, tmp_path / "claude")
