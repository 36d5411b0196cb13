"""How tests wait."""

from __future__ import annotations

import pytest

from tests.clients.waiting import wait_for


def test_a_probe_whose_assertion_fails_at_first_is_asked_again() -> None:
    answers = iter((False, False, True))

    def probe() -> str:
        assert next(answers)
        return "taken"

    assert wait_for("the seat", probe) == "taken"


def test_what_never_comes_true_is_named_with_the_assertion_that_failed() -> None:
    def probe() -> str:
        raise AssertionError("there is no seat")

    with pytest.raises(TimeoutError, match="the seat") as caught:
        wait_for("the seat", probe, timeout_s=0.02)

    assert str(caught.value.__cause__) == "there is no seat"
