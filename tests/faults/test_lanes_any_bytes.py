"""Whatever bytes lie in a lane: no check fails, no well-formed line is lost, no cursor moves back."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mailstop import lanes
from mailstop.lanes import advance, check, look, send
from tests import lane_side
from tests.lane_ground import ROLES, cursor_file, file_of

NAME = "builder-to-reviewer.jsonl"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={name: JSON for name in ("id", "ts", "from", "to", "kind", "msg", "needs_reply", "_hint", "_parse_error")},
)
LINES = st.one_of(
    st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"").replace(b"\r", b"")),
    FIELDS.map(lambda value: json.dumps(value).encode()),
    JSON.map(lambda value: json.dumps(value, ensure_ascii=True).encode()),
    st.sampled_from(
        [b"", b" ", b"[" * 3_000, b'{"n":' + b"9" * 5_000 + b"}", b"\xef\xbb\xbf{}", "\u2028\x85".encode()]
    ),
)
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b""])


def well_formed(data: bytes) -> Counter[str]:
    """The complete lines of a file that are JSON objects, told by other means than ours."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")[:-1]
    found: Counter[str] = Counter()
    for line in lines:
        try:
            value = json.loads(line.decode().strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found[text_of(value)] += 1
    return found


def text_of(envelope: dict[str, Any]) -> str:
    return json.dumps(
        {name: value for name, value in envelope.items() if name not in ("_hint", "_source_file", "_parse_error")}
    )


def given_out(letters: list[lanes.Envelope]) -> Counter[str]:
    return Counter(text_of(one) for one in letters if not one.get("_parse_error"))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.binary(max_size=60), st.binary(max_size=60))
def test_a_check_of_any_bytes_gives_every_well_formed_line_once(
    lines: list[tuple[bytes, bytes]], cursor: bytes, places: bytes
) -> None:
    data = b"".join(line + end for line, end in lines)
    with tempfile.TemporaryDirectory() as folder:
        lane = Path(folder)
        (lane / "_sync").mkdir()
        file_of(lane).write_bytes(data)
        cursor_file(lane).write_bytes(b"x" + cursor)  # which is no JSON, so that everything is new
        (lane / "_sync" / ".mailstop-reviewer.json").write_bytes(places)

        found = check(lane, role="reviewer")
        again = check(lane, role="reviewer")

        assert given_out(found["unread"]) == well_formed(data)
        assert again["unread"] == []
        assert sum(map(len, found["by_kind"].values())) == len(found["unread"])
        count = json.loads(cursor_file(lane).read_text())[NAME]
        assert count == len(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")) - 1


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from([NAME, "x-to-reviewer.jsonl"]), JSON), st.integers(0, 6))
def test_any_cursor_gives_at_least_what_lies_behind_it(cursor: dict[str, Any], lines: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lane = Path(folder)
        for number in range(lines):
            send(lane, **ROLES, kind="note", msg=str(number))
        (lane / "_sync").mkdir(exist_ok=True)
        cursor_file(lane).write_text(json.dumps(cursor))

        found = [one["msg"] for one in check(lane, role="reviewer")["unread"]]

        told = cursor.get(NAME)
        first = told if type(told) is int and 0 <= told <= lines else 0
        assert found == [str(number) for number in range(first, lines)]
        if lines:
            assert json.loads(cursor_file(lane).read_text())[NAME] == lines


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_bytes_that_come_in_pieces_give_the_same_lines(data: bytes, cuts: list[int]) -> None:
    pieces = [data[start:end] for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        whole, parts = Path(folder) / "whole", Path(folder) / "parts"
        for lane in (whole, parts):
            (lane / "_sync").mkdir(parents=True)
        file_of(whole).write_bytes(data)
        found: list[lanes.Envelope] = []
        for piece in pieces:
            with open(file_of(parts), "ab") as file:
                file.write(piece)
            found += check(parts, role="reviewer")["unread"]

        assert found == check(whole, role="reviewer")["unread"]


class AnyOrder(RuleBasedStateMachine):
    """Both sides send and read one file in any order, with what a crash, a rotation or a vandal leaves in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.lane = Path(self.folder.name)
        (self.lane / "_sync").mkdir()
        self.written = 0
        self.waiting: Counter[str] = Counter()  # what nobody has been given since it was written
        self.count = 0
        self.is_torn = False

    def teardown(self) -> None:
        self.folder.cleanup()

    def _msg(self) -> str:
        self.written += 1
        self.waiting[str(self.written)] += 1
        return str(self.written)

    def _hear(self, letters: list[dict[str, Any]]) -> None:
        for one in letters:
            if not one.get("_parse_error"):
                self.waiting.pop(str(one["msg"]), None)

    @rule()
    def we_send(self) -> None:
        send(self.lane, **ROLES, kind="note", msg=self._msg())
        self.is_torn = False

    @precondition(lambda self: not self.is_torn)
    @rule()
    def they_send(self) -> None:
        lane_side.send(self.lane, **ROLES, kind="note", msg=self._msg())

    @rule(data=st.sampled_from([b"\n", b"{torn\n", b"\r", b"\r\n", b"{to", b"\xff", b"5\n"]))
    def somebody_writes(self, data: bytes) -> None:
        with open(file_of(self.lane), "ab") as file:
            file.write(data)
        self.is_torn = not data.endswith((b"\n", b"\r"))

    @rule()
    def we_check(self) -> None:
        self._hear(check(self.lane, role="reviewer")["unread"])
        assert not self.waiting

    @rule(count=st.integers(1, 3))
    def we_show_some(self, count: int) -> None:
        found = look(self.lane, role="reviewer", limit=count)
        self._hear(found.letters)
        advance(self.lane, found)

    @precondition(lambda self: file_of(self.lane).exists() and is_utf_8(file_of(self.lane).read_bytes()))
    @rule()
    def they_check(self) -> None:
        if any(line.strip() == "5" for line in lane_side.complete_lines(file_of(self.lane))):
            return  # on which the original fails
        self._hear(lane_side.check(self.lane, role="reviewer"))

    @rule()
    def the_note_of_places_is_lost(self) -> None:
        (self.lane / "_sync" / ".mailstop-reviewer.json").unlink(missing_ok=True)

    @precondition(lambda self: not self.waiting and file_of(self.lane).exists())
    @rule(keep=st.booleans())
    def the_file_is_rotated(self, keep: bool) -> None:
        check(self.lane, role="reviewer")  # with a note of where that was, so that another file is told apart
        fresh = self.lane / "fresh"
        fresh.write_bytes(b"")
        fresh.replace(file_of(self.lane))
        for _ in range(3 if keep else 0):
            lane_side.send(self.lane, **ROLES, kind="note", msg=self._msg())
        self.is_torn, self.count = False, 0
        if not keep:
            check(self.lane, role="reviewer")
        else:
            self._hear(check(self.lane, role="reviewer")["unread"])

    @invariant()
    def the_cursor_never_moves_back(self) -> None:
        count = lane_side.cursor_of(self.lane, "reviewer").get(NAME, 0)
        assert count >= self.count
        self.count = count


def is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=40, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
