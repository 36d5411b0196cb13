"""Whatever happens to tasks and to those who hold them, in whatever order: each change is allowed or refused as the
states say, no task is lost or with two, and none stays with an empty seat."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mailstop.clients.project import place_of
from mailstop.engines.base import Store
from mailstop.errors import (
    MailstopError,
    NotTaskGiver,
    OtherPool,
    TaskInState,
    TaskMoved,
    TaskOver,
    TaskStays,
    TaskTaken,
)
from mailstop.limits import Limits
from mailstop.names import PERSON
from mailstop.office import Office
from mailstop.task import Order, Step, Task
from tests.conformance.any_order import try_any_order
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

SEATS = ("lead", "builder", "other")
POOL = ""
PROJECT = "git:/srv/app/.git"  # of all players but the person
TERMINAL = ("completed", "failed", "canceled", "rejected")
BY_HOLDER = {
    "accept": "working",
    "progress": "working",
    "need-input": "input-required",
    "complete": "completed",
    "fail": "failed",
    "reject": "rejected",
}

actors = st.sampled_from((*SEATS, PERSON))
places = st.sampled_from((*SEATS, POOL))
which = st.integers(0, 3)

SETTINGS = settings(
    max_examples=15,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def expected(task: Task, act: str, actor: str, to: str = "") -> type[MailstopError] | tuple[str, str]:
    """What an act comes to by the states alone: a refusal, or the state and the holder that the task has then."""
    if task.state in TERMINAL:
        return TaskOver
    is_givers = actor in (task.giver, PERSON)
    if act == "cancel":
        return ("canceled", task.holder) if is_givers else NotTaskGiver
    if act == "reassign":
        if not is_givers:
            return NotTaskGiver
        return TaskStays if (to, not to) == (task.holder, bool(task.home)) else ("submitted", to)
    if act == "take":
        if task.holder:
            return TaskTaken
        if task.home not in ("", PROJECT) and not is_givers:
            return OtherPool  # the person gave it, whose project is that of the folder this runs in
        return ("working", actor) if task.home or is_givers else TaskMoved
    if act == "progress" and task.state == "input-required" and is_givers and task.holder:
        return "working", task.holder
    if actor != task.holder:
        return TaskMoved
    if act == "return":
        return "submitted", ""
    return TaskInState if act == "accept" and task.state != "submitted" else (BY_HOLDER[act], actor)


class Work(RuleBasedStateMachine):
    """Rules are what players do; invariants are what the store must then say."""

    def __init__(self, open_store: Callable[[], Store], config_folder: str) -> None:
        super().__init__()
        self.play = Play(open_store, config_folder)
        self.sitting: dict[str, SessionPlayer] = {}
        self.gone: dict[str, SessionPlayer] = {}
        self.numbers: list[int] = []
        self.late = ExitStack()
        self.looked_before: dict[str, Office] = {}

    def teardown(self) -> None:
        try:
            self.late.close()
            self.nothing_stays_with_an_empty_seat_in_the_end()
        finally:
            self.play.close()

    # -- sessions come and go

    @initialize()
    def all_sit_down(self) -> None:
        for seat in SEATS:
            self.sits_down(seat)
        place = place_of(os.curdir)  # somebody works also in the person's project
        neighbour = self.play.player()
        neighbour.found = neighbour.found.but(project=place.project, project_id=place.project_id)
        neighbour.start()

    @rule(seat=st.sampled_from(SEATS))
    def sits_down(self, seat: str) -> None:
        if seat not in self.sitting:
            self.gone.pop(seat, None)
            player = self.play.player()
            player.start(automatic=False)
            player.join(seat)
            self.sitting[seat] = player

    @rule(seat=st.sampled_from(SEATS), how=st.sampled_from(("die", "end", "leave")))
    def goes(self, seat: str, how: str) -> None:
        if player := self.sitting.pop(seat, None):
            getattr(player, how)()
            self.looked_before.pop(seat, None)
            if how != "leave":
                self.gone[seat] = player

    @rule(seat=st.sampled_from(SEATS))
    def resumes(self, seat: str) -> None:
        if player := self.gone.pop(seat, None):
            self.sitting[seat] = player.resumed()

    @rule(seconds=st.sampled_from((1, 100, 400, 601)))
    def time_passes_and_somebody_comes_by(self, seconds: int) -> None:
        self.play.clock.advance(seconds)
        with self.play.stranger.at_office() as at:
            at.do_due_work()

    # -- tasks

    @rule(actor=actors, to=places, priority=st.integers(0, 4))
    def gives(self, actor: str, to: str, priority: int) -> None:
        if (player := self.player(actor)) and to != actor:
            with player.at_office() as at:
                given = at.tasks.give(Order(to, f"job {len(self.numbers)}", priority=priority)).task
            assert (given.giver, given.holder, given.state) == (actor, to, "submitted")
            self.numbers.append(given.n)

    @rule(actor=actors)
    def looks_and_acts_later(self, actor: str) -> None:
        """The actor's next act is decided at an office whose index may have missed all that happens till then."""
        if (player := self.player(actor)) and actor not in self.looked_before:
            self.looked_before[actor] = self.late.enter_context(player.at_office())

    @rule(actor=actors, at=which, act=st.sampled_from(sorted(BY_HOLDER)))
    def moves(self, actor: str, at: int, act: str) -> None:
        self.tries(actor, at, act, lambda office, n: office.tasks.move(n, act, "because").task)

    @rule(actor=actors, at=which)
    def cancels(self, actor: str, at: int) -> None:
        self.tries(actor, at, "cancel", lambda office, n: office.tasks.move(n, "cancel").task)

    @rule(actor=actors, at=which)
    def takes(self, actor: str, at: int) -> None:
        self.tries(actor, at, "take", lambda office, n: office.tasks.take(n).task)

    @rule(actor=actors, at=which)
    def gives_back(self, actor: str, at: int) -> None:
        self.tries(actor, at, "return", lambda office, n: office.tasks.give_back(n).task)

    @rule(actor=actors, at=which, to=places)
    def reassigns(self, actor: str, at: int, to: str) -> None:
        self.tries(actor, at, "reassign", lambda office, n: office.tasks.reassign(n, to).task, to)

    def tries(self, actor: str, at: int, act: str, do: Callable[[Office, int], Task], to: str = "") -> None:
        player = self.player(actor)
        if player is None or not self.numbers:
            return
        n = self.numbers[-1 - at % len(self.numbers)]
        before = self.task(n)
        comes_to = expected(before, act, actor, to)
        with ExitStack() as stack:
            office = self.looked_before.pop(actor, None) or stack.enter_context(player.at_office())
            try:
                after = do(office, n)
            except MailstopError as refusal:
                assert type(refusal) is comes_to
                assert self.task(n) == before
                return
        assert (after.state, after.holder) == comes_to
        moves_away = act in ("take", "return", "reassign")
        assert after.epoch > before.epoch if moves_away else after.epoch == before.epoch
        assert self.task(n) == after

    def player(self, actor: str) -> Player | None:
        return self.play.person if actor == PERSON else self.sitting.get(actor)

    def task(self, n: int) -> Task:
        """The task as whoever looks sees it."""
        with self.play.stranger.at_office() as at:
            return at.tasks.account(n).task

    # -- what the store must say

    @invariant()
    def each_task_is_shown_as_it_is(self) -> None:
        with self.play.stranger.at_office() as at:
            shown = at.tasks.listed(limit=1_000).tasks
            assert sorted(task.n for task in shown) == self.numbers
            for task in shown:
                self.is_not_overdue(task)
                steps = at.store.index.tasks.steps(task, limit=1_000)
                self.is_as_its_history_has_left_it(task, steps)
                for step in steps:
                    self.was_told_to_who_must_hear_of_it(task, step)

    def is_not_overdue(self, task: Task) -> None:
        is_empty = task.holder not in ("", PERSON) and task.holder not in self.sitting
        if is_empty and task.state not in TERMINAL and self.goes_back(task):
            assert 0 <= self.play.clock.now - task.empty_since < Limits().task_return_ms
        else:
            assert task.empty_since == 0

    def is_as_its_history_has_left_it(self, task: Task, steps: list[Step]) -> None:
        assert steps[0].act == "give"
        assert [step.act for step in steps].count("give") == 1
        assert (steps[-1].state, steps[-1].holder) == (task.state, task.holder)
        assert all(step.state not in TERMINAL for step in steps[:-1])
        for before, after in pairwise(steps):
            assert before.n < after.n
            assert before.act != after.act or after.act not in ("seat-empty", "seat-held")
            assert after.act != "return" or before.holder

    def was_told_to_who_must_hear_of_it(self, task: Task, step: Step) -> None:
        to_nobody = step.act in ("give", "cancel", "reassign") and not step.holder
        of_its_own = task.giver in (step.seat, step.holder)
        assert step.letter or to_nobody or of_its_own

    @staticmethod
    def goes_back(task: Task) -> bool:
        return bool(task.home) or task.giver != task.holder

    # -- in the end

    def nothing_stays_with_an_empty_seat_in_the_end(self) -> None:
        for seat in SEATS:
            self.goes(seat, "die")
        for _ in range(40):
            self.play.clock.advance(301)
            with self.play.stranger.at_office() as at:
                at.do_due_work()
        for n in self.numbers:
            task = self.task(n)
            assert task.state in TERMINAL or task.holder in ("", PERSON) or not self.goes_back(task)
        assert self.play.rows("task/") == []


@pytest.mark.timeout(300)  # on a machine that does much else
def test_any_order_of_acts_keeps_every_task(engine: str, store_folder: Path, tmp_path: Path) -> None:
    try_any_order(Work, SETTINGS, engine, store_folder, tmp_path / "claude")
