"""Tokens: who may speak for a seat over the network, for how long, and what is kept of it."""

from __future__ import annotations

import pytest

from mailstop import rules
from mailstop.errors import (
    Conflict,
    InvalidName,
    NoTokenSeat,
    PersonOnly,
    TokenOfEveryBag,
    TokenTime,
    UnknownBag,
    UnknownToken,
)
from mailstop.json_text import dumps
from mailstop.rules import tokens as token_rules
from mailstop.rules.tokens import EXPIRED, REVOKED, UNKNOWN, USE_MS, Verdict
from mailstop.token import LONGEST_MS, Token, digest_of, id_of, new_secret, new_token_id
from tests.conformance.at_once import at_once
from tests.conformance.play import Play

DAY_MS = 24 * 3_600_000


def created(
    office: Play, seat: str = "builder", bag: str | None = None, lasts_ms: int | None = None
) -> tuple[str, str]:
    """The id of a new token, and its text."""
    with office.person.at_office() as at:
        token, text = at.tokens.create(seat, bag=bag, lasts_ms=lasts_ms)
    return token.id, text


def judged(office: Play, text: str) -> Verdict:
    with office.store() as store:
        return rules.tokens.judged(store, text, now=office.clock())


def revoke(office: Play, token_id: str) -> tuple[Token, bool]:
    with office.person.at_office() as at:
        return at.tokens.revoke(token_id)


# -- creating


def test_a_token_counts_for_its_seat_in_its_bag(office: Play) -> None:
    token_id, text = created(office, "builder", "side")

    verdict = judged(office, text)

    assert verdict.token is not None
    assert (verdict.token.id, verdict.token.seat, verdict.token.bag, verdict.refused) == (
        token_id,
        "builder",
        "side",
        "",
    )


def test_without_a_bag_it_is_for_the_default_one_and_the_persons_is_for_all(office: Play) -> None:
    tokens = [judged(office, created(office, seat)[1]).token for seat in ("builder", "human")]

    assert [(token.seat, token.bag) for token in tokens if token] == [("builder", "default"), ("human", "")]


def test_the_persons_token_is_not_for_one_bag(office: Play) -> None:
    with pytest.raises(TokenOfEveryBag, match="without --bag"):
        created(office, "human", "default")

    assert office.entries() == 0


def test_a_text_has_a_mark_for_scanners_the_id_and_256_random_bits(office: Play) -> None:
    token_id, text = created(office)

    mark, own_id, secret = text.split("_")

    assert (mark, own_id) == ("mailstop", token_id)
    assert len(bytes.fromhex(secret)) * 8 == 256
    assert created(office)[1].split("_")[2] != secret


def test_neither_ledger_nor_board_holds_the_text(office: Play) -> None:
    token_id, text = created(office)
    judged(office, text)
    with office.store() as store:
        rules.tokens.note_use(store, token_id, now=office.clock())
        entries = store.ledger.after(0)
        rows = store.board.under("")

    stored = dumps([[entry.subject, entry.data, entry.body] for entry in entries] + [row.as_dict() for row in rows])
    assert token_id in stored
    assert digest_of(text) in stored
    assert text.split("_")[2] not in stored


@pytest.mark.parametrize("seat", ["leader", "postmaster"])
def test_nobodys_seat_gets_a_token(office: Play, seat: str) -> None:
    with pytest.raises(NoTokenSeat, match=seat):
        created(office, seat)

    assert office.entries() == 0


@pytest.mark.parametrize(
    "name", ["", "Builder", "a b", "x'; DROP TABLE tokens; --", "../builder", "builder\n", "\u202ebuilder"]
)
def test_what_is_no_name_gets_no_token(office: Play, name: str) -> None:
    with pytest.raises(InvalidName):
        created(office, name)
    with pytest.raises(InvalidName):
        created(office, "builder", name or " ")

    assert office.entries() == 0


def test_a_token_makes_its_bag_as_whatever_the_person_sets_there_does(office: Play) -> None:
    with pytest.raises(UnknownBag), office.person.at_office() as at:
        at.checked_bag("side")
    created(office, "builder", "side")

    with office.store() as store:
        assert store.index.bags() == ["side"]


@pytest.mark.parametrize("who", ["session", "stranger"])
def test_only_the_person_creates_lists_and_revokes(office: Play, who: str) -> None:
    token_id, text = created(office)
    player = office.as_("builder") if who == "session" else office.stranger

    with player.at_office() as at:
        for act in (lambda: at.tokens.create("builder"), at.tokens.all, lambda: at.tokens.revoke(token_id)):
            with pytest.raises(PersonOnly):
                act()

    assert not judged(office, text).refused


def test_an_id_that_is_taken_is_nobody_elses(office: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    token_id, text = created(office)
    ids = iter([token_id, token_id, "00000000"])
    monkeypatch.setattr(token_rules, "new_token_id", lambda: next(ids, new_token_id()))

    other_id, other = created(office, "reviewer")

    assert other_id != token_id
    assert [judged(office, each).refused for each in (text, other)] == ["", ""]


# -- times


@pytest.mark.parametrize("lasts_ms", [0, -DAY_MS, 59_999, LONGEST_MS + 1])
def test_a_token_lasts_a_minute_at_least_and_ten_years_at_most(office: Play, lasts_ms: int) -> None:
    with pytest.raises(TokenTime, match="--expires 12h, 30d"):
        created(office, lasts_ms=lasts_ms)

    assert office.entries() == 0


def test_a_token_counts_until_it_expires(office: Play) -> None:
    _, text = created(office, lasts_ms=DAY_MS)

    office.clock.advance(DAY_MS / 1000 - 1)
    assert judged(office, text).refused == ""
    office.clock.advance(1)
    assert judged(office, text).refused == EXPIRED


def test_a_token_without_an_end_counts_for_years(office: Play) -> None:
    _, text = created(office)

    office.clock.advance(20 * 365 * 24 * 3600)

    assert judged(office, text).refused == ""


# -- revoking


def test_a_revoked_token_counts_no_longer_and_others_still_do(office: Play) -> None:
    (stolen_id, stolen), (_, kept) = created(office), created(office)

    token, new = revoke(office, stolen_id)

    assert (token.id, token.revoked, new) == (stolen_id, office.clock(), True)
    assert [judged(office, text).refused for text in (stolen, kept)] == [REVOKED, ""]


def test_a_store_that_is_open_already_sees_a_revocation_at_once(office: Play) -> None:
    token_id, text = created(office)
    with office.store() as store:
        assert rules.tokens.judged(store, text, now=office.clock()).refused == ""
        revoke(office, token_id)

        assert rules.tokens.judged(store, text, now=office.clock()).refused == REVOKED


def test_revoking_twice_is_told_and_changes_nothing(office: Play) -> None:
    token_id, _ = created(office)
    first, _ = revoke(office, token_id)
    before = office.entries()
    office.clock.advance(60)

    second, new = revoke(office, token_id)

    assert (second.revoked, new, office.entries()) == (first.revoked, False, before)


def test_of_many_who_revoke_one_token_at_once_one_did_it(office: Play) -> None:
    token_id, text = created(office)

    told = at_once(*[lambda: revoke(office, token_id)[1]] * 8, refusal=TokenTime)

    assert sorted(map(bool, told)) == [*[False] * 7, True]
    assert judged(office, text).refused == REVOKED


@pytest.mark.parametrize("wrong", ["", "zzz", "0" * 8, "a.>", "*", "x" * 4096, "'; --", "\u202e", "\ud800"])
def test_a_token_that_is_not_there_cannot_be_revoked(office: Play, wrong: str) -> None:
    created(office)
    before = office.entries()

    with pytest.raises(UnknownToken, match="mailstop token list"):
        revoke(office, wrong)

    assert office.entries() == before


def test_a_mistyped_id_leads_to_the_right_one(office: Play) -> None:
    token_id, _ = created(office)

    with pytest.raises(UnknownToken, match=f"nearest: {token_id}"):
        revoke(office, token_id[:-1])


# -- judging


def test_only_the_whole_text_counts(office: Play) -> None:
    token_id, text = created(office)
    digit = "0" if text[-1] != "0" else "1"
    wrong = ["", text[:-1], text[:-1] + digit, text + "0", f" {text}", text.upper(), text.split("_")[2], token_id]
    wrong += [
        new_secret(token_id),
        new_secret(new_token_id()),
        f"mailstop_{token_id}_",
        "mailstop_é",
        "\ud800",
        "é" * 86,
    ]
    wrong += [f"mailstop_{'x' * 8}_{'0' * 64}", "mailstop__" + "0" * 64, digest_of(text), "x" * 100_000]

    assert {judged(office, each).refused for each in wrong} == {UNKNOWN}
    assert {judged(office, each).token for each in wrong} == {None}, "a wrong text says nothing of whose it would be"


def test_what_has_no_right_form_is_not_looked_for(office: Play) -> None:
    assert id_of("mailstop_.>_" + "0" * 64) == ""
    assert id_of(new_secret("0123abcd")) == "0123abcd"


def test_a_token_of_another_store_is_unknown(office: Play) -> None:
    assert judged(office, new_secret(new_token_id())).refused == UNKNOWN


# -- what is there


def test_all_tokens_are_listed_with_those_that_count_no_longer(office: Play) -> None:
    ids = [created(office, "builder")[0]]
    office.clock.advance(1)
    ids += [created(office, "reviewer", "side", lasts_ms=60_000)[0]]
    office.clock.advance(1)
    ids += [created(office, "human")[0]]
    revoke(office, ids[0])
    office.clock.advance(100)

    with office.person.at_office() as at:
        everything, side = at.tokens.all(), at.tokens.all(bag="side")
        with pytest.raises(UnknownBag):
            at.tokens.all(bag="sied")

    assert [one.token.id for one in everything] == ids
    assert [one.token.counts(office.clock()) for one in everything] == [False, False, True]
    assert [one.token.id for one in side] == ids[1:], "the person's counts there too"


def test_a_use_is_noted_to_the_minute_and_not_in_the_ledger(office: Play) -> None:
    token_id, _ = created(office)
    before = office.entries()

    def used() -> int:
        with office.person.at_office() as at:
            return at.tokens.all()[0].used

    assert used() == 0
    first = office.clock()
    for seconds in (0, 1, USE_MS / 1000 - 2):
        office.clock.advance(seconds)
        with office.store() as store:
            rules.tokens.note_use(store, token_id, now=office.clock())
        assert used() == first
    office.clock.advance(2)
    with office.store() as store:
        rules.tokens.note_use(store, token_id, now=office.clock())

    assert used() == office.clock()
    assert office.entries() == before


def test_a_store_says_whether_any_token_counts_and_whether_there_ever_was_one(office: Play) -> None:
    def told() -> tuple[bool, bool]:
        with office.store() as store:
            return store.index.tokens.was_any_created(), store.index.tokens.counts_any(office.clock())

    assert told() == (False, False)
    token_id, _ = created(office, lasts_ms=60_000)
    assert told() == (True, True)
    office.clock.advance(60)
    assert told() == (True, False)
    lasting, _ = created(office)
    assert told() == (True, True)
    revoke(office, lasting)
    revoke(office, token_id)
    assert told() == (True, False)


def test_a_token_and_its_revocation_are_acts_of_the_ledger_with_a_guard(office: Play) -> None:
    token_id, _ = created(office)
    with office.store() as store:
        entry = store.ledger.after(0)[-1]
        with pytest.raises(Conflict):
            store.ledger.append([entry.but(id="another")], expect={entry.subject: 0})
    revoke(office, token_id)

    with office.store() as store:
        assert [each.type for each in store.ledger.after(0)] == ["token_created", "token_revoked"]
        assert {each.subject for each in store.ledger.after(0)} == {f"tokens.{token_id}"}
