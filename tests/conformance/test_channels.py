"""Channels: who reads what is said, how far each has heard it, and whom it wakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailstop.engines.base import Store
from mailstop.engines.entry import Entry
from mailstop.engines.memory.store import MemoryStore, World
from mailstop.engines.sqlite.statements import QUERY
from mailstop.errors import (
    ChannelStays,
    InvalidName,
    KeyReused,
    MustJoin,
    NoProjectChannel,
    NoReply,
    NotSubscribed,
    TooManyChannels,
    UnknownBag,
    UnknownChannel,
    WakesMany,
)
from mailstop.letter import ALL, NOBODY, Draft, Letter
from mailstop.names import is_name
from mailstop.rules.routes import MONITOR
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

WRITERS = 16
LETTERS = 5


def seated(office: Play, name: str, project: str = "app", folder: str = "", **facts: str) -> SessionPlayer:
    """A living session in that seat, which works at that project."""
    player = office.player(project=project, folder=folder or f"/srv/{project}", **facts)  # type: ignore[arg-type]
    player.start(automatic=False)
    player.join(name)
    return player


def channels(player: Player, bag: str = "default") -> list[str]:
    """The channels that it reads."""
    with player.at_office() as office:
        return [listed.channel.name for listed in office.channels.listing(bag) if listed.reads]


def waiting(player: Player, channel: str) -> int:
    """How much of a channel it has not heard."""
    with player.at_office() as office:
        return next(listed.unread for listed in office.channels.listing() if listed.channel.name == channel)


def woken(player: Player, channel: str = "", **fields: Any) -> list[str]:
    """Whom it wakes when it says something there."""
    return [told.seat for told in player.say(channel, **fields).recipients]


# -- who reads


def test_everyone_in_a_bag_reads_general_their_project_and_leader(office: Play) -> None:
    assert channels(office.as_("builder")) == ["app", "general", "leader"]


def test_what_is_said_reaches_all_readers_and_not_who_said_it(office: Play) -> None:
    builder, reviewer, designer = office.as_("builder"), office.as_("reviewer"), seated(office, "designer", "web")

    said = builder.say("general", body="the parser is done")

    assert said.letter.channel == "general"
    assert said.letter.to == ()
    assert [letter.body for letter in reviewer.check().letters] == ["the parser is done"]
    assert designer.peek() == office.person.peek() == ["the parser is done"]
    assert builder.peek() == []


def test_without_a_channel_it_is_said_in_the_senders_project(office: Play) -> None:
    reviewer, designer = office.as_("reviewer"), seated(office, "designer", "web")

    said = office.as_("builder").say(body="only here")

    assert said.letter.channel == "app"
    assert reviewer.peek() == ["only here"]
    assert designer.peek() == office.person.peek() == []


def test_a_channel_is_named_with_or_without_its_sign(office: Play) -> None:
    assert office.as_("builder").say("#general").letter.channel == "general"


def test_bags_do_not_mix(office: Play) -> None:
    builder, reviewer = office.as_("builder", "one"), office.as_("reviewer", "two")
    builder.join("other", "two")

    builder.say("general", body="in one", bag="one")

    assert reviewer.peek() == builder.peek() == []


def test_an_unknown_channel_is_refused_with_the_nearest(office: Play) -> None:
    before = office.entries() if office.as_("builder") else 0

    with pytest.raises(UnknownChannel, match="#general"):
        office.as_("builder").say("genral")
    with pytest.raises(UnknownChannel):
        office.as_("builder").say("## what; is\nthis *")

    assert office.entries() == before


def test_who_has_no_seat_says_nothing(office: Play) -> None:
    office.as_("builder")

    with pytest.raises(MustJoin):
        office.stranger.say("general")
    with pytest.raises(UnknownBag):
        office.as_("builder").say("general", bag="nowhere")


# -- subscribing


def test_a_seat_reads_more_channels_when_it_wants_to(office: Play) -> None:
    builder, designer = office.as_("builder"), seated(office, "designer", "web")

    assert designer.subscribe("app")
    assert not designer.subscribe("#app")
    builder.say(body="for app")

    assert channels(designer) == ["app", "general", "leader", "web"]
    assert designer.peek() == ["for app"]


def test_to_subscribe_makes_the_channel(office: Play) -> None:
    office.as_("builder").subscribe("releases")

    assert office.as_("reviewer").say("releases").letter.channel == "releases"
    assert office.as_("builder").peek() == ["hello all"]


@pytest.mark.parametrize(
    "name", ["", "#", "Capital", "a b", "../x", "a\nb", "*", "\u202ex", "x" * 64, "a'b\"c", "x OR status=closed"]
)
def test_what_is_no_name_is_no_channel(office: Play, name: str) -> None:
    with pytest.raises(InvalidName):
        office.as_("builder").subscribe(name)


@pytest.mark.parametrize("name", ["my-repo_1.x", "a", "0", "x" * 63])
def test_what_is_a_name_is_a_channel_and_what_is_said_there_is_read_back(office: Play, name: str) -> None:
    office.as_("builder").subscribe(name)
    office.as_("builder").say(name, body="here")

    with office.as_("builder").at_office() as at:
        assert [record.body for record in at.channels.history(name)[1].records if isinstance(record, Letter)] == [
            "here"
        ]


def test_what_was_chosen_can_be_left_and_nothing_more_waits(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.subscribe("releases")
    reviewer.say("releases", body="missed")

    with builder.at_office() as at:
        assert at.channels.unsubscribe("#releases") == "releases"
        with pytest.raises(NotSubscribed):
            at.channels.unsubscribe("releases")
    reviewer.say("releases", body="unheard")

    assert builder.peek() == []
    builder.subscribe("releases")
    assert builder.peek() == []


def test_who_leaves_a_channel_that_nobody_knows_is_told_where_it_sees_what_it_reads(office: Play) -> None:
    with office.as_("builder").at_office() as at, pytest.raises(UnknownChannel) as refusal:
        at.channels.unsubscribe("releses")

    assert refusal.value.message.endswith(" What it reads: mailstop channels")


@pytest.mark.parametrize("channel", ["general", "leader", "app"])
def test_the_three_that_everyone_reads_cannot_be_left(office: Play, channel: str) -> None:
    with office.as_("builder").at_office() as at, pytest.raises(ChannelStays, match="#general, #leader"):
        at.channels.unsubscribe(channel)

    assert channel in channels(office.as_("builder"))


def test_one_seat_reads_a_bounded_number_of_channels(office: Play) -> None:
    builder = office.as_("builder")
    with builder.at_office() as at:
        for number in range(47):
            at.channels.subscribe(f"c{number}")
        with pytest.raises(TooManyChannels, match="50"):
            at.channels.subscribe("one-more")


def test_the_person_reads_general_and_what_they_subscribe_to(office: Play) -> None:
    builder = office.as_("builder")
    office.person.subscribe("app")
    builder.say("general", body="1")
    builder.say("app", body="2")
    builder.say("leader", body="3")

    assert office.person.reads() == ["1", "2"]
    assert office.person.reads() == []


def test_two_that_subscribe_a_seat_at_once_store_it_once(office: Play) -> None:
    builder = office.as_("builder")
    before = office.entries()

    at_once(*[lambda: builder.subscribe("releases")] * 8)

    assert office.entries() == before + 1


# -- projects


def test_worktrees_of_one_repository_share_a_channel(office: Play) -> None:
    main = office.player(project="app", folder="/srv/app")
    other = office.player(project="app", folder="/srv/app-fix")
    other.found = other.found.but(project_id=main.found.project_id)
    for player, name in ((main, "main"), (other, "fix")):
        player.start(automatic=False)
        player.join(name)

    main.say(body="hello worktree")

    assert other.peek() == ["hello worktree"]


def test_two_repositories_of_one_name_have_two_channels(office: Play) -> None:
    first, second = seated(office, "first", "app", "/a/app"), seated(office, "second", "app", "/b/app")

    assert first.say().letter.channel == "app"
    assert second.say().letter.channel == "app-2"
    assert first.peek() == second.peek() == []


@pytest.mark.parametrize(
    ("project", "channel"), [("general", "general-2"), ("leader", "leader-1"), ("тест", "session")]
)
def test_a_project_never_takes_a_channel_that_each_bag_has(office: Play, project: str, channel: str) -> None:
    assert seated(office, "builder", project).say().letter.channel == channel


def test_a_project_keeps_its_channel_under_another_name(office: Play) -> None:
    office.as_("builder")
    renamed = office.player(project="application")
    renamed.start(automatic=False)
    renamed.join("later")

    assert renamed.say().letter.channel == "app"


def test_a_seat_that_moves_to_another_project_reads_that_one_too_and_may_leave_the_first(office: Play) -> None:
    seated(office, "builder").end()
    moved = seated(office, "builder", "web")

    assert channels(moved) == ["app", "general", "leader", "web"]
    assert moved.say().letter.channel == "web"
    with moved.at_office() as at:
        at.channels.unsubscribe("app")
    assert channels(moved) == ["general", "leader", "web"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=6))
def test_every_folder_gets_a_valid_channel_of_its_own(folders: list[str]) -> None:
    with MemoryStore(World(conflicts=0)) as store:
        for number, folder in enumerate(folders):
            data = {
                "seat": f"s{number}",
                "session": f"{number}",
                "project": folder,
                "project_id": f"/{number}/{folder}",
            }
            store.ledger.append([Entry(f"seats.default.s{number}", "taken", "default", f"{number}", 0, data)])
        found = [
            reader.channel
            for number in range(len(folders))
            for reader in store.index.channels.read_by("default", f"s{number}")
            if reader.channel not in ("general", "leader")
        ]

    assert all(map(is_name, found))
    assert len(set(found)) == len(found) == len(folders)


# -- how far each has heard it


def test_reading_moves_the_position_and_consumes_nothing_of_the_others(office: Play) -> None:
    builder, reviewer, tester = office.as_("builder"), office.as_("reviewer"), office.as_("tester")
    for body in ("1", "2"):
        builder.say(body=body)

    assert reviewer.reads() == ["1", "2"]
    assert reviewer.reads() == []
    assert tester.reads() == ["1", "2"]


def test_letters_and_what_is_said_come_in_the_order_in_which_they_were_stored(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.say(body="1")
    builder.send("reviewer", body="2")
    builder.say("general", body="3")

    assert reviewer.reads() == ["1", "2", "3"]


def test_a_late_joiner_is_shown_nothing_that_was_said_before(office: Play) -> None:
    office.as_("builder").say(body="before")
    late = office.as_("late")
    office.as_("builder").say(body="after")

    assert late.peek() == ["after"]
    assert waiting(late, "app") == 1


def test_a_late_joiner_is_no_reader_of_what_was_said_before(office: Play) -> None:
    said = office.as_("builder").say(body="before").letter
    office.as_("late")

    assert office.as_("builder").account(said.n).deliveries == ()


def test_who_subscribes_later_reads_on_from_there(office: Play) -> None:
    builder, designer = office.as_("builder"), seated(office, "designer", "web")
    builder.say(body="before")

    designer.subscribe("app")

    assert designer.peek() == []


def test_what_was_heard_out_of_order_is_not_shown_again_and_the_rest_is(office: Play) -> None:
    builder, tester, reviewer = office.as_("builder"), office.as_("tester"), office.as_("reviewer")
    for number in range(3):
        builder.say(body=f"b{number}")
        tester.say(body=f"t{number}")

    assert [letter.body for letter in reviewer.check(sender="tester").letters] == ["t0", "t1", "t2"]
    reviewer.goes_on()
    assert waiting(reviewer, "app") == 3
    assert reviewer.reads() == ["b0", "b1", "b2"]
    assert reviewer.reads() == []
    assert waiting(reviewer, "app") == 0


def test_one_who_only_writes_has_heard_itself(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.say(body="1")
    reviewer.say(body="2")
    builder.say(body="3")

    assert builder.reads() == ["2"]
    assert reviewer.reads() == ["1", "3"]
    assert waiting(builder, "app") == waiting(reviewer, "app") == 0


def test_a_reader_killed_between_handing_and_showing_is_offered_it_again(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.say(body="keep me")

    assert reviewer.check_killed_before_its_end().letters
    assert reviewer.check().letters
    reviewer.die()

    assert reviewer.resumed().reads() == ["keep me"]


def test_the_next_holder_of_a_seat_reads_on_where_the_last_one_stopped(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.say(body="1")
    reviewer.reads()
    reviewer.end()
    builder.say(body="2")

    assert seated(office, "reviewer").reads() == ["2"]


def test_what_was_said_long_ago_is_unread_as_it_was(office: Play) -> None:
    reviewer = office.as_("reviewer")
    office.as_("builder").say(body="before the holidays")

    office.clock.advance(60 * 24 * 3600)

    assert reviewer.reads() == ["before the holidays"]


def test_what_is_left_out_of_a_check_is_counted(office: Play) -> None:
    office.person.lifts_limits()
    reader = office.as_("reader")
    with office.as_("builder").at_office() as at:
        for number in range(70):
            at.channels.say(Draft((), f"{number}"))

    offer = reader.check()

    assert offer.letters
    assert len(offer.letters) + offer.more == 70
    assert f"{offer.more} more letters wait: mailstop check" in offer.text
    reader.goes_on()
    assert len(reader.reads_all()) == offer.more


def test_a_look_is_one_query(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = store.index._tables  # type: ignore[attr-defined]
    asked: list[str] = []
    rows = tables.rows

    def counted(statement: str, values: object = ()) -> object:
        asked.append(statement)
        return rows(statement, values)

    monkeypatch.setattr(tables, "rows", counted)
    store.index.unread("default", "builder", waking=True)
    store.index.count_unread("default", "builder")

    assert len(asked) == 2


# -- seats of a folder


def test_what_was_said_meanwhile_is_announced_to_who_takes_a_folders_seat_over_by_itself(office: Play) -> None:
    first = office.player(project="app")
    first.start()
    first.die()
    office.as_("builder").say("general", body="meanwhile")

    successor = office.player(project="app")
    registered = successor.start()

    assert (registered.waiting, registered.announced) == (1, 1)
    assert successor.prompted().letters == ()
    assert [letter.body for letter in successor.check().letters] == ["meanwhile"]


def test_what_is_said_in_channels_leaves_nothing_open_at_an_ended_seat(office: Play) -> None:
    shop = [office.player(project="shop"), office.player(project="shop")]
    for player in shop:
        player.start()
    with office.store() as store:
        assert [seat.name for seat in store.index.seats("default")] == ["shop", "shop-2"]
    for player in shop:
        player.die()
    office.as_("builder").say("general")

    third = office.player(project="shop")
    registered = third.start()

    assert third.seats() == ["shop"]
    assert registered.ended == ()


def test_an_empty_seat_where_only_a_channel_waits_has_no_mail_waiting(office: Play) -> None:
    office.as_("gone").end()
    office.as_("builder").say("general")

    with office.stranger.at_office() as at:
        seats, _ = at.reading.attendance()
    assert {each.seat.name: each.waiting for each in seats} == {"builder": 0, "gone": 0}


def test_sixteen_that_say_something_at_once_are_each_heard_once(office: Play) -> None:
    reader = office.as_("reader")
    writers = [office.as_(f"writer-{number}") for number in range(WRITERS)]
    read: list[str] = []

    def say_all(which: int) -> None:
        for count in range(LETTERS):
            writers[which].say(body=f"{which} {count}")

    def read_on() -> None:
        for _ in range(LETTERS * 4):
            read.extend(reader.reads())

    at_once(read_on, *(partial(say_all, which) for which in range(WRITERS)))
    read += reader.reads_all()

    assert len(read) == len(set(read)) == WRITERS * LETTERS
    for which in range(WRITERS):
        own = [body for body in read if body.startswith(f"{which} ")]
        assert own == [f"{which} {count}" for count in range(LETTERS)]


def test_nothing_is_stored_for_each_reader_of_what_is_said(office: Play, open_store: Callable[[], Store]) -> None:
    for number in range(12):
        office.as_(f"reader-{number}")
    before = office.entries()
    rows = index_rows(open_store)

    office.as_("reader-0").say("general", kind="fyi")
    office.as_("reader-0").say("general", kind="fyi")

    assert office.entries() == before + 2
    assert index_rows(open_store) == rows + 2 + 1  # and that the person reads #general, once
    assert office.rows("route/") == []


def index_rows(open_store: Callable[[], Store]) -> int:
    """How many rows the index has for letters and their readers."""
    with open_store() as store:
        tables = store.index._tables  # type: ignore[attr-defined]
        return sum(
            tables.rows(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("letters", "deliveries", "receipts", "readers", "heard", "owed")
        )


# -- what becomes of it


def test_its_status_says_who_was_shown_it_and_where_it_waits(office: Play) -> None:
    said = office.as_("builder").say(body="look") if office.as_("reviewer") and office.as_("tester") else None
    assert said is not None
    office.as_("reviewer").reads()

    account = office.as_("builder").account(said.letter.n)

    assert [(each.seat, each.state) for each in account.deliveries] == [("reviewer", "shown"), ("tester", "stored")]
    assert [holder.seat.name for holder in account.holders] == ["reviewer", "tester"]
    assert account.receipts == ()


def test_an_answer_goes_to_its_author_alone_and_proves_that_it_was_read(office: Play) -> None:
    builder, reviewer, tester = office.as_("builder"), office.as_("reviewer"), office.as_("tester")
    said = builder.say(body="who knows?", kind="question").letter

    answer = reviewer.reply(said.n, "I do")

    assert answer.letter.to == ("builder",)
    assert [told.seat for told in answer.recipients] == ["builder"]
    assert builder.peek() == ["I do"]
    assert tester.peek() == ["who knows?"]
    assert reviewer.peek() == []


def test_an_answer_to_all_is_refused_for_what_was_said_to_all(office: Play) -> None:
    said = office.as_("builder").say().letter

    with pytest.raises(NoReply, match=f"mailstop say app --ref {said.n} -"):
        office.as_("reviewer").reply(said.n, to_all=True)


def test_what_is_asked_of_all_obliges_none(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    builder.say(body="who?", kind="question", needs_reply=True)
    reviewer.reads()

    with office.store() as store:
        assert store.index.owed("default", "reviewer") == []


def test_a_key_makes_it_once_and_knows_the_channel(office: Play) -> None:
    builder = office.as_("builder")
    first = builder.say("general", body="once", key="k")

    again = builder.say("general", body="once", key="k")

    assert again.letter.n == first.letter.n
    assert not again.new
    with pytest.raises(KeyReused):
        builder.say("leader", body="once", key="k")
    with pytest.raises(KeyReused):
        builder.send("human", body="once", key="k")


# -- whom it wakes


def test_it_wakes_readers_of_the_senders_project_and_no_others(office: Play) -> None:
    builder, reviewer, designer = office.as_("builder"), office.as_("reviewer"), seated(office, "designer", "web")
    with reviewer.monitor(), designer.monitor():
        said = builder.say("general")

        assert [(told.seat, told.way) for told in said.recipients] == [("reviewer", MONITOR)]
        assert said.rest is not None
        assert said.rest.live == ("designer", "human")
        assert reviewer.monitor_rings() == [said.letter.n]
        assert designer.monitor_rings() == []


def test_what_wakes_nobody_there_is_shown_by_a_prompt_and_by_the_hooks_of_a_turn(office: Play) -> None:
    designer = seated(office, "designer", "web")
    office.as_("builder").say("general", body="1")

    assert [letter.body for letter in designer.prompted().letters] == ["1"]


def test_a_ring_for_it_is_repeated_until_it_is_shown_and_the_ledger_does_not_grow(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    with reviewer.monitor():
        said = builder.say()
        entries = office.entries()
        rung = [reviewer.monitor_rings()]
        for _ in range(3):
            office.clock.advance(16 * 60)
            rung.append(reviewer.monitor_rings())

        assert rung == [[said.letter.n]] * 4
        assert office.entries() == entries
        reviewer.prompted()
        reviewer.goes_on()
        reviewer.goes_on()
        office.clock.advance(16 * 60)
        assert reviewer.monitor_rings() == []
        assert office.rows("route/") == []


def test_a_late_joiner_is_not_woken_by_what_was_said_before(office: Play) -> None:
    office.as_("builder").say()
    late = office.as_("late")
    with late.monitor():
        assert late.monitor_rings() == []


def test_all_are_woken_only_by_one_who_knows_how_many_they_are(office: Play) -> None:
    builder = office.as_("builder")
    office.as_("reviewer")
    designer = seated(office, "designer", "web")
    seated(office, "gone", "web").end()
    before = office.entries()

    for count in (0, 1, 3):
        with pytest.raises(WakesMany, match=r"wakes 2: designer, reviewer\. Nothing was stored.*--wake-all=2"):
            builder.say("general", wake_all=count)
    assert office.entries() == before

    with designer.monitor():
        assert woken(builder, "general", wake_all=2) == ["designer", "reviewer"]
        assert designer.monitor_rings()


def test_a_kind_that_wakes_nobody_wakes_nobody_not_even_all(office: Play) -> None:
    builder = office.as_("builder")
    reviewer = office.as_("reviewer")
    with reviewer.monitor():
        said = builder.say(kind="fyi")
        with pytest.raises(WakesMany, match="wakes 0"):
            builder.say(kind="ack", wake_all=1)

        assert said.letter.wakes == NOBODY
        assert said.recipients == ()
        assert reviewer.monitor_rings() == []
    assert reviewer.peek() == ["hello all"]


def test_the_person_says_it_from_the_project_of_their_folder(office: Play) -> None:
    with pytest.raises(NoProjectChannel):
        office.person.say()

    assert office.person.say("general").letter.sender == "human"


# -- announcements


def test_the_postmaster_announces_and_wakes_one_project_or_nobody(office: Play) -> None:
    builder, designer = office.as_("builder"), seated(office, "designer", "web")
    with builder.at_office() as at, builder.monitor(), designer.monitor():
        quiet = at.channels.announce("default", "leader", "builder leads app")
        loud = at.channels.announce("default", "leader", "builder left", wakes="git:/srv/web/.git")

        assert quiet.recipients == ()
        assert quiet.letter.sender == "postmaster"
        assert quiet.letter.final
        assert builder.monitor_rings() == []
        assert designer.monitor_rings() == [loud.letter.n]
    assert builder.peek() == designer.peek() == ["builder leads app", "builder left"]


# -- letters to seats that wake nobody


@pytest.mark.parametrize("kind", ["ack", "fyi", "reconnect"])
def test_such_a_letter_claims_no_route_and_no_monitor_rings_for_it(office: Play, kind: str) -> None:
    reader = office.as_("reader")
    with reader.monitor():
        sent = office.as_("writer").send("reader", kind=kind, body="noted")

        assert [(told.state, told.way) for told in sent.recipients] == [("stored", "none")]
        assert "wakes nobody" in sent.recipients[0].detail
        assert reader.monitor_rings() == []
        assert office.rows("route/") == []
        assert office.states(sent.letter.n) == []
    assert reader.peek() == ["noted"]


def test_it_is_shown_along_with_a_letter_that_wakes(office: Play) -> None:
    reader = office.as_("reader")
    office.as_("writer").send("reader", kind="ack", body="1")

    assert reader.hook(if_waking=True).letters == ()
    loud = office.as_("writer").send("reader", body="2").letter
    with reader.monitor():
        assert reader.monitor_rings() == [loud.n]
    assert [letter.body for letter in reader.hook(if_waking=True).letters] == ["1", "2"]


def test_many_such_letters_hide_none_that_wakes(office: Play) -> None:
    reader = office.as_("reader")
    office.person.lifts_limits()
    with office.as_("writer").at_office() as at:
        for _ in range(60):
            at.send(Draft(("reader",), "noted", kind="ack"))
    loud = office.as_("writer").send("reader").letter

    with reader.monitor():
        assert reader.monitor_rings() == [loud.n]
    assert loud.wakes == ALL


def test_many_such_letters_keep_no_turn_from_going_on_for_one_that_wakes(office: Play) -> None:
    office.person.lifts_limits()
    reader, writer = office.as_("reader"), office.as_("writer")
    for _ in range(55):
        writer.say(kind="fyi")
    assert reader.hook(if_waking=True).letters == ()

    writer.send("reader", body="now")

    assert reader.hook(if_waking=True).letters


# -- what it costs


def test_a_check_that_nobody_proves_leaves_the_ledger_as_it_is(office: Play) -> None:
    """A person's check into a pipe: nothing will prove that they saw it, and of what was said nothing is kept."""
    office.as_("builder").say("general")
    entries = office.entries()

    for _ in range(3):
        assert office.person.check().letters

    assert office.entries() == entries


def test_looking_for_what_is_new_goes_through_no_table(store: Store) -> None:
    tables = store.index._tables  # type: ignore[attr-defined]
    values = {"bag": "b", "seat": "s", "sender": None, "after": 0, "until": 1, "limit": 1, "waking": 1, "said": 1}
    for query in ("unread", "count_unread"):
        plan = [row[3] for row in tables.rows(f"EXPLAIN QUERY PLAN {QUERY[query]}", values)]
        assert [step for step in plan if step.startswith("SCAN") and step not in SCANNED] == []


SCANNED = ("SCAN (subquery-1)", "SCAN u", "SCAN CONSTANT ROW")  # what the query itself has found
