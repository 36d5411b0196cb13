"""Presence: which sessions there are, what each says of its work, and what its client tells of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from mailstop import bells
from mailstop.errors import InvalidField, MustJoin, PersonHasNoSession, SessionMoved
from mailstop.rules.roster import Occupancy, Presence
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import SessionPlayer

OBJECTIVE = "make the parser survive 'empty' files: *.md, \"a b\", [x] ?"


def say(player: SessionPlayer, objective: str | None = None, status: str | None = None) -> bool:
    with player.at_office() as at:
        return at.presence.say(objective=objective, status=status)


def look(player: SessionPlayer) -> Presence:
    with player.at_office() as at:
        return at.presence.look()


def attendance(office: Play) -> tuple[dict[str, Occupancy], list[Presence]]:
    """What anybody sees: the seats by name, and the sessions without one."""
    with office.stranger.at_office() as at:
        seats, seatless = at.reading.attendance()
    return {each.seat.name: each for each in seats}, seatless


def present(office: Play, seat: str) -> Presence:
    found = attendance(office)[0][seat].present
    assert found is not None
    return found


# -- what a session says


def test_what_a_session_says_of_its_work_is_what_others_see(office: Play) -> None:
    say(office.as_("builder"), OBJECTIVE, "blocked")

    session = present(office, "builder").session
    assert (session.objective, session.status) == (OBJECTIVE, "blocked")


def test_a_session_that_says_nothing_is_active_without_an_objective(office: Play) -> None:
    office.as_("builder")

    session = present(office, "builder").session
    assert (session.objective, session.status) == ("", "active")


def test_one_is_changed_without_the_other_and_an_empty_objective_takes_it_back(office: Play) -> None:
    builder = office.as_("builder")
    say(builder, OBJECTIVE, "blocked")

    say(builder, status="active")
    assert look(builder).session.objective == OBJECTIVE
    say(builder, objective="")
    assert (look(builder).session.objective, look(builder).session.status) == ("", "active")


def test_what_it_says_is_kept_through_clear_compaction_and_resume(office: Play) -> None:
    builder = office.as_("builder")
    say(builder, OBJECTIVE, "idle")

    builder.clear()
    builder.start()  # compaction
    builder.die()
    again = builder.resumed()

    assert (look(again).session.objective, look(again).session.status) == (OBJECTIVE, "idle")


def test_saying_it_writes_nothing_into_the_ledger_and_wakes_nobody(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    bells.silence(reviewer.found.bell)
    entries, rows = office.entries(), office.rows()

    for count in range(10):
        say(builder, f"part {count}", ("active", "blocked")[count % 2])

    assert office.entries() == entries
    assert office.rows() == rows
    assert not bells.is_ringing(reviewer.found.bell)
    assert look(builder).session.objective == "part 9"


def test_saying_the_same_again_is_nothing_new(office: Play) -> None:
    assert say(office.as_("builder"), OBJECTIVE)
    assert not say(office.as_("builder"), OBJECTIVE)


@pytest.mark.parametrize(
    "objective",
    ["two\nlines", "a\ttab", "red \x1b[31m", "to the \u202eleft", "a\u200bb", "x" * 201, "x" * 4096, "\ud800", "a\0"],
    ids=ascii,
)
def test_what_is_no_line_to_print_is_refused_and_nothing_changes(office: Play, objective: str) -> None:
    say(office.as_("builder"), OBJECTIVE)

    with pytest.raises(InvalidField, match="one printable line of at most 200 characters"):
        say(office.as_("builder"), objective, "done")

    session = look(office.as_("builder")).session
    assert (session.objective, session.status) == (OBJECTIVE, "active")


@pytest.mark.parametrize("status", ["", "Active", "busy", "x" * 4096, "a\nb"], ids=lambda text: ascii(text[:8]))
def test_a_status_that_there_is_not_is_refused_with_those_there_are(office: Play, status: str) -> None:
    with pytest.raises(InvalidField, match="active, idle, blocked, done") as refusal:
        say(office.as_("builder"), "another", status)

    assert len(refusal.value.message) < 200
    assert look(office.as_("builder")).session.objective == ""


def test_two_who_speak_at_once_change_only_their_own(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")

    def talk(player: SessionPlayer, name: str) -> None:
        for count in range(10):
            say(player, f"{name} {count}", "blocked" if name == "builder" else "idle")

    at_once(partial(talk, builder, "builder"), partial(talk, reviewer, "reviewer"))

    said = [present(office, name).session for name in ("builder", "reviewer")]
    assert [(each.objective, each.status) for each in said] == [("builder 9", "blocked"), ("reviewer 9", "idle")]


def test_what_it_says_and_what_its_hooks_note_at_once_are_both_kept(office: Play) -> None:
    builder = office.as_("builder")

    def note() -> None:
        for count in range(20):
            with builder.at_office() as at:
                at.note_mode(f"mode-{count}")

    def talk() -> None:
        for count in range(20):
            say(builder, f"part {count}")

    at_once(note, talk)

    kept = look(builder).session
    assert (kept.mode, kept.objective) == ("mode-19", "part 19")


def test_a_late_word_of_an_old_process_does_not_speak_for_the_resumed_session(office: Play) -> None:
    old = office.as_("builder")
    with old.at_office() as late:
        assert late.session is not None
        old.die()
        again = old.resumed()
        say(again, "the new one's")
        with pytest.raises(SessionMoved):
            late.presence.say(objective="the old one's")

    assert look(again).session.objective == "the new one's"


def test_who_has_no_session_has_nothing_to_say(office: Play) -> None:
    with office.person.at_office() as at, pytest.raises(PersonHasNoSession):
        at.presence.say(status="done")
    with office.stranger.at_office() as at, pytest.raises(MustJoin):
        at.presence.say(status="done")


def test_a_session_without_a_seat_may_say_what_it_does(office: Play) -> None:
    player = office.player()
    player.start(automatic=False)

    say(player, OBJECTIVE)

    _, (found,) = attendance(office)
    assert found.session.objective == OBJECTIVE


# -- who is there


def test_a_session_that_starts_is_listed_with_its_place(office: Play) -> None:
    player = office.player(project="shop", branch="cart", on_default_branch=False, folder="/srv/shop")
    player.start()

    found = present(office, "shop-cart")

    told = found.session
    assert (told.client, told.project, found.branch, told.worktree) == ("claude", "shop", "cart", "/srv/shop")
    assert found.alive is True


def test_a_session_that_dies_vanishes_at_once(office: Play) -> None:
    seated, seatless = office.as_("builder"), office.player()
    seatless.start(automatic=False)
    assert len(attendance(office)[1]) == 1

    seated.die()
    seatless.die()

    seats, without = attendance(office)
    assert (seats["builder"].present, without) == (None, [])


def test_a_session_that_ends_vanishes_at_once_and_its_mail_waits(office: Play) -> None:
    office.as_("builder").end()
    office.as_("writer").send("builder")

    found = attendance(office)[0]["builder"]
    assert (found.present, found.waiting) == (None, 1)


def test_a_session_without_a_seat_is_listed_until_it_takes_one(office: Play) -> None:
    player = office.player()
    player.start(automatic=False)
    assert [found.session.id for found in attendance(office)[1]] == [player.id]

    player.join("builder")

    seats, without = attendance(office)
    assert (without, seats["builder"].present is not None) == ([], True)


def test_a_session_with_a_seat_in_another_bag_is_not_without_one(office: Play) -> None:
    office.as_("critic", "side")

    assert attendance(office)[1] == []


def test_whoever_cannot_be_seen_from_here_is_listed_as_unknown_with_what_it_did_last(office: Play) -> None:
    player = office.as_("builder")
    life = player.process.life.but(namespace="4026539999")  # a container's, which cannot be looked into
    with player.at_office() as at:
        at.register(player.found.but(life=life.as_dict()), known=player.id, automatic=False)
    office.clock.advance(60)
    sent = player.send("human").letter

    found = present(office, "builder")

    assert found.alive is None
    assert found.acted == sent.at


def test_letters_that_wait_are_counted_for_each_seat_of_each_bag(office: Play) -> None:
    office.as_("builder")
    office.as_("builder", "side")
    for bag, count in (("default", 2), ("side", 3)):
        for _ in range(count):
            office.as_("writer", bag).send("builder", bag=bag)
    office.as_("builder").reads()
    office.as_("writer").send("builder")

    with office.stranger.at_office() as at:
        seats, _ = at.reading.attendance()

    waiting = {(each.seat.bag, each.seat.name): each.waiting for each in seats}
    assert (waiting["default", "builder"], waiting["side", "builder"], waiting["side", "writer"]) == (1, 3, 0)


# -- what its client tells


def test_a_client_that_tells_is_busy_or_idle(office: Play) -> None:
    player = office.as_("builder")

    player.is_busy()
    assert present(office, "builder").turn == "busy"
    player.is_busy(False)
    assert present(office, "builder").turn == "idle"


def test_of_a_client_that_does_not_tell_nothing_is_said(office: Play) -> None:
    office.as_("builder")  # a Claude Code whose registry has no entry
    script = office.player("program")
    script.start(automatic=False)
    script.join("script")

    assert (present(office, "builder").turn, present(office, "script").turn) == ("", "")


def test_a_thread_of_codex_is_busy_from_the_start_of_a_turn_to_its_end(office: Play, tmp_path: Path) -> None:
    transcript = tmp_path / "rollout.jsonl"
    thread = office.player("codex")
    thread.found = thread.found.but(details={**thread.found.details, "transcript": str(transcript)})
    thread.start(automatic=False)
    thread.join("builder")
    assert present(office, "builder").turn == ""

    transcript.write_text('{"type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}\n')
    assert (present(office, "builder").turn, present(office, "builder").way) == ("busy", "turn")

    with thread.at_office() as at:
        at.turn_over("t1")  # its Stop hook has run, and Codex has not written the end yet
    assert (present(office, "builder").turn, present(office, "builder").way) == ("idle", "queue")


def test_a_busy_session_is_woken_by_its_hooks_and_one_at_rest_by_its_monitor(office: Play) -> None:
    player = office.as_("builder")

    with player.monitor():
        player.is_busy()
        assert present(office, "builder").way == "turn"
        player.is_busy(False)
        assert present(office, "builder").way == "monitor"
    assert present(office, "builder").way == "visit"


def test_the_branch_is_what_is_checked_out_now_not_at_the_start(office: Play, tmp_path: Path) -> None:
    git = tmp_path / "shop" / ".git"
    for part in ("objects", "refs/heads"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    player = office.player(project="shop", folder=str(git.parent))
    player.start()

    (git / "HEAD").write_text("ref: refs/heads/cart\n")

    assert present(office, "shop").branch == "cart"
    assert look(player).branch == "cart"


def test_where_the_folder_is_gone_the_branch_is_that_of_the_start(office: Play) -> None:
    office.player(project="shop", branch="cart", on_default_branch=False, folder="/nonexistent/shop").start()

    assert present(office, "shop-cart").branch == "cart"
