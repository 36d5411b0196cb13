"""Sweeps: what sessions that are over leave behind goes, and what a resume needs stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from mailstop.engines.base import Store
from mailstop.engines.row import Row
from mailstop.letter import new_id
from mailstop.session import KEPT_MS
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

MONTH_S = KEPT_MS / 1000


def sweep(office: Play) -> None:
    """Somebody who joins, or starts, sweeps."""
    with office.stranger.at_office() as at:
        at.sweep()


def started(player: SessionPlayer, *, automatic: bool = False) -> SessionPlayer:
    """The player, started, without a seat unless it is to get one."""
    player.start(automatic=automatic)
    return player


def rows_of(office: Play, player: SessionPlayer) -> list[str]:
    """The keys of the rows that have to do with a session."""
    own = (player.id, player.found.client_session)
    return [key for key in office.rows() if key.endswith(own)]


def test_a_dead_program_leaves_no_row(office: Play) -> None:
    program = started(office.player("program"))
    program.join("ci")
    office.as_("writer").send("ci")
    program.check()
    assert len(rows_of(office, program)) == 4

    program.die()
    sweep(office)

    assert rows_of(office, program) == []


def test_the_seat_of_a_dead_program_is_empty_and_its_mail_waits(office: Play) -> None:
    program = started(office.player("program"))
    program.join("ci")
    n = office.as_("writer").send("ci", body="waits").letter.n
    before = office.stranger.account(n).holders
    program.die()
    sweep(office)

    (holder,) = office.stranger.account(n).holders
    assert before[0].present
    assert (holder.present, holder.alive) == (None, False)
    successor = started(office.player("program"))
    assert successor.join("ci").ended
    assert successor.reads() == ["waits"]


def test_what_lives_keeps_its_rows(office: Play) -> None:
    players = [started(office.player(client)) for client in ("program", "claude")]
    before = office.rows()

    sweep(office)

    assert office.rows() == before
    assert all(len(rows_of(office, player)) == 2 for player in players)


def test_a_session_that_is_over_and_has_no_seat_can_be_resumed_for_a_month(office: Play) -> None:
    first = started(office.player())
    first.die()
    sweep(office)
    office.clock.advance(MONTH_S - 60)
    sweep(office)

    assert first.resumed().id == first.id


def test_after_a_month_nothing_is_left_of_it(office: Play) -> None:
    first = started(office.player())
    first.end()
    sweep(office)
    office.clock.advance(MONTH_S + 60)
    sweep(office)
    sweep(office)  # what led to it

    assert rows_of(office, first) == []
    assert first.resumed().id != first.id


def test_one_that_is_resumed_is_swept_no_more(office: Play) -> None:
    first = started(office.player())
    first.die()
    sweep(office)

    again = first.resumed()
    office.clock.advance(MONTH_S + 60)
    sweep(office)

    assert len(rows_of(office, again)) == 2


def test_a_dead_session_that_holds_a_seat_is_kept_however_long(office: Play) -> None:
    first = office.as_("builder")
    first.die()
    sweep(office)
    office.clock.advance(2 * MONTH_S)
    sweep(office)

    assert first.resumed().seats() == ["builder"]


def test_one_whose_life_cannot_be_seen_and_that_sits_down_is_kept(office: Play) -> None:
    first = started(office.player())
    elsewhere = first.process.life.but(machine="another machine's, which shares this home")
    with first.at_office() as at:
        at.register(first.found.but(life=elsewhere.as_dict()), known=first.id)
    sweep(office)
    first.join("builder")
    sweep(office)
    office.clock.advance(2 * MONTH_S)
    sweep(office)

    assert first.seats() == ["builder"]


def test_what_led_to_a_session_that_is_not_there_goes_and_the_persons_leases_stay(office: Play) -> None:
    office.as_("writer").send("human")
    office.person.offered()
    gone = started(office.player("program"))
    with office.store() as store:
        kept = store.board.get(f"session/{gone.id}")
        assert kept is not None
    gone.die()
    sweep(office)

    assert rows_of(office, gone) == []
    assert "handed/human" in office.rows()


def test_the_ids_that_a_client_gave_its_session_before_clear_go_after_a_month(office: Play) -> None:
    player = office.as_("builder")
    for _ in range(3):
        player.clear()
    assert len([key for key in office.rows("client/")]) == 4

    office.clock.advance(MONTH_S + 60)
    sweep(office)

    assert office.rows("client/") == [f"client/claude/{player.found.client_session}"]


def test_more_rows_than_a_sweep_looks_at_are_swept_by_the_next_ones(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailstop.rules.sweeps.MOST_ROWS", 2)
    living = office.as_("builder")
    for _ in range(5):
        started(office.player("program")).die()

    for _ in range(6):
        sweep(office)

    assert office.rows("session/") == [f"session/{living.id}"]


# -- the bell that the threads of one CODEX_HOME share


class Looked:
    """How many rows of the board were looked at."""

    def __init__(self) -> None:
        self.rows = 0

    @contextmanager
    def at(self, store: Store) -> Iterator[None]:
        """Count what is read while the block runs."""
        get, under = store.board.get, store.board.under

        def counted_get(key: str) -> Row | None:
            self.rows += 1
            return get(key)

        def counted_under(prefix: str, **terms: object) -> list[Row]:
            found: list[Row] = under(prefix, **terms)  # type: ignore[arg-type]
            self.rows += 1 + len(found)
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store.board, "get", counted_get)
            patch.setattr(store.board, "under", counted_under)
            yield


@pytest.fixture
def rows_for_a_bell(office: Play) -> Callable[[], int]:
    """How many rows a hook of Codex looks at to say whether its bell has to ring on."""
    living = office.player("codex")
    living.start(automatic=False)
    living.join("reviewer")

    def count() -> int:
        looked = Looked()
        with living.at_office() as at, looked.at(at.store):
            at.any_open(living.found.bell)
        return looked.rows

    return count


def test_what_a_codex_hook_costs_does_not_grow_with_old_threads(
    office: Play, rows_for_a_bell: Callable[[], int]
) -> None:
    before = rows_for_a_bell()
    assert before
    old = office.player("codex")
    old.die()
    with old.at_office() as at:
        for _ in range(100):
            at.register(old.found.but(client_session=new_id()), known=None, automatic=False)

    assert len(office.rows("session/")) == 101
    assert rows_for_a_bell() == before
