"""Tasks: given, taken, moved on, returned and reassigned; each change once, whoever races for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as given_values
from hypothesis import strategies as st

from mailstop import rules
from mailstop.acts import tasks as acts_tasks
from mailstop.acts.tasks import ALL, GIVEN, MINE, POOL, Account, Changed, Tasks
from mailstop.clients.project import place_of
from mailstop.engines.entry import subject
from mailstop.engines.memory.store import World
from mailstop.engines.row import Delete, Put
from mailstop.errors import (
    BudgetSpent,
    EmptyPool,
    InvalidField,
    MailstopError,
    MustJoin,
    NotTaskGiver,
    OtherPool,
    OwnSeat,
    TaskInOtherBag,
    TaskInState,
    TaskKeyReused,
    TaskMoved,
    TaskOver,
    TaskStays,
    TaskTaken,
    TaskUncertain,
    TooFast,
    TooManyHops,
    Uncertain,
    UnknownPool,
    UnknownSeat,
    UnknownTask,
)
from mailstop.kinds import kind_of
from mailstop.letter import Draft, Letter
from mailstop.limits import Limits
from mailstop.rules.routes import LONGEST_DEADLINE_MS
from mailstop.rules.settlements import LOOK_MS
from mailstop.rules.tasks import HOLDERS_ACTS
from mailstop.task import LONGEST_ISSUE, LONGEST_TITLE, OPEN, OVER, Order, Task
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

RETURN_S = Limits().task_return_ms / 1000
LOOK_S = LOOK_MS / 1000


def give(player: Player, to: str = "builder", title: str = "Fix it", **fields: Any) -> Task:
    with player.at_office() as office:
        return office.tasks.give(Order(to, title, **fields)).task


def move(player: Player, n: int, act: str, text: str = "", **fields: Any) -> Changed:
    with player.at_office() as office:
        return office.tasks.move(n, act, text or ("which of the two?" if act == "need-input" else ""), **fields)


def take(player: Player, n: int | None = None) -> Changed:
    with player.at_office() as office:
        return office.tasks.take(n)


def give_back(player: Player, n: int, text: str = "") -> Changed:
    with player.at_office() as office:
        return office.tasks.give_back(n, text)


def reassign(player: Player, n: int, to: str, text: str = "") -> Changed:
    with player.at_office() as office:
        return office.tasks.reassign(n, to, text)


def account(player: Player, n: int, **fields: Any) -> Account:
    with player.at_office() as office:
        return office.tasks.account(n, **fields)


def task(office: Play, n: int) -> Task:
    """The task as somebody who only looks is shown it."""
    return account(office.stranger, n).task


def acts(office: Play, n: int) -> list[str]:
    """What happened to a task, as somebody who only looks is shown it."""
    return [step.act for step in account(office.stranger, n).steps]


def listed(player: Player, which: str = ALL, **fields: Any) -> list[int]:
    with player.at_office() as office:
        return [each.n for each in office.tasks.listed(which, **fields).tasks]


def letters(office: Play, seat: str) -> list[Letter]:
    """The letters that wait at a seat."""
    with office.store() as store:
        return store.index.unread("default", seat, limit=1_000)


def letters_about(office: Play, n: int) -> list[tuple[str, str]]:
    """Who wrote what kind of act about a task, oldest first."""
    with office.store() as store:
        records = store.index.history(bag="default", limit=10_000).records
    return [(one.sender, one.task.act) for one in records if isinstance(one, Letter) and one.task and one.task.n == n]


def seated(office: Play, *names: str) -> None:
    for name in names:
        office.as_(name)


@pytest.fixture
def given(office: Play) -> Task:
    """A task that lead gave to builder."""
    seated(office, "builder")
    return give(office.as_("lead"), detail="It loses the last line.", priority=1, artifacts=("a.py",), issue="#7")


# -- giving


def test_a_task_carries_giver_holder_title_detail_priority_artifacts_and_issue(office: Play, given: Task) -> None:
    seen = task(office, given.n)

    assert (seen.giver, seen.holder, seen.state) == ("lead", "builder", "submitted")
    assert (seen.title, seen.detail, seen.priority) == ("Fix it", "It loses the last line.", 1)
    assert (seen.artifacts, seen.issue, seen.project) == (("a.py",), "#7", "app")
    assert seen.epoch == seen.n


def test_the_holder_is_told_in_one_letter_all_there_is_to_know(office: Play, given: Task) -> None:
    (letter,) = letters(office, "builder")

    assert (letter.sender, letter.kind, letter.needs_reply) == ("lead", "task", True)
    assert letter.task and (letter.task.n, letter.task.act, letter.task.holder) == (given.n, "give", "builder")
    assert letter.artifacts == ("a.py",)
    for told in ("Fix it", "It loses the last line.", "Priority 1", "#7"):
        assert told in letter.body


def test_the_letter_tells_how_to_go_on_with_the_number_of_the_task(office: Play, given: Task) -> None:
    text = office.as_("builder").offered().text

    assert f"mailstop task accept {given.n} " in text
    assert f"\nmailstop task complete {given.n} - <<'MAIL_" in text
    assert "mailstop reply" not in text


def test_the_number_of_a_letter_about_a_task_leads_to_the_task(office: Play, given: Task) -> None:
    (letter,) = letters(office, "builder")

    assert account(office.as_("builder"), letter.n).task.n == given.n
    assert move(office.as_("builder"), letter.n, "accept").task.n == given.n


def test_a_task_for_a_seat_that_nobody_knows_is_refused_with_the_nearest(office: Play) -> None:
    seated(office, "builder")

    with pytest.raises(UnknownSeat, match="nearest: builder"):
        give(office.as_("lead"), "bilder")
    with pytest.raises(OwnSeat):
        give(office.as_("lead"), "lead")
    assert listed(office.as_("lead")) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "   "},
        {"title": "a\nb"},
        {"title": "a\x1b[2J"},
        {"title": "\u202eevil"},
        {"title": "x" * (LONGEST_TITLE + 1)},
        {"title": "x" * 4096},
        {"priority": 5},
        {"priority": -1},
        {"issue": "a\nb"},
        {"issue": "x" * (LONGEST_ISSUE + 1)},
        {"artifacts": ("a\nb",)},
        {"artifacts": ("x" * 4097,)},
        {"detail": " \n"},
        {"detail": "a\0b"},
    ],
)
@pytest.mark.parametrize("to", ["builder", ""])
def test_what_no_task_may_have_is_refused_and_nothing_is_stored(office: Play, fields: dict[str, Any], to: str) -> None:
    seated(office, "builder", "lead")
    before = office.entries()

    with pytest.raises(MailstopError) as refusal:
        give(office.as_("lead"), to, **{"title": "Fix it", **fields})

    assert refusal.value.exit_code == 1
    assert office.entries() == before


@pytest.mark.parametrize(
    "title",
    ["x" * LONGEST_TITLE, "'quotes' \"and\" `$(more)`", "*?[a-z]", "größe ✓", "שלום", "'); DROP TABLE tasks; --"],
)
def test_a_title_is_kept_exactly(office: Play, title: str) -> None:
    seated(office, "builder")

    n = give(office.as_("lead"), title=title, detail=f"{title}\r\n\ttail ").n

    assert (task(office, n).title, task(office, n).detail) == (title, f"{title}\r\n\ttail ")


ANY_TEXT = st.text(max_size=30) | st.builds(
    lambda text, times: text * times, st.text(min_size=1, max_size=5), st.just(900)
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given_values(title=ANY_TEXT, detail=ANY_TEXT, issue=ANY_TEXT, path=ANY_TEXT, pooled=st.booleans())
def test_whatever_a_task_says_is_kept_exactly_or_refused_and_nothing_is_stored(
    office: Play, title: str, detail: str, issue: str, path: str, pooled: bool
) -> None:
    seated(office, "builder", "lead")
    before = office.entries()
    try:
        n = give(
            office.as_("lead"), "" if pooled else "builder", title, detail=detail, issue=issue, artifacts=(path,)
        ).n
    except MailstopError as refusal:
        assert refusal.exit_code == 1
        assert office.entries() == before
    else:
        seen = task(office, n)
        assert (seen.title, seen.detail, seen.issue, seen.artifacts) == (title, detail, issue, (path,))


def test_who_has_no_seat_gives_and_moves_nothing(office: Play, given: Task) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: give(office.stranger),
        lambda: move(office.stranger, given.n, "accept"),
        lambda: take(office.stranger),
        lambda: listed(office.stranger, MINE),
    ]
    for attempt in attempts:
        with pytest.raises(MustJoin):
            attempt()
    assert acts(office, given.n) == ["give"]


def test_a_key_gives_a_task_once(office: Play) -> None:
    seated(office, "builder")
    lead = office.as_("lead")

    first, again = give(lead, key="k"), give(lead, key="k")
    pooled, once_more = give(lead, "", "For the pool", key="p"), give(lead, "", "For the pool", key="p")

    assert (again.n, once_more.n) == (first.n, pooled.n)
    assert len(letters(office, "builder")) == 1
    with pytest.raises(TaskKeyReused, match=f"task {first.n}"):
        give(lead, title="Another", key="k")
    assert sorted(listed(lead)) == sorted([first.n, pooled.n])


@pytest.mark.parametrize("brake", ["budget", "rate", "hops"])
def test_no_brake_refuses_what_was_given_before_with_its_key(office: Play, brake: str) -> None:
    seated(office, "builder")
    lead = office.as_("lead")
    refusal: type[MailstopError] = {"budget": BudgetSpent, "rate": TooFast, "hops": TooManyHops}[brake]
    if brake == "budget":
        office.person.opens_budget(1)
    elif brake == "rate":
        office.person.sets_limits(rate=1)
    else:
        office.person.sets_limits(hops=2)
        office.as_("builder").send("lead")
        lead.reads()
    first = give(lead, key="k")
    if brake == "hops":
        office.person.sets_limits(hops=1)
    before = office.entries()

    with pytest.raises(refusal):
        give(lead, key="another")
    with lead.at_office() as at:
        again = at.tasks.give(Order("builder", "Fix it", key="k"))

    assert (again.task.n, again.new) == (first.n, False)
    assert office.entries() == before


def test_a_key_leads_to_one_seat_or_pool_wherever_its_task_went_since(office: Play) -> None:
    seated(office, "builder", "other")
    lead = office.as_("lead")
    first, pooled = give(lead, key="k"), give(lead, "", key="p")
    reassign(lead, first.n, "other")
    take(office.as_("other"), pooled.n)

    assert (give(lead, key="k").n, give(lead, "", key="p").n) == (first.n, pooled.n)
    for to, key in (("other", "k"), ("", "k"), ("builder", "p"), ("other", "p")):
        with pytest.raises(TaskKeyReused):
            give(lead, to, key=key)


def test_a_key_is_its_givers_own(office: Play) -> None:
    seated(office, "builder")

    assert give(office.as_("lead"), key="k").n != give(office.as_("boss"), key="k").n


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("to", ["builder", ""])
def test_a_task_of_which_it_is_not_known_whether_it_is_stored_is_given_once_with_its_key(
    office: Play, world: World, stored: bool, to: str
) -> None:
    seated(office, "builder", "lead")
    world.lose_contact(stored=stored)

    with pytest.raises(Uncertain):
        give(office.as_("lead"), to, key="k")

    n = give(office.as_("lead"), to, key="k").n
    assert listed(office.as_("lead")) == [n]
    assert len(letters(office, "builder")) == (1 if to else 0)


# -- moving on


def test_a_task_goes_from_submitted_to_completed_and_the_giver_hears_of_it(office: Play, given: Task) -> None:
    builder = office.as_("builder")

    states = [move(builder, given.n, act).task.state for act in ("accept", "progress", "need-input", "progress")]
    states.append(move(builder, given.n, "complete", "Done in 4f2a.").task.state)

    assert states == ["working", "working", "input-required", "working", "completed"]
    told = letters(office, "lead")
    assert [(one.kind, one.task and one.task.act) for one in told] == [
        ("fyi", "accept"),
        ("fyi", "progress"),
        ("task", "need-input"),
        ("fyi", "progress"),
        ("task", "complete"),
    ]
    assert "Done in 4f2a." in told[-1].body
    assert f"Task {given.n} completed: Fix it" in told[-1].body


def test_how_far_a_task_is_wakes_nobody_and_what_needs_the_other_side_does(office: Play) -> None:
    builder, lead = office.as_("builder"), office.as_("lead")
    n, pooled = give(lead).n, give(lead, "").n
    for act in ("accept", "progress"):
        move(builder, n, act)
    take(builder, pooled)
    quiet = letters(office, "lead")
    for act in ("need-input", "complete"):
        move(builder, n, act)
    give_back(builder, pooled)

    assert [kind_of(one.kind).wakes for one in quiet] == [False, False, False]
    assert [kind_of(one.kind).wakes for one in letters(office, "lead")[3:]] == [True, True, True]
    assert all(kind_of(one.kind).wakes for one in letters(office, "builder"))


@pytest.mark.parametrize("detail", ["42", "[1]", '{"detail": null}', '"x"', "{torn", "null"])
def test_a_detail_is_never_parsed_and_hides_nothing_else(office: Play, detail: str) -> None:
    seated(office, "builder")
    lead = office.as_("lead")
    n = give(lead, detail=detail).n
    lead.send("builder", body="and this")

    assert task(office, n).detail == detail
    brought, other = office.as_("builder").reads()
    assert detail in brought
    assert other == "and this"


@pytest.mark.parametrize("act", sorted(set(HOLDERS_ACTS) - {"accept"}))
@pytest.mark.parametrize("before", ["", "accept", "need-input"])
def test_a_holder_may_do_all_but_accept_in_every_open_state(office: Play, given: Task, act: str, before: str) -> None:
    builder = office.as_("builder")
    if before:
        move(builder, given.n, before)

    assert move(builder, given.n, act, "because").task.state == HOLDERS_ACTS[act]


def test_only_what_is_submitted_can_be_accepted(office: Play, given: Task) -> None:
    builder = office.as_("builder")
    move(builder, given.n, "accept")

    with pytest.raises(TaskInState, match=r"is working since .*, by seat builder"):
        move(builder, given.n, "accept")


@pytest.mark.parametrize("end", ["complete", "fail", "reject", "cancel"])
def test_what_is_over_never_goes_on_and_says_who_ended_it(office: Play, given: Task, end: str) -> None:
    ended_by = "lead" if end == "cancel" else "builder"
    ended = move(office.as_(ended_by), given.n, end).task

    assert ended.state in OVER
    for player, act in (("builder", "progress"), ("builder", "complete"), ("lead", "cancel"), ("builder", "accept")):
        with pytest.raises(TaskOver, match=f"is {ended.state} since .*, by seat {ended_by}"):
            move(office.as_(player), given.n, act)
    further: list[Callable[[], object]] = [
        lambda: take(office.as_("builder"), given.n),
        lambda: give_back(office.as_("builder"), given.n),
        lambda: reassign(office.as_("lead"), given.n, "builder"),
        lambda: reassign(office.person, given.n, ""),
    ]
    for attempt in further:
        with pytest.raises(TaskOver):
            attempt()
    assert task(office, given.n) == ended


def test_nobody_but_the_holder_moves_a_task_on(office: Play, given: Task) -> None:
    seated(office, "other")

    for player in (office.as_("lead"), office.as_("other"), office.person):
        for act in HOLDERS_ACTS:
            with pytest.raises(TaskMoved, match="it is with seat builder since"):
                move(player, given.n, act)
    assert acts(office, given.n) == ["give"]


def test_the_giver_and_the_person_cancel_and_the_holder_hears_of_it(office: Play, given: Task) -> None:
    office.as_("builder").reads()
    with pytest.raises(NotTaskGiver, match="Only its giver, seat lead, and the person may cancel"):
        move(office.as_("builder"), given.n, "cancel")

    move(office.as_("lead"), given.n, "cancel", "not needed")

    (letter,) = letters(office, "builder")
    assert (letter.kind, letter.task and letter.task.act) == ("task", "cancel")
    assert "not needed" in letter.body
    other = give(office.as_("lead"))
    office.as_("builder").reads()
    move(office.person, other.n, "cancel")
    assert [one.sender for one in letters(office, "builder")] == ["human"]
    assert [one.sender for one in letters(office, "lead")][-1] == "human"


def test_an_accepted_letter_counts_as_answered(office: Play, given: Task) -> None:
    (letter,) = letters(office, "builder")
    move(office.as_("builder"), given.n, "accept")

    assert office.state(letter.n, "builder") == "answered"
    with office.store() as store:
        assert store.index.owed("default", "builder") == []


def test_all_letters_about_a_task_are_one_conversation(office: Play, given: Task) -> None:
    builder, lead = office.as_("builder"), office.as_("lead")
    move(builder, given.n, "accept")
    move(builder, given.n, "progress", "half")
    move(builder, given.n, "need-input", "which?")
    move(lead, given.n, "progress", "that one")
    move(lead, given.n, "cancel")

    with office.store() as store:
        found = [one for one in store.index.history(bag="default").records if isinstance(one, Letter)]
    assert len(found) == 6
    assert len({one.thread for one in found}) == 1


# -- input


def test_a_reply_to_a_question_about_a_task_lets_the_task_go_on(office: Play, given: Task) -> None:
    asked = move(office.as_("builder"), given.n, "need-input", "which?")
    assert asked.sent and asked.sent.letter.needs_reply

    answer = office.as_("lead").reply(asked.sent.letter.n, "that one")

    assert task(office, given.n).state == "working"
    assert acts(office, given.n) == ["give", "need-input", "answer"]
    assert account(office.stranger, given.n).steps[-1].letter == answer.letter.n
    assert letters(office, "builder")[-1].task is not None


def test_the_giver_may_answer_by_progress_too_and_so_may_the_person(office: Play, given: Task) -> None:
    for answerer in (office.as_("lead"), office.person):
        move(office.as_("builder"), given.n, "need-input", "which?")
        answered = move(answerer, given.n, "progress", "that one")
        assert (answered.task.state, answered.task.holder) == ("working", "builder")
        assert letters(office, "builder")[-1].kind == "answer"


def test_a_reply_to_an_old_question_is_only_a_letter(office: Play, given: Task) -> None:
    asked = move(office.as_("builder"), given.n, "need-input", "which?")
    assert asked.sent
    move(office.as_("builder"), given.n, "complete")

    office.as_("lead").reply(asked.sent.letter.n, "that one")

    assert task(office, given.n).state == "completed"
    assert letters(office, "builder")[-1].body == "that one"


def test_a_reply_to_the_one_who_asked_does_not_move_a_task_that_is_another_seats_now(office: Play, given: Task) -> None:
    seated(office, "other")
    asked = move(office.as_("builder"), given.n, "need-input", "which?")
    assert asked.sent
    reassign(office.as_("lead"), given.n, "other")
    move(office.as_("other"), given.n, "need-input", "how?")

    office.as_("lead").reply(asked.sent.letter.n, "that one")

    assert task(office, given.n).state == "input-required"


def test_a_reply_to_any_other_letter_about_a_task_moves_nothing(office: Play, given: Task) -> None:
    accepted = move(office.as_("builder"), given.n, "accept")
    assert accepted.sent

    office.as_("lead").reply(accepted.sent.letter.n, "good")

    assert acts(office, given.n) == ["give", "accept"]


# -- the pool


def test_a_pool_task_is_announced_to_nobody_and_taken_by_priority_then_age(office: Play) -> None:
    lead, builder = office.as_("lead"), office.as_("builder")
    numbers = [give(lead, "", f"job {priority}", priority=priority).n for priority in (2, 0, 2, 0, 4)]
    assert letters(office, "builder") == []
    assert listed(builder, POOL) == [numbers[at] for at in (1, 3, 0, 2, 4)]

    taken = [take(builder).task for _ in numbers]

    assert [one.n for one in taken] == [numbers[at] for at in (1, 3, 0, 2, 4)]
    assert {(one.state, one.holder) for one in taken} == {("working", "builder")}
    assert {one.kind for one in letters(office, "lead")} == {"fyi"}
    with pytest.raises(EmptyPool, match="Nothing waits in the pool of project app"):
        take(builder)


def test_a_task_is_taken_by_its_number_and_the_next_is_told_who_has_it(office: Play) -> None:
    n = give(office.as_("lead"), "").n

    assert take(office.as_("builder"), n).task.epoch > n
    with pytest.raises(TaskTaken, match="it is with seat builder since"):
        take(office.as_("other"), n)


def test_a_pool_is_its_projects_own(office: Play) -> None:
    n = give(office.as_("lead"), "").n
    elsewhere = office.player(project="shop", folder="/srv/shop")
    elsewhere.start(automatic=False)
    elsewhere.join("seller")

    assert listed(elsewhere, POOL) == []
    with pytest.raises(EmptyPool, match="project shop"):
        take(elsewhere)
    with pytest.raises(OtherPool, match="pool of project app"):
        take(elsewhere, n)
    assert listed(office.person, POOL) == [n]
    assert take(office.person, n).task.holder == "human"


def test_a_task_that_was_given_to_a_seat_cannot_be_taken(office: Play, given: Task) -> None:
    with pytest.raises(TaskTaken, match="it is with seat builder"):
        take(office.as_("other"), given.n)


def test_who_needs_input_says_what_is_needed(office: Play, given: Task) -> None:
    with office.as_("builder").at_office() as at, pytest.raises(InvalidField, match="say what is needed"):
        at.tasks.move(given.n, "need-input")

    assert acts(office, given.n) == ["give"]


def in_the_folder(office: Play, name: str) -> SessionPlayer:
    """A session of the project of the folder that these tests run in, which is the person's too."""
    place = place_of(os.curdir)
    player = office.player()
    player.found = player.found.but(project=place.project, project_id=place.project_id)
    player.start(automatic=False)
    player.join(name)
    return player


def test_a_task_is_not_given_into_the_pool_of_a_project_that_never_was(office: Play) -> None:
    seated(office, "lead")
    given = give(office.person, "lead")
    before = office.entries()

    for attempt in (lambda: give(office.person, ""), lambda: reassign(office.person, given.n, "")):
        with pytest.raises(UnknownPool, match=r"No session has ever worked in project .*Projects here: app;"):
            attempt()

    assert office.entries() == before


@pytest.mark.parametrize("goes", ["die", "leave"])
def test_who_gives_into_the_pool_of_a_project_in_which_nobody_is_now_is_told_so(office: Play, goes: str) -> None:
    neighbour = in_the_folder(office, "neighbour")
    with office.person.at_office() as at:
        assert at.tasks.give(Order("", "first")).note == ""
    getattr(neighbour, goes)()

    with office.person.at_office() as at:
        given = at.tasks.give(Order("", "second"))

    assert f"nobody of project {given.task.project} is here now" in given.note
    assert task(office, given.task.n).is_pooled


def test_who_is_alone_in_its_project_is_told_so_when_it_gives_into_the_pool(office: Play) -> None:
    lead = office.as_("lead")
    elsewhere = office.player(project="shop", folder="/srv/shop")
    elsewhere.start()

    with lead.at_office() as at:
        alone = at.tasks.give(Order("", "first"))
    office.as_("builder")
    with lead.at_office() as at:
        other = at.tasks.give(Order("", "second"))

    assert (alone.note, other.note) == (
        "nobody else of project app is here now: it waits until somebody is, and takes it",
        "",
    )


def test_tasks_in_a_pool_count_for_the_rate_as_letters_do(office: Play) -> None:
    lead, rate = office.as_("lead"), Limits.rate
    seated(office, "builder")
    for at in range(rate - 2):
        give(lead, "", f"job {at}")
    lead.send("builder")
    give(lead, "builder")  # which is one letter, not two things
    before = office.entries()

    for attempt in (lambda: give(lead, "", "one more"), lambda: give(lead), lambda: lead.send("builder")):
        with pytest.raises(TooFast):
            attempt()
    assert office.entries() == before
    give(office.as_("builder"), "", "its own rate")
    office.clock.advance(60)
    give(lead, "", "one more")


def test_what_a_giver_does_with_its_own_tasks_counts_for_the_rate_too(office: Play) -> None:
    lead, rate = office.as_("lead"), Limits.rate
    n = give(lead, "").n
    take(lead, n)
    for at in range(rate - 2):
        move(lead, n, "progress", f"step {at}")

    with pytest.raises(TooFast):
        move(lead, n, "progress", "one more")


def test_what_mailstop_does_about_tasks_counts_for_nobody(office: Play) -> None:
    lead = office.as_("lead")
    office.person.sets_limits(rate=3)
    n = give(lead, "").n
    take(lead, n)
    lead.die()
    office.clock.advance(RETURN_S)
    with office.stranger.at_office() as at:
        at.do_due_work()
    with office.store() as store:
        assert store.index.standing("default", "postmaster").paced == 0


def test_who_gave_a_task_to_the_pool_may_take_it_and_nobody_has_to_be_told(office: Play) -> None:
    lead = office.as_("lead")
    n = give(lead, "").n

    take(lead)
    move(lead, n, "complete", "did it myself")

    assert (task(office, n).state, task(office, n).holder) == ("completed", "lead")
    assert office.letters() == []
    assert account(lead, n).steps[-1].text == "did it myself"


# -- races


@pytest.mark.timeout(240)
def test_of_fifty_claimants_of_one_task_one_wins_and_the_others_are_told_who(office: Play) -> None:
    n = give(office.as_("lead"), "").n
    claimants = [office.as_(f"worker-{number}") for number in range(50)]

    def claims(player: SessionPlayer) -> Task | TaskTaken:
        try:
            return take(player, n).task
        except TaskTaken as lost:
            return lost

    with ThreadPoolExecutor(len(claimants)) as threads:
        results = list(threads.map(claims, claimants))

    (won,) = [result for result in results if isinstance(result, Task)]
    lost = [result for result in results if isinstance(result, TaskTaken)]
    assert len(lost) == 49
    assert all(f"with seat {won.holder} since" in str(one) for one in lost)
    assert acts(office, n) == ["give", "take"]
    assert task(office, n).holder == won.holder


@pytest.mark.timeout(240)
def test_of_fifty_that_take_what_is_next_each_gets_another_or_hears_that_nothing_is_left(office: Play) -> None:
    office.person.lifts_limits()
    numbers = [give(office.as_("lead"), "", f"job {at}").n for at in range(40)]
    claimants = [office.as_(f"worker-{number}") for number in range(50)]

    def claims(player: SessionPlayer) -> int | None:
        try:
            return take(player).task.n
        except EmptyPool:
            return None

    with ThreadPoolExecutor(len(claimants)) as threads:
        results = list(threads.map(claims, claimants))

    assert sorted(n for n in results if n is not None) == numbers
    assert all(acts(office, n) == ["give", "take"] for n in numbers)


def test_a_cancel_and_a_complete_at_once_end_a_task_once(office: Play) -> None:
    seated(office, "builder")
    for _ in range(5):
        n = give(office.as_("lead")).n
        both: list[Callable[[], Changed]] = [
            lambda n=n: move(office.as_("lead"), n, "cancel"),  # type: ignore[misc]
            lambda n=n: move(office.as_("builder"), n, "complete"),  # type: ignore[misc]
        ]

        def tried(act: Callable[[], Changed]) -> str:
            try:
                return act().task.state
            except TaskOver as lost:
                return f"lost: {lost.details['state']}"

        with ThreadPoolExecutor(2) as threads:
            results = sorted(threads.map(tried, both))

        state = task(office, n).state
        assert results == [state, f"lost: {state}"]
        assert len(letters_about(office, n)) == 2


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_task_reassigned_between_a_look_and_the_append_is_not_completed_by_the_old_holder(
    office: Play, world: World, given: Task
) -> None:
    seated(office, "other")
    world.meanwhile(lambda: reassign(office.as_("lead"), given.n, "other"))

    with pytest.raises(TaskMoved, match="it is with seat other"):
        move(office.as_("builder"), given.n, "complete")

    assert acts(office, given.n) == ["give", "reassign"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_letter_goes_to_who_holds_the_task_when_it_is_stored(office: Play, world: World, given: Task) -> None:
    seated(office, "other")
    office.as_("lead")
    world.meanwhile(lambda: reassign(office.person, given.n, "other"))

    move(office.as_("lead"), given.n, "cancel")

    assert [one.task.act for one in letters(office, "other") if one.task] == ["reassign", "cancel"]
    assert [one.task.act for one in letters(office, "builder") if one.task] == ["give", "reassign"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_who_looked_before_a_task_was_moved_on_decides_on_what_is(office: Play, given: Task) -> None:
    with office.as_("builder").at_office() as late:
        late.tasks.account(given.n)
        move(office.as_("lead"), given.n, "cancel")

        with pytest.raises(TaskOver):
            late.tasks.move(given.n, "complete")


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
def test_a_change_of_which_it_is_not_known_whether_it_is_stored_says_how_to_find_out(
    office: Play, world: World, given: Task, stored: bool
) -> None:
    world.lose_contact(stored=stored)

    with pytest.raises(TaskUncertain, match=f"mailstop task show {given.n}") as doubt:
        move(office.as_("builder"), given.n, "accept")

    assert doubt.value.exit_code == 6
    assert task(office, given.n).state == ("working" if stored else "submitted")
    assert len(letters(office, "lead")) == int(stored)


# -- giving back, reassigning


def test_a_task_that_is_given_back_is_its_givers_to_give_on(office: Play, given: Task) -> None:
    seated(office, "other")
    move(office.as_("builder"), given.n, "accept")

    back = give_back(office.as_("builder"), given.n, "not mine").task

    assert (back.holder, back.home, back.state) == ("", "", "submitted")
    assert letters(office, "lead")[-1].kind == "task"
    assert "not mine" in letters(office, "lead")[-1].body
    with pytest.raises(TaskMoved, match="back with its giver, seat lead"):
        move(office.as_("builder"), given.n, "complete")
    with pytest.raises(TaskMoved):
        take(office.as_("other"), given.n)
    assert reassign(office.as_("lead"), given.n, "other").task.holder == "other"


def test_its_giver_may_take_what_came_back_to_it(office: Play, given: Task) -> None:
    give_back(office.as_("builder"), given.n)

    assert take(office.as_("lead"), given.n).task.holder == "lead"


def test_a_task_from_the_pool_goes_back_into_it(office: Play) -> None:
    n = give(office.as_("lead"), "").n
    take(office.as_("builder"))

    give_back(office.as_("builder"), n)

    assert listed(office.as_("other"), POOL) == [n]
    assert take(office.as_("other")).task.n == n


def test_a_reassigned_task_has_a_higher_epoch_and_the_old_holder_is_refused(office: Play, given: Task) -> None:
    seated(office, "other")
    move(office.as_("builder"), given.n, "accept")

    gone = reassign(office.as_("lead"), given.n, "other", "you know it better").task

    assert (gone.holder, gone.state) == ("other", "submitted")
    assert gone.epoch > given.epoch
    for act in HOLDERS_ACTS:
        with pytest.raises(TaskMoved, match="is not with seat builder: it is with seat other since"):
            move(office.as_("builder"), given.n, act)
    with pytest.raises(TaskMoved):
        give_back(office.as_("builder"), given.n)
    assert move(office.as_("other"), given.n, "complete").task.state == "completed"


def test_old_and_new_holder_hear_of_it_in_one_letter_with_all_that_the_new_one_needs(office: Play, given: Task) -> None:
    seated(office, "other")
    office.as_("builder").reads()

    reassign(office.as_("lead"), given.n, "other", "you know it better")

    (to_new,), (to_old,) = letters(office, "other"), letters(office, "builder")
    assert to_new.n == to_old.n
    for told in ("Fix it", "It loses the last line.", "#7", "seat builder, which had it, is to stop", "know it better"):
        assert told in to_new.body
    assert to_new.artifacts == ("a.py",)
    assert f"Seat other: mailstop task accept {given.n}. When done:" in office.as_("other").offered().text


def test_the_person_reassigns_anything_and_others_do_not(office: Play, given: Task) -> None:
    seated(office, "other")
    with pytest.raises(NotTaskGiver, match="may reassign"):
        reassign(office.as_("other"), given.n, "other")
    with pytest.raises(NotTaskGiver):
        reassign(office.as_("builder"), given.n, "other")

    reassign(office.person, given.n, "other")

    assert task(office, given.n).holder == "other"
    assert letters(office, "lead")[-1].sender == "human"


def test_a_task_is_reassigned_into_the_pool_and_not_to_where_it_is(office: Play, given: Task) -> None:
    seated(office, "other")
    with pytest.raises(TaskStays, match="it is with seat builder"):
        reassign(office.as_("lead"), given.n, "builder")
    with pytest.raises(UnknownSeat, match="nearest: other"):
        reassign(office.as_("lead"), given.n, "othr")

    reassign(office.as_("lead"), given.n, "")

    with pytest.raises(TaskStays, match="in the pool of project app"):
        reassign(office.as_("lead"), given.n, "")
    assert take(office.as_("other")).task.n == given.n


def test_its_giver_may_let_a_task_come_to_itself(office: Play, given: Task) -> None:
    reassign(office.as_("lead"), given.n, "lead")

    assert move(office.as_("lead"), given.n, "complete").task.holder == "lead"
    assert letters(office, "builder")[-1].task is not None


def test_a_task_comes_back_to_who_had_it_before(office: Play, given: Task) -> None:
    seated(office, "other")
    reassign(office.as_("lead"), given.n, "other")
    again = reassign(office.as_("lead"), given.n, "builder").task

    assert move(office.as_("builder"), given.n, "complete").task.epoch == again.epoch > given.epoch


# -- whose a task is


def test_a_task_belongs_to_the_seat_and_whoever_sits_there_next_goes_on(office: Play, given: Task) -> None:
    move(office.as_("builder"), given.n, "accept")
    office.as_("builder").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("builder")

    assert listed(successor, MINE) == [given.n]
    with pytest.raises(MustJoin):
        move(office.as_("builder"), given.n, "complete")
    assert move(successor, given.n, "complete").task.state == "completed"


def test_a_session_that_lost_its_seat_between_look_and_act_changes_nothing(office: Play, given: Task) -> None:
    builder = office.as_("builder")
    with builder.at_office() as late:
        writer = late.writer("default")
        builder.die()
        successor = office.player()
        successor.start(automatic=False)
        successor.join("builder")
        late.writer = lambda bag: writer  # type: ignore[method-assign]  # it looked before the seat was lost

        with pytest.raises(MailstopError, match="no longer holds seat 'builder'"):
            late.tasks.move(given.n, "complete")

    assert acts(office, given.n) == ["give"]


def test_a_session_that_moved_to_another_seat_does_not_act_from_the_old_one(office: Play, given: Task) -> None:
    builder = office.as_("builder")
    with builder.at_office() as late:
        late.send(Draft(("human",), "so its writer is known"))
        builder.join("elsewhere")

        with pytest.raises(TaskMoved, match="is not with seat elsewhere"):
            late.tasks.move(given.n, "complete")

    assert acts(office, given.n)[:1] == ["give"]
    assert task(office, given.n).state == "submitted"


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("act", ["give", "take"])
def test_a_seat_taken_between_a_look_and_an_act_of_which_nobody_is_told_refuses_the_act(
    office: Play, world: World, act: str
) -> None:
    lead = office.as_("lead")
    n = give(lead, "").n
    successor = office.player()
    successor.start(automatic=False)

    def takes_over() -> None:
        lead.die()
        successor.join("lead")

    world.meanwhile(takes_over)

    with pytest.raises(MailstopError, match="no longer holds seat 'lead'"):
        give(lead, "") if act == "give" else take(lead, n)

    assert listed(successor) == [n]
    assert acts(office, n) == ["give"]


# -- empty seats


def test_the_giver_is_told_once_that_the_seat_is_empty_and_since_when(office: Play, given: Task) -> None:
    office.as_("builder").end()

    for _ in range(3):
        task(office, given.n)
    office.clock.advance(RETURN_S / 2)
    listed(office.as_("lead"))

    (notice,) = letters(office, "lead")
    assert (notice.sender, notice.kind, notice.final) == ("postmaster", "task", True)
    assert "Seat builder is empty since " in notice.body
    assert f"  {given.n}  Fix it" in notice.body
    assert (task(office, given.n).holder, task(office, given.n).state) == ("builder", "submitted")


@pytest.mark.parametrize("goes", ["end", "die", "leave"])
def test_after_a_while_at_an_empty_seat_a_task_goes_back_to_its_giver_once(
    office: Play, given: Task, goes: str
) -> None:
    move(office.as_("builder"), given.n, "accept")
    office.as_("builder").reads()
    getattr(office.as_("builder"), goes)()
    task(office, given.n)
    office.clock.advance(RETURN_S + 1)

    back = task(office, given.n)

    assert (back.holder, back.state) == ("", "submitted")
    assert back.epoch > given.epoch
    assert acts(office, given.n) == ["give", "accept", "seat-empty", "return"]
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["accept", "seat-empty", "return"]
    (told,) = letters(office, "builder")
    assert "that seat is to stop" in told.body


def test_a_task_of_an_empty_seat_goes_back_to_the_pool_it_was_taken_from(office: Play) -> None:
    n = give(office.as_("lead"), "").n
    take(office.as_("builder"))
    office.as_("builder").end()
    office.clock.advance(RETURN_S + 1)

    assert listed(office.as_("other"), POOL) == [n]
    assert take(office.as_("other")).task.n == n
    with pytest.raises(TaskMoved, match="it is with seat other"):
        move(office.as_("builder").resumed(), n, "complete")


@pytest.mark.parametrize("look", ["show", "list", "take", "move"])
def test_nobody_who_looks_sees_an_overdue_task_with_its_old_holder(office: Play, look: str) -> None:
    n = give(office.as_("lead"), "").n
    take(office.as_("builder"))
    office.as_("other")
    office.as_("builder").end()
    office.clock.advance(RETURN_S + 1)

    if look == "show":
        assert account(office.stranger, n).task.is_pooled
    elif look == "list":
        with office.stranger.at_office() as at:
            assert at.tasks.listed().tasks[0].is_pooled
    elif look == "take":
        assert take(office.as_("other"), n).task.holder == "other"
    else:
        with pytest.raises(TaskMoved, match="in the pool"):
            move(office.as_("other"), n, "complete")


def test_a_seat_that_is_held_again_in_time_keeps_its_tasks_and_the_giver_hears_of_it(office: Play, given: Task) -> None:
    office.as_("builder").end()
    task(office, given.n)
    office.clock.advance(RETURN_S - 60)
    resumed = office.as_("builder").resumed()
    office.clock.advance(RETURN_S)

    assert (task(office, given.n).holder, task(office, given.n).empty_since) == ("builder", 0)
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["seat-empty", "seat-held"]
    assert letters(office, "lead")[-1].kind == "fyi"
    assert move(resumed, given.n, "complete").task.state == "completed"


def test_a_seat_that_is_empty_a_second_time_has_its_whole_time_again(office: Play, given: Task) -> None:
    office.as_("builder").die()
    task(office, given.n)
    office.clock.advance(RETURN_S - 60)
    office.as_("builder").resumed().die()
    office.clock.advance(90)

    assert task(office, given.n).holder == "builder"

    office.clock.advance(RETURN_S)
    assert task(office, given.n).holder == ""
    assert acts(office, given.n) == ["give", "seat-empty", "seat-held", "seat-empty", "return"]


def test_a_holder_of_whom_it_cannot_be_told_whether_it_lives_keeps_its_tasks(office: Play, given: Task) -> None:
    with office.store() as store:
        (row,) = [row for row in store.board.under("session/") if row.value["id"] == office.as_("builder").id]
        life = {**row.value["life"], "namespace": "another"}
        store.board.change([Put(row.key, {**row.value, "life": life})])
    office.as_("builder").die()
    office.clock.advance(10 * RETURN_S)

    assert task(office, given.n).holder == "builder"
    assert acts(office, given.n) == ["give"]


def test_a_task_given_to_an_empty_seat_waits_its_whole_time_there(office: Play) -> None:
    office.as_("builder").leave()
    office.clock.advance(10 * RETURN_S)
    n = give(office.as_("lead")).n
    office.clock.advance(RETURN_S - 10)

    assert task(office, n).holder == "builder"
    assert letters(office, "lead") == []  # it was told when it gave it

    office.clock.advance(11)
    assert task(office, n).holder == ""


def test_the_persons_own_seat_is_never_empty(office: Play) -> None:
    n = give(office.as_("lead"), "human").n
    office.clock.advance(10 * RETURN_S)

    assert task(office, n).holder == "human"
    assert move(office.person, n, "complete").task.state == "completed"
    assert office.rows("task/") == []


def test_what_a_giver_took_itself_waits_at_its_empty_seat(office: Play, given: Task) -> None:
    give_back(office.as_("builder"), given.n)
    take(office.as_("lead"), given.n)
    office.as_("lead").end()
    office.clock.advance(10 * RETURN_S)

    assert task(office, given.n).holder == "lead"
    assert acts(office, given.n) == ["give", "return", "take"]


def test_many_tasks_of_one_giver_at_one_empty_seat_are_told_of_in_one_letter(office: Play) -> None:
    seated(office, "builder")
    numbers = [give(office.as_("lead"), title=f"job {at}").n for at in range(5)]
    other = give(office.as_("boss"), title="another").n
    office.as_("builder").end()

    (to_lead,), (to_boss,) = letters(office, "lead"), letters(office, "boss")
    assert all(f"  {n}  job" in to_lead.body for n in numbers)
    assert f"  {other}  " not in to_lead.body
    assert f"  {other}  another" in to_boss.body
    office.clock.advance(RETURN_S + 1)
    listed(office.as_("lead"))
    assert len(letters(office, "lead")) == 2
    assert all(acts(office, n) == ["give", "seat-empty", "return"] for n in (*numbers, other))


def test_more_tasks_than_one_notice_holds_all_go_back(office: Play) -> None:
    office.person.lifts_limits()
    seated(office, "builder")
    numbers = [give(office.as_("lead"), title=f"job {at}").n for at in range(55)]
    office.as_("builder").end()
    office.clock.advance(RETURN_S + 1)

    with office.as_("lead").at_office() as at:
        found = at.tasks.listed(limit=100).tasks

    assert sorted(one.n for one in found) == numbers
    assert {one.holder for one in found} == {""}
    assert len(letters(office, "lead")) == 4


# -- what falls due


def due_work(office: Play) -> None:
    """Somebody comes by, and then others, for the engine in memory lets a claim on due work fail on purpose."""
    for _ in range(20):
        with office.stranger.at_office() as at:
            at.do_due_work()


def test_a_dead_holder_is_noticed_by_whoever_comes_by(office: Play, given: Task) -> None:
    office.as_("builder").die()
    due_work(office)
    assert letters(office, "lead") == []

    office.clock.advance(LOOK_S + 1)
    due_work(office)
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["seat-empty"]

    office.clock.advance(RETURN_S + 1)
    due_work(office)
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["seat-empty", "return"]
    assert office.rows("task/") == []


def test_nothing_falls_due_any_more_once_no_task_is_open(office: Play, given: Task) -> None:
    assert office.rows("task/") == ["task/default/builder"]
    move(office.as_("builder"), given.n, "complete")

    office.clock.advance(LOOK_S + 1)
    due_work(office)

    assert office.rows("task/") == []


def test_a_living_holder_is_looked_at_ever_again_and_nothing_is_stored(office: Play, given: Task) -> None:
    before = office.entries()
    for _ in range(3):
        office.clock.advance(LOOK_S + 1)
        due_work(office)

    assert office.entries() == before
    assert office.rows("task/") == ["task/default/builder"]


def test_no_look_is_set_further_ahead_than_a_deadline_may_be(office: Play, given: Task) -> None:
    goes_on: list[Callable[[], object]] = [
        lambda: None,
        office.as_("builder").die,
        lambda: office.clock.advance(LOOK_S + 1),
    ]
    for step in goes_on:
        step()
        due_work(office)
        with office.store() as store:
            (row,) = store.board.under("task/")
        assert row.due is not None
        assert office.clock.now < row.due <= office.clock.now + LONGEST_DEADLINE_MS


def test_a_lost_board_lets_no_task_stay_with_an_empty_seat(office: Play, given: Task) -> None:
    office.as_("builder").end()
    with office.store() as store:
        store.board.change([Delete(row.key) for row in store.board.under("")])
    task(office, given.n)
    office.clock.advance(RETURN_S + 1)

    assert task(office, given.n).holder == ""
    assert acts(office, given.n) == ["give", "seat-empty", "return"]


def test_a_dead_holder_whom_nobody_could_tell_of_is_looked_at_again(office: Play, given: Task) -> None:
    office.as_("builder").die()
    office.clock.advance(LOOK_S + 1)
    with (
        patch.object(acts_tasks, "MOST_TRIES", 3),
        patch.object(Tasks, "_settle", side_effect=Uncertain(reason="a test")),
    ):
        due_work(office)

    assert office.rows("task/") == ["task/default/builder"]

    office.clock.advance(LOOK_S + 1)
    due_work(office)
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["seat-empty"]


@pytest.mark.parametrize("noticed", [True, False])
@pytest.mark.parametrize("goes", ["end", "die"])
def test_a_clock_that_is_put_back_lets_no_task_stay_with_an_empty_seat(
    office: Play, given: Task, goes: str, noticed: bool
) -> None:
    office.clock.advance(10 * RETURN_S)
    with patch.object(Tasks, "look") if not noticed else nullcontext():
        getattr(office.as_("builder"), goes)()
    if noticed:
        task(office, given.n)
    office.clock.advance(-20 * RETURN_S)

    assert task(office, given.n).empty_since == office.clock.now
    office.clock.advance(RETURN_S - 1)
    assert task(office, given.n).holder == "builder"
    office.clock.advance(2)

    assert task(office, given.n).holder == ""
    assert acts(office, given.n) == ["give", *["seat-empty"] * (2 if noticed else 1), "return"]


def test_a_look_that_began_a_moment_earlier_tells_nothing_twice(office: Play, given: Task) -> None:
    office.as_("builder").die()
    task(office, given.n)
    office.clock.advance(-1)

    assert acts(office, given.n) == ["give", "seat-empty"]


@pytest.mark.timeout(120)
def test_of_many_who_look_at_once_one_tells_and_one_returns(office: Play, given: Task) -> None:
    office.as_("builder").die()
    for _ in range(2):
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda _: task(office, given.n), range(32)))
        office.clock.advance(RETURN_S + 1)
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda _: task(office, given.n), range(32)))

    assert acts(office, given.n) == ["give", "seat-empty", "return"]
    assert [one.task.act for one in letters(office, "lead") if one.task] == ["seat-empty", "return"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_seat_taken_between_a_look_and_the_return_keeps_its_task(office: Play, world: World, given: Task) -> None:
    office.as_("builder").die()
    task(office, given.n)
    office.clock.advance(RETURN_S + 1)
    successor = office.player()
    successor.start(automatic=False)

    def sits_down_and_comes_no_further() -> None:
        with successor.at_office() as at:
            assert at.session is not None
            rules.seats.take(at.store, at.session, "builder", now=office.clock())

    world.meanwhile(sits_down_and_comes_no_further)

    assert task(office, given.n).holder == "builder"
    assert move(successor, given.n, "complete").task.state == "completed"


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
def test_who_looks_hears_of_no_doubt_about_a_notice_and_it_is_given_once(
    office: Play, world: World, given: Task, stored: bool
) -> None:
    office.as_("builder").die()
    world.lose_contact(stored=stored)

    assert task(office, given.n).holder == "builder"

    assert acts(office, given.n) == ["give", "seat-empty"]
    assert len(letters(office, "lead")) == 1


# -- lists and history


def test_lists_show_the_open_ones_by_priority_and_age_and_the_others_after_them(office: Play) -> None:
    seated(office, "builder", "other")
    lead, builder = office.as_("lead"), office.as_("builder")
    low, high, done, other = (
        give(lead, priority=3).n,
        give(lead, priority=0).n,
        give(lead, priority=0).n,
        give(office.as_("boss"), "other").n,
    )
    late = give(lead, priority=0).n
    move(builder, done, "complete")

    assert listed(lead) == [high, late, other, low, done]
    assert listed(builder, MINE) == [high, late, low, done]
    assert listed(builder, MINE, only_open=True) == [high, late, low]
    assert listed(lead, GIVEN) == [high, late, low, done]
    assert listed(office.as_("boss"), GIVEN) == [other]
    assert listed(office.as_("other"), MINE) == [other]
    assert listed(office.stranger, only_open=True) == [high, late, other, low]


def test_a_list_says_that_there_are_more(office: Play) -> None:
    seated(office, "builder")
    numbers = [give(office.as_("lead")).n for _ in range(4)]

    with office.as_("lead").at_office() as at:
        assert at.tasks.listed(limit=3).more
        assert not at.tasks.listed(limit=4).more
    assert listed(office.as_("lead"), limit=2) == numbers[:2]


def test_a_history_holds_every_step_with_its_words_in_order(office: Play, given: Task) -> None:
    move(office.as_("builder"), given.n, "accept", "on it")
    move(office.as_("builder"), given.n, "complete", "done", artifacts=("out.txt",))

    found = account(office.stranger, given.n)

    assert [(step.act, step.seat, step.state, step.text) for step in found.steps] == [
        ("give", "lead", "submitted", "It loses the last line."),
        ("accept", "builder", "working", "on it"),
        ("complete", "builder", "completed", "done"),
    ]
    assert found.steps[-1].artifacts == ("out.txt",)
    assert all(step.letter for step in found.steps)
    assert not found.older
    assert account(office.stranger, given.n, steps=2).older
    assert [step.act for step in account(office.stranger, given.n, steps=2).steps] == ["accept", "complete"]


def test_a_task_that_nobody_gave_is_unknown_with_its_neighbours(office: Play, given: Task) -> None:
    seated(office, "other")
    with pytest.raises(UnknownTask, match=f"nearest: {given.n}"):
        task(office, 4711)
    with pytest.raises(UnknownTask) as refusal:
        move(office.as_("builder"), 1 << 61, "accept")
    assert refusal.value.exit_code == 3
    with pytest.raises(TaskInOtherBag, match="in bag default, not in bag side"):
        account(office.stranger, given.n, bag="side")


def test_an_order_is_checked_before_anything_is_looked_up(office: Play) -> None:
    with pytest.raises(InvalidField, match="this one has 201"):
        give(office.as_("lead"), "nobody", "x" * 201)


def test_tasks_are_on_subjects_of_their_own(office: Play, given: Task) -> None:
    with office.store() as store:
        on = subject("tasks", "default", given.id)
        assert store.ledger.last(on) == given.n
        assert store.index.tasks.number("default", given.id) == given.n
    assert given.state in OPEN


# -- a letter that brought a task, read when that is elsewhere


@pytest.mark.parametrize(
    ("away", "now"),
    [
        ("cancel", "it is canceled, by seat lead since "),
        ("reassign", "it is with seat other since "),
        ("pool", "it is in the pool of project "),
        ("taken", "it is with seat other since "),
    ],
)
def test_the_letter_of_a_task_that_its_seat_has_lost_says_where_that_is(
    office: Play, given: Task, away: str, now: str
) -> None:
    seated(office, "other")
    if away == "cancel":
        move(office.as_("lead"), given.n, "cancel")
    else:
        reassign(office.as_("lead"), given.n, "other" if away == "reassign" else "")
    if away == "taken":
        take(office.as_("other"), given.n)

    offer = office.as_("builder").check()

    assert offer.letters[0].task and offer.letters[0].task.act == "give"
    assert f"Task {given.n} is not for seat builder to do any more: {now}" in offer.text
    assert f"mailstop task complete {given.n}" not in offer.text.partition("Letter ")[2].partition("Letter ")[0]
    assert office.as_("builder").account(offer.letters[0].n).letter.closed.startswith(now)


def test_the_letter_of_a_task_that_is_still_there_says_how_to_go_on(office: Play, given: Task) -> None:
    offer = office.as_("builder").check()

    assert not offer.letters[0].closed
    assert f"mailstop task accept {given.n}" in offer.text


def test_a_task_that_went_away_and_came_back_is_there(office: Play, given: Task) -> None:
    seated(office, "other")
    reassign(office.as_("lead"), given.n, "other")
    reassign(office.as_("lead"), given.n, "builder")

    offer = office.as_("builder").check()

    assert [letter.closed for letter in offer.letters if letter.task and letter.task.holder == "builder"] == ["", ""]


def test_nothing_is_looked_up_for_a_letter_that_brings_no_task(office: Play, given: Task) -> None:
    plain = office.as_("lead").send("builder").letter
    done = move(office.as_("builder"), given.n, "accept").sent
    assert done and done.letter.task

    for letter in (plain, done.letter):
        assert rules.offers.as_it_stands(None, letter) is letter  # type: ignore[arg-type]


def owed(office: Play, seat: str) -> list[int]:
    """The letters that a seat was shown and has not answered."""
    with office.store() as store:
        return [letter.n for letter in store.index.owed("default", seat)]


@pytest.mark.parametrize("away", ["cancel", "reassign", "complete", "taken back"])
def test_nobody_owes_a_reply_about_a_task_that_is_over_or_elsewhere(office: Play, given: Task, away: str) -> None:
    builder, lead = office.as_("builder"), office.as_("lead")
    seated(office, "other")
    move(builder, given.n, "need-input", "which?")
    for player in (builder, lead):
        player.reads()
        player.goes_on()
    assert owed(office, "lead")

    if away == "cancel":
        move(lead, given.n, "cancel")
    elif away == "complete":
        move(builder, given.n, "complete")
    elif away == "reassign":
        reassign(lead, given.n, "other")
    else:
        give_back(builder, given.n)

    assert owed(office, "builder") == []
    if away in ("cancel", "complete"):
        assert owed(office, "lead") == []


# -- with a budget that is used up


@pytest.mark.parametrize("act", ["accept", "progress", "need-input", "complete", "fail", "reject", "return"])
def test_a_used_up_budget_stops_each_change_that_somebody_is_told_of(office: Play, given: Task, act: str) -> None:
    office.person.opens_budget(1)
    office.as_("builder").send("lead")
    before = task(office, given.n)

    with pytest.raises(BudgetSpent):
        give_back(office.as_("builder"), given.n) if act == "return" else move(office.as_("builder"), given.n, act)

    assert task(office, given.n) == before
    office.person.opens_budget(1)
    if act == "return":
        give_back(office.as_("builder"), given.n)
    else:
        move(office.as_("builder"), given.n, act)
    assert task(office, given.n) != before


def test_a_used_up_budget_stops_no_change_of_which_nobody_is_told_nor_the_persons(office: Play, given: Task) -> None:
    seated(office, "other")
    own = give(office.as_("other"), "")
    office.person.opens_budget(1)
    office.as_("builder").send("lead")

    take(office.as_("other"), own.n)
    move(office.as_("other"), own.n, "complete")
    move(office.person, given.n, "cancel")

    assert task(office, own.n).state == "completed"
    assert task(office, given.n).state == "canceled"
