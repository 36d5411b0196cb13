"""An unread check in process, one new letter, behind few and behind many letters."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.durable_send import office_of
from benchmarks.ground import BODY, Ground
from benchmarks.measure import Comparison, compare
from mailstop.letter import Draft
from mailstop.office import Office
from mailstop.rules.offers import Terms


def _look(office: Office) -> None:
    offer = office.offer(Terms("benchmark", hands_out=False))
    assert len(offer.letters) == 1


def comparisons(letters: int) -> Iterator[Comparison]:
    yield _compared(letters, None, f"unread check, {letters:,} letters against 1,000")
    yield _compared(letters, "general", f"unread check, {letters:,} said in a channel against 1,000")


def _compared(letters: int, channel: str | None, name: str) -> Comparison:
    with Ground() as few, Ground() as many:
        offices = []
        for ground, count in ((few, 1_000), (many, letters)):
            reader, me = ground.join("reader"), ground.join("me")
            ground.fill(count, channel=channel)
            writer = office_of(me, str(ground.home))
            writer.send(Draft((), BODY, channel=channel) if channel else Draft(("reader",), BODY))
            writer.store.close()
            offices.append(office_of(reader, str(ground.home)))
        compared = compare(name, lambda: _look(offices[0]), lambda: _look(offices[1]), budget=1.5, rounds=201)
        for office in offices:
            office.store.close()
    return compared
