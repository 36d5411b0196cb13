"""Lanes, as the import reads them: all files of a folder in one order, whatever lies in them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mailstop import lanes
from mailstop.errors import SourceAbsent, SourceUnavailable
from mailstop.past import Changed, Item, LeftOut, PastLetter
from mailstop.sources.lane import LaneReader

FIRST = 1_764_459_000_000  # 2025-11-29T23:30:00Z


def line(number: int, **fields: object) -> str:
    """A line of a lane file."""
    told = {
        "id": f"{FIRST + 1000 * number}-0000000{number % 10}",
        "ts": f"2025-11-29T23:30:{number:02}.000000+00:00",
        "from": "builder",
        "to": "reviewer",
        "kind": "note",
        "msg": f"letter {number}",
        "needs_reply": False,
    }
    return json.dumps({**told, **fields}, ensure_ascii=False) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which a lane's files lie."""
    made = tmp_path / "lane" / "_sync"
    made.mkdir(parents=True)
    return made


def items(folder: Path) -> list[Item]:
    return list(LaneReader(str(folder.parent)))


def letters(folder: Path) -> list[PastLetter]:
    return [item for item in items(folder) if isinstance(item, PastLetter)]


def test_what_lanes_send_is_read_with_all_its_fields(folder: Path) -> None:
    lane = folder.parent
    there: dict[str, Any] = {"from_role": "builder", "to_role": "reviewer", "kind": "build-task"}
    back: dict[str, Any] = {"from_role": "reviewer", "to_role": "builder", "kind": "build-delivered"}
    first = lanes.send(lane, msg="über\nzwei", needs_reply=True, **there)
    answer = lanes.send(lane, msg="done", ref=first["id"], artifacts=["a.md"], **back)

    told, answered = letters(folder)

    assert (told.sender, told.to, told.kind, told.body, told.needs_reply) == (
        "builder",
        ("reviewer",),
        "build-task",
        "über\nzwei",
        True,
    )
    assert (answered.number, answered.ref, answered.artifacts) == (answer["id"], first["id"], ("a.md",))
    assert told.at == int(first["id"].partition("-")[0])


def test_files_are_put_into_one_order_by_time(folder: Path) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1) + line(4))
    (folder / "reviewer-to-builder.jsonl").write_text(line(2) + line(3))

    assert [each.body for each in letters(folder)] == ["letter 1", "letter 2", "letter 3", "letter 4"]


@pytest.mark.parametrize("told", ["2025-11-29T23:30:05Z", "2025-11-29T23:30:05", "2025-11-30T00:30:05+01:00"])
def test_times_may_be_written_in_any_way_of_iso_8601(folder: Path, told: str) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1, ts=told))

    assert [each.at for each in letters(folder)] == [FIRST + 5_000]


@pytest.mark.parametrize("told", [None, 17, [], "yesterday", ""])
def test_a_letter_without_a_time_has_that_of_its_id(folder: Path, told: object) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1, ts=told) + line(2, ts=told, id="mine"))

    assert [each.at for each in letters(folder)] == [FIRST + 1_000, 0]


def test_the_name_of_the_file_says_who_wrote_to_whom_and_what_drifted_is_noted(folder: Path) -> None:
    (folder / "builder-to-qc.jsonl").write_text(line(1, **{"from": "claude", "to": "qc"}))

    (found,) = letters(folder)
    assert (found.sender, found.to) == ("builder", ("qc",))
    assert found.note == "its own fields say from claude to qc"


def test_of_a_file_that_can_be_read_in_two_ways_a_letter_goes_to_whom_it_names(folder: Path) -> None:
    name = "a-to-b-to-c.jsonl"
    (folder / name).write_text(line(1, **{"from": "a", "to": "b-to-c"}) + line(2, **{"from": "a-to-b", "to": "c"}))

    assert [(each.sender, each.to) for each in letters(folder)] == [("a", ("b-to-c",)), ("a-to-b", ("c",))]


@pytest.mark.parametrize("bad", ["5", "[]", "{oops", '"x"', "[" * 100_000, '{"n": ' + "9" * 5_000 + "}"])
def test_a_line_that_is_no_letter_is_left_out_and_all_others_are_taken(folder: Path, bad: str) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(f"{line(1)}{bad}\n\n{line(2)}")

    assert [each.body for each in letters(folder)] == ["letter 1", "letter 2"]
    (one,) = [item for item in items(folder) if isinstance(item, LeftOut)]
    assert one == LeftOut("builder-to-reviewer.jsonl line 2", "it is no letter of a lane: no JSON object in UTF-8")


def test_a_torn_last_line_is_not_there_yet(folder: Path) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1) + line(2)[:-5])

    found = items(folder)

    assert [each.body for each in found if isinstance(each, PastLetter)] == ["letter 1"]
    reason = "its last line has no end: it is being written, or whoever wrote it died"
    assert found[1:] == [LeftOut("builder-to-reviewer.jsonl", reason)]


def test_what_a_letter_here_cannot_have_is_noted_and_told(folder: Path) -> None:
    odd = line(1, kind={"a": 1}, artifacts=["a.md", 7], ref=["x"], msg=None, id=None)
    (folder / "builder-to-reviewer.jsonl").write_text(odd)

    found, changed = items(folder)
    assert isinstance(found, PastLetter) and isinstance(changed, Changed)
    assert (found.kind, found.artifacts, found.ref, found.body, found.number) == (
        "note",
        ("a.md",),
        "",
        "(this letter has no text)",
        "builder-to-reviewer:1",
    )
    for text in ("its kind cannot be one here", "artifacts that cannot be paths here: '7'", "it answers"):
        assert text in found.note and text in changed.reason


def test_a_file_that_cannot_be_read_is_left_out_and_all_others_are_taken(folder: Path) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1))
    (folder / "x-to-reviewer.jsonl").symlink_to(folder / "builder-to-reviewer.jsonl")
    os.mkfifo(folder / "y-to-reviewer.jsonl")

    found = items(folder)

    assert [type(item) for item in found] == [PastLetter, LeftOut, LeftOut]
    assert [item.place for item in found if isinstance(item, LeftOut)] == ["x-to-reviewer.jsonl", "y-to-reviewer.jsonl"]


def test_its_inner_folder_means_the_lane_too(folder: Path) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1))

    assert LaneReader(str(folder)).source == LaneReader(str(folder.parent)).source


def test_a_folder_without_a_lane_is_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(SourceUnavailable, match="no lane file lies in it"):
        LaneReader(str(folder.parent))
    with pytest.raises(SourceAbsent):
        LaneReader(str(tmp_path / "nowhere"))


def test_how_much_is_read_comes_to_how_much_there_is(folder: Path) -> None:
    (folder / "builder-to-reviewer.jsonl").write_text(line(1) + line(4))
    (folder / "reviewer-to-builder.jsonl").write_text(line(2))
    reader = LaneReader(str(folder.parent))

    list(reader)

    assert reader.done_bytes == reader.total_bytes
