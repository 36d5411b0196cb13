"""Lanes as the format has them: the checklist of the original, on disk."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mailstop import lanes
from mailstop.lanes import check, send
from tests import lane_side
from tests.lane_ground import ROLES, cursor_file, file_of, messages, put


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return tmp_path / "work" / "lane"


# -- send ------------------------------------------------------------------------------------------------------------


def test_send_makes_the_folder_and_one_line_with_who_to_whom_what(lane: Path) -> None:
    sent = send(lane, **ROLES, kind="note", msg="Grüße aus 東京\u2028\u2029\u0085 end")

    data = file_of(lane).read_bytes()
    assert data.count(b"\n") == 1 and data.endswith(b"\n")
    assert json.loads(data) == sent
    assert list(sent) == ["id", "ts", "from", "to", "kind", "msg", "needs_reply"]
    assert (sent["from"], sent["to"], sent["kind"], sent["needs_reply"]) == ("builder", "reviewer", "note", False)
    assert data.decode() == json.dumps(sent, ensure_ascii=False) + "\n"  # raw characters, ", " and ": "


def test_send_takes_a_path_as_text_as_well(lane: Path) -> None:
    send(str(lane), **ROLES, kind="note", msg="hello")

    assert messages(check(str(lane), role="reviewer")) == ["hello"]


def test_ids_are_unique_and_of_the_same_instant_as_the_time(lane: Path) -> None:
    sent = [send(lane, **ROLES, kind="note", msg="x") for _ in range(50)]

    assert len({one["id"] for one in sent}) == 50
    for one in sent:
        milliseconds, digits = re.fullmatch(r"(\d+)-([0-9a-f]{8})", one["id"]).groups()  # type: ignore[union-attr]
        at = datetime.fromisoformat(one["ts"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", one["ts"])
        assert int(milliseconds) == int((at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000 + 1e-6)
        assert len(digits) == 8


def test_letters_keep_the_order_in_which_they_were_sent(lane: Path) -> None:
    for number in range(20):
        send(lane, **ROLES, kind="note", msg=str(number))

    assert [json.loads(line)["msg"] for line in file_of(lane).read_text().splitlines()] == list(map(str, range(20)))


def test_ref_and_artifacts_are_there_only_when_given(lane: Path) -> None:
    plain = send(lane, **ROLES, kind="note", msg="x")
    full = send(lane, **ROLES, kind="note", msg="x", needs_reply=True, ref="1-a", artifacts=["a.md", {"n": 1.5}])

    assert "ref" not in plain and "artifacts" not in plain
    assert (full["ref"], full["artifacts"], full["needs_reply"]) == ("1-a", ["a.md", {"n": 1.5}], True)
    assert list(full)[-3:] == ["needs_reply", "ref", "artifacts"]
    assert [json.loads(line) for line in file_of(lane).read_text().splitlines()] == [plain, full]


def test_an_empty_list_of_artifacts_is_given(lane: Path) -> None:
    assert send(lane, **ROLES, kind="note", msg="x", artifacts=[])["artifacts"] == []


def test_a_letter_is_one_write_that_ends_with_a_newline(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = os.write

    def noted(descriptor: int, data: bytes) -> int:
        written.append(data)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", noted)

    send(lane, **ROLES, kind="note", msg="two\nlines")

    assert len(written) == 1
    assert written[0].endswith(b"\n") and written[0].count(b"\n") == 1


# -- check -----------------------------------------------------------------------------------------------------------


def test_check_gives_what_one_sender_wrote_in_order(lane: Path) -> None:
    sent = [send(lane, **ROLES, kind="note", msg=str(number)) for number in range(3)]
    send(lane, from_role="docs", to_role="reviewer", kind="note", msg="another's")

    found = check(lane, role="reviewer", from_role="builder")

    assert [{**one, "_source_file": "builder-to-reviewer.jsonl"} for one in sent] == [
        {name: value for name, value in one.items() if name != "_hint"} for one in found["unread"]
    ]
    assert all(list(one)[-2:] == ["_source_file", "_hint"] for one in found["unread"])
    assert all(list(one["_hint"]) == ["action_hint", "expects_reply_kind"] for one in found["unread"])
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 3}


@pytest.mark.parametrize("sender", [None, "builder"])
def test_an_empty_lane_gives_three_empty_results(lane: Path, sender: str | None) -> None:
    assert check(lane, role="reviewer", from_role=sender) == {"unread": [], "by_kind": {}, "action_needed": []}
    assert (lane / "_sync").is_dir()


def test_without_a_file_no_cursor_is_written_and_a_named_sender_is_noted_as_zero(lane: Path) -> None:
    check(lane, role="reviewer")
    assert not cursor_file(lane).exists()

    check(lane, role="reviewer", from_role="builder")
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 0}


def test_a_second_check_gives_only_what_is_new(lane: Path) -> None:
    send(lane, **ROLES, kind="note", msg="first")
    assert messages(check(lane, role="reviewer")) == ["first"]
    assert messages(check(lane, role="reviewer")) == []

    send(lane, **ROLES, kind="note", msg="second")
    assert messages(check(lane, role="reviewer")) == ["second"]


def test_letters_are_grouped_by_kind_in_order_of_first_appearance(lane: Path) -> None:
    for kind in ("note", "question", "note", ""):
        send(lane, **ROLES, kind=kind, msg=kind)
    put(lane, '{"msg": "no kind"}\n', '{"kind": null, "msg": "null"}\n')

    found = check(lane, role="reviewer")

    assert list(found["by_kind"]) == ["note", "question", "_unparsable"]
    assert [len(group) for group in found["by_kind"].values()] == [2, 1, 3]
    assert all(one is other for one, other in zip(found["by_kind"]["note"], found["unread"][::2], strict=False))
    assert not any("_parse_error" in one for one in found["unread"])


# -- cursor ----------------------------------------------------------------------------------------------------------


def test_a_cursor_is_replaced_whole_once_from_a_sibling(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced: list[tuple[str, str]] = []
    replace = os.replace

    def noted(source: str, target: str) -> None:
        json.loads(Path(source).read_text())
        replaced.append((source, target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    send(lane, **ROLES, kind="note", msg="x")
    send(lane, from_role="docs", to_role="reviewer", kind="note", msg="x")
    for _ in range(2):  # also when nothing was new
        replaced.clear()
        check(lane, role="reviewer")
        ((source, target),) = replaced
        assert re.fullmatch(r"\.\.cursor-reviewer\.json\..+\.tmp", Path(source).name)
        assert Path(source).parent == Path(target).parent
        assert target == str(cursor_file(lane))

    assert json.loads(cursor_file(lane).read_text()) == dict.fromkeys(
        ("builder-to-reviewer.jsonl", "docs-to-reviewer.jsonl"), 1
    )
    assert cursor_file(lane).stat().st_mode & 0o777 == 0o600
    assert list((lane / "_sync").glob(".*.tmp")) == []


def test_a_cursor_that_cannot_be_replaced_leaves_the_old_one_and_no_leftovers(
    lane: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(lane, **ROLES, kind="note", msg="x")
    with monkeypatch.context() as patch, pytest.raises(OSError):
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        check(lane, role="reviewer")

    assert list((lane / "_sync").glob(".*.tmp")) == []
    assert messages(check(lane, role="reviewer")) == ["x"]


def test_a_cursor_never_moves_backward_and_keeps_other_files_keys(lane: Path) -> None:
    send(lane, **ROLES, kind="note", msg="x")
    found = lanes.look(lane, role="reviewer")
    put(lane, "not JSON\n", "\n", "  \n")
    check(lane, role="reviewer")
    cursor = json.loads(cursor_file(lane).read_text())
    cursor_file(lane).write_text(json.dumps({**cursor, "gone-to-reviewer.jsonl": 7, "odd": "kept"}))

    lanes.advance(lane, found)  # a slow reader, whose look is older

    assert json.loads(cursor_file(lane).read_text()) == {
        "builder-to-reviewer.jsonl": 4,
        "gone-to-reviewer.jsonl": 7,
        "odd": "kept",
    }


def test_without_a_cursor_everything_is_unread_silently(lane: Path, capfd: pytest.CaptureFixture[str]) -> None:
    send(lane, **ROLES, kind="note", msg="x")
    check(lane, role="reviewer")
    cursor_file(lane).unlink()

    assert messages(check(lane, role="reviewer")) == ["x"]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("content", [b"{not json", b"[]", b"5", b'"x"', b"\xff\xfe", b"", b"[" * 100_000])
def test_a_corrupt_cursor_is_told_once_and_everything_is_unread(
    content: bytes, lane: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    send(lane, **ROLES, kind="note", msg="x")
    check(lane, role="reviewer")
    cursor_file(lane).write_bytes(content)

    assert messages(check(lane, role="reviewer")) == ["x"]
    assert capfd.readouterr().err.count("\n") == 1
    assert messages(check(lane, role="reviewer")) == []


# -- several senders -------------------------------------------------------------------------------------------------


def test_letters_of_several_senders_are_merged_by_time(lane: Path) -> None:
    put(
        lane,
        '{"ts": "2026-01-01T00:00:03+00:00", "msg": "3"}\n',
        '{"msg": "none"}\n',
        '{"ts": "soon", "msg": "soon"}\n',
        '{"ts": "2026-01-01T02:00:01+02:00", "msg": "1, by its offset"}\n',
        sender="b",
    )
    put(
        lane,
        '{"ts": "2026-01-01T00:00:02", "msg": "2, naive"}\n',
        '{"ts": "2026-01-01T00:00:03.000000Z", "msg": "3 too"}\n',
        sender="c",
    )
    put(lane, '{"ts": "2026-01-01T00:00:03Z", "msg": "3 first"}\n', sender="a")

    found = messages(check(lane, role="reviewer"))

    assert found == ["1, by its offset", "2, naive", "3 first", "3", "3 too", "none", "soon"]


def test_only_files_to_the_role_are_touched(lane: Path) -> None:
    send(lane, **ROLES, kind="note", msg="mine")
    send(lane, from_role="reviewer", to_role="builder", kind="note", msg="not mine")
    send(lane, from_role="builder", to_role="docs", kind="note", msg="not mine")
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (lane / "_sync").glob("*.jsonl")}

    assert messages(check(lane, role="reviewer")) == ["mine"]

    assert before == {
        file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (lane / "_sync").glob("*.jsonl")
    }
    assert not cursor_file(lane, "builder").exists() and not cursor_file(lane, "docs").exists()


# -- kinds -----------------------------------------------------------------------------------------------------------

EXPECTED: dict[str, tuple[str | None, bool]] = {
    "design-task": ("design-delivered", True),
    "design-delivered": (None, False),
    "build-task": ("build-delivered", True),
    "build-delivered": (None, False),
    "qc-verdict": (None, False),
    "question": ("any", True),
    "reconnect": (None, False),
}


def test_each_known_kind_has_its_hint_and_its_reply(lane: Path) -> None:
    for kind in EXPECTED:
        send(lane, **ROLES, kind=kind, msg=kind)

    found = check(lane, role="reviewer")

    assert {one["kind"]: one["_hint"]["expects_reply_kind"] for one in found["unread"]} == {
        kind: reply for kind, (reply, _) in EXPECTED.items()
    }
    assert "architect" in found["unread"][0]["_hint"]["action_hint"].lower()
    assert len({one["_hint"]["action_hint"] for one in found["unread"]}) == len(EXPECTED)
    assert set(lanes.KIND_TAXONOMY) == set(EXPECTED)


def test_an_unknown_kind_gets_the_generic_hint(lane: Path) -> None:
    send(lane, **ROLES, kind="design-task-concurrency-redesign", msg="x")

    (one,) = check(lane, role="reviewer")["unread"]

    assert "no defined action" in one["_hint"]["action_hint"].lower()
    assert one["_hint"]["expects_reply_kind"] is None


def test_what_asks_for_action_by_default(lane: Path) -> None:
    for kind in EXPECTED:
        send(lane, **ROLES, kind=kind, msg=kind)

    found = check(lane, role="reviewer")

    assert [one["kind"] for one in found["action_needed"]] == [kind for kind, (_, asks) in EXPECTED.items() if asks]
    assert all(any(one is other for other in found["unread"]) for one in found["action_needed"])


def test_a_reply_that_is_asked_for_needs_action_whatever_the_kind(lane: Path) -> None:
    send(lane, **ROLES, kind="qc-verdict", msg="asked", needs_reply=True)
    send(lane, **ROLES, kind="qc-verdict", msg="told")
    put(lane, '{"kind": "odd", "needs_reply": "yes", "msg": "truthy"}\n')

    assert [one["msg"] for one in check(lane, role="reviewer")["action_needed"]] == ["asked", "truthy"]


@pytest.mark.parametrize("kind", ["design-delivered", "build-delivered", "reconnect"])
def test_terminal_kinds_ask_for_nothing(kind: str, lane: Path) -> None:
    send(lane, **ROLES, kind=kind, msg="x")

    assert check(lane, role="reviewer")["action_needed"] == []


# -- damage ----------------------------------------------------------------------------------------------------------


def test_a_torn_last_line_is_withheld_until_its_newline_has_come(lane: Path) -> None:
    send(lane, **ROLES, kind="note", msg="whole")
    put(lane, '{"kind": "note", "msg": "tor')
    assert messages(check(lane, role="reviewer")) == ["whole"]
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 1}
    put(lane, 'n"}')
    assert messages(check(lane, role="reviewer")) == []

    put(lane, "\n")

    assert messages(check(lane, role="reviewer")) == ["torn"]


def test_a_malformed_line_is_given_as_one_and_passed(lane: Path) -> None:
    put(lane, "  {oops \n", "\n", '{"kind": "note", "msg": "after"}\n')

    found = check(lane, role="reviewer")["unread"]

    assert found[0] == {
        "from": None,
        "to": None,
        "kind": "_unparsable",
        "msg": "{oops",
        "ts": None,
        "id": None,
        "_parse_error": True,
        "_source_file": "builder-to-reviewer.jsonl",
        "_hint": found[0]["_hint"],
    }
    assert found[1]["msg"] == "after"
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 3}


# -- the other side --------------------------------------------------------------------------------------------------


def test_both_sides_write_the_same_line_but_for_id_and_time(lane: Path, tmp_path: Path) -> None:
    letter: dict[str, Any] = {"kind": "question", "msg": 'ü\u2028\n\t\x7f"\\', "needs_reply": True, "ref": "1-a"}
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for number in range(2):
        send(ours, **ROLES, **letter, artifacts=["x", number])
        lane_side.send(theirs, **ROLES, **letter, artifacts=["x", number])

    pattern = rb'"id": "\d{13}-[0-9a-f]{8}", "ts": "[0-9T:.-]{26}\+00:00"'
    first, second = (re.sub(pattern, b"*", file_of(place).read_bytes()) for place in (ours, theirs))
    assert first == second and first.count(b"*") == 2


def test_one_lane_is_shared_by_both_in_both_directions(lane: Path) -> None:
    """The original and mailstop take turns on both ends of a lane, with one cursor each that both move."""
    heard: dict[str, list[str]] = {"builder": [], "reviewer": []}
    sent: dict[str, list[str]] = {"builder": [], "reviewer": []}
    sides: tuple[Any, Any] = (lanes.send, lane_side.send)
    for number in range(40):
        for sender, receiver in (("builder", "reviewer"), ("reviewer", "builder")):
            msg = f"{number} from {sender}\u2028"
            sides[(number + (sender == "builder")) % 2](
                lane,
                from_role=sender,
                to_role=receiver,
                kind="note",
                msg=msg,
            )
            sent[receiver].append(msg)
            if number % 7 == 0:
                put(lane, b"\n", b"\r\n", b"torn {\r", sender=sender, receiver=receiver)
                sent[receiver].append("torn {")
        for role in heard:
            if number % 3 == 0:
                heard[role] += messages(check(lane, role=role))
            elif number % 3 == 1:
                heard[role] += [letter["msg"] for letter in lane_side.check(lane, role=role)]
    for role in heard:
        heard[role] += messages(check(lane, role=role))
        assert lane_side.check(lane, role=role) == []
        assert sorted(heard[role]) == sorted(sent[role])


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_the_other_side_counts_them(ending: str, lane: Path) -> None:
    put(lane, *(f'{{"msg": "{number}"}}{ending}' for number in range(5)))
    assert messages(check(lane, role="reviewer")) == list("01234")
    ours = json.loads(cursor_file(lane).read_text())
    cursor_file(lane).unlink()
    lane_side.check(lane, role="reviewer")

    assert lane_side.cursor_of(lane, "reviewer") == ours == {"builder-to-reviewer.jsonl": 5}


def test_the_two_halves_of_an_end_may_come_apart(lane: Path) -> None:
    put(lane, b'{"msg": "a"}\r')
    assert messages(check(lane, role="reviewer")) == ["a"]
    put(lane, b"\n", b'{"msg": "b"}\r\n')

    assert messages(check(lane, role="reviewer")) == ["b"]
    assert lane_side.check(lane, role="reviewer") == []
    assert lane_side.cursor_of(lane, "reviewer") == {"builder-to-reviewer.jsonl": 2}


def test_a_live_lane_is_untouched_by_a_check_on_its_copy(lane: Path, tmp_path: Path) -> None:
    """As the original's opt-in test does on a real lane: drifted names, three forms of times, ad-hoc kinds."""
    put(
        lane,
        '{"id": "1", "ts": "2026-01-01T00:00:00", "from": "opus-build", "to": "fable", "kind": "odd-1", "msg": "a"}\n',
        '{"id": "2", "ts": "2026-01-01T00:00:01Z", "from": "cockpit", "to": "fable-qc", "kind": "odd-2", "msg": "b"}\n',
        '{"id": "3", "ts": "2026-01-01T00:00:02+02:00", "kind": "build-task", "msg": "c"}\n',
    )
    before = {path: path.read_bytes() for path in lane.rglob("*") if path.is_file()}
    copy = tmp_path / "copy"
    (copy / "_sync").mkdir(parents=True)
    for path, content in before.items():
        (copy / "_sync" / path.name).write_bytes(content)

    found = check(copy, role="reviewer")["unread"]

    assert [one["msg"] for one in found] == ["c", "a", "b"]
    assert all(one["_hint"]["action_hint"] for one in found)
    assert {path: path.read_bytes() for path in lane.rglob("*") if path.is_file()} == before
