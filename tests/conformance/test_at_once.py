"""At once: several sessions, each with a store of its own, in threads that wait for nobody."""

from __future__ import annotations

from functools import partial
from time import monotonic

from mailstop.errors import SeatTaken
from tests.conformance.at_once import at_once
from tests.conformance.play import Play

SENDERS = 8
LETTERS = 25
LONGEST_S = 30


def test_of_eight_senders_all_letters_arrive_once_and_in_each_ones_order(office: Play) -> None:
    office.as_("reader")
    senders = [office.as_(f"sender-{count}") for count in range(SENDERS)]

    def send_all(which: int) -> None:
        for count in range(LETTERS):
            senders[which].send("reader", body=f"{which} {count}")

    at_once(*(partial(send_all, which) for which in range(SENDERS)))

    read = office.as_("reader").reads_all()
    assert len(read) == SENDERS * LETTERS
    for which in range(SENDERS):
        assert [body for body in read if body.startswith(f"{which} ")] == [
            f"{which} {count}" for count in range(LETTERS)
        ]


def test_of_many_who_race_for_a_seat_one_sits_down(office: Play) -> None:
    claimants = [office.player() for _ in range(SENDERS)]
    for claimant in claimants:
        claimant.start(automatic=False)

    outcomes = at_once(*(partial(claimant.join, "builder") for claimant in claimants))

    winners = [claimant for claimant in claimants if claimant.seats()]
    assert sum(isinstance(outcome, SeatTaken) for outcome in outcomes) == SENDERS - 1
    assert [office.seat("builder").session] == [winner.id for winner in winners]


def test_many_who_start_at_once_in_one_folder_get_a_seat_each(office: Play) -> None:
    players = [office.player(project="shop") for _ in range(SENDERS)]

    at_once(*(player.start for player in players))

    names = sorted(name for player in players for name in player.seats())
    assert names == ["shop", *(f"shop-{number}" for number in range(2, SENDERS + 1))]


def test_one_key_used_by_many_at_once_is_one_letter(office: Play) -> None:
    builder = office.as_("builder")

    at_once(*[lambda: builder.send("human", body="once", key="k1")] * SENDERS)

    assert office.letters() == ["once"]


def test_many_checks_of_one_session_at_once_give_each_letter_once(office: Play) -> None:
    reader = office.as_("reader")
    for count in range(12):
        office.as_("writer").send("reader", body=f"{count} " + "x" * 2500)
    given: list[str] = []

    def check() -> None:
        for _ in range(12):
            given.extend(letter.body.split()[0] for letter in reader.check().letters)

    at_once(*[check] * 4)

    assert sorted(given, key=int) == [str(count) for count in range(12)]


def test_letters_that_come_while_others_are_read_are_read_once(office: Play) -> None:
    reader = office.as_("reader")
    writer = office.as_("writer")
    read: list[str] = []

    def write() -> None:
        for count in range(LETTERS):
            writer.send("reader", body=str(count))

    def read_on() -> None:
        end = monotonic() + LONGEST_S
        while len(read) < LETTERS and monotonic() < end:
            read.extend(reader.reads())

    at_once(write, read_on)

    assert read == [str(count) for count in range(LETTERS)]
    assert reader.peek() == []


def test_due_work_done_by_many_at_once_is_done_once(office: Play) -> None:
    reader = office.player(socket="/nonexistent/claude.sock")
    reader.start(automatic=False)
    reader.join("reader")
    office.as_("writer").send("reader")
    office.clock.advance(21)

    def do() -> int:
        with office.stranger.at_office() as at:
            return at.do_due_work()

    done = at_once(*[do] * SENDERS)

    assert done.count(1) <= 1
    assert done.count(0) >= SENDERS - 1
