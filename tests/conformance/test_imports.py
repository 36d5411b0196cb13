"""Imports: what was written elsewhere is history here, each letter once, and disturbs nothing that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mailstop import bells
from mailstop.acts.importing import BATCH_LETTERS, Account
from mailstop.engines.memory.store import World
from mailstop.engines.sqlite.rebuild import rebuild
from mailstop.errors import (
    AmbiguousOldNumber,
    InvalidName,
    InvalidSource,
    NoReply,
    PersonOnly,
    Uncertain,
    UnknownOldNumber,
)
from mailstop.history import History, Move
from mailstop.letter import Letter
from mailstop.names import PERSON
from mailstop.past import LeftOut
from tests.conformance.past import Told, join, letter
from tests.conformance.play import Play

if TYPE_CHECKING:
    from pathlib import Path

    from mailstop.past import Reader


def imported(office: Play, reader: Reader, bag: str = "default") -> Account:
    """What an import by the person brings."""
    with office.person.at_office() as at:
        return at.importing.take(reader, bag=bag)


def history(office: Play, bag: str = "default") -> History:
    with office.store() as store:
        return store.index.history(bag=bag, limit=10_000)


def letters(office: Play, bag: str = "default") -> list[Letter]:
    return [record for record in history(office, bag).records if isinstance(record, Letter)]


def bodies(office: Play, bag: str = "default") -> list[str]:
    return [each.body for each in letters(office, bag)]


# -- what comes across


def test_letters_and_who_came_and_went_are_history_in_their_order(office: Play) -> None:
    account = imported(office, Told(join(1), letter(2, "hello", final=True), join(3, act="left")))

    came, said, went = history(office).records
    assert isinstance(came, Move) and isinstance(went, Move) and isinstance(said, Letter)
    assert (came.seat, came.act, came.imported, went.act) == ("postbag:api", "joined", "postbag", "left")
    assert (said.body, said.at, said.final, said.bag) == ("hello", 1_700_000_000_002, True, "default")
    assert (account.letters, account.moves, account.here, account.last) == (1, 2, 0, went.n)


def test_who_wrote_and_to_whom_is_told_as_no_seat_can_be_called(office: Play) -> None:
    imported(office, Told(letter(1, sender="api", to="web")))

    (found,) = letters(office)
    assert (found.sender, found.to) == ("postbag:api", ("postbag:web",))
    assert found.imported and (found.imported.sender, found.imported.to) == ("api", ("web",))


def test_an_answer_belongs_to_the_conversation_of_what_it_answers(office: Play) -> None:
    imported(office, Told(letter(1), letter(2), letter(3, ref="1")))

    first, second, answer = letters(office)
    assert (answer.ref, answer.thread, second.thread) == (first.n, first.n, second.n)


def test_an_answer_finds_what_was_imported_before(office: Play) -> None:
    imported(office, Told(letter(1)))
    imported(office, Told(letter(2, ref="1")))

    first, answer = letters(office)
    assert answer.ref == first.n


def test_what_an_answer_refers_to_is_kept_where_it_did_not_come_along(office: Play) -> None:
    imported(office, Told(letter(2, ref="1")))

    (answer,) = letters(office)
    assert answer.ref is None
    assert answer.imported and answer.imported.answers == "1"


def test_what_was_said_in_a_channel_is_in_the_history_of_the_channel_of_that_name(office: Play) -> None:
    office.as_("builder").say("general", "here")
    imported(office, Told(letter(1, "there", to="", channel="general")))

    with office.store() as store:
        found = store.index.history(bag="default", channel="general").records
        assert [channel.name for channel in store.index.channels.all("default")] == ["app", "general", "leader"]
    assert [record.body for record in found if isinstance(record, Letter)] == ["here", "there"]


def test_a_bag_is_there_once_something_was_imported_into_it(office: Play) -> None:
    imported(office, Told(letter(1)), bag="parser")

    with office.person.at_office() as at:
        (bag,) = at.reading.bags("parser")
    assert (bag.letters, bag.newest and bag.newest.body) == (1, "letter 1")


def test_what_was_not_taken_is_told(office: Play) -> None:
    account = imported(office, Told(letter(1), LeftOut("line 2", "it is not JSON"), letter(3)))

    assert account.left_out == (LeftOut("line 2", "it is not JSON"),)
    assert (account.letters, account.left_out_count) == (2, 1)


def test_words_in_an_imported_letter_are_found(office: Play) -> None:
    imported(office, Told(letter(1, "the quick fox"), letter(2, "a dog")))

    with office.person.at_office() as at:
        found = at.reading.search("fox").records
    assert [record.body for record in found if isinstance(record, Letter)] == ["the quick fox"]


# -- once


def test_to_import_again_adds_nothing(office: Play) -> None:
    imported(office, Told(join(1), letter(2)))
    before = history(office)

    again = imported(office, Told(join(1), letter(2), letter(3)))

    assert (again.letters, again.moves, again.here) == (1, 0, 2)
    assert history(office).records[:2] == before.records


def test_what_a_source_holds_twice_is_stored_once(office: Play) -> None:
    account = imported(office, Told(letter(1), letter(1)))

    assert (account.letters, account.here) == (1, 1)
    assert bodies(office) == ["letter 1"]


def test_a_letter_under_the_same_name_that_says_something_else_is_another_letter(office: Play) -> None:
    imported(office, Told(letter(1, "before")))
    imported(office, Told(letter(1, "after").but(key="1, after")))

    assert bodies(office) == ["before", "after"]


def test_of_two_imports_at_once_neither_stores_what_the_other_has(office: Play) -> None:
    told = [letter(number) for number in range(1, BATCH_LETTERS + 50)]
    other: list[Account] = []
    meanwhile = {BATCH_LETTERS + 20: lambda: other.append(imported(office, Told(*told)))}

    first = imported(office, Told(*told, meanwhile=meanwhile))

    assert bodies(office) == [each.body for each in told]
    assert first.letters + other[0].letters == len(told)
    assert first.letters == BATCH_LETTERS


def test_the_same_source_may_be_imported_into_two_bags(office: Play) -> None:
    for bag in ("parser", "lexer"):
        imported(office, Told(letter(1)), bag=bag)

    assert [bodies(office, bag) for bag in ("parser", "lexer")] == [["letter 1"], ["letter 1"]]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
def test_a_batch_that_another_import_was_faster_with_is_looked_up_again(office: Play, world: World) -> None:
    world.meanwhile(lambda: imported(office, Told(letter(1), letter(2))))

    account = imported(office, Told(letter(1), letter(2), letter(3)))

    assert bodies(office) == ["letter 1", "letter 2", "letter 3"]
    assert (account.letters, account.here) == (1, 2)


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
def test_where_it_is_not_known_whether_a_batch_was_stored_doing_it_again_stores_it_once(
    office: Play, world: World, stored: bool
) -> None:
    world.lose_contact(stored=stored)
    with pytest.raises(Uncertain):
        imported(office, Told(letter(1), letter(2)))

    imported(office, Told(letter(1), letter(2)))

    assert bodies(office) == ["letter 1", "letter 2"]


def test_a_letter_that_has_its_own_id_keeps_it_and_is_not_imported_where_it_is(office: Play) -> None:
    own = office.as_("builder").send("human", body="mine").letter

    account = imported(office, Told(letter(1, "mine", id=own.id)))

    assert (account.letters, account.here) == (0, 1)
    assert bodies(office) == ["mine"]


# -- what it does not touch


def test_it_waits_for_nobody_though_a_seat_has_the_name_of_its_recipient(office: Play) -> None:
    web = office.as_("web")

    imported(office, Told(letter(1, to="web", needs_reply=True, kind="question")))

    assert web.peek() == []
    assert web.check().letters == ()
    with office.store() as store:
        assert store.index.unread_counts() == {}
        assert store.index.owed("default", "web") == []


def test_it_wakes_nobody_and_claims_no_way(office: Play) -> None:
    web = office.as_("web")
    bells.silence(web.found.bell)
    with office.store() as store:
        before = [row.key for row in store.board.under("")]

    imported(office, Told(letter(1, to="web")))

    assert not bells.is_ringing(web.found.bell)
    with office.store() as store:
        assert [row.key for row in store.board.under("")] == before
    assert web.monitor_rings() == []


def test_it_is_none_of_the_letters_of_the_seat_that_is_called_like_its_sender(office: Play) -> None:
    api = office.as_("api")

    imported(office, Told(letter(1, sender="api")))

    with api.at_office() as at:
        assert at.reading.myself().sent == ()


def test_nobody_comes_or_goes_by_what_others_did_elsewhere(office: Play) -> None:
    api = office.as_("api")
    before = office.seat("api")

    imported(office, Told(join(1), join(2, act="left"), join(3, "ghost"), letter(4, sender="ghost")))

    assert office.seat("api") == before
    assert api.seats() == ["api"]
    with office.store() as store:
        assert store.index.stay_ended(api.id, "default") is None
        assert sorted(seat.name for seat in store.index.seats()) == ["api", PERSON]


def test_it_spends_no_budget_and_counts_for_no_rate(office: Play) -> None:
    office.as_("web")
    office.person.sets_limits(rate=1)
    office.person.opens_budget(2)

    opened = join(1, "human", act="opened exchange 1 of 1 letter")
    imported(office, Told(opened, *(letter(number, sender="api") for number in range(1, 6))))

    sent = office.as_("api").send("web").letter
    assert sent.budget == (1, 1, 2)


def test_nothing_is_reported_of_what_became_of_it(office: Play) -> None:
    imported(office, Told(letter(1, to="web"), letter(2, sender="web", to="api", ref="1")))

    first, _ = letters(office)
    account = office.person.account(first.n)
    assert (account.deliveries, account.receipts, account.holders) == ((), (), ())


def test_a_letter_that_refers_to_it_proves_nothing_of_it(office: Play) -> None:
    imported(office, Told(letter(1, sender="api", to="web")))
    (found,) = letters(office)

    sent = office.as_("web").send("human", "api", body="as it says", ref=found.n, hold=True).letter

    assert (sent.ref, sent.thread) == (found.n, found.n)
    assert office.person.account(found.n).receipts == ()


def test_it_cannot_be_answered_because_its_author_has_no_seat_here(office: Play) -> None:
    office.as_("api")
    imported(office, Told(letter(1, sender="api", to="web")))
    (found,) = letters(office)

    with pytest.raises(NoReply, match="it was imported, and whoever wrote it there has no seat here"):
        office.as_("web").reply(found.n)


def test_who_reads_a_channel_has_nothing_new_by_what_was_said_elsewhere(office: Play) -> None:
    web = office.as_("web")

    imported(office, Told(letter(1, to="", channel="general")))

    assert web.peek() == []


# -- whose act it is


def test_only_the_person_imports(office: Play) -> None:
    for player in (office.as_("builder"), office.stranger):
        with pytest.raises(PersonOnly, match="Importing letters"), player.at_office() as at:
            at.importing.take(Told(letter(1)))

    assert bodies(office) == []


def test_anybody_may_look_what_an_import_would_bring(office: Play) -> None:
    imported(office, Told(letter(1)))

    with office.as_("builder").at_office() as at:
        account = at.importing.take(Told(letter(1), letter(2)), preview=True)

    assert (account.letters, account.here, account.written) == (1, 1, False)
    assert bodies(office) == ["letter 1"]


def test_what_can_be_no_bag_or_no_source_is_refused_before_anything_is_stored(office: Play) -> None:
    with pytest.raises(InvalidName):
        imported(office, Told(letter(1)), bag="No Bag")
    with pytest.raises(InvalidSource):
        imported(office, Told(letter(1), name="a:b"))

    assert bodies(office) == []


def test_with_which_import_a_letter_came_is_known(office: Play) -> None:
    imported(office, Told(letter(1)))
    imported(office, Told(letter(2), name="old"))

    first, second = letters(office)
    with office.person.at_office() as at:
        batches = [at.importing.batch_of(each.n) for each in (first, second)]
    assert [batch and (batch.source, batch.session) for batch in batches] == [("postbag", PERSON), ("old", PERSON)]
    assert all(batch and batch.path == "/home/ada/.postbag/ledger.jsonl" for batch in batches)


# -- old numbers


def test_an_old_number_finds_its_letter(office: Play) -> None:
    office.as_("builder").send("human", body="in between")
    imported(office, Told(letter(141), letter(142)))

    with office.person.at_office() as at:
        assert at.letter(at.importing.number("postbag:142")).body == "letter 142"


@pytest.mark.parametrize("text", ["postbag:7", "lane:1", "postbag:", ":1", "142", "a b:1", "postbag:1.>", "postbag:*"])
def test_what_nothing_was_called_is_not_found(office: Play, text: str) -> None:
    imported(office, Told(letter(1)))

    with pytest.raises(UnknownOldNumber), office.person.at_office() as at:
        at.importing.number(text)


def test_a_number_that_two_bags_have_is_told_by_its_bag(office: Play) -> None:
    for bag in ("parser", "lexer"):
        imported(office, Told(letter(1, bag)), bag=bag)

    with office.person.at_office() as at:
        with pytest.raises(AmbiguousOldNumber, match=r"in bag parser, \d+ in bag lexer"):
            at.importing.number("postbag:1")
        assert at.letter(at.importing.number("postbag:1", bag="lexer")).body == "lexer"


@pytest.mark.parametrize("number", ["1764459000000-1a2b3c4d", "a-to-b:17", 'x"y', "über*?.>", "1.2"])
def test_an_old_number_may_be_any_printable_text(office: Play, number: str) -> None:
    imported(office, Told(letter(1).but(number=number), letter(2).but(number=f"{number}0"), name="lane"))

    with office.person.at_office() as at:
        assert at.letter(at.importing.number(f"lane:{number}")).body == "letter 1"


# -- the fold


def test_many_letters_of_one_append_fold_as_they_do_one_by_one(office: Play, engine: str, store_folder: Path) -> None:
    told = [letter(number, ref=str(number - 1) if number % 3 else "") for number in range(1, 200)]
    told[50:50] = [join(1000)]  # type: ignore[list-item]
    imported(office, Told(*told))
    before = [(each.n, each.body, each.ref, each.thread) for each in letters(office)]

    if engine == "sqlite":
        rebuild(str(store_folder / "mail.db"), lambda _done, _total: None)

    assert len(before) == 199
    assert [(each.n, each.body, each.ref, each.thread) for each in letters(office)] == before
