"""The table of tools: what it costs in a model's context, and what it says of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from mailstop import mcp
from mailstop.errors import InvalidArguments
from mailstop.mcp import protocol, tools
from mailstop.mcp.schema import MOST_ITEMS, Takes, checked, checked_for
from mailstop.mcp.tools.tool import Call, Tool
from tests.unit.cl100k import tokens


def counted(table: list[Tool]) -> int:
    """The tokens of tools, with all that a client may show its model of them."""
    return tokens(json.dumps([tool.described for tool in table], separators=(",", ":")))


def test_all_ten_tools_together_take_at_most_1500_tokens() -> None:
    assert len(tools.NAMES) == 10
    assert counted(tools.everything()) <= 1_500


def test_the_instructions_take_at_most_150_tokens() -> None:
    assert tokens(protocol.INSTRUCTIONS) <= 150


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"type":"object","properties":{"name":{"type":"string"}}}', 14),
        ("The answer is 12345, and we don't know why.\n\n  return x", 17),
        ("Where are the letters of the person?", 8),
    ],
)
def test_the_count_is_that_of_cl100k(text: str, count: int) -> None:
    assert tokens(text) == count


def test_the_count_is_at_least_that_of_cl100k_for_a_word_that_is_not_in_the_list() -> None:
    assert tokens("hello world") == 3  # where cl100k has 2


@pytest.mark.parametrize("tool", tools.everything(), ids=tools.NAMES)
def test_a_tool_is_described_as_the_protocol_wants_it(tool: Tool) -> None:
    described = tool.described
    assert described["name"] == tool.name
    Draft202012Validator.check_schema(described["inputSchema"])
    Draft202012Validator.check_schema(described["outputSchema"])
    assert described["inputSchema"]["additionalProperties"] is False
    assert set(tool.required) <= set(tool.properties)
    assert tool.always
    assert set(tool.ranges) <= {name for name, schema in tool.properties.items() if schema["type"] == "integer"}
    assert not (tool.reads_only and tool.stores)


def test_each_file_of_the_folder_is_a_tool_of_the_table_and_the_other_way_round() -> None:
    folder = Path(mcp.__file__).parent / "tools"
    files = {path.stem for path in folder.glob("[!_]*.py")} - {"tool"}
    assert files == set(tools.NAMES)
    assert [tool.name for tool in tools.everything()] == list(tools.NAMES)
    assert tools.find("tool") is None
    assert tools.find("me.run") is None


VALUES = (st.none() | st.booleans() | st.integers(-3, 60) | st.floats(-1e9, 1e9)) | st.sampled_from(
    ["", "x", "join", "show", "give", "list", "take"]
)
ANY = VALUES | st.lists(VALUES, max_size=2) | st.dictionaries(st.text(max_size=2), VALUES, max_size=1)


@given(st.sampled_from(tools.everything()), st.data())
def test_arguments_are_taken_exactly_where_json_schema_takes_them(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from([*tool.properties, "unknown"])
    arguments = data.draw(st.dictionaries(names, ANY, max_size=3))
    arguments |= (
        data.draw(st.sampled_from([{}, {"body": "x"}, {"action": "list"}, {"number": 1}])) if tool.required else {}
    )
    expected = Draft202012Validator(tool.input_schema).is_valid(arguments)

    try:
        given = checked(arguments, tool.input_schema, tool.name)
    except InvalidArguments:
        assert not expected
    else:
        assert expected
        assert given == arguments


def test_a_refusal_of_arguments_names_all_that_is_wrong_and_what_is_taken() -> None:
    send = tools.find("send")
    assert send is not None
    with pytest.raises(InvalidArguments) as caught:
        checked({"to": 5, "text": "x"}, send.input_schema, "send")

    assert caught.value.message == (
        "'text' is unknown; body is missing; to is no string or array. Nothing was done. The tool send takes: to, "
        "body (needed), ref, kind, needs_reply, final, artifacts, key, hold, wake_all, bag"
    )


def test_half_a_surrogate_pair_is_no_text() -> None:
    send = tools.find("send")
    assert send is not None
    with pytest.raises(InvalidArguments, match="half of a surrogate pair"):
        checked({"body": "x", "to": ["\ud800"]}, send.input_schema, "send")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"number": 1 << 70}),
        ("read", {"number": 0}),
        ("read", {"last": -5}),
        ("read", {"number": 1, "offset": -1}),
        ("check", {"wait": 46}),
        ("ask", {"number": 3, "wait": -1}),
        ("lease", {"action": "take", "resources": ["x"], "minutes": 1441}),
        ("task", {"action": "give", "title": "x", "priority": 5}),
        ("answer", {"number": 3, "choice": 0}),
        ("send", {"to": "#", "body": "x", "wake_all": -1}),
    ],
)
def test_a_number_out_of_its_range_is_refused_before_anything_is_done(name: str, arguments: dict[str, Any]) -> None:
    tool = tools.find(name)
    assert tool is not None
    call: Any = Call(None, checked(arguments, tool.input_schema, name), None)  # type: ignore[arg-type]
    with pytest.raises(InvalidArguments, match="is a number from"):
        tool.run(call)


@pytest.mark.parametrize(
    "tool", [tool for tool in tools.everything() if "action" in tool.properties], ids=lambda tool: str(tool.name)
)
def test_an_action_takes_its_own_arguments_and_no_other(tool: Tool) -> None:
    takes: dict[str, Takes] = vars(__import__(f"mailstop.mcp.tools.{tool.name}", fromlist=["_"]))["_TAKES"]
    assert [*takes] == tool.properties["action"]["enum"]
    used = {name for each in takes.values() for name in (*each.needed, *each.may)}
    assert used == set(tool.properties) - {"action"}
    for action, each in takes.items():
        fits = dict.fromkeys(each.needed, "x")
        checked_for(action, {"action": action, **fits}, each, tool.name)
        for name in set(tool.properties) - {"action", *each.needed, *each.may}:
            with pytest.raises(InvalidArguments, match=f"{name} is not for action {action}"):
                checked_for(action, {**fits, name: "x"}, each, tool.name)
        for name in each.needed:
            with pytest.raises(InvalidArguments, match=f"action {action} needs {name}"):
                checked_for(action, {}, each, tool.name)


def test_a_list_has_a_most_of_items_of_which_none_is_looked_at_beyond() -> None:
    send = tools.find("send")
    assert send is not None
    assert checked({"body": "x", "to": ["x"] * MOST_ITEMS}, send.input_schema, "send")
    with pytest.raises(InvalidArguments, match="to has 1001 items; 1000 are the most"):
        checked({"body": "x", "to": ["x"] * (MOST_ITEMS + 1)}, send.input_schema, "send")
