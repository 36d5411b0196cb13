"""Letters: who may write to whom, what a letter may hold, and that it comes back as it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailstop.errors import (
    BodyTooLarge,
    InvalidBody,
    InvalidField,
    InvalidKind,
    MailstopError,
    NoLeader,
    OwnSeat,
    Refused,
    StoreBusy,
    UnknownNumber,
    UnknownSeat,
)
from mailstop.letter import LARGEST_BODY
from mailstop.rules import tellings
from tests.conformance.play import Play
from tests.conformance.test_seats import NO_NAMES

BODIES = {
    "CRLF": "one\r\ntwo\rthree\n",
    "emoji": "done \U0001f44d\U0001f3fd \U0001f468‍\U0001f469‍\U0001f467",
    "trailing newlines": "text\n\n\n",
    "leading space": "\n  \t text",
    "SQL": "'); DROP TABLE entries; --",
    "JSON": '{"from": "human"}\\u0000',
    "control characters": "\x1b[31mred\x07\x7f\x9b",
    "bidi": "\u202eevil\u2066",
    "combining": "e\u0301 é",
    "byte order mark": "\ufefftext",
    "beyond the BMP": "\U0010fffd",
    "no character": "\ufffe\uffff",
}


def test_a_letter_is_stored_before_anything_else_and_waits(office: Play) -> None:
    office.as_("reviewer")

    sent = office.as_("builder").send("reviewer", body="please look")

    assert (sent.new, sent.letter.sender, sent.letter.to) == (True, "builder", ("reviewer",))
    assert [(told.seat, told.state) for told in sent.recipients] == [("reviewer", "stored")]
    assert office.as_("reviewer").peek() == ["please look"]
    assert office.states(sent.letter.n) == []


def test_all_that_a_letter_says_comes_back(office: Play) -> None:
    office.as_("reviewer")
    first = office.as_("builder").send("reviewer").letter

    sent = office.as_("builder").send(
        "reviewer",
        body="see there",
        kind="build-task",
        needs_reply=True,
        ref=first.n,
        final=True,
        artifacts=("/tmp/a b.txt", "docs/ü.md"),
    )

    with office.store() as store:
        letter = store.index.letter(sent.letter.n)
        assert letter == sent.letter
        assert store.index.letter_with_id(sent.letter.id) == letter
    assert letter is not None
    assert (letter.kind, letter.needs_reply, letter.final) == ("build-task", True, True)
    assert (letter.ref, letter.thread) == (first.n, first.n)
    assert letter.artifacts == ("/tmp/a b.txt", "docs/ü.md")
    assert (letter.project, letter.client) == ("app", "claude")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_comes_back_byte_for_byte(office: Play, body: str) -> None:
    office.as_("reviewer")

    n = office.as_("builder").send("reviewer", body=body).letter.n

    with office.store() as store:
        letter = store.index.letter(n)
    assert letter is not None
    assert letter.body.encode() == body.encode()


@pytest.mark.parametrize("character", ["a", "ä", "€", "\U0001f600"])
def test_a_body_may_have_256_kib_and_not_one_byte_more(office: Play, character: str) -> None:
    office.as_("reviewer")
    width = len(character.encode())
    exact = character * (LARGEST_BODY // width) + "x" * (LARGEST_BODY % width)

    n = office.as_("builder").send("reviewer", body=exact).letter.n
    with pytest.raises(BodyTooLarge):
        office.as_("builder").send("reviewer", body=exact + "x")

    with office.store() as store:
        letter = store.index.letter(n)
        assert letter is not None
        assert letter.body == exact
        assert store.index.newest() == n


@pytest.mark.parametrize("body", ["", " \n\t", "a\0b", "half \ud83d", "\udc80"], ids=ascii)
def test_a_body_that_is_blank_or_no_unicode_text_is_refused(office: Play, body: str) -> None:
    office.as_("reviewer")

    with pytest.raises(InvalidBody):
        office.as_("builder").send("reviewer", body=body)

    assert office.letters() == []


@pytest.mark.parametrize("kind", ["", " ", "a\nb", "k" * 41, "a\0b", "\x1b[1m", "\u202e", "\ud800"], ids=ascii)
def test_a_kind_is_one_printable_line(office: Play, kind: str) -> None:
    office.as_("reviewer")

    with pytest.raises(InvalidKind):
        office.as_("builder").send("reviewer", kind=kind)

    assert office.letters() == []


@pytest.mark.parametrize("kind", ["x", "k" * 40, "a'b\"c", "'; DROP TABLE letters; --", "größe ✓", "a.b[c]"])
def test_any_printable_line_is_a_kind(office: Play, kind: str) -> None:
    office.as_("reviewer")
    office.as_("builder").send("reviewer", kind=kind)

    assert [letter.kind for letter in office.as_("reviewer").offered().letters] == [kind]


@pytest.mark.parametrize(
    "fields",
    [
        {"key": ""},
        {"key": "a\nb"},
        {"key": "k" * 201},
        {"key": "\ud800"},
        {"artifacts": ("",)},
        {"artifacts": ("a\0b",)},
        {"artifacts": ("x" * 4097,)},
        {"artifacts": ("x",) * 33},
    ],
    ids=ascii,
)
def test_other_fields_are_checked_before_anything_is_stored(office: Play, fields: dict[str, Any]) -> None:
    office.as_("reviewer")

    with pytest.raises(InvalidField):
        office.as_("builder").send("reviewer", **fields)

    assert office.letters() == []


# -- to whom


def test_all_names_are_resolved_first_and_all_unknown_ones_are_told_with_their_nearest(office: Play) -> None:
    for name in ("reviewer", "tester"):
        office.as_(name)

    with pytest.raises(UnknownSeat) as refusal:
        office.as_("builder").send("reviewer", "reviever", "tesst", "nothing-alike")

    assert "'reviever' (nearest: reviewer)" in refusal.value.message
    assert "'tesst' (nearest: tester)" in refusal.value.message
    assert "'nothing-alike'" in refusal.value.message
    assert refusal.value.exit_code == 3
    assert office.letters() == []
    assert office.as_("reviewer").peek() == []


@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
@pytest.mark.parametrize("hold", [False, True])
def test_what_is_no_name_is_an_unknown_seat_also_where_it_should_wait(office: Play, name: str, hold: bool) -> None:
    with pytest.raises(UnknownSeat):
        office.as_("builder").send(name, hold=hold)

    assert office.letters() == []


def test_a_letter_waits_for_a_seat_that_nobody_has_taken_when_asked_to(office: Play) -> None:
    sent = office.as_("builder").send("newcomer", body="welcome", hold=True)

    assert sent.recipients[0].detail == "nobody has taken that seat yet; the letter waits"
    assert office.as_("newcomer").reads() == ["welcome"]


def test_a_letter_never_waits_for_a_seat_that_nobody_can_take(office: Play) -> None:
    with pytest.raises(NoLeader):
        office.as_("builder").send("leader", hold=True)
    with pytest.raises(UnknownSeat, match="mailstop's own notices come from there"):
        office.as_("builder").send("postmaster", hold=True)


def test_an_empty_seat_is_named_as_such_and_its_mail_waits(office: Play) -> None:
    office.as_("reviewer").leave()

    told = office.as_("builder").send("reviewer", body="later").recipients[0]

    assert (told.state, told.way) == ("stored", "none")
    assert "the seat is empty since" in told.detail


def test_nobody_writes_to_their_own_seat(office: Play) -> None:
    office.as_("reviewer")

    with pytest.raises(OwnSeat):
        office.as_("builder").send("reviewer", "builder")

    assert office.letters() == []


def test_a_letter_without_a_recipient_is_refused(office: Play) -> None:
    with pytest.raises(InvalidField):
        office.as_("builder").send()


def test_a_recipient_named_twice_gets_one_letter(office: Play) -> None:
    office.as_("reviewer")

    sent = office.as_("builder").send("reviewer", "reviewer", body="once")

    assert sent.letter.to == ("reviewer",)
    assert office.as_("reviewer").reads() == ["once"]


def test_everybody_may_write_to_the_person_and_the_person_to_everybody(office: Play) -> None:
    office.as_("builder").send("human", body="done")
    office.person.send("builder", body="thanks")

    assert office.person.reads() == ["done"]
    assert office.person.reads() == []
    assert office.as_("builder").reads() == ["thanks"]


def test_a_letter_to_several_is_one_letter_with_a_state_for_each(office: Play) -> None:
    for name in ("living", "dead", "left"):
        office.as_(name)
    office.as_("dead").die()
    office.as_("left").leave()

    sent = office.as_("builder").send("living", "dead", "left", "human")

    assert [told.seat for told in sent.recipients] == ["living", "dead", "left", "human"]
    assert {told.state for told in sent.recipients} == {"stored"}
    assert len(office.letters()) == 1


class _Busy:
    """A board that cannot be changed where the key of a change holds a word."""

    def __init__(self, board: object, word: str) -> None:
        self._board = board
        self._word = word

    def change(self, changes: object, **expected: object) -> None:
        if self._word in str(changes):
            raise StoreBusy(path="the store", seconds=10, busy="it is held by a test", holder=None)
        self._board.change(changes, **expected)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> object:
        return getattr(self._board, name)


def test_one_recipients_trouble_never_touches_another_or_what_is_stored(office: Play) -> None:
    office.as_("builder")
    for name in ("first", "last"):
        player = office.player(socket="/nonexistent/socket")
        player.start(automatic=False)
        player.join(name)

    with office.as_("builder").at_office() as at:
        at.store.board = _Busy(at.store.board, "first")  # type: ignore
        from mailstop.letter import Draft

        sent = at.send(Draft(("first", "last"), "hello"))

    assert [told.state for told in sent.recipients] == ["stored", "unreachable"]
    assert "whoever comes next does it" in sent.recipients[0].detail
    assert office.states(sent.letter.n, "last") == ["unreachable"]


def test_a_reference_to_no_letter_is_refused(office: Play) -> None:
    office.as_("reviewer")

    with pytest.raises(UnknownNumber):
        office.as_("builder").send("reviewer", ref=4711)

    assert office.letters() == []


@pytest.mark.parametrize("n", [0, -1, 4711, 1 << 62, 1 << 63, 1 << 80])
def test_a_number_that_no_letter_has_is_unknown_however_large(office: Play, n: int) -> None:
    builder = office.as_("builder")

    with pytest.raises(UnknownNumber):
        builder.reply(n)
    with pytest.raises(UnknownNumber):
        builder.account(n)


def test_the_number_of_another_kind_of_entry_is_no_letter(office: Play) -> None:
    office.as_("builder")

    with pytest.raises(UnknownNumber):
        office.as_("builder").account(office.seat("builder").last)


# -- anything at all

_ANYTHING = st.text(st.characters(codec=None, categories=None), max_size=60)  # lone surrogates and NUL too


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    to=st.lists(_ANYTHING, max_size=3), body=_ANYTHING, kind=_ANYTHING, key=st.none() | _ANYTHING, hold=st.booleans()
)
def test_whatever_is_sent_is_either_stored_and_readable_or_refused_in_words(
    office: Play, to: list[str], body: str, kind: str, key: str | None, hold: bool
) -> None:
    builder = office.as_("builder")
    before = office.letters()
    try:
        sent = builder.send(*to, body=body, kind=kind, key=key, hold=hold)
    except MailstopError as refusal:
        assert isinstance(refusal, Refused | UnknownSeat)
        assert refusal.message
        assert office.letters() == before
        return
    with office.store() as store:
        assert store.index.letter(sent.letter.n) == sent.letter
    assert sent.letter.body == body


def test_a_final_letter_is_owed_no_reply_whatever_it_asks(office: Play) -> None:
    reader = office.as_("reader")
    office.as_("writer").send("reader", kind="question", needs_reply=True, final=True)
    reader.reads()

    assert reader.start().owed == ()


@pytest.mark.parametrize("fault", [RuntimeError("a door that fails as none should"), KeyboardInterrupt()])
def test_whatever_goes_wrong_at_a_ring_the_writer_is_told_what_is_stored(
    office: Play, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    office.as_("reader")

    def fails(*_facts: object, **_more: object) -> None:
        raise fault

    monkeypatch.setattr(tellings, "tell", fails)

    sent = office.as_("writer").send("reader", body="kept")

    assert [told.state for told in sent.recipients] == ["stored"]
    assert office.as_("reader").peek() == ["kept"]
