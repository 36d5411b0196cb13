"""Letters that have waited for an hour at an empty seat: who wrote them is told, once."""

from __future__ import annotations

import pytest

from mailstop.errors import Conflict
from mailstop.letter import Letter
from mailstop.rules.routes import LONGEST_DEADLINE_MS, has_passed
from mailstop.rules.unheld import WAIT_MS, unheld_key
from tests.conformance.play import Play
from tests.conformance.player import Player

LOOK_S = LONGEST_DEADLINE_MS / 1000
HOUR_S = WAIT_MS / 1000


def empty(office: Play, name: str = "builder") -> None:
    """A seat that somebody has left."""
    player = office.as_(name)
    player.die()


def pass_time(office: Play, seconds: float) -> None:
    """Let time pass; whoever comes by does what fell due meanwhile."""
    end = office.clock.now + round(seconds * 1000)
    while office.clock.now < end:
        office.clock.now = min(end, office.clock.now + round(LOOK_S * 1000))
        do_due_work(office)


def do_due_work(office: Play) -> None:
    with office.stranger.at_office() as at:
        while has_passed(at.store.board.next_due(), office.clock.now):  # another may take a row away, now and then
            at.do_due_work()


def notices(player: Player) -> list[Letter]:
    """What mailstop itself has written to a player."""
    return [letter for letter in player.offered(hands_out=False).letters if letter.sender == "postmaster"]


def test_who_wrote_to_an_empty_seat_is_told_after_an_hour(office: Play) -> None:
    empty(office)
    ann = office.as_("ann")
    n = ann.send("builder", body="are you there?").letter.n

    pass_time(office, HOUR_S - LOOK_S)
    assert notices(ann) == []
    pass_time(office, 2 * LOOK_S)

    (notice,) = notices(ann)
    assert notice.body.startswith(f"Your letter {n} to builder has waited for an hour: the seat is empty")
    assert notice.final


def test_it_is_told_once_and_never_again(office: Play) -> None:
    empty(office)
    ann = office.as_("ann")
    ann.send("builder")

    pass_time(office, 4 * HOUR_S)
    assert len(notices(ann)) == 1
    assert office.rows(unheld_key("default", "builder")) == []
    ann.send("builder", body="another")
    pass_time(office, 2 * HOUR_S)

    assert ["letter" in letter.body for letter in notices(ann)] == [True, True]


def test_many_letters_of_one_writer_are_told_of_by_one_notice(office: Play) -> None:
    empty(office)
    ann, cal = office.as_("ann"), office.as_("cal")
    first, second = (ann.send("builder").letter.n for _ in range(2))
    other = cal.send("builder").letter.n

    pass_time(office, HOUR_S + LOOK_S)

    assert notices(ann)[0].body.startswith(f"Your letters {first} and {second} to builder have waited")
    assert notices(cal)[0].body.startswith(f"Your letter {other} to builder has waited")


def test_each_recipient_of_a_letter_is_told_of_for_itself(office: Play) -> None:
    empty(office, "builder")
    empty(office, "tester")
    ann = office.as_("ann")
    ann.send("builder", "tester", body="both of you")

    pass_time(office, HOUR_S + LOOK_S)

    assert sorted(letter.body.split(" has ")[0].split(" to ")[1] for letter in notices(ann)) == ["builder", "tester"]


def test_a_seat_that_nobody_has_taken_yet_is_empty_too(office: Play) -> None:
    ann = office.as_("ann")
    ann.send("nobody-yet", hold=True)

    pass_time(office, HOUR_S + LOOK_S)

    assert "nobody has taken that seat yet" in notices(ann)[0].body


def test_a_letter_whose_seat_is_taken_in_time_is_not_told_of(office: Play) -> None:
    empty(office)
    ann = office.as_("ann")
    ann.send("builder")
    pass_time(office, HOUR_S / 2)
    heir = office.player()
    heir.start(automatic=False)
    heir.join("builder")

    pass_time(office, 2 * HOUR_S)

    assert notices(ann) == []


def test_what_waited_when_its_reader_left_is_told_of_too(office: Play) -> None:
    builder, ann = office.as_("builder"), office.as_("ann")
    ann.send("builder")
    with builder.at_office() as at:
        at.leave()

    pass_time(office, HOUR_S + LOOK_S)

    assert len(notices(ann)) == 1


def test_what_waited_when_its_reader_was_killed_is_told_of_too(office: Play) -> None:
    builder, ann = office.player(socket="/nowhere"), office.as_("ann")  # a door was to bring it
    builder.start(automatic=False)
    builder.join("builder")
    ann.send("builder")
    builder.die()

    pass_time(office, 2 * HOUR_S)

    assert len(notices(ann)) == 1


def test_the_person_is_told_too_and_nobody_is_told_of_letters_to_the_person(office: Play) -> None:
    empty(office)
    office.person.send("builder")
    ann = office.as_("ann")
    ann.send("human")

    pass_time(office, HOUR_S + LOOK_S)

    assert len(notices(office.person)) == 1
    assert notices(ann) == []


def test_a_notice_wakes_whoever_waits_for_an_answer_and_nobody_else(office: Play) -> None:
    empty(office)
    office.as_("ann").send("builder", needs_reply=True)
    office.as_("cal").send("builder")

    pass_time(office, HOUR_S + LOOK_S)

    assert [letter.kind for letter in notices(office.as_("ann"))] == ["note"]
    assert [letter.kind for letter in notices(office.as_("cal"))] == ["fyi"]


def test_a_notice_to_a_seat_that_is_empty_is_told_of_to_nobody(office: Play) -> None:
    empty(office)
    ann = office.as_("ann")
    ann.send("builder")
    ann.die()

    pass_time(office, 3 * HOUR_S)

    assert len([body for body in office.letters() if "waited for an hour" in body]) == 1


def test_a_letter_to_somebody_who_sits_there_makes_no_such_work(office: Play) -> None:
    office.as_("builder")
    office.as_("ann").send("builder")

    assert office.rows("unheld/") == []


def test_two_who_look_at_the_same_time_tell_once(office: Play) -> None:
    empty(office)
    ann = office.as_("ann")
    ann.send("builder")
    office.clock.advance(HOUR_S + 1)
    with office.store() as store:
        (row,) = store.board.under(unheld_key("default", "builder"))

    for _ in range(2):  # both have taken the row before either has told
        with office.stranger.at_office() as at:
            at.unheld.do_due(row)

    assert len(notices(ann)) == 1


def test_when_something_is_in_the_way_of_telling_the_next_look_tells(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(office)
    ann = office.as_("ann")
    ann.send("builder")
    office.clock.advance(HOUR_S + 1)
    with office.store() as store:
        (row,) = store.board.under(unheld_key("default", "builder"))

    def in_the_way(*_words: object, **_named: object) -> None:
        raise Conflict(subject="waited", expected="what was seen", found="another")

    with office.stranger.at_office() as at:
        with monkeypatch.context() as patched:
            patched.setattr(at, "notify", in_the_way)
            at.unheld.do_due(row)
        assert notices(ann) == []

    do_due_work(office)
    assert len(notices(ann)) == 1


@pytest.mark.parametrize("count", [51, 120])
def test_however_many_wait_each_is_told_of(office: Play, count: int) -> None:
    empty(office)
    ann = office.as_("ann")
    numbers = []
    for _ in range(count):
        office.clock.advance(3)  # faster than that nobody may write
        numbers.append(ann.send("builder").letter.n)

    pass_time(office, HOUR_S + 2 * LOOK_S)

    text = " ".join(letter.body for letter in notices(ann))
    assert all(str(n) in text for n in numbers)
