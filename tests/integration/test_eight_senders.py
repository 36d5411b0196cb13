"""Case D15: many processes write at the same time, and none is told that the store is busy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.party import CompletedRun, Party

SeatAt = Callable[..., Party]
SENDERS, LETTERS = 8, 25


def test_of_eight_senders_every_letter_arrives_once_and_none_fails(seat: SeatAt) -> None:
    reader = seat("reader")
    senders = [seat(f"sender-{number}") for number in range(SENDERS)]

    def write(sender: Party) -> list[CompletedRun]:
        own = senders.index(sender)
        return [sender.run("send", "reader", "-", input=f"{own}/{number}") for number in range(LETTERS)]

    with ThreadPoolExecutor(SENDERS) as pool:
        runs = [run for runs in pool.map(write, senders) for run in runs]

    assert {(run.code, run.err) for run in runs} == {(0, "")}
    bodies: list[str] = []
    while letters := reader.run("check", "--json").json["letters"]:
        bodies += [letter["body"] for letter in letters]
    assert Counter(bodies) == {f"{own}/{number}": 1 for own in range(SENDERS) for number in range(LETTERS)}
