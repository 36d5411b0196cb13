"""What lanes of mailstop do better than the original, L1 to L20, without a change to what lies on disk."""

from __future__ import annotations

import ast
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mailstop import lanes
from mailstop.lanes import Refused, advance, check, look, send, watch
from tests import lane_side
from tests.clients.waiting import wait_for
from tests.lane_ground import ROLES, cursor_file, file_of, messages, put

GOOD = '{"kind": "note", "msg": "good"}\n'


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return tmp_path / "work" / "lane"


def count(lane: Path) -> int:
    found: int = json.loads(cursor_file(lane).read_text())["builder-to-reviewer.jsonl"]
    return found


# -- no content jams a lane ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["5", "[]", "null", '"x"', "true", "1e5", "-Infinity"])
def test_a_line_that_is_json_and_no_object_is_passed_as_unparsable(line: str, lane: Path) -> None:
    put(lane, line + "\n", GOOD)

    found = check(lane, role="reviewer")

    assert messages(found) == [line, "good"]
    assert (found["unread"][0]["kind"], found["unread"][0]["_parse_error"]) == ("_unparsable", True)
    assert count(lane) == 2


ODD_FIELDS = (
    *('"ts": 5', '"ts": []', '"ts": {"a": 1}', '"ts": null', '"ts": "9999-99-99"', '"ts": "0001-01-01T00:00:00+23:59"'),
    *('"kind": ["a"]', '"kind": {"a": 1}', '"kind": 5', '"kind": null', '"kind": "\\ud800"', '"needs_reply": {}'),
    *(
        '"_hint": 5',
        '"_source_file": "forged"',
        '"_parse_error": true, "_shortened": "forged"',
        '"from": [], "to": {}, "id": 5',
    ),
)


@pytest.mark.parametrize("fields", ODD_FIELDS)
def test_an_object_with_fields_of_the_wrong_type_is_a_letter(fields: str, lane: Path) -> None:
    put(lane, f'{{{fields}, "msg": "odd"}}\n', GOOD)

    found = check(lane, role="reviewer")

    assert sorted(messages(found)) == ["good", "odd"]
    odd = next(one for one in found["unread"] if one["msg"] == "odd")
    assert "_parse_error" not in odd
    assert "_shortened" not in odd
    assert odd["_source_file"] == "builder-to-reviewer.jsonl"
    assert odd["_hint"]["action_hint"]
    if '"kind": ' in fields and not isinstance(odd["kind"], str):
        assert odd in found["by_kind"]["_unparsable"]
    assert count(lane) == 2


@pytest.mark.parametrize("line", ["[" * 200_000, '{"a":' * 100_000, '{"n": ' + "9" * 10_000 + "}"])
def test_what_the_parser_cannot_take_is_a_malformed_line(line: str, lane: Path) -> None:
    put(lane, line + "\n", GOOD)

    found = check(lane, role="reviewer")

    assert [one.get("_parse_error") for one in found["unread"]] == [True, None]
    assert messages(found) == [line, "good"]


def test_invalid_utf_8_spoils_only_its_own_line(lane: Path) -> None:
    put(lane, GOOD, b'{"msg": "caf\xe9"}\n', b"\xff\xff\n", GOOD)

    found = check(lane, role="reviewer")

    assert messages(found) == ["good", '{"msg": "caf\ufffd"}', "\ufffd\ufffd", "good"]
    assert [one["kind"] for one in found["unread"]] == ["note", "_unparsable", "_unparsable", "note"]
    assert count(lane) == 4


@pytest.mark.parametrize("value", ["1", 1.0, None, True, -1, [], {}])
def test_a_wrong_number_in_a_cursor_counts_as_zero_for_that_file_alone(
    value: object, lane: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(lane, GOOD, GOOD)
    put(lane, GOOD, sender="docs")
    cursor_file(lane).write_text(json.dumps({"builder-to-reviewer.jsonl": value, "docs-to-reviewer.jsonl": 1}))

    assert messages(check(lane, role="reviewer")) == ["good", "good"]
    assert capfd.readouterr().err.count("\n") == 1
    assert count(lane) == 2


def test_a_cursor_that_may_not_be_read_counts_as_corrupt(lane: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put(lane, GOOD)
    cursor_file(lane).symlink_to("elsewhere")  # which not even root reads through

    assert messages(check(lane, role="reviewer")) == ["good"]
    assert capfd.readouterr().err.count("\n") == 1
    assert count(lane) == 1


# -- names -----------------------------------------------------------------------------------------------------------

BAD_ROLES: list[Any] = ["", "..", ".hidden", "a/b", "../x", "a\\b", "a*", "a?", "a[b", "a]", "a\nb", "a\0", "a\x85b"]
BAD_ROLES += ["b-to-c", "to-c", "b-to", "x" * 232, "\ud800", 5, None, b"x"]


@pytest.mark.parametrize("role", BAD_ROLES)
def test_a_role_that_escapes_or_collides_is_refused_before_the_disk_is_touched(role: Any, lane: Path) -> None:
    with pytest.raises(Refused):
        send(lane, from_role=role, to_role="reviewer", kind="note", msg="x")
    with pytest.raises(Refused):
        send(lane, from_role="reviewer", to_role=role, kind="note", msg="x")
    with pytest.raises(Refused):
        check(lane, role=role)
    with pytest.raises(Refused):
        watch(lane, role)
    if role is not None:
        with pytest.raises(Refused):
            check(lane, role="reviewer", from_role=role)

    assert not lane.parent.exists()


@pytest.mark.parametrize("role", ["a", "to", "auto-to", "to-do", "x-to-y", "Qüality", "a b", "a.b", "x" * 220])
def test_names_that_only_look_odd_are_told_apart(role: str, lane: Path) -> None:
    if role in ("auto-to", "to-do", "x-to-y"):
        with pytest.raises(Refused):
            lanes.checked_role(role)
        return
    send(lane, from_role=role, to_role="reviewer", kind="note", msg="hello")

    assert messages(check(lane, role="reviewer")) == ["hello"]


def test_a_pair_that_makes_too_long_a_name_is_refused(lane: Path) -> None:
    with pytest.raises(Refused, match="255"):
        send(lane, from_role="a" * 150, to_role="b" * 150, kind="note", msg="x")

    assert not lane.exists()


def test_a_pair_that_differs_only_in_case_is_refused(lane: Path) -> None:
    send(lane, from_role="Builder", to_role="reviewer", kind="note", msg="x")

    with pytest.raises(Refused, match="case"):
        send(lane, **ROLES, kind="note", msg="x")

    assert [file.name for file in (lane / "_sync").iterdir()] == ["Builder-to-reviewer.jsonl"]


def test_in_a_file_whose_name_can_be_read_in_two_ways_each_line_goes_to_the_role_it_names(lane: Path) -> None:
    lane_side.send(lane, from_role="a", to_role="b-to-c", kind="note", msg="for b-to-c")
    lane_side.send(lane, from_role="a-to-b", to_role="c", kind="note", msg="for c")
    put(lane, '{"to": "nobody", "msg": "for the last"}\n', GOOD, "{torn\n", sender="a-to-b", receiver="c")

    assert messages(check(lane, role="c")) == ["for c", "for the last", "good", "{torn"]
    assert lane_side.cursor_of(lane, "c") == {"a-to-b-to-c.jsonl": 5}
    assert lanes.roles_of("a-to-b-to-c.jsonl") == [("a", "b-to-c"), ("a-to-b", "c")]
    assert lanes.roles_of("a-to-to-b.jsonl") == [("a", "to-b"), ("a-to", "b")]
    assert lanes.roles_of(".a-to-b.jsonl") == lanes.roles_of("-to-b.jsonl") == lanes.roles_of("a-to-.jsonl") == []


def test_a_role_does_not_get_what_is_for_a_role_that_ends_like_it(lane: Path) -> None:
    send(lane, from_role="a", to_role="re-reviewer", kind="note", msg="not mine")
    send(lane, from_role="a", to_role="reviewer", kind="note", msg="mine")

    assert messages(check(lane, role="reviewer")) == ["mine"]


@pytest.mark.parametrize("name", ["a[b]", "what?", "star*", "{x}", "quo'te\" $(x)"])
def test_a_lane_whose_path_is_a_pattern_is_a_lane(name: str, tmp_path: Path) -> None:
    lane = tmp_path / name
    send(lane, **ROLES, kind="note", msg="hello")

    assert messages(check(lane, role="reviewer")) == ["hello"]


# -- files that were torn, cut off, replaced -------------------------------------------------------------------------


def test_a_torn_line_does_not_swallow_the_next_letter(lane: Path) -> None:
    put(lane, GOOD, '{"kind": "note", "msg": "half a le')

    send(lane, **ROLES, kind="note", msg="whole")

    assert messages(check(lane, role="reviewer")) == ["whole", "good", '{"kind": "note", "msg": "half a le']


def test_a_slow_writer_s_late_newline_is_a_blank_line(lane: Path) -> None:
    put(lane, GOOD.rstrip("\n"))
    send(lane, **ROLES, kind="note", msg="whole")
    put(lane, "\n")

    assert messages(check(lane, role="reviewer")) == ["whole", "good"]
    assert [letter["msg"] for letter in lane_side.check(lane, role="reviewer")] == []


def replaced_by(lane: Path, *lines: str) -> None:
    fresh = lane / "fresh"
    fresh.write_text("".join(lines))
    fresh.replace(file_of(lane))


def rewritten_as(lane: Path, *lines: str) -> None:
    file_of(lane).write_text("".join(lines))


@pytest.mark.parametrize("change", [replaced_by, rewritten_as])
@pytest.mark.parametrize("lines", [1, 3, 5])
def test_a_file_that_is_another_now_is_read_from_its_start_and_told_once(
    lines: int, change: Any, lane: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(lane, *(f'{{"msg": "old {number}"}}\n' for number in range(3)))
    check(lane, role="reviewer")

    change(lane, *(f'{{"msg": "new {number}"}}\n' for number in range(lines)))

    assert messages(check(lane, role="reviewer")) == [f"new {number}" for number in range(lines)]
    assert capfd.readouterr().err.count("\n") == 1
    assert count(lane) == lines
    assert messages(check(lane, role="reviewer")) == []
    put(lane, GOOD)
    assert messages(check(lane, role="reviewer")) == ["good"]
    assert capfd.readouterr().err == ""


def test_a_file_shorter_than_the_other_side_s_cursor_is_read_from_its_start(
    lane: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(lane, *(f'{{"msg": "old {number}"}}\n' for number in range(3)))
    lane_side.check(lane, role="reviewer")  # which leaves no note of where it was
    rewritten_as(lane, '{"msg": "new"}\n')

    assert messages(check(lane, role="reviewer")) == ["new"]
    assert count(lane) == 1
    assert capfd.readouterr().err.count("\n") == 1


def test_a_file_that_went_and_came_back_shorter_is_read_from_its_start(lane: Path) -> None:
    put(lane, GOOD, GOOD)
    check(lane, role="reviewer")
    file_of(lane).unlink()
    assert messages(check(lane, role="reviewer", from_role="builder")) == []
    assert count(lane) == 2
    put(lane, '{"msg": "new"}\n')

    assert messages(check(lane, role="reviewer")) == ["new"]


def test_what_was_not_read_of_a_replaced_file_stays_unread_when_only_some_of_it_is_shown(lane: Path) -> None:
    put(lane, *(f'{{"msg": "old {number}"}}\n' for number in range(9)))
    check(lane, role="reviewer")
    replaced_by(lane, *(f'{{"msg": "new {number}"}}\n' for number in range(4)))

    for expected in (["new 0"], ["new 1"]):
        found = look(lane, role="reviewer", limit=1)
        assert [one["msg"] for one in found.letters] == expected
        advance(lane, found)

    assert messages(check(lane, role="reviewer")) == ["new 2", "new 3"]


# -- looking, and acknowledging what was shown -----------------------------------------------------------------------


def test_a_peek_gives_the_same_and_leaves_nothing_behind(lane: Path) -> None:
    assert check(lane, role="reviewer", peek=True) == {"unread": [], "by_kind": {}, "action_needed": []}
    assert not lane.exists()
    put(lane, GOOD, "{torn\n")
    before = {path.name: path.stat().st_mtime_ns for path in [lane / "_sync", *(lane / "_sync").iterdir()]}

    peeked = check(lane, role="reviewer", peek=True)

    assert {path.name: path.stat().st_mtime_ns for path in [lane / "_sync", *(lane / "_sync").iterdir()]} == before
    assert check(lane, role="reviewer") == peeked
    assert messages(peeked) == ["good", "{torn"]


def test_only_what_was_shown_is_acknowledged(lane: Path) -> None:
    put(lane, *(f'{{"ts": "2026-01-01T00:00:0{n}Z", "msg": "a{n}"}}\n' for n in (5, 1, 7)), sender="a")
    put(lane, "\n", *(f'{{"ts": "2026-01-01T00:00:0{n}Z", "msg": "b{n}"}}\n' for n in (2, 3, 6)), sender="b")
    shown: list[str] = []
    for _ in range(3):
        found = look(lane, role="reviewer").first(2)
        shown += [one["msg"] for one in found.in_turn()]
        assert found.more is (len(shown) < 6)
        advance(lane, found)

    assert shown == ["b2", "b3", "a5", "a1", "b6", "a7"]  # by time, and none before another of its file
    assert look(lane, role="reviewer").letters == []


def test_a_limit_bounds_what_is_read(lane: Path) -> None:
    for sender in "ab":
        put(lane, *(f'{{"msg": "{sender}{n}"}}\n' for n in range(10)), sender=sender)

    found = look(lane, role="reviewer", limit=3)

    assert [one["msg"] for one in found.in_turn()] == ["a0", "a1", "a2"]
    assert found.more


def test_a_reader_that_is_killed_before_it_acknowledges_is_given_the_letters_again(lane: Path) -> None:
    put(lane, GOOD)
    look(lane, role="reviewer")

    assert messages(check(lane, role="reviewer")) == ["good"]


def test_a_watch_gives_letters_as_they_come_and_consumes_nothing(lane: Path) -> None:
    send(lane, **ROLES, kind="note", msg="waits")
    heard: list[lanes.Envelope] = []
    end, ends = os.pipe()
    seen = threading.Thread(target=lambda: list(map(heard.append, watch(lane, "reviewer", ends=[end]))))
    seen.start()
    wait_for("the first letter", lambda: len(heard) == 1)
    began = time.monotonic()
    lane_side.send(lane, **ROLES, kind="question", msg="comes")
    wait_for("the second letter", lambda: len(heard) == 2)
    woke_after_s = time.monotonic() - began
    put(lane, '{"msg": "odd"}\n', sender="docs")  # a file that was not there
    wait_for("the third letter", lambda: len(heard) == 3)
    os.close(ends)
    seen.join(10)
    os.close(end)

    assert not seen.is_alive()
    assert [one["msg"] for one in heard] == ["waits", "comes", "odd"]
    assert woke_after_s < 0.9 or sys.platform != "linux"  # it was told, it did not glance
    assert messages(check(lane, role="reviewer")) == ["waits", "comes", "odd"]


def test_a_watch_holds_no_more_than_a_part_of_a_long_backlog(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "_WATCHED_AT_ONCE", 4)
    for sender in "ab":
        put(lane, *(f'{{"msg": "{sender}{n}"}}\n' for n in range(10)), sender=sender)

    watching = watch(lane, "reviewer")

    assert sorted(next(watching)["msg"] for _ in range(20)) == sorted(
        f"{sender}{n}" for sender in "ab" for n in range(10)
    )
    watching.close()


def test_a_watch_goes_on_when_its_folder_is_replaced(lane: Path) -> None:
    heard: list[str] = []
    end, ends = os.pipe()

    def hear() -> None:
        for one in watch(lane, "reviewer", ends=[end]):
            heard.append(one["msg"])

    watching = threading.Thread(target=hear)
    watching.start()
    wait_for("the folder", (lane / "_sync").is_dir)
    put(lane, '{"msg": "first"}\n')
    wait_for("a letter", lambda: heard == ["first"])
    shutil.rmtree(lane / "_sync")
    put(lane, '{"msg": "second"}\n')
    wait_for("another letter", lambda: heard == ["first", "second"])
    os.close(ends)
    watching.join(10)
    os.close(end)

    assert not watching.is_alive()


@pytest.mark.skipif(sys.platform != "linux", reason="it takes Linux's notices away")
def test_a_watch_without_notices_of_the_kernel_looks_each_second(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(24, "no watch left")

    monkeypatch.setattr(lanes._Inotify, "__init__", none_left)
    monkeypatch.setattr(lanes, "_GLANCE_S", 0.02)
    watching = watch(lane, "reviewer")
    threading.Timer(0.1, put, [lane, GOOD]).start()

    assert next(watching)["msg"] == "good"
    watching.close()


# -- cost ------------------------------------------------------------------------------------------------------------


def bytes_read(lane: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes a check reads."""
    read = 0
    pread = os.pread

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        nonlocal read
        data = pread(descriptor, size, offset)
        read += len(data)
        return data

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", counted)
        assert messages(check(lane, role="reviewer")) == ["good"]
    return read


def test_a_check_reads_only_what_is_new(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(lane, GOOD * 10_000)
    check(lane, role="reviewer")
    put(lane, GOOD)

    assert bytes_read(lane, monkeypatch) < 5_000


def test_behind_the_other_side_s_cursor_a_file_is_counted_once(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(lane, GOOD * 10_000)
    lane_side.check(lane, role="reviewer")
    put(lane, GOOD)
    assert bytes_read(lane, monkeypatch) > 50_000
    put(lane, GOOD)
    lane_side.check(lane, role="reviewer")  # moves on without a note; from the last one it is counted on
    put(lane, GOOD)

    assert bytes_read(lane, monkeypatch) < 5_000


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"sum": 0, "places": {}}', b"\xff", b'{"places": 5, "sum": 1}']
)
def test_a_spoilt_note_of_places_costs_a_count_and_nothing_else(content: bytes, lane: Path) -> None:
    put(lane, GOOD)
    check(lane, role="reviewer")
    (lane / "_sync" / ".mailstop-reviewer.json").write_bytes(content)
    put(lane, '{"msg": "new"}\n')

    assert messages(check(lane, role="reviewer")) == ["new"]
    assert json.loads((lane / "_sync" / ".mailstop-reviewer.json").read_text())["places"]


def test_the_cursor_wins_over_the_note_of_places(lane: Path) -> None:
    put(lane, *(f'{{"msg": "{n}"}}\n' for n in range(4)))
    check(lane, role="reviewer")
    cursor_file(lane).write_text('{"builder-to-reviewer.jsonl": 2}')

    assert messages(check(lane, role="reviewer")) == ["2", "3"]


# -- disk ------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which file a descriptor is")
def test_send_returns_after_file_and_folders_are_synced(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    send(lane, **ROLES, kind="note", msg="x")
    assert {str(lane / "_sync"), str(lane), str(lane.parent)} <= set(synced)
    assert synced[-1] == str(file_of(lane))
    synced.clear()
    send(lane, **ROLES, kind="note", msg="x")
    assert synced == [str(file_of(lane))]
    synced.clear()
    check(lane, role="reviewer")

    assert len(synced) == 2
    assert synced[0].endswith(".tmp") and synced[1] == str(lane / "_sync")


def test_a_file_that_could_not_be_synced_is_in_doubt(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send(lane, **ROLES, kind="note", msg="x")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))

    with pytest.raises(lanes.InDoubt):
        send(lane, **ROLES, kind="note", msg="x")


def test_the_rest_of_a_short_write_is_written(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    sent = send(lane, **ROLES, kind="note", msg="a long letter")

    assert json.loads(file_of(lane).read_text()) == sent


def test_a_letter_that_cannot_be_finished_is_an_error_and_spoils_none(
    lane: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, [20]

    def full(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        written = write(descriptor, data[: room[0]])
        room[0] -= written
        return written

    with monkeypatch.context() as patch, pytest.raises(lanes.NotStored, match="No space left"):
        patch.setattr(os, "write", full)
        send(lane, **ROLES, kind="note", msg="lost")
    send(lane, **ROLES, kind="note", msg="whole")

    found = check(lane, role="reviewer")
    assert [one.get("_parse_error") for one in found["unread"]] == [None, True]
    assert messages(found)[0] == "whole"


def test_an_append_waits_for_the_lock_and_gives_up_in_the_end(lane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    send(lane, **ROLES, kind="note", msg="x")
    monkeypatch.setattr(lanes, "LOCK_S", 0.05)
    with open(file_of(lane)) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(lanes.NotStored, match="locked"):
            send(lane, **ROLES, kind="note", msg="y")

    assert messages(check(lane, role="reviewer")) == ["x"]


def test_what_is_made_is_the_user_s_alone_whatever_the_umask(lane: Path) -> None:
    before = os.umask(0o777)
    try:
        lane.mkdir(parents=True)
        lane.chmod(0o700)
        lane.parent.chmod(0o700)
        send(lane, **ROLES, kind="note", msg="x")
        check(lane, role="reviewer")
        os.umask(0)
        send(lane, from_role="docs", to_role="reviewer", kind="note", msg="x")
        check(lane, role="reviewer")
    finally:
        os.umask(before)

    assert stat.S_IMODE((lane / "_sync").stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (lane / "_sync").iterdir()}
    assert len(modes) == 5
    assert set(modes.values()) == {0o600}


def test_modes_that_are_there_stay(lane: Path) -> None:
    (lane / "_sync").mkdir(parents=True)
    (lane / "_sync").chmod(0o755)
    put(lane, GOOD)
    file_of(lane).chmod(0o644)

    send(lane, **ROLES, kind="note", msg="x")

    assert stat.S_IMODE((lane / "_sync").stat().st_mode) == 0o755
    assert stat.S_IMODE(file_of(lane).stat().st_mode) == 0o644


def plant_fifo(path: Path) -> None:
    os.mkfifo(path)


def plant_symlink(path: Path) -> None:
    target = path.parent / "target"
    target.write_text(GOOD)
    path.symlink_to(target)


def plant_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("plant", [plant_fifo, plant_symlink, plant_folder])
def test_what_is_no_file_is_neither_written_nor_read_nor_waited_for(
    plant: Any, lane: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(lane, GOOD, sender="docs")
    plant(file_of(lane))

    with pytest.raises(lanes.NotStored):
        send(lane, **ROLES, kind="note", msg="x")

    assert messages(check(lane, role="reviewer")) == ["good"]
    assert "builder-to-reviewer.jsonl" in capfd.readouterr().err
    target = lane / "_sync" / "target"
    assert not target.exists() or target.read_text() == GOOD


@pytest.mark.parametrize("plant", [plant_fifo, plant_symlink, plant_folder])
@pytest.mark.parametrize("name", [".mailstop-reviewer.lock", ".mailstop-reviewer.json"])
def test_what_is_planted_in_place_of_our_own_files_stops_no_reader(name: str, plant: Any, lane: Path) -> None:
    put(lane, GOOD)
    plant(lane / "_sync" / name)
    assert messages(check(lane, role="reviewer")) == ["good"]
    put(lane, '{"msg": "next"}\n')

    assert messages(check(lane, role="reviewer")) == ["next"]
    target = lane / "_sync" / "target"
    assert not target.exists() or target.read_text() == GOOD


# -- sizes and arguments ---------------------------------------------------------------------------------------------


def test_a_message_over_the_limit_is_refused_before_anything_is_made(lane: Path) -> None:
    with pytest.raises(Refused, match=r"262144.*artifacts"):
        send(lane, **ROLES, kind="note", msg="ü" * (lanes.LARGEST_MSG // 2 + 1))
    assert not lane.exists()

    send(lane, **ROLES, kind="note", msg="ü" * (lanes.LARGEST_MSG // 2))
    send(lane, **ROLES, kind="note", msg="\x01" * lanes.LARGEST_MSG)  # six bytes each, on disk
    assert [len(one) for one in messages(check(lane, role="reviewer"))] == [131_072, 262_144]


def test_a_line_beyond_all_limits_is_shown_shortened_with_bounded_memory(lane: Path) -> None:
    large = 24 * 1024 * 1024
    put(lane, '{"kind": "note", "msg": "', "x" * large, '"}\n', GOOD)
    reading = (
        "import sys; from mailstop.lanes import check; first, second = check(sys.argv[1], role='reviewer')['unread']; "
        "print(first['_shortened'], len(first['msg']), first['_parse_error'], second['msg']); "
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )

    told = subprocess.run([sys.executable, "-c", reading, str(lane)], capture_output=True, text=True, check=True)

    *told_of, peak_kib = told.stdout.split()
    assert told_of == [str(large + 27), str(lanes.SHORTENED_LINE), "True", "good"]
    assert int(peak_kib) < 45 * 1024 or sys.platform != "linux"
    assert count(lane) == 2


BAD_ARGUMENTS: list[dict[str, Any]] = [
    {"msg": 5},
    {"msg": None},
    {"msg": b"x"},
    {"msg": "\ud800"},
    {"kind": None},
    {"kind": ["note"]},
    {"kind": "\udfff"},
    {"needs_reply": 1},
    {"needs_reply": "yes"},
    {"needs_reply": None},
    {"ref": ""},
    {"ref": 5},
    {"ref": "\ud800"},
    {"artifacts": ("a",)},
    {"artifacts": "a"},
    {"artifacts": {"a": 1}},
    {"artifacts": [float("nan")]},
    {"artifacts": [{"a": [float("inf")]}]},
    {"artifacts": ["\ud800"]},
    {"artifacts": [{1: "a"}]},
    {"artifacts": [object()]},
    {"artifacts": [Path("a")]},
    {"artifacts": [("a",)]},
    {"artifacts": [10**5000]},
]


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=lambda each: next(iter(each)))
def test_a_wrong_argument_is_refused_before_anything_is_made(arguments: dict[str, Any], lane: Path) -> None:
    with pytest.raises(Refused):
        send(lane, **{**ROLES, "kind": "note", "msg": "x", **arguments})

    assert not lane.parent.exists()


def test_artifacts_that_hold_themselves_or_are_too_deep_or_large_are_refused(lane: Path) -> None:
    circle: list[Any] = []
    circle.append(circle)
    for artifacts in (circle, ["x" * lanes.LARGEST_LINE]):
        with pytest.raises(Refused):
            send(lane, **ROLES, kind="note", msg="x", artifacts=artifacts)

    assert not lane.parent.exists()


def test_nothing_of_the_argument_that_may_be_kept_is_changed(lane: Path) -> None:
    artifacts: list[Any] = [None, True, 1, 1.5, "x", {"ü": [{}]}, []]
    send(lane, **ROLES, kind=" \t", msg="", ref="x", artifacts=artifacts)

    (one,) = check(lane, role="reviewer")["unread"]
    assert (one["kind"], one["msg"], one["artifacts"]) == (" \t", "", artifacts)


# -- one file --------------------------------------------------------------------------------------------------------


def test_it_imports_the_standard_library_and_nothing_of_ours() -> None:
    tree = ast.parse(Path(lanes.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}

    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    assert all(not node.level for node in imports if isinstance(node, ast.ImportFrom))


def test_copied_alone_next_to_a_script_it_serves_both_sides(tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    folder.mkdir()
    shutil.copy(lanes.__file__, folder)
    begin = f"import sys; sys.path.insert(0, {str(folder)!r}); import lanes; "
    sides = (
        "print(lanes.send('lane', from_role='builder', to_role='reviewer', kind='question', msg='ü')['id'])",
        "(one,) = lanes.check('lane', role='reviewer')['action_needed']; lanes.send('lane', from_role='reviewer', "
        "to_role='builder', kind='note', msg='yes', ref=one['id']); print(one['id'])",
        "(one,) = lanes.check('lane', role='builder')['unread']; print(one['ref'])",
    )

    told = [
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", begin + side], cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        for side in sides
    ]

    assert len(set(told)) == 1


def test_no_module_of_ours_is_called_mailbox() -> None:
    source = Path(lanes.__file__).parent
    assert [path for path in source.rglob("mailbox*")] == []
    assert not (source.parent / "mailbox.py").exists()
