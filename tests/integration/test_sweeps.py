"""What sessions that are over left behind is swept by whoever joins or starts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop import bells, config
from mailstop.clients import registry
from mailstop.clients.life import my_life
from mailstop.clients.program import new_token
from mailstop.engines import open_store
from mailstop.rules import sessions
from mailstop.session import Session
from tests.party import ClaudeParty, Party

MANY = 200
SeatAt = Callable[..., Party]


@pytest.fixture
def dead_programs(seat: SeatAt) -> list[registry.Registration]:
    """Programs that came, were written to and died, and nobody has joined or started since."""
    seat("builder")
    mine = my_life()
    life = mine.but(start=mine.start - 1)
    written = []
    with open_store(config.default_store()) as store:
        for _ in range(MANY):
            token = new_token()
            bell = registry.bell_name("program", token=token)
            found = Session("", "program", token, life.as_dict(), bell)
            session, _ = sessions.register(store, found, None, now=1)
            written.append(registry.Registration.of(session, store=store.url, life=life))
            registry.write(written[-1])
            bells.ring(bell)
    return written


def rows() -> list[str]:
    with open_store(config.default_store()) as store:
        return [row.key for row in store.board.under("")]


def left_of(dead: list[registry.Registration]) -> list[str]:
    """All that is still there of dead sessions, inside the store and outside."""
    own = {one.session for one in dead} | {one.client_session for one in dead}
    keys = [key for key in rows() if key.rpartition("/")[2] in own]
    return [*keys, *(one.bell for one in dead if one.bell in bells.ringing()), *_files(dead)]


def _files(dead: list[registry.Registration]) -> list[str]:
    return [one.file_name for one in dead if Path(registry.folder(), one.file_name).exists()]


def test_after_one_join_nothing_is_left_of_two_hundred_dead_programs(
    dead_programs: list[registry.Registration], seat: SeatAt
) -> None:
    assert len(left_of(dead_programs)) == 4 * MANY

    seat("reviewer")

    assert left_of(dead_programs) == []


def test_joins_of_programs_that_end_leave_the_store_as_it_was(seat: SeatAt) -> None:
    seat("builder")
    script = 'eval "$("$0" join ci --export)"; "$0" send builder hello'
    party = seat("starter")
    party.environment.pop("MAILSTOP_SESSION")
    assert party.call(["sh", "-c", script, party.mailstop]).code == 0
    before = len(rows())

    for _ in range(3):
        assert party.call(["sh", "-c", script, party.mailstop]).code == 0

    assert len(rows()) == before


def test_the_seat_of_a_swept_program_is_empty_for_who_and_status(seat: SeatAt) -> None:
    builder = seat("builder")
    ci = seat("ci")
    n = builder.send("ci", "waits")
    ci.close()
    seat("reviewer")

    found = {one["seat"]: one for one in builder.run("who", "--all", "--json").json["seats"]}
    assert (found["ci"]["state"], found["ci"]["waiting"]) == ("empty", 1)
    assert "the seat is empty" in builder.run("status", str(n)).out


def test_a_session_start_sweeps_too(dead_programs: list[registry.Registration], claude: ClaudeParty) -> None:
    assert claude.open("c0ffee").code == 0

    assert left_of(dead_programs) == []
