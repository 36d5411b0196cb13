from __future__ import annotations

import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.errors import BodyTooLarge, InvalidBody, InvalidKind
from mailstop.letter import LARGEST_BODY, LONGEST_KIND, checked_body, checked_kind, new_id


def test_an_id_is_a_uuid_of_version_7_with_the_time_of_its_making() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_id())
    after = time.time_ns() // 1_000_000

    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert before <= made.int >> 80 <= after


@given(st.lists(st.integers(0, 2**48 - 1), min_size=2, max_size=20, unique=True))
def test_ids_sort_by_the_time_of_their_making(milliseconds: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        ids = []
        for at in sorted(milliseconds):
            patch.setattr(time, "time_ns", lambda at=at: at * 1_000_000 + 999_999)
            ids.append(new_id())
    assert ids == sorted(ids)
    assert [uuid.UUID(made).int >> 80 for made in ids] == sorted(milliseconds)


def test_ids_of_one_millisecond_differ() -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000


def test_an_id_is_written_as_uuids_are() -> None:
    made = new_id()
    assert str(uuid.UUID(made)) == made


@pytest.mark.parametrize("body", ["x", "a\r\nb\r\n", "🙂\n\n", "a\u2028", "\x1b[31m", " x ", "\ufeffx"])
def test_a_body_is_kept_as_it_is(body: str) -> None:
    assert checked_body(body) == body


@pytest.mark.parametrize("body", ["", " ", "\n\t\r\n", "\u3000"])
def test_a_blank_body_is_refused(body: str) -> None:
    with pytest.raises(InvalidBody, match="blank"):
        checked_body(body)


@pytest.mark.parametrize("body", ["\0", "a\0b"])
def test_a_nul_is_refused(body: str) -> None:
    with pytest.raises(InvalidBody, match="NUL"):
        checked_body(body)


@pytest.mark.parametrize("body", ["\ud800", "a\udfffb", "\udc80"])
def test_half_of_a_surrogate_pair_is_refused(body: str) -> None:
    with pytest.raises(InvalidBody, match="surrogate"):
        checked_body(body)


@pytest.mark.parametrize("character", ["a", "ä", "€", "🙂"])
def test_the_limit_of_a_body_counts_bytes(character: str) -> None:
    fitting = character * (LARGEST_BODY // len(character.encode()))
    room = LARGEST_BODY - len(fitting.encode())
    assert checked_body(fitting + "a" * room)
    with pytest.raises(BodyTooLarge, match=str(LARGEST_BODY + 1)):
        checked_body(fitting + "a" * (room + 1))


@given(st.text(max_size=100))
def test_a_body_is_kept_or_refused(body: str) -> None:
    try:
        assert checked_body(body) == body
    except InvalidBody:
        assert not body.strip() or "\0" in body or any("\ud800" <= half <= "\udfff" for half in body)


@pytest.mark.parametrize("kind", ["note", "any kind", "ü", "🙂", "x" * LONGEST_KIND])
def test_a_kind_is_any_printable_line(kind: str) -> None:
    assert checked_kind(kind) == kind


@pytest.mark.parametrize("kind", ["", " ", "a\nb", "\x1b[0m", "\u202ea", "a\u2028", "x" * (LONGEST_KIND + 1), "\ud800"])
def test_a_kind_that_is_no_short_printable_line_is_refused(kind: str) -> None:
    with pytest.raises(InvalidKind):
        checked_kind(kind)


def test_the_refusal_of_an_endless_kind_is_short() -> None:
    with pytest.raises(InvalidKind) as refused:
        checked_kind("x" * 200_000)
    assert len(refused.value.message) < 300
