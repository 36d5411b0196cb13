"""Threads of Codex: one goes on in the window of another, and a turn that ends while a letter is written loses none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mailstop.rules.routes import QUEUE, TURN
from tests.conformance.codex_thread import TURN_ID, rung, thread_in_a_turn
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer


@pytest.fixture
def thread(office: Play, tmp_path: Path) -> SessionPlayer:
    """A thread at the seat `reviewer`, in a turn."""
    return thread_in_a_turn(office, tmp_path)


def over(player: SessionPlayer, turn: str = TURN_ID) -> None:
    """The first thing that the last hook of a turn does."""
    with player.at_office() as office:
        office.turn_over(turn)


def test_a_letter_for_a_running_turn_is_left_to_its_hooks(office: Play, thread: SessionPlayer, tmp_path: Path) -> None:
    (told,) = office.as_("writer").send("reviewer").recipients

    assert (told.way, rung(tmp_path)) == (TURN, 0)


def test_a_turn_whose_last_hook_has_looked_is_over_though_its_client_says_that_it_runs(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    over(thread)

    (told,) = office.as_("writer").send("reviewer").recipients

    assert (told.way, told.state, rung(tmp_path)) == (QUEUE, "notified", 1)


def test_a_turn_that_ends_between_the_claim_and_the_commit_is_noticed_after_it(
    office: Play, thread: SessionPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mailstop.rules import letters

    stored = letters.store_letter

    def with_a_stop_at_the_last_moment(store, writer, draft, *, now, claims=None, rider=None):  # type: ignore[no-untyped-def]
        def claimed(letter_id, recipients):  # type: ignore[no-untyped-def]
            found = claims(letter_id, recipients)
            over(thread)  # its hook looks now, and finds nothing
            return found

        return stored(store, writer, draft, now=now, claims=claimed, rider=rider)

    writer = office.as_("writer")
    monkeypatch.setattr(letters, "store_letter", with_a_stop_at_the_last_moment)
    (told,) = writer.send("reviewer").recipients

    assert (told.way, rung(tmp_path)) == (QUEUE, 1)


def test_a_turn_that_goes_on_after_its_stop_hook_is_left_to_its_hooks_again(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    over(thread)
    over(thread, "")

    (told,) = office.as_("writer").send("reviewer").recipients

    assert (told.way, rung(tmp_path)) == (TURN, 0)


def test_what_the_hooks_of_a_turn_did_not_show_is_queued_when_it_is_over(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    office.as_("writer").send("reviewer")

    with thread.at_office() as at:
        at.turn_over(TURN_ID)
        at.end_turn()
        at.do_due_work()

    assert rung(tmp_path) == 1


def test_a_line_that_codex_has_queued_is_not_queued_again(office: Play, thread: SessionPlayer, tmp_path: Path) -> None:
    over(thread)
    office.as_("writer").send("reviewer")

    for _ in range(20):
        office.clock.now += 60_000
        with office.stranger.at_office() as at:
            at.do_due_work()

    assert rung(tmp_path) == 1


def test_a_thread_that_goes_on_in_the_window_of_another_keeps_session_seat_and_epoch(
    office: Play, thread: SessionPlayer
) -> None:
    before, session = office.seat("reviewer"), thread.id

    thread.clear()

    assert thread.id == session
    assert office.seat("reviewer") == before


def test_a_thread_whose_window_went_on_with_another_is_a_new_session_when_it_is_resumed(
    office: Play, thread: SessionPlayer
) -> None:
    old = thread.found
    thread.clear()

    again = office.player("codex", client_session=old.client_session)
    registered = again.start()

    assert not registered.resumed
    assert again.id != thread.id
    assert office.seat("reviewer").session == thread.id
