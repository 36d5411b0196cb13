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


def test_the_widest_cells_are_shortened_first() -> None:
    lines = table(("seat", "folder"), [("builder", "/a/rather/deep/folder")], 20).split("\n")

    assert lines[1] == "builder  /a/rather/…"


@given(st.lists(st.tuples(cells, cells, cells), max_size=5), st.integers(30, 120))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]], width: int) -> None:
    lines = table(("one", "two", "three"), rows, width).split("\n")

    assert max(map(columns_of, lines)) <= width


@given(st.lists(st.tuples(cells, cells), max_size=5))
def test_a_pipe_gets_every_cell_in_full(rows: list[tuple[str, str]]) -> None:
    text = table(("one", "two"), rows, None)

    assert all(cell in text for row in rows for cell in row)
