"""Automatic seats: what a session gets without anyone typing anything."""

from __future__ import annotations

import pytest

from mailstop.errors import SeatTaken
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer


def seat_of(player: SessionPlayer) -> str:
    """The one seat of a session."""
    (name,) = player.seats()
    return name


def started(player: SessionPlayer) -> SessionPlayer:
    """The player, started."""
    player.start()
    return player


def test_the_seat_on_the_default_branch_is_the_project(office: Play) -> None:
    assert seat_of(started(office.player(project="shop"))) == "shop"


def test_the_seat_elsewhere_is_the_project_with_the_branch(office: Play) -> None:
    player = office.player(project="Shop", branch="feature/Ünder_score", on_default_branch=False)

    assert seat_of(started(player)) == "shop-feature--nder_score"


def test_a_second_live_session_gets_the_name_with_a_number(office: Play) -> None:
    names = [seat_of(started(office.player(project="shop"))) for _ in range(3)]

    assert names == ["shop", "shop-2", "shop-3"]


def test_a_folder_whose_name_is_reserved_gives_no_reserved_seat(office: Play) -> None:
    assert seat_of(started(office.player(project="human"))) == "human-1"


def test_a_seat_chosen_on_purpose_comes_before_the_automatic_one(office: Play) -> None:
    player = office.player()

    registered = player.start(seat="builder")

    assert registered.seated is not None
    assert seat_of(player) == "builder"
    assert not office.seat("builder").automatic


def test_a_session_that_wants_no_seat_gets_none(office: Play) -> None:
    player = office.player()

    registered = player.start(automatic=False)

    assert registered.seated is None
    assert player.seats() == []


def test_a_session_that_holds_a_seat_keeps_it_at_its_next_start(office: Play) -> None:
    player = office.as_("builder")
    before = office.entries()

    registered = player.start()

    assert registered.seated is None
    assert [seat.name for seat in registered.held] == ["builder"]
    assert office.entries() == before


def test_the_automatic_seat_of_a_dead_session_goes_to_the_next_one_in_its_folder(office: Play) -> None:
    started(office.player(project="shop")).die()

    successor = office.player(project="shop")
    registered = successor.start()

    assert seat_of(successor) == "shop"
    assert registered.ended == ()


def test_inherited_mail_is_announced_and_not_shown_by_hooks(office: Play) -> None:
    first = started(office.player(project="shop"))
    office.as_("writer").send("shop", body="for the one before")
    first.die()

    successor = office.player(project="shop")
    registered = successor.start()

    assert (registered.waiting, registered.announced) == (1, 1)
    assert successor.prompted().letters == ()
    assert successor.monitor_rings() == []


def test_inherited_mail_is_shown_by_a_check(office: Play) -> None:
    first = started(office.player(project="shop"))
    office.as_("writer").send("shop", body="for the one before")
    first.die()
    successor = started(office.player(project="shop"))

    assert successor.reads() == ["for the one before"]


def test_mail_that_comes_after_a_seat_was_inherited_is_shown_by_hooks(office: Play) -> None:
    first = started(office.player(project="shop"))
    office.as_("writer").send("shop", body="old")
    first.die()
    successor = started(office.player(project="shop"))
    office.as_("writer").send("shop", body="new")

    assert [letter.body for letter in successor.prompted().letters] == ["new"]


def test_of_several_dead_sessions_none_is_guessed_where_mail_waits_and_the_new_one_is_told(office: Play) -> None:
    first, second = (started(office.player(project="shop")) for _ in range(2))
    for seat in ("shop", "shop-2"):
        office.as_("writer").send(seat, body="waits")
    first.die()
    second.die()

    third = office.player(project="shop")
    registered = third.start()

    assert seat_of(third) == "shop-3"
    assert registered.ended == (("shop", 1), ("shop-2", 1))
    assert third.peek() == []


def test_of_several_dead_sessions_the_first_seat_where_nothing_is_open_is_gone_on_with(office: Play) -> None:
    first, second = (started(office.player(project="shop")) for _ in range(2))
    office.as_("writer").send("shop-2", body="waits")
    first.die()
    second.die()

    third = office.player(project="shop")
    registered = third.start()

    assert seat_of(third) == "shop"
    assert registered.ended == (("shop-2", 1),)
    assert third.peek() == []


def test_a_seat_that_owes_a_reply_is_not_taken_for_one_where_nothing_is_open(office: Play) -> None:
    first, second = (started(office.player(project="shop")) for _ in range(2))
    office.as_("writer").send("shop", body="which port?", needs_reply=True)
    assert first.reads() == ["which port?"]
    first.die()
    second.die()

    third = office.player(project="shop")
    registered = third.start()

    assert seat_of(third) == "shop-2"
    assert registered.ended == (("shop", 0),)


def test_a_folder_keeps_its_addresses_day_after_day(office: Play) -> None:
    for _ in range(4):
        day = [started(office.player(project="shop")) for _ in range(2)]
        assert [seat_of(player) for player in day] == ["shop", "shop-2"]
        for player in day:
            player.die()


def test_a_folder_where_mail_waits_gets_one_new_name_and_not_one_each_day(office: Play) -> None:
    for player in [started(office.player(project="shop")) for _ in range(2)]:
        office.as_("writer").send(seat_of(player), body="waits")
        player.die()

    for _ in range(3):
        player = started(office.player(project="shop"))
        assert seat_of(player) == "shop-3"
        player.die()


def test_a_session_in_another_folder_does_not_inherit(office: Play) -> None:
    started(office.player(project="shop", folder="/srv/shop")).die()

    other = started(office.player(project="shop", folder="/elsewhere/shop"))

    assert seat_of(other) == "shop-2"


def test_a_seat_taken_on_purpose_is_not_inherited(office: Play) -> None:
    office.as_("builder").die()

    successor = started(office.player())

    assert seat_of(successor) == "app"


def test_a_resumed_session_goes_on_with_its_automatic_seat_and_all_its_mail(office: Play) -> None:
    first = started(office.player(project="shop"))
    office.as_("writer").send("shop", body="waits")
    first.die()

    again = first.resumed()

    assert seat_of(again) == "shop"
    assert [letter.body for letter in again.prompted().letters] == ["waits"]


def test_a_session_that_resumes_does_not_get_back_a_seat_that_was_taken_over(office: Play) -> None:
    first = started(office.player(project="shop"))
    first.die()
    started(office.player(project="shop"))

    again = first.resumed()

    assert seat_of(again) == "shop-2"


def test_a_chosen_seat_that_somebody_holds_is_refused(office: Play) -> None:
    office.as_("builder")

    with pytest.raises(SeatTaken):
        office.player().start(seat="builder")


def test_a_name_that_mail_waits_for_since_it_was_held_for_it_is_the_first_holders(office: Play) -> None:
    office.as_("writer").send("shop", body="hello shop", hold=True)

    shop = started(office.player(project="shop"))

    assert seat_of(shop) == "shop"
    assert [letter.body for letter in shop.prompted().letters] == ["hello shop"]


def test_two_sessions_that_start_at_once_get_two_seats(office: Play) -> None:
    one, two = office.player(project="shop"), office.player(project="shop")
    with one.at_office() as first, two.at_office() as second:
        first.register(one.found, known=None)
        registered = second.register(two.found, known=None)  # where an index lags, it has not seen the first

    assert [seat.name for seat in registered.held] == ["shop-2"]


def test_a_seat_whose_holders_life_cannot_be_judged_is_not_inherited(office: Play) -> None:
    first = started(office.player(project="shop"))
    life = first.process.life.but(machine="another machine's, which shares this home")
    with first.at_office() as at:
        at.register(first.found.but(life=life.as_dict()), known=first.id)
    first.die()

    second = office.player(project="shop")
    registered = second.start()

    assert seat_of(second) == "shop-2"
    assert registered.ended == ()


def test_an_automatic_seat_that_its_holder_chooses_is_the_same_holding_and_no_longer_automatic(office: Play) -> None:
    player = started(office.player(project="shop"))
    before = office.seat("shop")

    player.join("shop")

    after = office.seat("shop")
    assert (after.epoch, after.session) == (before.epoch, before.session)
    assert (before.automatic, after.automatic) == (True, False)


def test_a_seat_taken_on_purpose_is_kept_though_the_person_has_set_another_name(office: Play) -> None:
    player = office.player()
    player.start(seat="builder")
    player.join("reviewer")

    player.found = player.found.but(client_session="after-clear")
    player.start(seat="builder")

    assert seat_of(player) == "reviewer"


def test_a_name_that_the_person_has_set_comes_before_an_automatic_seat(office: Play) -> None:
    player = started(office.player(project="shop"))

    player.start(seat="builder")

    assert seat_of(player) == "builder"


def test_what_an_earlier_session_owes_is_not_said_to_be_owed_by_this_one(office: Play) -> None:
    first = started(office.player(project="shop"))
    asked = office.as_("writer").send("shop", needs_reply=True).letter
    assert first.reads() == [asked.body]
    first.end()

    after = office.player(project="shop").start()

    assert (after.owed, after.left_owing) == ((), 1)
