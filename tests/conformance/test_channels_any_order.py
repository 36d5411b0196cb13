"""Whatever is said, heard, left and joined, in whatever order: each reader is shown each letter once, and what is kept
of that is a position, or a few numbers while something before them is unheard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mailstop.engines.base import Store
from mailstop.engines.memory.index import Tables
from mailstop.errors import ChannelStays, NotSubscribed, UnknownChannel
from mailstop.names import PERSON
from tests.conformance.any_order import try_any_order
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

PROJECTS = {"builder": "app", "reviewer": "app", "designer": "web", "late": "app"}
FIRST = ("builder", "reviewer", "designer")

seats = st.sampled_from(tuple(PROJECTS))
channels = st.sampled_from(("general", "app", "web", "news", ""))

SETTINGS = settings(
    max_examples=10,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Said(RuleBasedStateMachine):
    """Rules are what the seats do; the model is what each of them has still to be shown."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.players: dict[str, SessionPlayer] = {}
        self.reads: dict[str, set[str]] = {PERSON: {"general"}}
        self.unheard: dict[str, list[int]] = {PERSON: []}
        self.handed: dict[str, set[int]] = {}
        self.channels: dict[int, str] = {}
        self.senders: dict[int, str] = {}

    def teardown(self) -> None:
        try:
            self.a_fold_of_the_ledger_is_the_same()
            self.all_is_heard_in_the_end()
        finally:
            self.play.close()

    @initialize()
    def some_sit_down(self) -> None:
        for name in FIRST:
            self.joins(name)

    @rule()
    def one_comes_late(self) -> None:
        if "late" not in self.players:
            self.joins("late")

    def joins(self, name: str) -> None:
        project = PROJECTS[name]
        player = self.play.player(project=project, folder=f"/srv/{project}")
        player.start(automatic=False)
        player.join(name)
        self.players[name] = player
        self.reads[name] = {"general", "leader", project}
        self.unheard[name], self.handed[name] = [], set()

    # -- what is said

    @rule(several=st.lists(st.tuples(seats, channels), min_size=1, max_size=5))
    def several_say_something(self, several: list[tuple[str, str]]) -> None:
        for name, channel in several:
            self.says(name, channel)

    def says(self, name: str, channel: str) -> None:
        if player := self.players.get(name):
            where = channel or PROJECTS[name]
            try:
                n = player.say(channel).letter.n
            except UnknownChannel:
                assert where == "news"
                assert where not in self.channels.values()
                return
            self.note(n, name, [seat for seat in self.reads if where in self.reads[seat]], where)

    @rule(name=seats, to=seats)
    def sends(self, name: str, to: str) -> None:
        if name != to and name in self.players and to in self.players:
            self.note(self.players[name].send(to).letter.n, name, [to], "")

    @rule(name=seats, which=st.integers(0, 50))
    def answers(self, name: str, which: int) -> None:
        said = [n for n, channel in self.channels.items() if channel and self.senders[n] not in (name, PERSON)]
        if said and name in self.players:
            n = said[which % len(said)]
            self.note(self.players[name].reply(n).letter.n, name, [self.senders[n]], "")
            self.unheard[name] = [each for each in self.unheard[name] if each != n]  # who answers has read it

    def note(self, n: int, sender: str, readers: list[str], channel: str) -> None:
        self.channels[n], self.senders[n] = channel, sender
        for seat in readers:
            if seat != sender:
                self.unheard[seat].append(n)

    # -- what is heard

    @rule(name=seats, sender=st.none() | seats, proved=st.booleans())
    def checks(self, name: str, sender: str | None, proved: bool) -> None:
        if name not in self.players or (sender and sender not in self.players):
            return
        waiting = [n for n in self.unheard[name] if n not in self.handed[name]]
        if sender:
            waiting = [n for n in waiting if self.senders[n] == sender]
        given = [letter.n for letter in self.players[name].check(sender=sender).letters]
        assert given == waiting[: len(given)]
        assert bool(given) == bool(waiting)
        self.handed[name].update(given)
        if proved:
            self.proves(name)

    @rule(name=seats)
    def proves(self, name: str) -> None:
        if name in self.players:
            self.players[name].goes_on()
            self.unheard[name] = [n for n in self.unheard[name] if n not in self.handed[name]]
            self.handed[name] = set()

    @rule()
    def the_person_reads(self) -> None:
        self.play.person.reads()
        with self.play.store() as store:
            self.unheard[PERSON] = [letter.n for letter in store.index.unread("default", PERSON, limit=10_000)]

    @rule(name=seats)
    def dies_and_is_resumed(self, name: str) -> None:
        if name in self.players:
            self.players[name].die()
            self.players[name] = self.players[name].resumed()
            self.handed[name] = set()  # it is offered again

    # -- who reads

    @rule(name=seats, channel=channels)
    def subscribes(self, name: str, channel: str) -> None:
        if channel and name in self.players:
            assert self.players[name].subscribe(channel) == (channel not in self.reads[name])
            self.reads[name].add(channel)

    @rule(name=seats, channel=channels)
    def unsubscribes(self, name: str, channel: str) -> None:
        if not channel or name not in self.players:
            return
        standing = {"general", "leader", PROJECTS[name]}
        with self.players[name].at_office() as at:
            try:
                at.channels.unsubscribe(channel)
            except ChannelStays:
                assert channel in standing
                return
            except (NotSubscribed, UnknownChannel):
                assert channel not in self.reads[name]
                return
        assert channel not in standing
        self.reads[name].discard(channel)
        self.unheard[name] = [n for n in self.unheard[name] if self.channels[n] != channel]

    # -- what holds at any time

    @invariant()
    def what_waits_is_what_was_not_shown(self) -> None:
        with self.play.store() as store:
            for seat, unheard in self.unheard.items():
                found = [letter.n for letter in store.index.unread("default", seat, limit=10_000)]
                assert found == unheard
                assert store.index.count_unread("default", seat) == len(unheard)

    @invariant()
    def numbers_are_kept_only_behind_a_gap(self) -> None:
        with self.play.store() as store:
            for seat, channel, first, position in self.rows(store):
                unheard = [n for n in self.unheard[seat] if self.channels[n] == channel]
                assert unheard
                assert position < unheard[0] < first

    def rows(self, store: Store) -> list[tuple[str, str, int, int]]:
        query = (
            "SELECT h.seat, h.channel, min(h.n), r.position FROM heard h JOIN readers r USING (bag, seat, channel) "
            "GROUP BY h.seat, h.channel"
        )
        return store.index._tables.rows(query)  # type: ignore[attr-defined, no-any-return]

    # -- in the end

    def a_fold_of_the_ledger_is_the_same(self) -> None:
        with self.play.store() as store:
            refolded = Tables()
            for entry in store.ledger.after(0, limit=100_000):
                refolded.fold(entry)
            for table in ("letters", "readers", "heard", "projects"):
                rows = store.index._tables.rows(f"SELECT * FROM {table}")  # type: ignore[attr-defined]
                assert set(rows) == set(refolded.rows(f"SELECT * FROM {table}"))
            refolded.close()

    def all_is_heard_in_the_end(self) -> None:
        for name in self.players:
            self.dies_and_is_resumed(name)
            read = self.players[name].reads_all()
            assert len(read) == len(self.unheard[name])
        with self.play.store() as store:
            assert self.rows(store) == []


@pytest.mark.timeout(300)  # on a machine that does much else
def test_in_any_order_each_reader_is_shown_each_letter_once(engine: str, store_folder: Path, tmp_path: Path) -> None:
    try_any_order(Said, SETTINGS, engine, store_folder, tmp_path / "claude")
