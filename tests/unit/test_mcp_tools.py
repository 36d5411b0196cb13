"""The table of tools: what it costs in a model's context, and what it says of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from mailstop import mcp
from mailstop.errors import InvalidArguments
from mailstop.mcp import protocol, tools
from mailstop.mcp.schema import checked
from mailstop.mcp.tools.tool import Tool
from tests.unit.cl100k import tokens

TEN = 10  # tools that the whole table will have
EACH = 150  # tokens, on the average of all


def counted(table: list[Tool]) -> int:
    """The tokens of tools, with all that a client may show its model of them."""
    return tokens(json.dumps([tool.described for tool in table], separators=(",", ":")))


def test_the_tools_take_their_part_of_1500_tokens_and_leave_that_of_those_to_come() -> None:
    table = tools.everything()
    assert counted(table) <= 1_500
    still_to_come = TEN - len(table)
    assert counted(table) + still_to_come * (EACH - 10) <= 1_500


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
    assert set(tool.always) <= set(tool.output)
    assert not (tool.reads_only and tool.stores)


def test_each_file_of_the_folder_is_a_tool_of_the_table_and_the_other_way_round() -> None:
    folder = Path(mcp.__file__).parent / "tools"
    files = {path.stem for path in folder.glob("[!_]*.py")} - {"tool"}
    assert files == set(tools.NAMES)
    assert [tool.name for tool in tools.everything()] == list(tools.NAMES)
    assert tools.find("tool") is None
    assert tools.find("me.run") is None


VALUES = (st.none() | st.booleans() | st.integers(-3, 60) | st.floats(-1e9, 1e9)) | st.sampled_from(
    ["", "x", "join", "show"]
)
ANY = VALUES | st.lists(VALUES, max_size=2) | st.dictionaries(st.text(max_size=2), VALUES, max_size=1)


@given(st.sampled_from(tools.everything()), st.data())
def test_arguments_are_taken_exactly_where_json_schema_takes_them(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from([*tool.properties, "unknown"])
    arguments = data.draw(st.dictionaries(names, ANY, max_size=3))
    arguments |= data.draw(st.sampled_from([{}, {"body": "x"}])) if tool.required else {}
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
        "body (needed), ref, kind, needs_reply, final, artifacts, key, hold, bag"
    )


def test_half_a_surrogate_pair_is_no_text() -> None:
    send = tools.find("send")
    assert send is not None
    with pytest.raises(InvalidArguments, match="half of a surrogate pair"):
        checked({"body": "x", "to": ["\ud800"]}, send.input_schema, "send")


def test_a_number_that_no_ledger_reaches_is_refused() -> None:
    read = tools.find("read")
    assert read is not None
    with pytest.raises(InvalidArguments):
        checked({"number": 1 << 70}, read.input_schema, "read")
