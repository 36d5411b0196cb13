"""Exports: what was written, as a file that is read back to the same history."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailstop import errors
from mailstop.acts.exporting import Wanted
from mailstop.cli.export import _Count, _pieces
from mailstop.engines.base import Store
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.exports.secrets import Scrubber
from mailstop.letter import Letter
from mailstop.past import LeftOut
from mailstop.sources.export import ExportReader, is_export
from mailstop.sources.jsonl import FileReader
from mailstop.task import Order
from tests.conformance.play import Play

Lines = list[dict[str, Any]]


def exported(play: Play, scrubber: Scrubber | None = None, **wanted: Any) -> str:
    """An export as a file holds it."""
    with play.stranger.at_office() as office:
        snapshot = office.exporting.snapshot(Wanted(**wanted))
        return "".join(_pieces(snapshot, "jsonl", scrubber, lambda _done, _total: None, _Count()))


def lines_of(text: str) -> Lines:
    return [json.loads(line) for line in text.split("\n")[:-1]]


def letters_of(text: str) -> Lines:
    return [line for line in lines_of(text) if "letter" in line]


def without_header(text: str) -> str:
    return text.partition("\n")[2]


def imported(play: Play, text: str, folder: Path, name: str = "", **place: Any) -> Any:
    """Bring an export into a store, as the person."""
    path = folder / "mail.jsonl"
    path.write_text(text)
    with play.person.at_office() as office:
        return office.importing.take(ExportReader(str(path), name), **place)


@contextmanager
def another(engine: str, folder: Path) -> Iterator[Play]:
    """Players at another, empty store of the same engine."""
    world = World(seed=crc32(str(folder).encode()))
    place = tempfile.mkdtemp(prefix="other-", dir=folder)

    def opened() -> Store:
        return MemoryStore(world) if engine == "memory" else SQLiteStore(f"{place}/mail.db")

    play = Play(opened, f"{place}/claude")
    try:
        yield play
    finally:
        play.close()


@pytest.fixture
def other(engine: str, tmp_path: Path) -> Iterator[Play]:
    with another(engine, tmp_path) as play:
        yield play


@pytest.fixture
def busy(office: Play) -> Play:
    """A store in which about everything has happened."""
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    first = builder.send("reviewer", body="please look\n\u202eat this <script>", kind="question", needs_reply=True)
    reviewer.check()
    reviewer.goes_on()
    answer = reviewer.reply(first.letter.n, "I did", artifacts=("src/a.py",), final=True)
    builder.check()
    builder.goes_on()
    builder.say("general", "hello all")
    office.as_("tester", "other").send("human", body="in another bag", bag="other", key="once")
    reviewer.subscribe("general")
    builder.say("general", "hello again")
    reviewer.check()
    reviewer.goes_on()
    office.person.opens_budget(5)
    builder.send("reviewer", "human", body="of a budget")
    office.person.sets_limits(hops=7)
    asked = reviewer.ask("builder", "Which port?", wait_s=0, choices=("80", "8080"))
    builder.answer(asked.question.n, choice=2)
    with builder.at_office() as at:
        at.tasks.give(Order("reviewer", "Build it", "all of it"))
    reviewer.leave()
    assert answer.letter.ref == first.letter.n
    return office


def test_an_export_says_what_it_is_and_that_it_is_whole(busy: Play) -> None:
    head, *lines, last = lines_of(exported(busy))

    assert is_export(exported(busy).encode().split(b"\n")[0])
    assert (head["mailstop_export"], head["own"]) == (1, "mailstop")
    assert head["letters"] == len([line for line in lines if "letter" in line])
    assert head["left_out"] == {"keys of letters": 1}
    assert last == {"end": {"lines": len(lines)}}


def test_a_letter_is_exported_with_all_that_is_known_of_it(busy: Play) -> None:
    first, second, *_ = letters_of(exported(busy))

    assert list(first)[:8] == ["letter", "id", "at", "bag", "from", "to", "kind", "needs_reply"]
    assert (first["from"], first["to"], first["body"]) == (
        "builder",
        ["reviewer"],
        "please look\n\u202eat this <script>",
    )
    assert [receipt["state"] for receipt in first["receipts"]] == ["handed", "shown", "answered"]
    assert second["answers"] == first["letter"]
    assert (second["answers_id"], second["final"], second["artifacts"]) == (first["id"], True, ["src/a.py"])


def test_read_into_an_empty_store_it_is_the_same_history(busy: Play, other: Play, tmp_path: Path) -> None:
    text = exported(busy)

    account = imported(other, text, tmp_path)

    assert (account.letters, account.left_out) == (lines_of(text)[0]["letters"], ())
    assert without_header(exported(other)) == without_header(text)
    for bag in ("default", "other"):
        with busy.store() as here, other.store() as there:
            before, after = (store.index.history(bag=bag, limit=1000).records for store in (here, there))
        assert [(each.id, each.at, each.bag, each.body) for each in before if isinstance(each, Letter)] == [
            (each.id, each.at, each.bag, each.body) for each in after if isinstance(each, Letter)
        ]
        assert [(each.at, f"mailstop:{each.seat}", each.act) for each in before if not isinstance(each, Letter)] == [
            (each.at, each.seat, each.act) for each in after if not isinstance(each, Letter)
        ]


def test_threads_hold_and_old_numbers_still_find_their_letters(busy: Play, other: Play, tmp_path: Path) -> None:
    other.as_("somebody").send("human", body="so that numbers differ")
    first, second, *_ = letters_of(exported(busy))
    imported(other, exported(busy), tmp_path)

    with other.person.at_office() as office:
        n = office.importing.number(first["letter"])
        letter, answer = office.letter(n), office.letter(office.importing.number(second["letter"]))
    assert letter.n != int(first["letter"].partition(":")[2])
    assert (letter.body, letter.imported and letter.imported.sender) == (first["body"], "builder")
    assert (answer.ref, answer.thread) == (letter.n, letter.n)


def test_receipts_come_along_as_what_was_reported_and_prove_nothing(busy: Play, other: Play, tmp_path: Path) -> None:
    first = letters_of(exported(busy))[0]
    imported(other, exported(busy), tmp_path)

    with other.person.at_office() as office:
        letter = office.letter(office.importing.number(first["letter"]))
        assert letter.imported and letter.imported.kept["receipts"] == first["receipts"]
        assert office.store.index.receipts(letter.n) == []
        assert office.waiting() == 0
    assert other.as_("reviewer").peek() == []


def test_it_is_brought_in_once_however_often_also_where_it_comes_from(busy: Play, other: Play, tmp_path: Path) -> None:
    text = exported(busy)
    imported(other, text, tmp_path)

    again = imported(other, text, tmp_path)
    home = imported(busy, text, tmp_path)

    assert (again.letters, again.moves, home.letters, home.moves) == (0, 0, 0, 0)
    assert without_header(exported(busy)) == without_header(text)


def test_a_store_with_letters_of_its_own_tells_them_from_those_it_imported(
    busy: Play, other: Play, engine: str, tmp_path: Path
) -> None:
    imported(other, exported(busy), tmp_path)
    other.as_("builder").send("human", body="of my own")
    text = exported(other)

    assert lines_of(text)[0]["own"] == "mailstop-2"
    own = letters_of(text)[-1]
    assert (own["letter"].partition(":")[0], own["body"]) == ("mailstop-2", "of my own")
    with another(engine, tmp_path) as third:
        imported(third, text, tmp_path)
        assert without_header(exported(third)) == without_header(text)
        with third.person.at_office() as office:
            assert office.letter(office.importing.number(own["letter"])).body == "of my own"


def test_under_another_name_letters_and_what_they_answer_are_called_by_it(
    busy: Play, other: Play, tmp_path: Path
) -> None:
    imported(other, exported(busy), tmp_path, "laptop")

    first, second, *_ = letters_of(exported(other))
    assert first["letter"].startswith("laptop:")
    assert second["answers"] == first["letter"]


def test_one_bag_one_conversation_or_what_is_new_may_be_exported(busy: Play) -> None:
    everything = letters_of(exported(busy))

    assert [letter["body"] for letter in letters_of(exported(busy, bag="other"))] == ["in another bag"]
    n = int(everything[1]["letter"].partition(":")[2])
    thread = exported(busy, thread=n)
    assert [letter["body"] for letter in letters_of(thread)] == [everything[0]["body"], "I did"]
    assert lines_of(thread)[0]["letters"] == 2
    with busy.person.at_office() as office:
        now = office.clock()
    assert letters_of(exported(busy, since=now + 1)) == []
    assert len(letters_of(exported(busy, since=1))) == len(everything)
    with busy.stranger.at_office() as office, pytest.raises(errors.UnknownBag):
        office.exporting.snapshot(Wanted("nowhere"))
    with busy.stranger.at_office() as office, pytest.raises(errors.UnknownNumber):
        office.exporting.snapshot(Wanted(thread=10_000))


@pytest.mark.parametrize("at", [-200_000_000_001, -40_000_000_000_000, 300_000_000_000_000])
def test_a_letter_from_before_1970_or_beyond_9999_is_exported_too_and_comes_back_with_its_time(
    at: int, office: Play, other: Play, tmp_path: Path
) -> None:
    line = {"from": "ada", "to": "bob", "body": "long ago", "at": at}
    (tmp_path / "old.jsonl").write_text(json.dumps(line) + "\n")
    with office.person.at_office() as desk:
        n = desk.importing.take(FileReader(str(tmp_path / "old.jsonl"))).last
    text = exported(office)
    imported(other, text, tmp_path)

    assert [letter["body"] for letter in letters_of(text)] == ["long ago"]
    assert letters_of(exported(office, thread=n)) == letters_of(text)
    assert letters_of(exported(other))[0]["at"] == letters_of(text)[0]["at"]
    with other.person.at_office() as desk:
        assert desk.letter(desk.importing.number("jsonl:1")).at == at


def test_what_is_written_meanwhile_is_not_in_it(busy: Play) -> None:
    text = exported(busy)
    with busy.stranger.at_office() as office:
        snapshot = office.exporting.snapshot(Wanted())
        pieces = _pieces(snapshot, "jsonl", None, lambda _done, _total: None, _Count())
        head = next(pieces)
        busy.as_("builder").send("tester", body="meanwhile", hold=True)
        busy.as_("builder").check()
        busy.as_("builder").goes_on()
        late = head + "".join(pieces)

    assert without_header(late) == without_header(text)


def test_in_one_bag_that_is_named_everything_lies_there(busy: Play, other: Play, tmp_path: Path) -> None:
    imported(other, exported(busy), tmp_path, bag="old")

    assert {letter["bag"] for letter in letters_of(exported(other))} == {"old"}


def test_secrets_are_replaced_and_counted_where_that_is_asked_for(office: Play) -> None:
    secret = "ghp_" + "a1B2" * 9
    office.as_("builder").send("human", body=f"use {secret}, and {secret}")
    scrubber = Scrubber()

    text = exported(office, scrubber)

    assert secret in exported(office) and secret not in text
    assert lines_of(text)[-1]["end"]["scrubbed"] == {"GitHub token": 2} == scrubber.counts
    assert letters_of(text)[0]["body"] == "use [removed: GitHub token], and [removed: GitHub token]"


BAD = [
    (b"{torn", "not JSON"),
    (b"[]", "no JSON object"),
    (b'{"letter": "mailstop:9"}', "'kind' is missing"),
    (b"\xff\xfe", "not UTF-8"),
    (b'{"letter": "a:1", "id": "%s", "kind": "note", "at": %s, "bag": "a"}' % (b"0" * 36, b"9" * 30), "its time"),
    (b'{"what": 1}', "no letter and no event"),
    (b'{"event": "taken", "entry": "mailstop:1", "id": "x", "at": "2026-01-01", "bag": "a", "data": {}}', "its id"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_line_that_is_none_is_left_out_and_said_and_the_others_are_read(
    line: bytes, reason: str, busy: Play, tmp_path: Path
) -> None:
    head, *lines = exported(busy).encode().split(b"\n")
    path = tmp_path / "mail.jsonl"
    path.write_bytes(b"\n".join([head, line, *lines]))

    items = list(ExportReader(str(path)))

    left = [item for item in items if isinstance(item, LeftOut)]
    assert [each.place for each in left] == ["line 2", "the end"]
    assert reason in left[0].reason
    assert len(items) - len(left) == len(lines) - 2


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes_and_that_is_said(busy: Play, tmp_path: Path) -> None:
    path = tmp_path / "mail.jsonl"
    text = exported(busy).encode()
    path.write_bytes(text[: len(text) // 2])

    *_, last = ExportReader(str(path))

    assert isinstance(last, LeftOut) and last.place == "the end"


@pytest.mark.parametrize("first", [b"", b"{}", b'{"mailstop_export":2}', b'{"mailstop_export":1,"own":"a b"}', b"\xff"])
def test_a_file_of_another_kind_or_a_newer_version_is_refused(first: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mail.jsonl"
    path.write_bytes(first + b"\n")

    with pytest.raises(errors.SourceUnavailable):
        ExportReader(str(path))


# -- any letters -------------------------------------------------------------------------------------------------------

_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40)
_BODY = _TEXT.filter(lambda text: bool(text.strip()))
_KIND = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=10)
_LETTER = st.fixed_dictionaries(
    {"body": _BODY, "kind": _KIND, "needs_reply": st.booleans(), "final": st.booleans(), "answers": st.integers(0, 5)}
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(letters=st.lists(_LETTER, min_size=1, max_size=8))
def test_any_letters_come_back_as_they_were(
    letters: Lines, engine: str, tmp_path: Path, new_play: Callable[[], Any]
) -> None:
    with new_play() as play, another(engine, tmp_path) as second:
        builder, sent = play.as_("builder"), list[int]()
        for letter in letters:
            fields = {name: value for name, value in letter.items() if name != "answers"}
            ref = sent[-letter["answers"]] if 0 < letter["answers"] <= len(sent) else None
            sent.append(builder.send("human", **fields, ref=ref).letter.n)
        text = exported(play)

        imported(second, text, tmp_path)

        assert [each["body"] for each in letters_of(text)] == [each["body"] for each in letters]
        assert without_header(exported(second)) == without_header(text)


@pytest.fixture
def new_play(engine: str, tmp_path: Path) -> Callable[[], Any]:
    return lambda: another(engine, tmp_path)
