"""Ledgers of postbag, as the import reads them: every generation, and every way in which a line can be none."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mailstop.errors import SourceAbsent, SourceUnavailable
from mailstop.letter import LARGEST_BODY
from mailstop.past import Changed, Item, LeftOut, PastLetter, PastMove, past_id
from mailstop.sources import lines, postbag
from mailstop.sources.postbag import LedgerReader
from tests.postbag_ledgers import FIRST, GENERATIONS, LEFT, NAMED, SECRETS, SOCKET, TOKEN, row, write


def items(path: Path, text: str | bytes) -> list[Item]:
    return list(LedgerReader(str(write(path, text))))


def letters(found: list[Item]) -> list[PastLetter]:
    return [item for item in found if isinstance(item, PastLetter)]


def moves(found: list[Item]) -> list[PastMove]:
    return [item for item in found if isinstance(item, PastMove)]


def left_out(found: list[Item]) -> list[LeftOut]:
    return [item for item in found if isinstance(item, LeftOut)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger is to lie."""
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The local zone is Berlin's."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# -- generations


@pytest.mark.parametrize("generation", GENERATIONS)
def test_of_a_sound_ledger_of_any_generation_nothing_is_left_out(path: Path, generation: str) -> None:
    text = GENERATIONS[generation]

    found = items(path, text)

    assert len(found) == len(text.splitlines())
    assert [type(item) for item in found if not isinstance(item, (PastLetter, PastMove))] == []


def test_letters_are_counted_over_all_exchanges_and_also_before_and_beyond_them(path: Path) -> None:
    found = letters(items(path, FIRST))

    assert [(each.number, each.record, each.body) for each in found] == [
        ("1", 3, "before any exchange"),
        ("2", 5, "the only one, of a time without zone"),
        ("3", 6, "one beyond"),
        ("4", 8, "of the second exchange"),
    ]


def test_which_letter_of_which_exchange_one_was_is_noted(path: Path) -> None:
    assert [each.note for each in letters(items(path, FIRST))] == [
        "",
        "letter 1 of 1 in exchange 1",
        "letter 2 of 1 in exchange 1, beyond it",
        "letter 1 of 12 in exchange 2",
    ]


def test_openings_of_exchanges_are_history_of_the_person(path: Path) -> None:
    opened = [move for move in moves(items(path, FIRST)) if move.act.startswith("opened")]

    assert [(move.seat, move.act, move.record) for move in opened] == [
        ("human", "opened exchange 1 of 1 letter", 4),
        ("human", "opened exchange 2 of 12 letters", 7),
    ]


def test_a_name_without_a_vendor_is_the_vendors(path: Path) -> None:
    came = [(move.seat, move.client) for move in moves(items(path, FIRST)) if move.act == "joined"]

    assert came == [("claude", "claude"), ("codex", "codex")]


def test_a_letter_tells_the_client_of_whoever_had_the_name_then(path: Path) -> None:
    assert [(each.sender, each.client) for each in letters(items(path, NAMED))] == [
        ("ada", "claude"),
        ("eve", "claude"),
        ("bob", "claude"),
    ]


def test_renames_and_takeovers_are_told_with_the_moves(path: Path) -> None:
    told = {move.record: move.reason for move in moves(items(path, NAMED)) if move.act == "joined"}

    assert told == {
        1: "",
        2: "",
        5: "renamed from ada",
        7: "taken from the codex session that joined at 2026-06-01T10:00:05+00:00",
    }


def test_only_a_letter_whose_row_says_true_is_final(path: Path) -> None:
    assert [each.final for each in letters(items(path, LEFT))] == [False, True, False]


def test_leaves_are_told_and_the_name_may_be_joined_again(path: Path) -> None:
    assert [(move.seat, move.act) for move in moves(items(path, LEFT))] == [
        ("ada", "joined"),
        ("bob", "joined"),
        ("bob", "left"),
        ("bob", "joined"),
    ]


def test_a_body_comes_across_to_the_letter(path: Path) -> None:
    assert letters(items(path, LEFT))[0].body == 'two\nlines, über, "quotes"'


def test_unknown_fields_are_passed_over(path: Path) -> None:
    assert left_out(items(path, LEFT)) == []


def test_times_are_those_of_the_ledger(path: Path, in_berlin: None) -> None:
    found = letters(items(path, FIRST))

    assert [datetime.fromtimestamp(each.at / 1000, UTC).isoformat() for each in found] == [
        "2026-05-02T07:01:00+00:00",
        "2026-05-02T07:03:00+00:00",  # which names no zone: it is of the local one
        "2026-05-02T07:04:00+00:00",
        "2026-05-02T07:06:00+00:00",
    ]


# -- secrets


@pytest.mark.parametrize("generation", GENERATIONS)
def test_nothing_that_opens_a_door_is_in_what_is_read(path: Path, generation: str) -> None:
    told = repr(items(path, GENERATIONS[generation]))

    assert [secret for secret in SECRETS if secret in told] == []


def test_lines_that_hold_what_opens_a_door_are_counted(path: Path) -> None:
    reader = LedgerReader(str(write(path, NAMED)))
    list(reader)

    assert reader.secrets == 3


def test_a_ledger_whose_owner_has_taken_the_secrets_out_reads_the_same(path: Path) -> None:
    before = items(path, LEFT)
    scrubbed = LEFT.replace(TOKEN, "").replace(SOCKET, "")

    assert items(path, scrubbed) == before


# -- damage


def test_a_torn_last_line_is_left_out_and_taken_when_it_is_whole(path: Path) -> None:
    text = row(1) + row(2)

    torn = items(path, text[:-9])
    whole = items(path, text)

    assert [each.record for each in letters(torn)] == [1]
    assert left_out(torn) == [LeftOut("line 2", "it has no end: it is being written, or whoever wrote it died")]
    assert letters(torn) == letters(whole)[:1]


BAD = {
    "not JSON": ("{oops}\n", "it is not JSON"),
    "a giant integer": (row(2, number=1).replace('"number": 1', f'"number": {"9" * 5_000}'), "it is not JSON"),
    "deep nesting": ("[" * 100_000 + "]" * 100_000 + "\n", "it is not JSON"),
    "no object": ("5\n", "it is no JSON object"),
    "blank": ("\n", "it is not JSON"),
    "an unknown kind": (row(2, "postcard"), "its kind is 'postcard', which no postbag writes"),
    "a kind that is none": (row(2, "letter").replace('"kind": "letter"', '"kind": []'), "its kind is '[]'"),
    "no number": (row(2).replace('"n": 2, ', ""), "its number is missing, which is none"),
    "a number that is yes": (row(2).replace('"n": 2', '"n": true'), "its number is 'True', which is none"),
    "a number that is a text": (row(2).replace('"n": 2', '"n": "2"'), "its number is '2', which is none"),
    "no time": (row(2, at=None), "its time is missing, which is none"),
    "a time in words": (row(2, at="tomorrow at noon"), "its time is 'tomorrow at noon', which is none"),
    "a time that is no text": (row(2, at=17), "its time is '17', which is none"),
    "a time that acts on a terminal": (row(2, at="\x1b[2J2026"), "its time is '\ufffd[2J2026', which is none"),
    "no text": (row(2, body=""), "its field body is ''"),
    "a text that is a list": (row(2, body=["x"]), "its field body is \"['x']\""),
    "no sender": (row(2).replace('"from": "ada", ', ""), "its field from is missing"),
    "to itself": (row(2, to="ada"), "it goes from 'ada' to itself"),
    "final that is 1": (row(2, final=1), "its field final is '1', not true or false"),
    "an exchange of yes": (row(2, "open", limit=True), "it opens an exchange of 'True', which is no number of letters"),
    "an exchange of half a letter": (row(2, "open", limit=0.5), "it opens an exchange of '0.5', which is no number"),
    "an exchange of none": (row(2, "open", limit=0), "it opens an exchange of '0', which is no number"),
    "a foreign vendor": (row(2, "join", peer="x", vendor="gpt"), "'x' joins as a 'gpt', which cannot be"),
    "a vendor's name": (row(2, "join", peer="codex", vendor="claude"), "'codex' joins as a 'claude', which cannot be"),
    "a name without a vendor": (row(2, "join", peer="ada"), "'ada' joins as a 'ada', which cannot be"),
    "a leave without a vendor": (row(2, "leave", peer="ada"), "its field vendor is missing"),
    "a leave of nobody": (row(2, "leave", peer="x", vendor="codex", thread="t"), "'x' leaves, and another session"),
    "a leave of another": (
        row(2, "leave", peer="ada", vendor="claude", socket="/other", token="other"),
        "'ada' leaves, and another session, or none, had that name",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_line_that_is_no_record_is_left_out_and_all_others_are_taken(path: Path, what: str) -> None:
    line, reason = BAD[what]
    before = row(1, "join", peer="ada", vendor="claude", socket=SOCKET, token=TOKEN)

    found = items(path, before + line + row(3))

    assert [each.body for each in letters(found)] == ["letter 3"]
    (one,) = left_out(found)
    assert one.place == "line 2"
    assert one.reason.startswith(reason)
    assert one.reason.isprintable() and len(one.reason) < 200


def test_a_line_that_is_not_utf_8_is_left_out_and_all_others_are_taken(path: Path) -> None:
    found = items(path, row(1).encode() + b'{"n": 2, "body": "\xff"}\n' + row(3).encode())

    assert [each.record for each in letters(found)] == [1, 3]
    assert left_out(found) == [LeftOut("line 2", "it is not UTF-8 (its byte 19)")]


def test_a_line_without_bounds_is_left_out_in_bounded_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LARGEST_LINE", 1_000)
    monkeypatch.setattr(lines, "_CHUNK", 100)

    found = items(path, row(1) + row(2, body="x" * 5_000) + row(3) + row(4, body="y" * 5_000)[:-1])

    assert [each.record for each in letters(found)] == [1, 3]
    assert [each.place for each in left_out(found)] == ["line 2", "line 4"]
    assert left_out(found)[0].reason.startswith("it has 51")


def test_a_record_that_is_on_another_line_than_it_says_is_taken_and_told(path: Path) -> None:
    found = items(path, row(1) + row(3))

    assert [each.record for each in letters(found)] == [1, 3]
    assert found[-1] == Changed("line 2", "it says that it is record 3, on line 2")


def test_half_a_surrogate_pair_is_replaced_and_told(path: Path) -> None:
    found = items(path, row(1, body="a\ud800b"))

    assert letters(found)[0].body == "a\ufffdb"
    assert found[1] == Changed("line 1", "halves of surrogate pairs, which are no text, were replaced by U+FFFD")


def test_a_nul_is_replaced_by_its_picture_and_told(path: Path) -> None:
    found = items(path, row(1, body="a\0b"))

    assert letters(found)[0].body == "a\u2400b"
    assert isinstance(found[1], Changed)


def test_of_a_body_that_no_letter_can_have_the_beginning_is_taken_and_told(path: Path) -> None:
    found = items(path, row(1, body="ü" * LARGEST_BODY))

    body = letters(found)[0].body
    assert len(body.encode()) <= LARGEST_BODY
    assert body.endswith(f"(imported in part: the letter has {2 * LARGEST_BODY} bytes)")
    assert isinstance(found[1], Changed)


@pytest.mark.parametrize("name", ["x" * 5_000, "a\nb", "\u202egnp", "  ", '"'])
def test_a_name_is_kept_on_one_printable_line(path: Path, name: str) -> None:
    (found,) = letters(items(path, row(1, **{"from": name})))

    assert found.sender.isprintable() and 0 < len(found.sender) <= 100


# -- keys


def test_each_record_has_a_key_of_its_own_and_the_same_each_time(path: Path) -> None:
    keys = [item.key for item in items(path, NAMED) if not isinstance(item, (LeftOut, Changed))]

    assert len(set(keys)) == len(keys)
    assert keys == [item.key for item in items(path, NAMED) if not isinstance(item, (LeftOut, Changed))]


def test_ids_are_uuids_that_begin_with_their_time() -> None:
    first, second = past_id("postbag", "default", "1", 1_700_000_000_000), past_id("postbag", "default", "2", 1 << 60)

    assert (len(first), first[14], first[19]) == (36, "8", "8")
    assert first < second
    assert past_id("postbag", "other", "1", 1_700_000_000_000) != first
    assert past_id("postbag", "default", "1", -5)[:13] == "00000000-0000"


# -- which ledgers


def test_a_ledger_is_named_as_for_postbag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    found = [postbag.ledger(text) for text in ("default", "parser", "/srv/My Mail.jsonl", "here.jsonl", "~/x/Y.jsonl")]

    assert [(os.path.relpath(each.path, tmp_path), each.bag) for each in found] == [
        (".postbag/ledger.jsonl", "default"),
        (".postbag/bags/parser.jsonl", "parser"),
        (os.path.relpath("/srv/My Mail.jsonl", tmp_path), "my-mail"),
        ("here.jsonl", "here"),
        ("x/Y.jsonl", "y"),
    ]


def test_the_variable_selects_where_none_is_named_and_an_empty_one_counts_as_unset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("POSTBAG_LEDGER", "~/mine.jsonl")
    assert postbag.selected().path == str(tmp_path / "mine.jsonl")

    monkeypatch.setenv("POSTBAG_LEDGER", "")
    assert postbag.selected().path == str(tmp_path / ".postbag/ledger.jsonl")


def test_all_ledgers_are_the_default_one_the_named_ones_and_the_selected_one_each_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".postbag"
    for name in ("ledger.jsonl", "bags/b.jsonl", "bags/a.jsonl", "bags/No Bag.jsonl", "bags/x.txt"):
        write(home / name, row(1))
    (tmp_path / "link.jsonl").symlink_to(home / "bags/a.jsonl")
    monkeypatch.setenv("POSTBAG_LEDGER", str(tmp_path / "link.jsonl"))

    assert [each.bag for each in postbag.all_ledgers()] == ["default", "a", "b"]


# -- what cannot be read


def test_an_absent_ledger_is_not_found(path: Path) -> None:
    with pytest.raises(SourceAbsent):
        LedgerReader(str(path))


def test_what_is_no_file_is_refused_and_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    for path, what in ((tmp_path / "fifo", "a pipe"), (tmp_path, "a folder"), (Path("/dev/null"), "a device")):
        with pytest.raises(SourceUnavailable, match=f"it is {what}, not a file"):
            LedgerReader(str(path))


def test_what_is_no_text_is_refused(path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="it is no text: byte 5 is NUL"):
        LedgerReader(str(write(path, b"\x7fELF\0\1\2")))


def test_an_empty_ledger_holds_nothing(path: Path) -> None:
    assert items(path, "") == []
