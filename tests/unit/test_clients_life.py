from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.clients import life as life_module
from mailstop.clients.life import Life, is_alive, life_of, machine_id, my_life


def test_the_calling_process_lives() -> None:
    assert is_alive(my_life()) is True


def test_a_life_is_that_of_the_process_asked_for() -> None:
    assert life_of(os.getpid()) == my_life()


def test_a_pid_that_was_used_again_is_another_life() -> None:
    mine = my_life()
    assert is_alive(mine.but(start=mine.start - 1)) is False


def test_nothing_lives_of_an_earlier_boot_of_this_machine() -> None:
    assert is_alive(my_life().but(boot="00000000-0000-0000-0000-000000000000")) is False


def test_a_process_of_another_machine_cannot_be_judged() -> None:
    assert is_alive(my_life().but(machine="0" * 32, boot="other")) is None


def test_a_process_of_another_pid_namespace_cannot_be_judged() -> None:
    assert is_alive(my_life().but(namespace="1")) is None


@pytest.mark.parametrize("field", ["machine", "boot", "namespace"])
def test_a_life_of_which_something_is_not_known_cannot_be_judged(field: str) -> None:
    assert is_alive(my_life().but(**{field: ""})) is None


def test_there_is_no_life_of_a_pid_without_a_process() -> None:
    assert life_of(2**22 + 1) is None  # above the largest pid that Linux gives


def test_a_life_comes_back_from_its_dictionary() -> None:
    assert Life.from_dict(my_life().as_dict()) == my_life()


@pytest.mark.parametrize(
    "change", [{"pid": 0}, {"pid": -1}, {"pid": 2**40}, {"pid": True}, {"pid": "7"}, {"start": None}, {"boot": 7}]
)
def test_a_dictionary_with_a_wrong_value_is_no_life(change: dict[str, object]) -> None:
    assert Life.from_dict({**my_life().as_dict(), **change}) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
fields = st.sampled_from(["machine", "boot", "namespace", "pid", "start", "more"])


@given(json_values | st.dictionaries(fields, json_values))
def test_no_json_value_breaks_the_reading_of_a_life(value: object) -> None:
    found = Life.from_dict(value)
    assert found is None or is_alive(found) in (True, False, None)


def test_a_machine_without_an_id_gets_one_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life_module, "_MACHINE_FILES", ())
    monkeypatch.setattr(life_module, "_known", {})
    first = machine_id()
    monkeypatch.setattr(life_module, "_known", {})
    assert len(first) == 32
    assert machine_id() == first


def test_where_no_id_can_be_kept_the_machine_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life_module, "_MACHINE_FILES", ())
    monkeypatch.setattr(life_module, "_known", {})
    monkeypatch.setenv("HOME", "/dev/null")
    assert machine_id() == ""


def test_the_host_name_plays_no_part() -> None:
    assert os.uname().nodename not in my_life().as_dict().values()
