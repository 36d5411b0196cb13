"""Tables on terminals and in pipes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mailstop.cli.table import columns_of, table

cells = st.text(alphabet="abc漢字é", max_size=60)


def test_columns_are_aligned_under_their_heading() -> None:
    assert table(("seat", "waiting"), [("builder", "0"), ("qc", "12")], None).split("\n") == [
        "seat     waiting",
        "builder  0",
        "qc       12",
    ]


def test_wide_characters_count_twice() -> None:
    assert table(("a", "b"), [("漢字", "x"), ("abcd", "y")], None).split("\n")[1:] == ["漢字  x", "abcd  y"]


def test_only_free_text_is_shortened() -> None:
    rows = [("builder", "input-required", "/a/rather/deep/folder/of/mine")]
    lines = table(("seat", "state", "folder"), rows, 45, free=("folder",)).split("\n")

    assert lines[1] == "builder  input-required  /a/rather/deep/fold…"


def test_sentences_go_on_in_further_lines() -> None:
    lines = table(("limit", "what"), [("--hops", "the longest chain of letters there may be")], 30, prose="what")

    assert lines.split("\n") == [
        "limit   what",
        "--hops  the longest chain of",
        "        letters there may be",
    ]


def test_where_it_does_not_fit_each_row_is_told_whole_in_lines_of_its_own() -> None:
    rows = [
        ("builder (you)", "active", "-", "/a/folder", "say all that there is to say"),
        ("qc", "done", "3", "/b", "-"),
    ]

    assert table(("seat", "status", "waiting", "folder", "objective"), rows, 30, free=("objective",)).split("\n") == [
        "builder (you)",
        "  status: active",
        "  folder: /a/folder",
        "  objective: say all that",
        "    there is to say",
        "qc",
        "  status: done  waiting: 3",
        "  folder: /b",
    ]


words = st.lists(st.text(alphabet="abc漢字é", min_size=1, max_size=8), max_size=8).map(" ".join)


@given(st.lists(st.tuples(words, words, words), max_size=5), st.integers(20, 120), st.booleans())
def test_no_line_is_wider_than_the_terminal_and_no_word_outside_of_free_text_is_cut(
    rows: list[tuple[str, str, str]], width: int, with_prose: bool
) -> None:
    heading = ("one", "two", "three")

    lines = table(heading, rows, width, free=("two",), prose="three" if with_prose else "").split("\n")

    assert max(map(columns_of, lines)) <= width
    shown = "\n".join(lines)
    for one, two, three in rows:
        assert all(word in shown for word in (*one.split(), *three.split()))
        assert two in shown or "…" in shown or len(lines) > len(rows) + 1


@given(st.lists(st.tuples(cells, cells), max_size=5))
def test_a_pipe_gets_every_cell_in_full(rows: list[tuple[str, str]]) -> None:
    text = table(("one", "two"), rows, None)

    assert all(cell in text for row in rows for cell in row)
