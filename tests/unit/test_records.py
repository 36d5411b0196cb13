from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.records import Record


class Life(Record):
    pid: int
    start: int = 0
    longest: ClassVar[int] = 5


class NamedLife(Life):
    name: str = "x"
    start: int = 7


def test_fields_are_taken_by_place_or_by_name() -> None:
    assert Life(1, 2) == Life(pid=1, start=2) == Life(1, start=2)


def test_a_field_left_out_has_its_default() -> None:
    assert Life(1).start == 0


def test_a_subclass_adds_fields_behind_those_it_inherits_and_may_change_their_defaults() -> None:
    assert NamedLife(1) == NamedLife(pid=1, start=7, name="x")
    assert NamedLife.fields == ("pid", "start", "name")


def test_a_class_variable_is_no_field() -> None:
    assert Life.fields == ("pid", "start")
    assert Life.longest == 5


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, 2, 3), {}), ((1,), {"pid": 2}), ((1,), {"unknown": 2})],
    ids=["one missing", "too many", "one twice", "unknown"],
)
def test_fields_that_do_not_fit_are_refused(values: tuple[int, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Life(*values, **named)


def test_a_record_cannot_be_changed() -> None:
    life: Any = Life(1)
    with pytest.raises(AttributeError):
        life.pid = 2
    with pytest.raises(AttributeError):
        del life.pid
    assert life == Life(1)


@given(st.integers(), st.integers())
def test_equal_records_have_equal_hashes(pid: int, start: int) -> None:
    assert Life(pid, start) == Life(pid, start)
    assert hash(Life(pid, start)) == hash(Life(pid, start))


def test_records_of_two_classes_are_never_equal() -> None:
    assert Life(1, 7) != NamedLife(1)
    assert Life(1) != (1, 0)


def test_but_changes_some_fields_of_a_copy() -> None:
    life = Life(1, 2)
    assert life.but(start=3) == Life(1, 3)
    assert life == Life(1, 2)


def test_as_dict_keeps_the_order_of_declaration() -> None:
    assert list(NamedLife(name="y", pid=1).as_dict().items()) == [("pid", 1), ("start", 7), ("name", "y")]


def test_the_text_of_a_record_says_all_of_it() -> None:
    assert repr(Life(1)) == "Life(pid=1, start=0)"


def test_a_record_can_be_matched_by_place() -> None:
    match Life(1, 2):
        case Life(pid, start):
            assert (pid, start) == (1, 2)
        case _:
            pytest.fail("no match")


def test_a_record_survives_copying_and_pickling() -> None:
    life = Life(1, 2)
    assert copy.copy(life) == copy.deepcopy(life) == life
    assert pickle.loads(pickle.dumps(life)) == life
