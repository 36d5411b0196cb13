"""Whoever asks whom, in whatever order: a wait is refused when it would close a circle, and only then.

So of all who wait somebody always can go on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mailstop.acts.asks import CIRCLE, EMPTY, PENDING, Asked
from mailstop.ask import ANSWERED, CANCELED
from mailstop.engines.base import Store
from mailstop.errors import AlreadyAnswered, AskCanceled, OwnSeat, SeatTaken, WouldWaitInCircle
from tests.conformance.any_order import try_any_order
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

SEATS = ("a", "b", "c", "d", "e")
WAIT_S = 300

indexes = st.integers(0, len(SEATS) - 1)
seats = st.sampled_from(SEATS)

SETTINGS = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Waiting(RuleBasedStateMachine):
    """Five sessions ask each other from five seats, which may change hands. The model knows who waits for what."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.players: list[SessionPlayer] = []
        self.sits: dict[int, str] = {}  # which seat each living player holds
        self.waits: dict[int, tuple[int, str, Asked]] = {}  # by number of the question: who waits, for which seat
        self.ends: dict[int, int] = {}  # when each wait is over
        self.open: dict[int, tuple[str, str]] = {}  # questions without an answer: from and to

    def teardown(self) -> None:
        self.play.close()

    @initialize()
    def all_sit_down(self) -> None:
        for which, seat in enumerate(SEATS):
            player = self.play.player()
            player.start(automatic=False)
            player.join(seat)
            self.players.append(player)
            self.sits[which] = seat

    # -- the model

    def holder(self, seat: str) -> int | None:
        return next((which for which, held in self.sits.items() if held == seat), None)

    def counts(self, n: int) -> bool:
        """Whether a wait of the model still keeps somebody."""
        who, _, _ = self.waits[n]
        return n in self.open and who in self.sits and self.play.clock() < self.ends[n]

    def leads_to(self, start: int, goal: int) -> bool:
        """Whether waits lead from one player to another."""
        found, ends = {start}, [start]
        for each in ends:
            for n, (who, seat, _) in self.waits.items():
                following = self.holder(seat)
                if who == each and self.counts(n) and following is not None and following not in found:
                    found.add(following)
                    ends.append(following)
        return goal in found

    # -- what players do

    @rule(who=indexes, seat=seats)
    def asks(self, who: int, seat: str) -> None:
        if who not in self.sits:
            return
        asked_of = self.holder(seat)
        circle = asked_of is not None and asked_of != who and self.leads_to(asked_of, who)
        try:
            asked = self.players[who].ask(seat, wait_s=WAIT_S)
        except OwnSeat:
            assert self.sits[who] == seat
        except WouldWaitInCircle:
            assert circle
        else:
            assert not circle
            self.begun(asked, who, seat)
            self.open[asked.question.n] = (self.sits[who], seat)

    @rule(row=st.permutations(range(len(SEATS))), length=st.integers(2, len(SEATS)))
    def each_asks_the_next_and_the_last_the_first(self, row: list[int], length: int) -> None:
        for who, following in zip(row[:length], [*row[1:length], row[0]], strict=True):
            if following in self.sits:
                self.asks(who, self.sits[following])

    @rule(who=indexes, which=st.integers(0, 5))
    def waits_on(self, who: int, which: int) -> None:
        own = [n for n, (asker, _) in self.open.items() if asker == self.sits.get(who) and n not in self.waits]
        if not own:
            return
        n = own[which % len(own)]
        _, seat = self.open[n]
        asked_of = self.holder(seat)
        circle = asked_of == who or (asked_of is not None and self.leads_to(asked_of, who))
        try:
            asked = self.players[who].resume(n, wait_s=WAIT_S)
        except WouldWaitInCircle:
            assert circle
        else:
            assert not circle
            self.begun(asked, who, seat)

    def begun(self, asked: Asked, who: int, seat: str) -> None:
        self.waits[asked.question.n] = (who, seat, asked)
        self.ends[asked.question.n] = self.play.clock() + WAIT_S * 1000

    @rule(which=st.integers(0, 10))
    def wait_ends(self, which: int) -> None:
        if not self.waits:
            return
        n = sorted(self.waits)[which % len(self.waits)]
        who, _, asked = self.waits.pop(n)
        if who in self.sits and self.sits[who] == asked.question.sender:
            self.players[who].rest(asked)
        else:  # it has left the seat from which it asked
            with self.players[who].at_office() as office:
                office.asks.give_up(asked)

    @rule(which=st.integers(0, 10), kind=st.sampled_from(("answer", "reply", "cancel")))
    def question_ends(self, which: int, kind: str) -> None:
        if not self.open:
            return
        n = sorted(self.open)[which % len(self.open)]
        asker, asked = self.open[n]
        by = self.holder(asker if kind == "cancel" else asked)
        if by is None:
            return
        getattr(self.players[by], kind)(n)
        del self.open[n]
        if kind != "cancel":
            with pytest.raises(AlreadyAnswered):
                self.players[by].answer(n)
            self.asks(by, asker)  # whose wait is over, though its process may not have seen that yet
        elif (answerer := self.holder(asked)) is not None:
            with pytest.raises(AskCanceled):
                self.players[answerer].answer(n)

    @rule(who=indexes, seat=seats)
    def moves(self, who: int, seat: str) -> None:
        if who not in self.sits or self.sits[who] == seat:
            return
        try:
            self.players[who].join(seat)
        except SeatTaken:
            assert self.holder(seat) is not None
        else:
            self.sits[who] = seat

    @rule(who=indexes)
    def dies(self, who: int) -> None:
        if who in self.sits and len(self.sits) > 2:
            self.players[who].die()
            del self.sits[who]

    @rule(seconds=st.integers(1, 200))
    def time_passes(self, seconds: int) -> None:
        self.play.clock.advance(seconds)

    # -- what must hold

    @invariant()
    def who_waits_sees_how_it_stands(self) -> None:
        for n, (who, seat, asked) in self.waits.items():
            if self.sits.get(who) != asked.question.sender:
                continue
            state = self.players[who].look(asked).state
            if n not in self.open:
                assert state in (ANSWERED, CANCELED)
            elif self.holder(seat) is None:
                assert state == EMPTY
            elif self.counts(n):
                asked_of = self.holder(seat)
                assert asked_of is not None
                assert state == (CIRCLE if self.leads_to(asked_of, who) else PENDING)
            else:
                assert state == PENDING

    @invariant()
    def somebody_can_always_go_on(self) -> None:
        """Nobody waits, or somebody does not, or somebody is about to end its wait because it sees a circle."""
        waiting = {who for n, (who, _, _) in self.waits.items() if self.counts(n)}
        if waiting and waiting == set(self.sits):
            own = [
                each
                for each in self.waits.values()
                if each[0] in waiting and self.sits[each[0]] == each[2].question.sender
            ]
            left = {who for n, (who, _, asked) in self.waits.items() if self.sits.get(who) != asked.question.sender}
            assert left or any(self.players[who].look(asked).state != PENDING for who, _, asked in own)


@pytest.mark.timeout(300)  # on a machine that does much else
def test_a_wait_is_refused_when_it_closes_a_circle_and_only_then(
    engine: str, store_folder: Path, tmp_path: Path
) -> None:
    try_any_order(Waiting, SETTINGS, engine, store_folder, tmp_path / "claude")
