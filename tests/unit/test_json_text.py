from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.json_text import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
# Texts that are nearly JSON: what a parser meets when a writer died, or lied.
NEARLY = st.text(alphabet='{}[]",:0123456789.eE+-truefalsn\\u \t\n\r\x00\x1fa\ud800ä\ufeff', max_size=60)


def of_json(text: str) -> Any:
    """What `json` makes of a text; ValueError as a value, since two parsers must agree on refusals too."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return ValueError


def of_ours(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return ValueError


@given(VALUES)
def test_a_value_is_written_as_json_writes_it(value: Any) -> None:
    assert dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(VALUES)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert loads(dumps(value)) == value
    assert loads(json.dumps(value, indent=1)) == value


@given(VALUES, st.text(alphabet=" \t\n\r", max_size=3))
def test_blanks_around_a_value_change_nothing(value: Any, blanks: str) -> None:
    assert loads(f"{blanks}{dumps(value)}{blanks}") == value


@given(NEARLY | st.text())
def test_any_text_is_read_or_refused_as_json_does(text: str) -> None:
    assert of_ours(text) == of_json(text)


@given(st.binary())
def test_any_bytes_are_read_or_refused_with_a_value_error(data: bytes) -> None:
    try:
        value = loads(data)
    except ValueError:
        return
    assert value == json.loads(data.decode())


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "{} {}", "nul", "NaN", "-Infinity", '"\n"', "\ufeff1"])
def test_what_is_not_json_is_refused_with_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


def test_deep_nesting_is_refused_with_a_value_error() -> None:
    with pytest.raises(ValueError):
        loads("[" * 200_000)


def test_an_overlong_number_is_refused_with_a_value_error() -> None:
    with pytest.raises(ValueError):
        loads("9" * 5_000)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_numbers_that_json_does_not_know_are_not_written(value: object) -> None:
    with pytest.raises(ValueError):
        dumps(value)


@pytest.mark.parametrize("value", [b"", {1, 2}, object(), {b"key": 1}, [b""]])
def test_types_that_json_does_not_know_are_not_written(value: object) -> None:
    with pytest.raises(TypeError):
        dumps(value)


def test_a_value_that_holds_itself_is_not_written() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError):
        dumps(value)


def test_an_interpreter_without_the_accelerator_reads_and_writes_the_same() -> None:
    script = """
import sys
sys.modules["_json"] = None
from mailstop.json_text import dumps, loads
value = {"a": [1, 2.5, None, True, "ä\\u2028\\n"], "b": {}}
print(dumps(value) == '{"a":[1,2.5,null,true,"ä\\u2028\\\\n"],"b":{}}', loads(dumps(value)) == value)
for bad in ("", "{", "NaN", "[1,]"):
    try:
        loads(bad)
    except ValueError:
        print("refused")
"""
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", script], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert run.stdout.split() == ["True", "True", *["refused"] * 4]


@pytest.mark.parametrize("text", ['{"from":"b', "[1", "{1}", '"\\x"'])
def test_a_torn_text_is_refused_also_where_json_was_never_imported(text: str) -> None:
    script = (
        "import sys; from mailstop.json_text import loads; assert 'json' not in sys.modules\n"
        "try: loads(sys.argv[1])\n"
        "except ValueError: sys.exit(7)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}", text]
        ).returncode
        == 7
    )
