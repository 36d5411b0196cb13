"""A team: what the subjects of coordination do for one another."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from mailstop.acts.leaders import Leaders
from mailstop.cli.arguments import EVERYWHERE, read
from mailstop.cli.task import PARAMETERS, run
from mailstop.errors import BudgetSpent, StaleLeader
from mailstop.task import Order, Task
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer


def lead(player: Player) -> int:
    """Claim the post, and return the term."""
    with player.at_office() as office:
        leads = office.leaders.claim().post.leads
    assert leads is not None
    return leads.term


def give(player: Player, to: str, *, key: str | None = None, term: int | None = None) -> Task:
    with player.at_office() as office:
        return office.tasks.give(Order(to, "Fix it", key=key), term=term).task


def term_of(office: Play, task: Task) -> int | None:
    """The term in which a task was given, as its entry says."""
    with office.store() as store:
        entries = [entry for entry in store.ledger.after(0, limit=10_000) if entry.type == "task_given"]
    (given,) = [entry for entry in entries if entry.n == task.n]
    return given.data.get("term")


def test_a_leader_gives_a_task_in_its_term(office: Play) -> None:
    builder, _worker = office.as_("builder"), office.as_("worker")
    term = lead(builder)

    assert term_of(office, give(builder, "worker")) == term


def test_another_gives_a_task_in_no_term(office: Play) -> None:
    lead(office.as_("builder"))
    office.as_("worker")

    assert term_of(office, give(office.as_("reviewer"), "worker")) is None


def test_a_leader_whose_term_ends_meanwhile_gives_nothing(office: Play) -> None:
    builder, _worker = office.as_("builder"), office.as_("worker")
    lead(builder)
    before = office.entries()
    acting = Leaders.acting

    def replaced(self: Leaders, bag: str, project_id: str, term: int | None = None) -> object:
        found = acting(self, bag, project_id, term)
        _take_the_post(office, builder)
        return found

    with patch.object(Leaders, "acting", replaced), pytest.raises(StaleLeader, match="seat worker leads it"):
        give(builder, "worker")

    with office.store() as store:
        assert [entry.type for entry in store.ledger.after(0, limit=10_000)][before:].count("task_given") == 0


def test_a_leader_that_was_replaced_and_believes_to_lead_gives_nothing(office: Play) -> None:
    builder, worker = office.as_("builder"), office.as_("worker")
    term = lead(builder)
    given = give(builder, "worker", key="k", term=term)
    _take_the_post(office, builder)
    before = office.entries()

    for to in ("worker", ""):
        with pytest.raises(StaleLeader, match=f"^Term {term} of project app is over: seat worker leads it"):
            give(builder, to, term=term)
    with pytest.raises(StaleLeader):
        give(worker, "builder", term=term)

    assert give(builder, "worker", key="k", term=term).n == given.n
    assert office.entries() == before
    assert term_of(office, given) == term


def test_the_command_line_gives_a_task_in_a_term(office: Play) -> None:
    builder, _worker = office.as_("builder"), office.as_("worker")
    term = lead(builder)
    args = read((*PARAMETERS, *EVERYWHERE), ["give", "worker", "Fix it", "--term", str(term)])
    assert args is not None

    with builder.at_office() as at:
        result = run(at, args)
    assert result.data["task"]["holder"] == "worker"
    _take_the_post(office, builder)
    with builder.at_office() as at, pytest.raises(StaleLeader):
        run(at, args)


def test_a_key_with_leader_means_whoever_led_the_first_time(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    lead(builder)
    first = give(reviewer, "leader", key="k")
    _take_the_post(office, builder)

    assert give(reviewer, "leader", key="k").n == first.n
    with builder.at_office() as at:
        assert at.tasks.account(first.n).task.holder == "builder"


def _take_the_post(office: Play, leader: SessionPlayer) -> None:
    with leader.at_office() as at:
        at.leaders.release()
    lead(office.as_("worker"))


def test_who_may_write_no_letter_puts_no_task_into_the_pool(office: Play) -> None:
    builder = office.as_("builder")
    office.as_("worker")
    office.person.opens_budget(1)
    builder.send("worker")

    with pytest.raises(BudgetSpent):
        give(builder, "")


def test_leader_as_a_tasks_seat_is_whoever_leads(office: Play) -> None:
    lead(office.as_("builder"))
    worker = office.as_("worker")

    assert give(worker, "leader").holder == "builder"


def test_the_bags_own_time_decides_when_the_tasks_of_an_empty_seat_go_back(office: Play) -> None:
    builder, worker = office.as_("builder"), office.as_("worker")
    office.person.sets_limits(task_return_min=2)
    task = give(builder, "worker")
    worker.die()

    assert _holder(office, task) == "worker"
    office.clock.advance(121)

    assert _holder(office, task) == ""


def _holder(office: Play, task: Task) -> str:
    with office.stranger.at_office() as at:
        return at.tasks.account(task.n).task.holder
