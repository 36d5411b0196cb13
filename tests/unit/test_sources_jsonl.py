"""Files that somebody made by hand, as the import reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mailstop.errors import InvalidMap, SourceUnavailable
from mailstop.past import Changed, Item, LeftOut, PastLetter
from mailstop.sources.jsonl import FIELDS, FileReader, mapping


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file is to lie."""
    return tmp_path / "mail.jsonl"


def items(path: Path, *rows: Any, ways: str = "") -> list[Item]:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return list(FileReader(str(path), ways=mapping(ways) if ways else None))


def letters(path: Path, *rows: Any, ways: str = "") -> list[PastLetter]:
    return [item for item in items(path, *rows, ways=ways) if isinstance(item, PastLetter)]


def test_fields_are_found_by_the_names_that_such_files_use(path: Path) -> None:
    row = {"sender": "a", "recipient": "b", "text": "hi", "ts": 1_764_459_000, "id": 17, "type": "ask"}

    (found,) = letters(path, row)

    assert (found.sender, found.to, found.body, found.at, found.number, found.kind) == (
        "a",
        ("b",),
        "hi",
        1_764_459_000_000,
        "17",
        "ask",
    )


def test_a_map_says_where_fields_are_also_inside_of_others_and_what_holds_for_all_lines(path: Path) -> None:
    row = {"who": {"name": "a"}, "message": {"text": "hi"}, "body": "not this", "sent": "2025-11-29T23:30:00Z"}

    (found,) = letters(path, row, ways="from=who.name,body=message.text,at=sent,to==everyone,kind==log")

    assert (found.sender, found.body, found.at, found.to, found.kind) == (
        "a",
        "hi",
        1_764_459_000_000,
        ("everyone",),
        "log",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the fields are from, to, body"),
        ("sender=x", "the fields are from, to, body"),
        ("from", "write FIELD=KEY"),
        ("from=", "write FIELD=KEY"),
        ("from=a,from=b", "from is mapped twice"),
    ],
)
def test_a_map_that_maps_nothing_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidMap, match=reason):
        mapping(text)


@pytest.mark.parametrize(
    ("told", "at"),
    [
        ("2025-11-29T23:30:00+00:00", 1_764_459_000_000),
        (1_764_459_000.5, 1_764_459_000_500),
        (1_764_459_000_500, 1_764_459_000_500),
        ("1764459000", 1_764_459_000_000),
    ],
)
def test_a_time_is_iso_8601_or_seconds_or_milliseconds(path: Path, told: object, at: int) -> None:
    assert [each.at for each in letters(path, {"body": "x", "at": told})] == [at]


@pytest.mark.parametrize("told", ["tomorrow", True, [], 1e300, "nan"])
def test_a_time_that_is_none_is_unknown_and_told(path: Path, told: object) -> None:
    found, changed = items(path, {"body": "x", "at": told})

    assert isinstance(found, PastLetter) and isinstance(changed, Changed)
    assert found.at == 0
    assert changed.reason.startswith("its time is none")


def test_recipients_are_a_list_or_names_with_commas(path: Path) -> None:
    found = letters(path, {"body": "x", "to": ["a", "b"]}, {"body": "x", "to": "a, b"}, {"body": "x"})

    assert [each.to for each in found] == [("a", "b"), ("a", "b"), ("unknown",)]


def test_lines_without_numbers_are_called_by_their_line(path: Path) -> None:
    assert [each.number for each in letters(path, {"body": "x"}, "", {"body": "y"})] == ["1", "3"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"from": "a"}, "nothing in it is the text of a letter (none of body, msg, message, text, content"),
        ({"body": ""}, "nothing in it is the text of a letter"),
        ("5", "it is no JSON object"),
        ("{oops", "it is not JSON"),
    ],
)
def test_a_line_that_is_no_letter_is_left_out_and_all_others_are_taken(path: Path, row: Any, reason: str) -> None:
    found = items(path, {"body": "x"}, row, {"body": "y"})

    assert [each.body for each in found if isinstance(each, PastLetter)] == ["x", "y"]
    (one,) = [each for each in found if isinstance(each, LeftOut)]
    assert (one.place, one.reason[: len(reason)]) == ("line 2", reason)


def test_a_text_that_is_no_text_is_kept_as_json(path: Path) -> None:
    assert [each.body for each in letters(path, {"body": {"a": [1]}})] == ['{"a":[1]}']


def test_one_json_array_is_refused_with_what_makes_lines_of_it(path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"it is one JSON array, not an object a line; to make it such: jq -c"):
        items(path, "[", '{"body": "x"}]')


def test_the_same_line_of_two_files_is_two_letters_where_no_time_tells_that_it_is_one(tmp_path: Path) -> None:
    keys = [letters(tmp_path / name, {"body": "x"})[0].key for name in ("a.jsonl", "b.jsonl")]
    timed = [letters(tmp_path / name, {"body": "x", "at": 1})[0].key for name in ("a.jsonl", "b.jsonl")]

    assert keys[0] != keys[1]
    assert timed[0] == timed[1]  # as of a file that was renamed when it was full


def test_every_field_can_be_mapped(path: Path) -> None:
    row = {f"my {field}": "1" for field in FIELDS}
    ways = ",".join(f"{field}=my {field}" for field in FIELDS)

    (found,) = letters(path, row, ways=ways)

    assert (found.sender, found.to, found.body, found.at, found.number, found.ref) == ("1", ("1",), "1", 1000, "1", "1")
    assert (found.kind, found.needs_reply, found.final, found.artifacts, found.channel) == (
        "1",
        True,
        True,
        ("1",),
        "1",
    )
