"""What every engine promises, below all rules: ledger, board, and an index that a writer finds folded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from mailstop.engines.base import Store
from mailstop.engines.entry import Entry, subject
from mailstop.engines.row import Delete, Put
from mailstop.errors import Conflict, StoreUnavailable
from mailstop.letter import new_id


def entry(on: str = "letters.default", what: str = "note", **data: Any) -> Entry:
    """An entry of a type that no index knows, unless `what` says otherwise."""
    return Entry(on, what, "default", new_id(), 1_700_000_000_000, data)


def letter(body: str = "hello", to: str = "reviewer") -> Entry:
    """An entry that the index folds."""
    data = {"from": "builder", "to": [to], "kind": "note"}
    return entry(what="letter").but(data=data, body=body)


def insist(act: Callable[[], object]) -> None:
    """Do what may conflict though nobody is in the way, as rules do."""
    for _ in range(50):
        try:
            act()
            return
        except Conflict:
            continue
    raise AssertionError("it conflicts without end")


def test_numbers_only_grow(store: Store) -> None:
    numbers = [store.ledger.append([entry()]) for _ in range(5)]

    assert numbers == sorted(set(numbers))
    assert numbers[0] > 0


def test_the_entries_behind_a_number_come_oldest_first_in_pages(store: Store) -> None:
    first, *others = [store.ledger.append([entry(count=count)]) for count in range(5)]

    page = store.ledger.after(first, limit=3)
    rest = store.ledger.after(page[-1].n)

    assert [one.n for one in [*page, *rest]] == others
    assert [one.data for one in rest] == [{"count": 4}]
    assert store.ledger.after(others[-1]) == []


def test_an_entry_comes_back_as_it_was_written(store: Store) -> None:
    written = entry(text="Ünïcode \U0001f600", list=[1, None, True], nested={"a": {}}).but(body="a\r\nb\n\n")
    n = store.ledger.append([written])

    assert store.ledger.after(0) == [written.but(n=n)]
    assert store.ledger.on("letters.default") == written.but(n=n)


def test_all_entries_of_an_append_are_written_or_none(store: Store) -> None:
    store.ledger.append([entry("seats.default.a")])

    with pytest.raises(Conflict):
        store.ledger.append([entry("seats.default.b"), entry("seats.default.a")], expect={"seats.default.a": 0})

    assert len(store.ledger.after(0)) == 1


def test_an_append_whose_subject_has_not_moved_is_written(store: Store) -> None:
    seen = store.ledger.append([entry("seats.default.a")])

    insist(lambda: store.ledger.append([entry("seats.default.a")], expect={"seats.default.a": seen}))

    assert store.ledger.last("seats.default.a") > seen


def test_an_append_may_expect_a_subject_it_does_not_write(store: Store) -> None:
    seen = store.ledger.append([entry("seats.default.a")])
    insist(lambda: store.ledger.append([entry()], expect={"seats.default.a": seen, "seats.default.b": 0}))

    store.ledger.append([entry("seats.default.b")])

    with pytest.raises(Conflict):
        store.ledger.append([entry()], expect={"seats.default.b": 0})


def test_a_prefix_covers_what_lies_below_it_and_nothing_beside_it(store: Store) -> None:
    below = store.ledger.append([entry("seats.default.a")])
    store.ledger.append([entry("seats.default-2.a")])
    store.ledger.append([entry("seats.default")])

    assert store.ledger.last("seats.default.>") == below
    assert store.ledger.last("seats.>") > below
    assert store.ledger.last("seat.>") == 0


@pytest.mark.parametrize("name", ["a.b", "a>b", "*", "a b", "ä", "a/b", "=", ".", "'", '"', "a\nb", "\U0001f600"])
def test_a_name_in_a_subject_is_one_token_whatever_it_holds(store: Store, name: str) -> None:
    n = store.ledger.append([entry(subject("seats", name, "x"))])

    assert subject("seats", name, "x").count(".") == 2
    assert store.ledger.last(subject("seats", name, "x")) == n
    assert store.ledger.last(f"{subject('seats', name)}.>") == n
    assert store.ledger.last(subject("seats", "other", "x")) == 0


def test_a_writer_finds_its_own_letter_in_the_index_at_once(store: Store) -> None:
    n = store.ledger.append([letter("first")])

    found = store.index.letter(n)

    assert found is not None
    assert found.body == "first"
    assert store.index.newest() == n


def test_a_store_that_is_opened_sees_all_that_was_written_before(open_store: Callable[[], Store]) -> None:
    with open_store() as first, open_store() as second:
        n = first.ledger.append([letter()])
        with open_store() as third:
            assert third.index.newest() == n
        assert second.ledger.last("letters.default") == n


def test_after_a_conflict_the_index_knows_what_was_in_the_way(open_store: Callable[[], Store]) -> None:
    with open_store() as first, open_store() as second:
        n = first.ledger.append([letter()])

        with pytest.raises(Conflict):
            second.ledger.append([letter()], expect={"letters.default": 0})

        assert second.index.newest() == n


def test_whoever_reads_the_last_entry_of_a_subject_finds_it_folded(open_store: Callable[[], Store]) -> None:
    with open_store() as first, open_store() as second:
        first.ledger.append([letter()])

        last = second.ledger.on("letters.default")

        assert last is not None
        assert second.index.letter_with_id(last.id) is not None


def test_an_entry_of_an_unknown_type_is_kept_and_skipped(store: Store) -> None:
    store.ledger.append([entry("future.default", "future", some="thing"), letter()])

    assert [one.type for one in store.ledger.after(0)] == ["future", "letter"]
    assert store.index.count_unread("default", "reviewer") == 1


# -- board


def test_a_row_comes_back_as_it_was_put(store: Store) -> None:
    value = {"text": "Ü\n", "list": [1, 2], "none": None}
    store.board.change([Put("session/a", value, due=5)])

    row = store.board.get("session/a")

    assert row is not None
    assert (row.key, row.value, row.due, row.expires) == ("session/a", value, 5, None)


def test_a_deleted_row_is_gone_and_may_be_deleted_again(store: Store) -> None:
    store.board.change([Put("a", {})])
    store.board.change([Delete("a"), Delete("never there")])

    assert store.board.get("a") is None


def test_a_row_is_changed_only_by_whoever_has_seen_its_last_revision(store: Store) -> None:
    store.board.change([Put("a", {"by": 1})])
    seen = store.board.get("a")
    assert seen is not None
    insist(lambda: store.board.change([Put("a", {"by": 2})], expect={"a": seen.revision}))

    with pytest.raises(Conflict):
        store.board.change([Put("a", {"by": 3}), Put("b", {})], expect={"a": seen.revision})

    assert [row.value for row in store.board.under("")] == [{"by": 2}]


def test_a_row_made_anew_never_has_the_revision_of_the_deleted_one(store: Store) -> None:
    store.board.change([Put("a", {})])
    seen = store.board.get("a")
    assert seen is not None
    store.board.change([Delete("a")])
    store.board.change([Put("a", {})])

    with pytest.raises(Conflict):
        store.board.change([Put("a", {"by": "the late one"})], expect={"a": seen.revision})


def test_a_row_is_made_by_only_one_of_those_who_saw_none(store: Store) -> None:
    insist(lambda: store.board.change([Put("a", {"by": 1})], expect={"a": 0}))

    with pytest.raises(Conflict):
        store.board.change([Put("a", {"by": 2})], expect={"a": 0})


def test_each_change_raises_the_revision_also_when_the_clock_is_set_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.board.change([Put("a", {"by": 1})])
    seen = store.board.get("a")
    assert seen is not None
    monkeypatch.setattr(time, "time_ns", lambda: 1)

    store.board.change([Put("a", {"by": 2})])

    row = store.board.get("a")
    assert row is not None
    assert row.revision > seen.revision


def test_an_expired_row_is_as_if_it_were_not_there(store: Store) -> None:
    store.board.change([Put("a", {}, expires=1), Put("b", {}, expires=1 << 50)])

    assert store.board.get("a") is None
    assert [row.key for row in store.board.under("")] == ["b"]
    insist(lambda: store.board.change([Put("a", {"by": "the next"})], expect={"a": 0}))


def test_rows_are_found_by_what_their_key_begins_with(store: Store) -> None:
    store.board.change([Put(key, {}) for key in ("route/a/2", "route/a/1", "route/ab/1", "session/a")])

    assert [row.key for row in store.board.under("route/a/")] == ["route/a/1", "route/a/2"]


def test_rows_come_in_pages_behind_a_key(store: Store) -> None:
    store.board.change([Put(key, {}) for key in ("a/1", "a/2", "a/3", "b/1")])

    first = store.board.under("a/", limit=2)
    rest = store.board.under("a/", after=first[-1].key, limit=2)

    assert [row.key for row in [*first, *rest]] == ["a/1", "a/2", "a/3"]


def test_rows_that_expire_can_be_left_out(store: Store) -> None:
    ahead = time.time_ns() // 1_000_000 + 60_000
    store.board.change([Put("a/stays", {}), Put("a/goes", {}, expires=ahead), Put("a/falls-due", {}, due=ahead)])

    assert [row.key for row in store.board.under("a/", lasting=True)] == ["a/falls-due", "a/stays"]
    assert len(store.board.under("a/")) == 3


def test_only_expired_rows_under_a_prefix_are_forgotten_and_no_more_than_asked(store: Store) -> None:
    ahead = time.time_ns() // 1_000_000 + 60_000
    puts = [Put(f"a/{number}", {}, expires=ahead) for number in range(3)]
    store.board.change([*puts, Put("a/stays", {}), Put("a/later", {}, expires=ahead + 1), Put("b/1", {}, expires=1)])

    assert store.board.forget("a/", ahead, limit=2) == 2
    assert store.board.forget("a/", ahead) == 1
    assert store.board.forget("a/", ahead) == 0
    assert [row.key for row in store.board.under("")] == ["a/later", "a/stays"]
    assert store.board.forget("b/", ahead) == 1


def test_due_rows_come_the_longest_due_first(store: Store) -> None:
    store.board.change([Put("late", {}, due=30), Put("early", {}, due=10), Put("future", {}, due=50), Put("none", {})])

    assert store.board.next_due() == 10
    assert [row.key for row in store.board.due(40)] == ["early", "late"]
    assert [row.key for row in store.board.due(40, limit=1)] == ["early"]


def test_rows_due_further_ahead_than_anybody_sets_them_are_due_too(store: Store) -> None:
    store.board.change([Put("soon", {}, due=30), Put("clock was put back", {}, due=5000), Put("now", {}, due=10)])

    assert [row.key for row in store.board.due(20, beyond=1000)] == ["now", "clock was put back"]


def test_nothing_is_due_on_an_empty_board(store: Store) -> None:
    assert store.board.next_due() is None
    assert store.board.due(1 << 50) == []


# -- both together


def test_changes_of_the_board_come_with_the_entries(store: Store) -> None:
    store.ledger.append([letter()], board=[Put("route/a", {})])

    assert store.board.get("route/a") is not None


def test_an_append_that_conflicts_leaves_the_board_alone(store: Store) -> None:
    store.ledger.append([letter()])

    with pytest.raises(Conflict):
        store.ledger.append([letter()], expect={"letters.default": 0}, board=[Put("route/a", {})])

    assert store.board.get("route/a") is None


def test_an_append_may_expect_rows_of_the_board(store: Store) -> None:
    store.board.change([Put("handed/a", {"hands": [1]})])
    row = store.board.get("handed/a")
    assert row is not None
    change = Put("handed/a", {"hands": []})
    insist(lambda: store.ledger.append([letter()], board=[change], rows={"handed/a": row.revision}))

    with pytest.raises(Conflict):
        store.ledger.append([letter()], board=[change], rows={"handed/a": row.revision})

    assert len(store.ledger.after(0)) == 1


def test_a_closed_store_says_that_it_is_closed(open_store: Callable[[], Store]) -> None:
    store = open_store()
    store.close()
    store.close()

    with pytest.raises(StoreUnavailable, match="closed"):
        store.index.newest()
