from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.kinds import GENERIC, KINDS, action_needed, kind_of


def test_a_known_kind_has_its_own_hint() -> None:
    assert "architect" in kind_of("design-task").hint
    assert "blocked" in kind_of("question").hint


@given(st.text().filter(lambda name: name not in KINDS))
def test_an_unknown_kind_is_no_error_and_gets_the_generic_hint(name: str) -> None:
    assert kind_of(name) == GENERIC
    assert "no defined action" in GENERIC.hint
    assert not action_needed(name, needs_reply=False)


@pytest.mark.parametrize("name", ["design-task", "build-task", "question"])
def test_a_kind_that_expects_an_answer_needs_action(name: str) -> None:
    assert action_needed(name, needs_reply=False)


@pytest.mark.parametrize("name", ["note", "design-delivered", "build-delivered", "qc-verdict", "reconnect"])
def test_a_kind_that_expects_none_needs_action_only_when_a_reply_is_asked_for(name: str) -> None:
    assert not action_needed(name, needs_reply=False)
    assert action_needed(name, needs_reply=True)


def test_the_kind_that_answers_another_is_a_known_one() -> None:
    expected = {kind.expects for kind in KINDS.values()} - {None, "any"}
    assert expected == {"design-delivered", "build-delivered"}
    assert expected <= set(KINDS)


def test_hints_are_short_sentences() -> None:
    for kind in KINDS.values():
        assert kind.hint.endswith(".")
        assert len(kind.hint) <= 75
