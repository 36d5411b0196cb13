"""Seats taken on purpose: one live holder each, which outlives processes, and a dead holder's is free at once."""

from __future__ import annotations

import pytest

from mailstop.errors import InvalidName, MustJoin, NotSeated, ReservedName, SeatTaken
from mailstop.names import is_name
from mailstop.rules.presence import holder_of
from tests.conformance.play import Play

NO_NAMES = [
    "",
    ".",
    "..",
    ".hidden",
    "-x",
    "_x",
    "Builder",
    "a b",
    "a/b",
    "a:b",
    "a\nb",
    "a'b",
    'a"b',
    "a[b",
    "a%b",
    "x'; DROP TABLE entries; --",
    "ä",
    "\U0001f600",
    "a\0b",
    "\ud800",
    "a" * 64,
    " ",
]


def test_a_session_that_joins_holds_the_seat(office: Play) -> None:
    builder = office.player()
    builder.start(automatic=False)

    seated = builder.join("builder")

    assert (seated.seat.name, seated.taken, seated.left) == ("builder", True, "")
    assert builder.seats() == ["builder"]
    assert office.seat("builder").session == builder.id
    assert office.seat("builder").epoch > 0


def test_joining_the_seat_that_one_holds_changes_nothing(office: Play) -> None:
    builder = office.as_("builder")
    before = office.entries()

    seated = builder.join("builder")

    assert not seated.taken
    assert office.entries() == before


@pytest.mark.parametrize("name", ["a", "0", "a.b_c-d", "x" * 63, "builder-2"])
def test_legal_names_are_seats(office: Play, name: str) -> None:
    assert office.as_(name).seats() == [name]


@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_what_is_no_name_is_refused_and_nothing_is_stored(office: Play, name: str) -> None:
    player = office.player()
    player.start(automatic=False)

    assert not is_name(name)
    with pytest.raises(InvalidName):
        player.join(name)

    assert office.entries() == 0


@pytest.mark.parametrize("name", ["human", "leader"])
def test_the_persons_seat_and_roles_are_not_taken(office: Play, name: str) -> None:
    player = office.player()
    player.start(automatic=False)

    with pytest.raises(ReservedName):
        player.join(name)


def test_a_second_claimant_is_refused_with_who_holds_it_since_when(office: Play) -> None:
    office.as_("builder")
    second = office.player()
    second.start(automatic=False)

    with pytest.raises(SeatTaken) as refusal:
        second.join("builder")

    holder = office.as_("builder").found
    assert f"Claude Code {holder.client_session[:8]}" in refusal.value.message
    assert holder.folder in refusal.value.message
    assert refusal.value.details["since"] != "an unknown time"
    assert second.seats() == []


def test_a_refused_claimant_reads_nothing_of_the_seat(office: Play) -> None:
    office.as_("writer").send("builder", body="a secret", hold=True)
    office.as_("builder")
    claimant = office.player()
    claimant.start(automatic=False)

    with pytest.raises(SeatTaken):
        claimant.join("builder")

    with pytest.raises(MustJoin):
        claimant.check()
    with pytest.raises(MustJoin):
        claimant.send("writer")


def test_a_dead_holders_seat_is_taken_over_at_once(office: Play) -> None:
    first = office.as_("builder")
    epoch = office.seat("builder").epoch
    first.die()
    second = office.player()
    second.start(automatic=False)

    second.join("builder")

    assert office.seat("builder").session == second.id
    assert office.seat("builder").epoch > epoch


def test_an_ended_sessions_seat_is_taken_over_though_its_process_still_lives(office: Play) -> None:
    first = office.as_("builder")
    with first.at_office() as at:
        at.end()
    second = office.player()
    second.start(automatic=False)

    second.join("builder")

    assert second.seats() == ["builder"]


def test_the_mail_of_a_taken_over_seat_is_the_new_holders(office: Play) -> None:
    first = office.as_("builder")
    office.as_("writer").send("builder", body="for whoever sits there")
    first.die()
    second = office.player()
    second.start(automatic=False)
    second.join("builder")

    assert second.reads() == ["for whoever sits there"]


def test_a_holder_of_whose_life_nothing_can_be_known_is_not_taken_over(office: Play) -> None:
    elsewhere = office.as_("builder")
    life = elsewhere.process.life.but(namespace="4026539999")  # a container's, which cannot be looked into
    with elsewhere.at_office() as at:
        at.register(elsewhere.found.but(life=life.as_dict()), known=elsewhere.id, automatic=False)
    elsewhere.die()
    claimant = office.player()
    claimant.start(automatic=False)

    with pytest.raises(SeatTaken, match="cannot be seen from here"):
        claimant.join("builder")

    with office.store() as store:
        assert holder_of(store, office.seat("builder")).alive is None


def test_a_pid_that_another_process_has_now_is_not_the_holder(office: Play) -> None:
    first = office.as_("builder")
    reused = first.process.life.but(start=first.process.life.start - 1)  # as if the holder had begun before
    with first.at_office() as at:
        at.register(first.found.but(life=reused.as_dict()), known=first.id, automatic=False)
    second = office.player()
    second.start(automatic=False)

    second.join("builder")

    assert second.seats() == ["builder"]


def test_a_seat_that_was_left_is_free_and_keeps_its_mail(office: Play) -> None:
    first = office.as_("builder")
    office.as_("writer").send("builder", body="it stays")
    first.leave()
    second = office.player()
    second.start(automatic=False)
    second.join("builder")

    assert first.seats() == []
    assert second.reads() == ["it stays"]


def test_leaving_without_a_seat_is_refused(office: Play) -> None:
    player = office.player()
    player.start(automatic=False)

    with pytest.raises(NotSeated):
        player.leave()
    with pytest.raises(NotSeated):
        office.person.play.as_("builder").leave(bag="another")


def test_taking_another_seat_leaves_the_first_one(office: Play) -> None:
    player = office.as_("builder")

    seated = player.join("reviewer")

    assert seated.left == "builder"
    assert player.seats() == ["reviewer"]
    assert office.seat("builder").session is None


def test_a_seat_that_is_refused_leaves_the_old_one_as_it_was(office: Play) -> None:
    office.as_("reviewer")
    player = office.as_("builder")

    with pytest.raises(SeatTaken):
        player.join("reviewer")

    assert player.seats() == ["builder"]


def test_a_session_never_holds_two_seats_of_a_bag_also_when_its_acts_race(office: Play) -> None:
    player = office.player()
    player.start(automatic=False)
    with player.at_office() as first, player.at_office() as second:
        first.join("one")
        second.join("two")  # on an engine whose index lags, this one has not seen the other

    assert player.seats() == ["two"]
    assert office.seat("one").session is None


def test_each_taking_raises_the_epoch_and_each_holder_keeps_its_own(office: Play) -> None:
    epochs = []
    for _ in range(3):
        player = office.player()
        player.start(automatic=False)
        player.join("builder")
        epochs.append(office.seat("builder").epoch)
        player.leave()

    assert epochs == sorted(set(epochs))


def test_who_holds_a_seat_is_the_same_for_all_who_ask(office: Play) -> None:
    office.as_("living")
    office.as_("dead").die()
    office.as_("left").leave()

    with office.stranger.at_office() as at:
        alive = {holder.seat.name: holder.alive for holder in at.reading.holders()}

    assert alive == {"living": True, "dead": False, "left": False}


def test_a_process_without_a_session_must_join_first(office: Play) -> None:
    office.as_("builder")

    with pytest.raises(MustJoin):
        office.stranger.send("builder")
    with pytest.raises(MustJoin):
        office.stranger.check()
