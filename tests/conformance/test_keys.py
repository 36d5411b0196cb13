"""Keys: a letter that is sent again with its key is stored once, for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mailstop.engines.memory.store import World
from mailstop.errors import AlreadyAnswered, BudgetSpent, KeyReused, MailstopError, NoLeader, Uncertain, WakesMany
from mailstop.letter import Letter
from mailstop.office import Sent
from mailstop.rules import letters as letter_rules
from tests.conformance.play import Play


def test_the_same_letter_with_the_same_key_is_stored_once(office: Play) -> None:
    office.as_("reviewer")
    builder = office.as_("builder")

    first = builder.send("reviewer", key="k1")
    again = builder.send("reviewer", key="k1")

    assert (first.new, again.new) == (True, False)
    assert again.letter == first.letter
    assert len(office.letters()) == 1
    assert office.as_("reviewer").reads() == ["hello"]


@pytest.mark.parametrize(
    "change",
    [
        {"body": "another"},
        {"kind": "question"},
        {"needs_reply": True},
        {"final": True},
        {"artifacts": ("file",)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_letter_with_the_same_key_is_refused(office: Play, change: dict[str, Any]) -> None:
    office.as_("reviewer")
    builder = office.as_("builder")
    first = builder.send("reviewer", key="k1")

    with pytest.raises(KeyReused) as refusal:
        builder.send("reviewer", key="k1", **change)

    assert refusal.value.details == {"key": "k1", "n": first.letter.n}
    assert len(office.letters()) == 1


def test_other_recipients_make_another_letter(office: Play) -> None:
    office.as_("reviewer")
    office.as_("tester")
    office.as_("builder").send("reviewer", key="k1")

    with pytest.raises(KeyReused):
        office.as_("builder").send("reviewer", "tester", key="k1")


def test_the_key_is_looked_up_before_any_other_rule(office: Play) -> None:
    first = office.as_("builder").send("newcomer", hold=True, key="k1")

    again = office.as_("builder").send("newcomer", key="k1")  # without --hold it would be unknown, had it not waited

    assert again.letter == first.letter


def test_a_key_belongs_to_its_seat(office: Play) -> None:
    office.as_("reviewer")

    one = office.as_("builder").send("reviewer", key="k1")
    other = office.as_("tester").send("reviewer", key="k1", body="mine")

    assert other.new
    assert one.letter.n != other.letter.n


def test_a_key_belongs_to_its_bag(office: Play) -> None:
    builder = office.as_("builder")
    builder.join("builder", "side")
    for bag in ("default", "side"):
        assert builder.send("human", bag=bag, key="k1").new


def test_a_key_belongs_to_the_seat_whoever_sits_there(office: Play) -> None:
    office.as_("reviewer")
    first = office.as_("builder").send("reviewer", key="k1")
    office.as_("builder").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("builder")

    assert successor.send("reviewer", key="k1").letter == first.letter


@pytest.mark.parametrize("key", ["a.b", "a>b", "*", ">", "'", "a b", "ä", "=41", "A"])
def test_any_printable_line_is_a_key_of_its_own(office: Play, key: str) -> None:
    office.as_("builder").send("human", key="another")

    assert office.as_("builder").send("human", key=key).new
    assert not office.as_("builder").send("human", key=key).new


def test_a_key_used_long_ago_still_holds(office: Play) -> None:
    builder = office.as_("builder")
    first = builder.send("human", key="k1")
    for count in range(20):
        builder.send("human", body=f"letter {count}")
        office.clock.advance(3600 * 24 * 30)

    assert builder.send("human", key="k1").letter == first.letter


def test_of_two_sends_with_one_key_at_once_one_is_stored(office: Play) -> None:
    from mailstop.letter import Draft

    builder = office.as_("builder")
    draft = Draft(("human",), "once", key="k1")
    with builder.at_office() as one, builder.at_office() as other:
        first = one.send(draft)
        second = other.send(draft)  # where an index lags, it has not seen the first

    assert (first.new, second.new) == (True, False)
    assert second.letter == first.letter
    assert office.letters() == ["once"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_key_used_between_a_look_and_an_append_is_found(office: Play, world: World) -> None:
    builder = office.as_("builder")
    world.meanwhile(lambda: builder.send("human", body="once", key="k1"))

    again = builder.send("human", body="once", key="k1")

    assert not again.new
    assert office.letters() == ["once"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
def test_what_is_not_known_to_be_stored_is_stored_once_by_the_same_key(
    office: Play, world: World, stored: bool
) -> None:
    builder = office.as_("builder")
    world.lose_contact(stored=stored)

    with pytest.raises(Uncertain) as doubt:
        builder.send("human", body="once", key="k1")
    again = builder.send("human", body="once", key="k1")

    assert doubt.value.exit_code == 6
    assert again.new is not stored
    assert office.letters() == ["once"]
    assert office.person.reads() == ["once"]


def answers(office: Play) -> Callable[..., Sent]:
    reviewer = office.as_("reviewer")
    n = office.as_("builder").ask("reviewer").question.n
    return lambda **key: reviewer.answer(n, "yes", **key)


def speaks_to_all(office: Play) -> Callable[..., Sent]:
    office.as_("reviewer")
    return lambda **key: office.as_("builder").say("general", wake_all=1, **key)


def writes_to_the_leader(office: Play) -> Callable[..., Sent]:
    with office.as_("reviewer").at_office() as at:
        at.leaders.claim()
    return lambda **key: office.as_("builder").send("leader", **key)


def writes_the_budgets_last_letter(office: Play) -> Callable[..., Sent]:
    office.as_("builder")
    office.person.opens_budget(1)
    return lambda **key: office.as_("builder").send("human", **key)


@pytest.mark.parametrize(
    ("acts", "ends", "refusal"),
    [
        (answers, lambda _office: None, AlreadyAnswered),
        (speaks_to_all, lambda office: office.as_("newcomer"), WakesMany),
        (writes_to_the_leader, lambda office: office.as_("reviewer").leave(), NoLeader),
        (writes_the_budgets_last_letter, lambda _office: None, BudgetSpent),
    ],
)
def test_what_the_same_letter_makes_a_rule_refuse_comes_back_when_it_was_stored_meanwhile_with_the_same_key(
    office: Play,
    monkeypatch: pytest.MonkeyPatch,
    acts: Callable[[Play], Callable[..., Sent]],
    ends: Callable[[Play], object],
    refusal: type[MailstopError],
) -> None:
    act = acts(office)
    looking = letter_rules.with_key
    stored: list[Sent] = []

    def stored_afterwards(*what: Any) -> Letter | None:
        """No letter has the key yet; another process stores it, and things go on."""
        found = looking(*what)
        if not stored:
            monkeypatch.setattr(letter_rules, "with_key", looking)
            stored.append(act(key="k"))
            ends(office)
        return found

    monkeypatch.setattr(letter_rules, "with_key", stored_afterwards)
    again = act(key="k")

    assert (again.new, again.letter) == (False, stored[0].letter)
    with pytest.raises(refusal):
        act()


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_question_that_is_stored_with_its_key_between_a_look_and_an_append_leaves_one_wait(
    office: Play, world: World
) -> None:
    office.as_("reviewer")
    builder = office.as_("builder")
    world.meanwhile(lambda: builder.ask("reviewer", wait_s=0, key="k"))

    again = builder.ask("reviewer", key="k")

    with office.store() as store:
        row = store.board.get("waits")
    assert not again.new
    assert row and [wait["id"] for wait in row.value["waits"]] == [again.wait]
