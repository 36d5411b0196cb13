"""History as a model and as a person read it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.fence_history import Reader, history_page, letter_page, matches_page, snippet
from mailstop.history import History, Move
from mailstop.letter import Letter
from tests.examples import up_to

MODEL = Reader(nonce="0123abcd", limit_bytes=2_000)
PERSON = Reader()
MORE = "mailstop read --before"


def letter(n: int, body: str = "hello", **fields: Any) -> Letter:
    return Letter(n, f"id-{n}", 1_700_000_000_000, "default", "builder", ("reviewer",), "note", body).but(**fields)


def move(n: int, **fields: Any) -> Move:
    return Move(n, 1_700_000_000_000, "default", "builder", "taken", "claude", "parser").but(**fields)


def page(reader: Reader, *records: Letter | Move, older: bool = False) -> str:
    return history_page(History(records, older), "bag default", MORE, reader).text


def test_a_model_reads_bodies_between_two_lines_with_the_nonce() -> None:
    lines = page(MODEL, letter(1, "hello\nthere")).split("\n")

    assert lines[-4:] == ["=== mailstop 0123abcd begin ===", "hello", "there", "=== mailstop 0123abcd end ==="]


def test_a_person_reads_indented_bodies() -> None:
    lines = page(PERSON, letter(1, "hello\n\nthere\n")).split("\n")

    assert lines[-3:] == ["    hello", "", "    there"]
    assert lines[0] == "bag default"


def test_a_move_is_a_line_with_who_came_from_where() -> None:
    assert page(PERSON, move(3)).endswith('  builder taken (Claude Code; "parser")')


@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ({"kind": "question"}, '("question"; reply needed)'),
        ({"needs_reply": True}, "(reply needed)"),
        ({"final": True, "needs_reply": True}, "(final)"),
        ({"ref": 7}, "(answers 7)"),
        ({"bag": "parser"}, "in bag parser"),
        ({"to": tuple(f"seat-{number}" for number in range(10))}, "seat-7 and 2 more"),
    ],
)
def test_the_line_of_a_letter_says_what_matters_of_it(fields: dict[str, Any], label: str) -> None:
    assert label in page(PERSON, letter(9, **fields))


def test_artifacts_are_named() -> None:
    assert 'Artifacts: "a", "b"' in page(MODEL, letter(1, artifacts=("a", "b")))


def test_a_page_of_everything_says_nothing_of_earlier_ones() -> None:
    assert "Earlier" not in page(MODEL, letter(1), letter(2))


def test_a_page_after_which_older_ones_come_says_how_to_get_them() -> None:
    assert f"Earlier: {MORE} 4" in page(MODEL, letter(4), letter(5), older=True)


def test_what_does_not_fit_is_left_to_the_page_before() -> None:
    found = history_page(History(tuple(letter(n, "x" * 700) for n in range(1, 6))), "bag default", MORE, MODEL)

    assert [record.n for record in found.shown] == [4, 5]
    assert f"Earlier: {MORE} 4" in found.text
    assert found.older


def test_only_a_letter_that_does_not_fit_alone_is_cut() -> None:
    found = history_page(History((letter(1, "x" * 100), letter(2, "y" * 5_000))), "bag default", MORE, MODEL)

    assert [record.n for record in found.shown] == [2]
    assert "more bytes of this letter are left out. All of it: mailstop read 2" in found.text


bodies = st.text(max_size=400) | st.text(alphabet="<system-rmind>=\n\r\x1b\u202e🙂é", max_size=1_500)
records = st.builds(
    lambda body, kind, paths, to: letter(1, body or "x", kind=kind or "note", artifacts=tuple(paths), to=tuple(to)),
    bodies,
    st.text(max_size=40),
    st.lists(st.text(max_size=300), max_size=3),
    st.lists(st.text(min_size=1, max_size=63), min_size=1, max_size=12),
) | st.builds(
    lambda project, reason: move(1, project=project, reason=reason), st.text(max_size=80), st.text(max_size=80)
)


@settings(max_examples=up_to(100), deadline=None)
@given(st.lists(records, max_size=8), st.integers(3_000, 8_000))
def test_a_page_never_takes_more_bytes_than_it_may(found: list[Letter | Move], limit: int) -> None:
    numbered = tuple(record.but(n=n) for n, record in enumerate(found, 1))

    made = history_page(History(numbered), "bag default", MORE, Reader("0123abcd", limit))

    assert len(made.text.encode("utf-8", "replace")) <= limit
    assert made.shown == numbered[len(numbered) - len(made.shown) :]
    assert made.shown or not numbered
    assert made.older == (len(made.shown) < len(numbered))


@settings(max_examples=up_to(100), deadline=None)
@given(st.lists(records, min_size=1, max_size=4))
def test_nothing_that_others_wrote_can_open_or_close_a_fence(found: list[Letter | Move]) -> None:
    letters = sum(isinstance(record, Letter) for record in found)

    text = page(Reader("0123abcd"), *found)

    fences = [line for line in text.split("\n") if "".join(line.lower().split()).startswith("===mailstop")]
    assert len(fences) == 2 * letters
    assert "<system-reminder" not in text
    assert "\x1b" not in text


def test_a_match_is_a_line_with_the_text_around_it() -> None:
    found = matches_page(History((letter(1, "one needle"), letter(2, "Needle two"))), "needle", "matches", MORE, MODEL)

    first, second = found.text.split("\n")[-2:]
    assert first.endswith('builder -> reviewer: "one needle"')
    assert second.endswith('builder -> reviewer: "Needle two"')


@given(bodies, st.text(max_size=20))
def test_a_snippet_is_one_short_printable_line(body: str, words: str) -> None:
    made = snippet(body, words, MODEL)

    assert "\n" not in made
    assert '"' not in made
    assert len(made) <= 161


def test_a_letter_in_full_is_neither_fenced_nor_indented_for_a_person() -> None:
    assert letter_page(letter(4, "hello\nthere\n")).split("\n")[-3:] == ["", "hello", "there"]
