"""Full text on SQLite: folded by who searches, and never by who sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailstop.engines.entry import Entry, subject
from mailstop.engines.sqlite import search
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.letter import new_id
from tests.examples import up_to


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(str(tmp_path / "mailstop.db")) as store:
        yield store


def write(store: SQLiteStore, *bodies: str, bag: str = "default") -> list[int]:
    """Store a letter for each body; their numbers."""
    data = {"from": "builder", "to": ["reviewer"], "kind": "note"}
    entries = [Entry(subject("letters", bag), "letter", bag, new_id(), 1, data, body) for body in bodies]
    last = store.ledger.append(entries)
    return list(range(last - len(bodies) + 1, last + 1))


def found(store: SQLiteStore, text: str, **limits: int | str) -> list[int]:
    return [letter.n for letter in store.index.search(text, **limits)]  # type: ignore[arg-type]


def test_the_newest_match_comes_first(store: SQLiteStore) -> None:
    first, _, third = write(store, "a needle", "hay", "Needle, again")

    assert found(store, "needle") == [third, first]


def test_matches_are_paged_by_number(store: SQLiteStore) -> None:
    numbers = write(store, *["needle"] * 5)

    assert found(store, "needle", limit=2) == numbers[:2:-1]
    assert found(store, "needle", limit=2, before=numbers[3]) == [numbers[2], numbers[1]]


def test_a_word_with_punctuation_matches_the_same_words_side_by_side(store: SQLiteStore) -> None:
    (side_by_side, _) = write(store, "see src/parser.py there", "a parser in src, written in py")

    assert found(store, "src/parser.py") == [side_by_side]


def test_accents_do_not_matter(store: SQLiteStore) -> None:
    numbers = write(store, "le café")

    assert found(store, "CAFE") == numbers


def test_only_the_beginning_of_a_body_is_searched(store: SQLiteStore) -> None:
    inside, _ = write(
        store,
        "x" * (search.SEARCHED_BYTES - 8) + " needle " + "x" * 100,
        "x" * search.SEARCHED_BYTES + " needle",
    )

    assert found(store, "needle") == [inside]


def test_a_body_is_stored_once(store: SQLiteStore, tmp_path: Path) -> None:
    body = " ".join(f"word{number}" for number in range(2_000))
    write(store, *[body] * 50)
    assert len(found(store, "word1999", limit=100)) == 0, "that word lies behind what is searched"
    assert len(found(store, "word7", limit=100)) == 50

    # What FTS5 keeps of a text that it does not store are tables named after it, and none of them holds the body.
    tables = store._connection.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'search%'")
    assert ("search_content",) not in tables


def test_many_letters_are_folded_in_bounded_pages(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PAGE_LETTERS", 3)
    numbers = write(store, *["needle"] * 10)

    assert found(store, "needle", limit=20) == numbers[::-1]


def test_long_letters_are_folded_in_bounded_pages(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PAGE_CHARACTERS", 100)
    numbers = write(store, *["needle " + "x" * 200] * 4)

    assert found(store, "needle", limit=20) == numbers[::-1]


def test_two_who_search_at_the_same_time_fold_each_letter_once(store: SQLiteStore, tmp_path: Path) -> None:
    numbers = write(store, *["needle"] * 4)
    first = search.Search(store._connection)
    first._prepare()
    with SQLiteStore(str(tmp_path / "mailstop.db")) as other:
        assert found(other, "needle") == numbers[::-1]

        # The first has read its page before the other folded it.
        assert first._fold_page(numbers[-1]) is False
        assert found(store, "needle") == numbers[::-1]


def test_nobody_who_sends_folds(store: SQLiteStore) -> None:
    write(store, "needle")
    found(store, "needle")
    write(store, "another needle")

    ((folded,),) = store._connection.rows("SELECT folded FROM search_cursor")
    assert folded == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=up_to(200), deadline=None)
@given(text=st.text(max_size=40) | st.text(alphabet="\"*^():-+{}.\\' \0ANDORNEARx", max_size=40))
def test_no_text_is_syntax(store: SQLiteStore, text: str) -> None:
    if store.index.newest() == 0:
        write(store, "hello")

    assert found(store, text) in ([], [1])


def test_a_lone_surrogate_finds_nothing_and_breaks_nothing(store: SQLiteStore) -> None:
    write(store, "hello")

    assert found(store, "\udcff") == []
