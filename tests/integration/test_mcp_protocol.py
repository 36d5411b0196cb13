"""The lines of `mailstop mcp`: both eras, what is wrong with a line, and that it touches no other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types import methods

from mailstop.mcp import tools
from tests.mcp_connection import Connection
from tests.party import Party

OLD = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def connection(stranger: Party) -> Iterator[Connection]:
    with Connection(stranger) as opened:
        yield opened


@pytest.fixture
def agreed(connection: Connection) -> Connection:
    connection.initialize()
    return connection


# -- eras


@pytest.mark.parametrize("version", OLD)
def test_each_published_version_of_the_old_era_is_agreed_to_and_kept(connection: Connection, version: str) -> None:
    initialized = connection.initialize(version)
    assert initialized["protocolVersion"] == version
    methods.validate_server_result("initialize", version, initialized)
    listed = connection.ask("tools/list")["result"]
    methods.validate_server_result("tools/list", version, listed)
    called = connection.call("who")
    methods.validate_server_result("tools/call", version, called)
    knows_structure = version >= "2025-06-18"
    assert ("structuredContent" in called, "outputSchema" in listed["tools"][0]) == (knows_structure, knows_structure)


def test_an_unknown_version_gets_the_newest_of_the_old_era(connection: Connection) -> None:
    assert connection.initialize("1999-01-01")["protocolVersion"] == OLD[-1]


def test_the_new_era_needs_no_handshake(connection: Connection) -> None:
    discovered = connection.ask("server/discover", {"_meta": ENVELOPE})["result"]
    methods.validate_server_result("server/discover", "2026-07-28", discovered)
    listed = connection.ask("tools/list", {"_meta": ENVELOPE})["result"]
    methods.validate_server_result("tools/list", "2026-07-28", listed)
    called = connection.call("who", meta=ENVELOPE)
    methods.validate_server_result("tools/call", "2026-07-28", called)
    assert called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "mailstop"


def test_a_client_may_probe_with_the_new_era_and_go_on_with_the_old(connection: Connection) -> None:
    assert "result" in connection.ask("server/discover", {"_meta": ENVELOPE})
    assert connection.initialize("2025-11-25", client="claude-code")["protocolVersion"] == "2025-11-25"
    assert connection.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}, -32022),
        ({**ENVELOPE, "io.modelcontextprotocol/protocolVersion": 3}, -32602),
        ({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, -32602),
    ],
)
def test_a_wrong_envelope_is_refused_by_name(connection: Connection, meta: dict[str, Any], code: int) -> None:
    error = connection.ask("tools/list", {"_meta": meta})["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


def test_ping_is_of_the_old_era_and_discover_of_the_new(agreed: Connection) -> None:
    assert agreed.ask("ping")["result"] == {}
    assert agreed.ask("ping", {"_meta": ENVELOPE})["error"]["code"] == -32601
    assert agreed.ask("server/discover")["error"]["code"] == -32601


def test_nothing_is_listed_before_anything_is_agreed(connection: Connection) -> None:
    assert connection.ask("ping")["result"] == {}
    assert connection.ask("tools/list")["error"]["code"] == -32600


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"protocolVersion": 1, "capabilities": {}, "clientInfo": {"name": "x"}},
        {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": {"name": "x"}},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}},
    ],
)
def test_a_wrong_initialize_is_refused_and_a_right_one_works_after_it(
    connection: Connection, params: dict[str, Any]
) -> None:
    assert connection.ask("initialize", params)["error"]["code"] == -32602
    assert connection.initialize()["protocolVersion"] == OLD[-1]


# -- what is wrong with a line


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"{", None, -32700),
        (b"nonsense", None, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xff"}}', 7, -32700),
        (b"\xff\xfe", None, -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":NaN}}', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'"text"', None, -32600),
        (b"42", None, -32600),
        (b"[]", None, -32600),
        (b'{"id":7,"method":"ping"}', 7, -32600),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"nonsense"}', 7, -32601),
        (b'{"jsonrpc":"2.0","id":"7","method":"resources/list"}', "7", -32601),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}', 7, -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}', 7, -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"who","arguments":[]}}', 7, -32602),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7, -32602),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', None, -32600),
    ],
)
def test_what_is_wrong_is_refused_under_its_own_id_and_the_next_line_is_served(
    agreed: Connection, line: bytes, number: object, code: int
) -> None:
    agreed.write(line + b"\n")
    answer = agreed.hear()
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert agreed.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \t ",
        b'{"jsonrpc":"2.0","method":"notifications/nonsense"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"2.0","id":5,"result":{}}',
        b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}',
    ],
)
def test_what_needs_no_answer_gets_none(agreed: Connection, line: bytes) -> None:
    agreed.write(line + b"\n")
    assert agreed.ask("ping")["result"] == {}
    assert agreed.unasked == []


def test_ten_megabytes_of_arguments_are_refused_for_that_request_alone(agreed: Connection) -> None:
    agreed.told("me", action="join", name="builder")
    assert agreed.refused("send", to="human", body="x" * 10_000_000)["code"] == "body_too_large"
    assert agreed.refused("send", to=["x" * 10_000_000], body="x")["code"] == "unknown_seat"
    unknown: dict[str, Any] = {"x" * 10_000_000: 1}
    assert agreed.refused("who", **unknown)["code"] == "invalid_arguments"
    assert agreed.ask("ping")["result"] == {}


BIG = "x" * 10_000_000
MANY = ["x"] * 2_000_000
MUCH: list[tuple[str, dict[str, Any]]] = [
    ("me", {"action": "join", "name": BIG}),
    ("me", {"objective": BIG}),
    ("me", {"action": "subscribe", "name": BIG}),
    ("who", {"project": BIG}),
    ("who", {"bag": BIG}),
    ("send", {"to": MANY, "body": "x"}),
    ("send", {"to": "x," * 5_000_000, "body": "x"}),
    ("send", {"to": f"#{BIG}", "body": "x"}),
    ("send", {"to": "human", "body": "x", "artifacts": MANY}),
    ("send", {"to": "human", "body": "x", "key": BIG}),
    ("check", {"from": BIG}),
    ("read", {"search": BIG}),
    ("read", {"channel": BIG}),
    ("ask", {"to": "human", "body": BIG}),
    ("ask", {"to": "human", "body": "x", "choices": MANY}),
    ("answer", {"number": 1, "body": BIG}),
    ("task", {"action": "give", "to": "human", "title": BIG}),
    ("task", {"action": "give", "to": "human", "title": "x", "body": BIG}),
    ("task", {"action": "give", "title": "x", "issue": BIG}),
    ("lead", {"project": BIG}),
    ("lease", {"action": "take", "resources": MANY}),
    ("lease", {"action": "check", "resources": MANY}),
    ("lease", {"action": "release", "resources": MANY}),
    ("lease", {"action": "take", "resources": [BIG]}),
    ("lease", {"action": "take", "resources": ["x"], "note": BIG}),
]


@pytest.mark.parametrize(("tool", "arguments"), MUCH, ids=["-".join([tool, *given_]) for tool, given_ in MUCH])
def test_ten_megabytes_are_refused_by_every_tool_and_cost_nobody_else(
    agreed: Connection, tool: str, arguments: dict[str, Any]
) -> None:
    agreed.told("me", action="join", name="builder")
    result = agreed.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
    assert result["isError"] is True
    assert len(result["content"][0]["text"]) < 8_000
    assert agreed.ask("ping")["result"] == {}
    assert "Letter" not in agreed.told("read")["text"]
    assert not (agreed.party.home / ".local/state/mailstop/log").exists()


def test_a_line_without_end_is_dropped_and_not_kept(agreed: Connection) -> None:
    for _ in range(40):
        agreed.write(b"x" * 1_000_000)
    agreed.write(b"\n")
    answer = agreed.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert agreed.ask("ping")["result"] == {}
    assert agreed.memory["VmRSS"] < 64_000


def test_half_a_line_and_then_the_end_is_an_error_and_the_end(agreed: Connection) -> None:
    agreed.write(b'{"jsonrpc":"2.0","id":3,"meth')
    assert [answer["error"]["code"] for answer in agreed.close()] == [-32700]
    assert agreed.wait() == 0


def test_a_last_line_may_lack_its_end(agreed: Connection) -> None:
    agreed.write(b'{"jsonrpc":"2.0","id":3,"method":"ping"}')
    assert agreed.close() == [{"jsonrpc": "2.0", "id": 3, "result": {}}]


def test_an_id_is_given_back_as_it_was(agreed: Connection) -> None:
    for number in (0, -1, 1 << 60, "", "text", "ümläut", "\ud800", "\n"):
        agreed.say({"jsonrpc": "2.0", "id": number, "method": "ping"})
        assert agreed.hear()["id"] == number


# -- batches


def test_a_batch_is_answered_as_one_where_the_version_has_batches(connection: Connection) -> None:
    connection.initialize("2025-03-26")
    batch: list[Any] = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "nonsense"},
        5,
    ]
    connection.say(batch)
    answers = connection.hear()
    assert [(answer["id"], "result" in answer) for answer in answers] == [(1, True), (2, False), (None, False)]
    connection.say(batch[1:2])
    assert connection.ask("ping")["result"] == {}


# -- any line at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(tools.NAMES)
WORDS = sorted({name for tool in tools.everything() for name in tool.properties})
ACTIONS = sorted({each for tool in tools.everything() for each in tool.properties.get("action", {}).get("enum", ())})
PLAUSIBLE = st.sampled_from(["human", "builder", "peer", "#general", "#", "name:x", "leader", "x", "", *ACTIONS])
VALUES = JSON | PLAUSIBLE | st.lists(PLAUSIBLE, max_size=2) | st.integers(-2, 50) | st.booleans()


def frames(meta: dict[str, Any] | None) -> st.SearchStrategy[bytes]:
    """Lines of a client, most of them wrong in something. meta: what each right request of its era carries."""
    envelope: dict[str, Any] = {"_meta": st.just(meta)} if meta else {}
    arguments = st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=4)
    params = (
        JSON
        | st.fixed_dictionaries({"name": NAMES | JSON}, optional={"arguments": JSON, "_meta": JSON, **envelope})
        | st.fixed_dictionaries({"name": NAMES, "arguments": arguments, **envelope})
    )
    calls = st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.just("2.0") | JSON,
            "id": st.integers() | st.text() | JSON,
            "method": st.sampled_from(["tools/call", "tools/list", "ping", "initialize", "server/discover"]) | JSON,
            "params": params,
        },
    )
    right = st.fixed_dictionaries(
        {
            "jsonrpc": st.just("2.0"),
            "id": st.integers(),
            "method": st.just("tools/call"),
            "params": st.fixed_dictionaries({"name": NAMES, "arguments": arguments, **envelope}),
        }
    )
    half = right.map(lambda value: json.dumps(value).encode()[:-9])
    of_json = JSON | calls | right | st.lists(calls, max_size=3)
    return st.binary(max_size=200) | half | of_json.map(lambda value: json.dumps(value).encode())


@pytest.mark.parametrize("era", ["old", "new"])
def test_no_line_keeps_the_next_one_from_being_served(connection: Connection, era: str) -> None:
    meta = ENVELOPE if era == "new" else None
    if era == "old":
        connection.initialize()
    join = {"name": "me", "arguments": {"action": "join", "name": "builder"}, **({"_meta": meta} if meta else {})}
    assert connection.ask("tools/call", join)["result"]["isError"] is False

    @settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(frames(meta))
    def served(line: bytes) -> None:
        connection.write(line.replace(b"\n", b" ") + b"\n")
        mark = f"the ping behind {id(line)}"
        ping: dict[str, Any] = {"method": "server/discover", "params": {"_meta": meta}} if meta else {"method": "ping"}
        connection.say({"jsonrpc": "2.0", "id": mark, **ping})
        answer: Any = None
        while not isinstance(answer, dict) or answer.get("id") != mark:
            answer = connection.hear()
            for one in answer if isinstance(answer, list) else [answer]:
                assert one["jsonrpc"] == "2.0"
                assert ("result" in one) + ("error" in one) + ("method" in one) == 1
        assert "result" in answer

    served()
    log = connection.party.home / ".local/state/mailstop/log"
    assert not log.exists(), log.read_text()


def _values(typed: dict[str, st.SearchStrategy[Any]], schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema takes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return st.one_of([typed[each] for each in types])


@pytest.mark.parametrize("name", tools.NAMES)
def test_whatever_the_arguments_of_a_tool_are_its_answer_is_one(connection: Connection, name: str) -> None:
    """Arguments of the right types, which no schema refuses, reach the office whole."""
    connection.joined("builder")
    tool = tools.find(name)
    assert tool is not None
    typed: dict[str, st.SearchStrategy[Any]] = {
        "string": PLAUSIBLE | st.text(max_size=30),
        "integer": st.integers(-2, 50) | st.just(1 << 61),
        "boolean": st.booleans(),
        "array": st.lists(PLAUSIBLE | st.text(max_size=10), max_size=3),
    }
    given_ = {
        each: st.just(0) if each == "wait" else _values(typed, schema) for each, schema in tool.properties.items()
    }
    needed = {each: given_[each] for each in tool.required}
    optional = {each: given_[each] for each in given_ if each not in tool.required}

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.fixed_dictionaries(needed, optional=optional))
    def answered(arguments: dict[str, Any]) -> None:
        result = connection.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        assert json.dumps(result)
        if result["isError"]:
            assert set(result["structuredContent"]) == {"code", "message", "next"}
            assert result["structuredContent"]["code"] not in ("failed", "failed_in_doubt")
        else:
            assert set(tool.always) <= set(result["structuredContent"])
        assert len(result["content"][0]["text"].encode("utf-8", "backslashreplace")) <= 8_000

    answered()
    log = connection.party.home / ".local/state/mailstop/log"
    assert not log.exists(), log.read_text()
