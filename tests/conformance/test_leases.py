"""Leases: what one session has, no other takes, until it is let go, runs out, or its holder is gone."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailstop import bells
from mailstop.acts.leases import Leases, Queue
from mailstop.engines.entry import Entry
from mailstop.engines.memory.store import World
from mailstop.engines.row import Put
from mailstop.errors import (
    InvalidLease,
    InvalidResource,
    LeaseOfOthers,
    LeaseStillTaken,
    LeaseTaken,
    LeaseUncertain,
    MustJoin,
    NoLease,
    PersonOnly,
    Refused,
    SeatLost,
    SessionOver,
    StaleTerm,
    UnknownLease,
)
from mailstop.lease import ALL_BELOW, LONGEST_TTL_MS, Address, Lease
from mailstop.office import Office
from mailstop.rules import leases as lease_rules
from mailstop.rules.leases import Took, Wish
from mailstop.rules.silence import LONGEST_SILENCE_MS
from mailstop.rules.waiting import FREED
from mailstop.session import WAITING, Session, session_key
from tests.clients.waiting import wait_for
from tests.conformance.at_once import at_once
from tests.conformance.leasing import HOUR_S, holders, read, release, renew, state, take, verdicts
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

TAKERS = 50

at_once_refused = partial(at_once, refusal=Refused)


# -- taking -----------------------------------------------------------------------------------------------------------


def test_what_one_has_taken_another_cannot_take(office: Play) -> None:
    took = take(office.as_("builder"), "src/a.py")

    assert took.term == took.leases[0].term > 0
    with pytest.raises(LeaseTaken, match=r"/src/a.py is held by seat builder \(Claude Code [0-9a-f-]{8}\) since"):
        take(office.as_("reviewer"), "src/a.py")


def test_a_refusal_names_holder_since_until_objective_and_note_and_how_to_go_on(office: Play) -> None:
    builder = office.as_("builder")
    with office.store() as store:
        row = store.board.get(session_key(builder.id))
        assert row is not None
        store.board.change([Put(row.key, {**row.value, "objective": "a new grammar"})])
    take(builder, "name:deploy", note="till the tests pass")

    with pytest.raises(LeaseTaken) as refused:
        take(office.as_("reviewer"), "name:deploy")

    message = refused.value.message
    assert "name:deploy is held by seat builder" in message
    assert " since " in message
    assert " until " in message
    assert ("objective: a new grammar" in message) == ("objective" in Session.fields)
    assert "note: till the tests pass" in message
    assert "--wait" in message
    assert "mailstop send builder -" in message
    (facts,) = refused.value.facts["taken"]
    assert (facts["seat"], facts["note"], facts["kind"]) == ("builder", "till the tests pass", "name")


def test_all_of_one_taking_are_taken_or_none(office: Play) -> None:
    take(office.as_("builder"), "src/b.py")

    with pytest.raises(LeaseTaken):
        take(office.as_("reviewer"), "src/a.py", "src/b.py", "name:deploy")

    assert [state(office.as_("builder"), word) for word in ("src/a.py", "name:deploy")] == ["free", "free"]


def test_the_things_of_one_taking_have_its_term(office: Play) -> None:
    took = take(office.as_("builder"), "src/a.py", "docs/*.md", "name:deploy")

    assert [lease.term for lease in took.leases] == [took.term] * 3
    assert [lease.resource.kind for lease in took.leases] == ["path", "glob", "name"]


def test_taking_again_what_one_holds_renews_it_with_the_same_term(office: Play) -> None:
    builder = office.as_("builder")
    first = take(builder, "src/a.py", ttl=HOUR_S * 1000)
    office.clock.advance(1800)

    again = take(builder, "src/a.py")

    assert again.term == 0
    assert again.leases[0].term == first.term
    assert again.leases[0].until == first.leases[0].until + 1800 * 1000


def test_taking_again_with_another_note_changes_the_note_and_without_one_keeps_it(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py", note="first")

    assert take(builder, "src/a.py").leases[0].note == "first"
    assert take(builder, "src/a.py", note="second").leases[0].note == "second"
    (verdict,) = verdicts(builder, "src/a.py")
    assert verdict.leases[0].note == "second"


def test_taking_again_with_something_new_keeps_the_old_term_and_gives_the_new_one(office: Play) -> None:
    builder = office.as_("builder")
    first = take(builder, "src/a.py")

    again = take(builder, "src/a.py", "src/b.py")

    assert [lease.term for lease in again.leases] == [first.term, again.term]
    assert again.term > first.term


def test_ones_own_leases_are_never_in_ones_way(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src")

    take(builder, "src/a.py")
    release(builder, "src")

    assert [state(builder, "src/a.py"), state(builder, "src/b.py")] == ["mine", "free"]


def test_a_program_and_the_person_take_too_and_a_stranger_may_look(office: Play) -> None:
    program = office.player("program")
    program.start(automatic=False)
    program.join("script")
    take(program, "name:deploy")
    take(office.person, "src")

    with pytest.raises(LeaseTaken, match="held by the person"):
        take(program, "src/a.py")
    with pytest.raises(MustJoin):
        take(office.stranger, "docs")
    assert [state(office.stranger, word) for word in ("src/a.py", "docs")] == ["taken", "free"]


def test_a_file_that_is_taken_is_taken_whichever_bag_one_talks_in(office: Play) -> None:
    take(office.as_("builder"), "src/a.py")
    other = office.as_("builder", "side")

    with pytest.raises(LeaseTaken):
        take(other, "src/a.py", bag="side")

    assert take(other, "src/b.py", bag="side").leases[0].bag == "side"
    assert holders(office.as_("builder"), "src/b.py") == ["builder"]


def test_names_belong_to_their_project(office: Play) -> None:
    take(office.as_("builder"), "name:deploy")
    with office.as_("reviewer").at_office() as at:
        at.leases.take(Wish((read("name:deploy", project="shop"),)))

    with pytest.raises(LeaseTaken):
        take(office.as_("reviewer"), "name:deploy")


@pytest.mark.parametrize(
    ("ttl", "does"), [(59_999, False), (60_000, True), (LONGEST_TTL_MS, True), (LONGEST_TTL_MS + 1, False), (0, False)]
)
def test_a_lease_lasts_a_minute_at_least_and_a_day_at_most(office: Play, ttl: int, does: bool) -> None:
    builder = office.as_("builder")
    if does:
        took = take(builder, "src", ttl=ttl)
        assert took.leases[0].until == office.clock() + ttl
    else:
        with pytest.raises(InvalidLease, match="at least 1 minute"):
            take(builder, "src", ttl=ttl)
        assert state(builder, "src") == "free"


@pytest.mark.parametrize("note", ["two\nlines", "x" * 201, "\u202e"])
def test_a_note_is_one_short_printable_line(office: Play, note: str) -> None:
    with pytest.raises(InvalidLease, match="printable line"):
        take(office.as_("builder"), "src", note=note)


# -- what overlaps ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "wanted", "meets"),
    [
        ("src", "src/a.py", True),
        ("src/a.py", "src", True),
        ("src/a.py", "src/a.pyc", False),
        ("src/app", "src/app2/a.py", False),
        (".", "src/a.py", True),
        ("src/a.py", ".", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a.md", False),
        ("src/a.py", "src/*.py", True),
        ("src/*.py", "src", True),
        ("**/*.py", "src/deep/a.py", True),
        ("src/**/test_*.py", "src/*/test_a*", True),
        ("src/*.py", "lib/*.py", False),
        ("src/*.py", "lib", False),
        ("*/a.py", "src/b.py", False),
        ("glob:src/**", "src/deep/a.py", True),
        ("glob:src/**", "path:src", True),
        ("src/[ab].py", "src/[bc].py", True),
        ("src/[ab].py", "src/[!ab].py", False),
        ("path:app/[id]", "app/i", False),
        ("path:app/[id]", "app/[id]/page.tsx", False),  # a pattern, of which the folder is no case
        ("**/*.py", "**/*.md", False),
        ("**/*.py", "src/new.md", False),  # a file
        ("**/*.py", "src/new.md/", True),  # a folder
        ("**/*.py", "src/new", True),
        ("src/*", "src/lib/a.py", False),
        ("src/*/**", "src/lib/a.py", True),
        ("src/*", "src/lib", True),
        ("path:app/[id]", "path:app/[id]/page.tsx", True),
        ("/srv", "src/a.py", True),
        ("/srv/*/src/**", "src/a.py", True),
        ("/srv/*/src", "src/a.py", False),
        ("/srv/other", "src/a.py", False),
        ("name:deploy", "name:deploy", True),
        ("name:deploy", "name:deploy/x", False),
        ("name:a/b", "name:a", False),
        ("name:*", "name:deploy", False),
        ("name:src", "src/", False),
        ("../app/src/../src/./a.py", "src/a.py", True),
        ("src/", "src", True),
    ],
)
def test_these_are_in_each_others_way_or_not(office: Play, held: str, wanted: str, meets: bool) -> None:
    take(office.as_("builder"), held)

    assert state(office.as_("reviewer"), wanted) == ("taken" if meets else "free")
    if meets:
        with pytest.raises(LeaseTaken):
            take(office.as_("reviewer"), wanted)
    else:
        take(office.as_("reviewer"), wanted)


# -- sharing ----------------------------------------------------------------------------------------------------------


def test_shared_leases_stand_beside_each_other_and_no_exclusive_one_beside_them(office: Play) -> None:
    take(office.as_("builder"), "docs", shared=True)
    take(office.as_("reviewer"), "docs/a.md", shared=True)

    with pytest.raises(LeaseTaken, match="shared by seat builder"):
        take(office.as_("critic"), "docs/b.md")
    with pytest.raises(LeaseTaken):
        take(office.as_("builder"), "docs")
    assert [state(office.as_("critic"), "docs/b.md"), state(office.as_("critic"), "docs/b.md", shared=True)] == [
        "taken",
        "free",
    ]


def test_who_shares_a_folder_may_go_on_in_it(office: Play) -> None:
    take(office.as_("builder"), "docs", shared=True)
    take(office.as_("reviewer"), "docs", shared=True)

    assert state(office.as_("builder"), "docs/a.md") == "mine"


def test_who_shares_only_a_part_has_not_the_rest(office: Play) -> None:
    take(office.as_("builder"), "docs", shared=True)
    take(office.as_("reviewer"), "docs/a.md", shared=True)

    assert state(office.as_("reviewer"), "docs") == "taken"


def test_what_one_alone_holds_can_be_shared_from_then_on_and_the_other_way_round(office: Play) -> None:
    builder, reviewer = office.as_("builder"), office.as_("reviewer")
    first = take(builder, "docs")
    second = take(builder, "docs", shared=True)
    take(reviewer, "docs", shared=True)

    with pytest.raises(LeaseTaken):
        take(builder, "docs")
    release(reviewer, "docs")
    third = take(builder, "docs")

    assert first.term < second.term < third.term
    assert state(reviewer, "docs", shared=True) == "taken"


# -- the end of a lease -----------------------------------------------------------------------------------------------


def test_a_released_lease_is_free_at_once(office: Play) -> None:
    take(office.as_("builder"), "src/a.py", "name:deploy")

    (released,) = release(office.as_("builder"), "src/a.py")

    assert released.resource.shown == "/srv/app/src/a.py"
    take(office.as_("reviewer"), "src/a.py")
    assert state(office.as_("reviewer"), "name:deploy") == "taken"


def test_all_are_released_at_once_and_with_none_there_is_nothing_to_do(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")
    take(builder, "name:deploy")

    assert len(release(builder)) == 2
    assert release(builder) == ()


def test_nobody_releases_what_another_holds(office: Play) -> None:
    take(office.as_("builder"), "src/a.py")

    with pytest.raises(LeaseOfOthers, match="held by seat builder"):
        release(office.as_("reviewer"), "src/a.py")

    assert state(office.as_("builder"), "src/a.py") == "mine"


def test_what_is_not_held_is_unknown_and_the_nearest_is_named(office: Play) -> None:
    take(office.as_("builder"), "name:deploy")

    with pytest.raises(UnknownLease, match="nearest: name:deploy"):
        release(office.as_("builder"), "name:deplo")
    with pytest.raises(NoLease):
        renew(office.as_("reviewer"))


def test_a_lease_that_ran_out_is_free_for_others(office: Play) -> None:
    take(office.as_("builder"), "src/a.py", ttl=60_000)
    office.clock.advance(60)

    assert state(office.as_("reviewer"), "src/a.py") == "free"
    take(office.as_("reviewer"), "src")


def test_a_lease_that_was_taken_before_the_clock_was_put_back_is_free_where_it_would_last_longer_than_any_may(
    office: Play,
) -> None:
    take(office.as_("builder"), "src/a.py", ttl=LONGEST_TTL_MS)
    take(office.as_("builder"), "src/b.py", ttl=HOUR_S * 1000)

    office.clock.advance(-HOUR_S)

    assert [state(office.as_("reviewer"), word) for word in ("src/a.py", "src/b.py")] == ["free", "taken"]
    take(office.as_("reviewer"), "src/a.py")


def test_a_lease_that_ran_out_and_nobody_took_is_renewed_with_its_term(office: Play) -> None:
    builder = office.as_("builder")
    term = take(builder, "src/a.py", ttl=60_000).term
    office.clock.advance(HOUR_S)

    (renewed,) = renew(builder, "src/a.py", term=term)

    assert (renewed.term, renewed.until) == (term, office.clock() + 60_000)
    assert state(office.as_("reviewer"), "src/a.py") == "taken"


def test_a_lease_that_ran_out_and_another_took_is_not_renewed(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py", ttl=60_000)
    office.clock.advance(60)
    take(office.as_("reviewer"), "src")

    with pytest.raises(LeaseOfOthers, match="held by seat reviewer"):
        renew(builder, "src/a.py")
    with pytest.raises(NoLease):
        renew(builder)


def test_a_lease_that_another_had_meanwhile_and_let_go_is_not_renewed_either(office: Play) -> None:
    builder = office.as_("builder")
    term = take(builder, "src/a.py", ttl=60_000).term
    office.clock.advance(60)
    take(office.as_("reviewer"), "src/*.py")
    release(office.as_("reviewer"))

    with pytest.raises(UnknownLease):
        renew(builder, "src/a.py")
    assert take(builder, "src/a.py").term > term


def test_renewing_lasts_as_long_as_was_asked_for_before_or_is_asked_for_now(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py", ttl=2 * HOUR_S * 1000)
    office.clock.advance(HOUR_S)

    (before,) = renew(builder)
    (now,) = renew(builder, ttl=60_000)

    assert (before.until, now.until) == (office.clock() + 2 * HOUR_S * 1000, office.clock() + 60_000)


def test_a_stale_term_is_refused_by_renew_and_by_check(office: Play) -> None:
    builder = office.as_("builder")
    stale = take(builder, "src/a.py").term
    release(builder)
    now = take(builder, "src/a.py").term

    with pytest.raises(StaleTerm, match=f"that is term {now}"):
        renew(builder, "src/a.py", term=stale)
    assert state(builder, "src/a.py", term=stale) == "taken"
    assert state(builder, "src/a.py", term=now) == "mine"
    release(builder)
    with pytest.raises(StaleTerm, match="nobody does"):
        renew(builder, "src/a.py", term=now)
    assert state(builder, "src/a.py", term=now) == "taken"


def test_anybody_may_ask_whether_a_term_still_holds_and_it_holds_what_lies_below_only(office: Play) -> None:
    term = take(office.as_("builder"), "src/app").term

    assert state(office.stranger, "src/app/a.py", term=term) == "mine"
    assert state(office.stranger, "src", term=term) == "taken"
    assert state(office.stranger, "src/*/a.py", term=term) == "taken"


def test_terms_only_grow(office: Play) -> None:
    terms = []
    for seat in ("builder", "reviewer", "builder"):
        terms.append(take(office.as_(seat), "name:deploy").term)
        release(office.as_(seat))

    assert terms == sorted(set(terms))


# -- the end of a holder ----------------------------------------------------------------------------------------------


def test_the_death_of_its_holder_frees_a_lease_at_once(office: Play) -> None:
    take(office.as_("builder"), "src/a.py")

    office.as_("builder").die()

    assert state(office.as_("reviewer"), "src/a.py") == "free"
    take(office.as_("reviewer"), "src")


def test_the_end_of_a_session_frees_all_it_holds(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py", "name:deploy")

    with builder.at_office() as at:
        at.end()

    assert [state(office.as_("reviewer"), word) for word in ("src/a.py", "name:deploy")] == ["free", "free"]


def test_leaving_the_seat_frees_all_and_sitting_down_again_brings_nothing_back(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")
    builder.leave()
    assert state(office.as_("reviewer"), "src/a.py") == "free"

    builder.join("builder")

    assert state(builder, "src/a.py") == "free"
    with pytest.raises(NoLease):
        renew(builder)
    take(office.as_("reviewer"), "src/a.py")


def test_taking_another_seat_frees_what_was_taken_from_the_first(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")

    builder.join("architect")

    assert state(office.as_("reviewer"), "src/a.py") == "free"


def test_a_session_that_clears_its_conversation_keeps_its_leases(office: Play) -> None:
    builder = office.as_("builder")
    term = take(builder, "src/a.py").term

    builder.clear()

    assert state(builder, "src/a.py") == "mine"
    assert renew(builder, "src/a.py", term=term)


def test_a_resumed_session_keeps_what_nobody_took_meanwhile(office: Play) -> None:
    builder = office.as_("builder")
    term = take(builder, "src/a.py", "src/b.py").term
    builder.die()
    take(office.as_("reviewer"), "src/b.py")

    resumed = builder.resumed()

    assert [state(resumed, word) for word in ("src/a.py", "src/b.py")] == ["mine", "taken"]
    assert [lease.resource.shown for lease in renew(resumed, term=term)] == ["/srv/app/src/a.py"]


def test_a_shared_lease_of_one_who_died_is_kept_beside_another_that_is_shared(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "docs", shared=True)
    builder.die()
    take(office.as_("reviewer"), "docs", shared=True)

    resumed = builder.resumed()

    assert state(resumed, "docs") == "mine"
    assert state(office.as_("reviewer"), "docs") == "mine"


def test_a_session_of_which_nobody_knows_whether_it_lives_keeps_its_leases(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")
    with office.store() as store:
        row = store.board.get(session_key(builder.id))
        assert row is not None
        life = {**row.value["life"], "machine": "0" * 32}  # on another machine
        store.board.change([Put(row.key, {**row.value, "life": life})])

    builder.die()

    assert state(office.as_("reviewer"), "src/a.py") == "taken"


def test_a_session_that_has_ended_takes_and_renews_nothing(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")
    with builder.at_office() as at:
        at.end()

    with pytest.raises(SessionOver):
        take(builder, "src/b.py")
    with pytest.raises(SessionOver):
        renew(builder)
    assert state(office.as_("reviewer"), "src/b.py") == "free"


def test_a_session_that_lost_its_seat_takes_renews_and_releases_nothing(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py")
    with builder.at_office() as late:
        writer = late.writer("default")
        builder.die()
        successor = office.player()
        successor.start(automatic=False)
        successor.join("builder")
        late.writer = lambda bag: writer  # type: ignore[method-assign]  # it looked before the seat was lost

        for act in (
            lambda: late.leases.take(Wish((read("src/b.py"),))),
            lambda: late.leases.renew(None),
            lambda: late.leases.release(None),
        ):
            with pytest.raises((SeatLost, SessionOver)):
                act()

    assert [state(successor, word) for word in ("src/a.py", "src/b.py")] == ["free", "free"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)  # only there a moment can be arranged
def test_a_seat_that_is_lost_between_look_and_append_stops_the_taking(office: Play, world: World) -> None:
    builder = office.as_("builder")
    world.meanwhile(lambda: builder.leave())

    with pytest.raises(SeatLost):
        take(builder, "src/a.py")


def test_the_next_holder_of_a_seat_does_not_inherit_its_leases(office: Play) -> None:
    take(office.as_("builder"), "src/a.py")
    office.as_("builder").die()
    successor = office.player()
    successor.start(automatic=False)
    successor.join("builder")

    with pytest.raises(UnknownLease):
        renew(successor, "src/a.py")


# -- silence ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def thread(office: Play, tmp_path: Path) -> SessionPlayer:
    """A thread of Codex with a transcript, at rest."""
    transcript = tmp_path / "rollout.jsonl"
    player = office.player("codex")
    player.found = player.found.but(details={"codex_home": str(tmp_path), "transcript": str(transcript)})
    player.start(automatic=False)
    player.join("threader")
    writes(transcript, "task_complete")
    return player


def writes(transcript: Path, kind: str) -> None:
    """Codex notes something."""
    payload = {"type": kind, "turn_id": "01a227d8-5a74-7441-a2fd-bc0f34a8ff48"}
    line = json.dumps({"timestamp": "t", "type": "event_msg", "payload": payload}, separators=(",", ":"))
    with transcript.open("a") as file:
        file.write(line + "\n")


def test_a_thread_of_codex_that_was_silent_for_a_quarter_of_an_hour_holds_nothing(
    office: Play, thread: SessionPlayer
) -> None:
    take(thread, "src/a.py")
    office.clock.advance(LONGEST_SILENCE_MS / 1000 - 30)
    assert state(office.as_("reviewer"), "src/a.py") == "taken"

    office.clock.advance(60)

    assert state(office.as_("reviewer"), "src/a.py") == "free"
    assert office.seat("threader").session == thread.id


def test_a_thread_that_goes_on_holds_again_what_nobody_took(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    take(thread, "src/a.py", "src/b.py")
    office.clock.advance(LONGEST_SILENCE_MS / 1000 + 60)
    take(office.as_("reviewer"), "src/b.py")

    writes(tmp_path / "rollout.jsonl", "task_started")
    now_s = office.clock() / 1000
    os.utime(tmp_path / "rollout.jsonl", (now_s, now_s))

    assert [state(thread, word) for word in ("src/a.py", "src/b.py")] == ["mine", "taken"]


def test_a_thread_in_a_turn_is_not_silent_however_long_its_command_takes(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    writes(tmp_path / "rollout.jsonl", "task_started")
    take(thread, "src/a.py", ttl=LONGEST_TTL_MS)

    office.clock.advance(3 * HOUR_S)

    assert state(office.as_("reviewer"), "src/a.py") == "taken"


def test_a_thread_of_which_nothing_can_be_read_is_not_taken_for_silent(
    office: Play, thread: SessionPlayer, tmp_path: Path
) -> None:
    take(thread, "src/a.py", ttl=LONGEST_TTL_MS)
    (tmp_path / "rollout.jsonl").unlink()

    office.clock.advance(3 * HOUR_S)

    assert state(office.as_("reviewer"), "src/a.py") == "taken"


# -- many at once -----------------------------------------------------------------------------------------------------


def test_of_fifty_takers_of_one_thing_one_wins_and_the_others_are_told_who(office: Play) -> None:
    takers = [office.as_(f"taker-{count}") for count in range(TAKERS)]

    outcomes = at_once_refused(*(partial(take, taker, "name:deploy") for taker in takers))

    (winner,) = (seat for seat, outcome in enumerate(outcomes) if not isinstance(outcome, Refused))
    for outcome in outcomes:
        if isinstance(outcome, Refused):
            assert isinstance(outcome, LeaseTaken)
            assert f"held by seat taker-{winner} " in outcome.message
    assert holders(takers[0], "name:deploy") == [f"taker-{winner}"]


def test_of_those_who_race_for_a_folder_and_for_files_in_it_no_two_overlap(office: Play) -> None:
    words = ["src", "src/a.py", "src/*.py", "src/deep/b.py", "src/deep", "**/b.py", "docs", "."]
    takers = [office.as_(f"taker-{count}") for count in range(16)]

    outcomes = at_once_refused(*(partial(take, taker, words[which % len(words)]) for which, taker in enumerate(takers)))

    assert any(not isinstance(outcome, Refused) for outcome in outcomes)
    with office.store() as store:
        found = store.index.leases.all()
    for lease in found:
        assert holders(takers[0], f"glob:{lease.resource.shown}").count(lease.seat) == 1
        for address in lease.resource.at:
            with office.store() as store:
                assert {other.session for other in store.index.leases.near(address)} >= {lease.session}
    assert overlapping(office) == []


def test_takers_of_different_things_all_get_theirs(office: Play) -> None:
    takers = [office.as_(f"taker-{count}") for count in range(16)]

    outcomes = at_once_refused(*(partial(take, taker, f"src/{which}.py") for which, taker in enumerate(takers)))

    assert not any(isinstance(outcome, Refused) for outcome in outcomes)


def overlapping(office: Play) -> list[tuple[str, str]]:
    """The pairs of leases of two sessions that count, overlap, and are not both shared: there may be none."""
    with office.stranger.at_office() as at:
        found = at.leases.standing()
        pairs = []
        for lease in found:
            near = [other for address in lease.resource.at for other in at.leases.check([lease.resource])[0].leases]
            pairs += [
                (lease.seat, other.seat)
                for other in near
                if other.session != lease.session and not (lease.shared and other.shared)
            ]
    return pairs


# -- waiting ----------------------------------------------------------------------------------------------------------


def waiting(
    office: Play, player: Player, word: str, seconds: float = 30, **wish: Any
) -> tuple[threading.Thread, list[object]]:
    """Let a player wait for something, in a thread; what it gets."""
    got: list[object] = []

    def wait() -> None:
        try:
            got.append(take(player, word, wait_s=seconds, **wish))
        except Refused as refusal:
            got.append(refusal)
        except LeaseStillTaken as late:
            got.append(late)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_for("the taker waits, or has got it", lambda: office.rows(WAITING) or got)
    return thread, got


def test_who_waits_is_woken_when_it_is_released(office: Play) -> None:
    take(office.as_("builder"), "src")
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py")

    release(office.as_("builder"), "src")

    thread.join(20)
    assert holders(office.as_("builder"), "src/a.py") == ["reviewer"]
    assert len(got) == 1
    assert office.rows(WAITING) == office.rows(FREED) == []
    assert [name for name in bells.ringing() if name.startswith("lease-")] == []


@pytest.mark.parametrize("end", ["die", "end", "leave", "join", "share"])
def test_who_waits_is_woken_when_the_lease_ends_otherwise(office: Play, end: str) -> None:
    builder = office.as_("builder")
    take(builder, "src", ttl=HOUR_S * 1000)
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py", shared=end == "share")

    if end == "join":
        builder.join("architect")
    elif end == "share":
        take(builder, "src", shared=True)
    else:
        getattr(builder, end)()

    thread.join(20)
    assert not thread.is_alive()
    assert not isinstance(got[0], Exception)


def test_a_holder_who_dies_between_a_look_and_the_sleep_keeps_nobody_waiting(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = office.as_("builder")
    take(builder, "src")
    looking = Leases._take

    def dies_afterwards(self: Leases, *what: Any) -> Took:
        try:
            return looking(self, *what)
        finally:
            if office.rows(WAITING):
                builder.die()

    monkeypatch.setattr(Leases, "_take", dies_afterwards)
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py")

    thread.join(20)
    assert isinstance(got[0], Took)


def test_who_waits_is_woken_when_the_lease_is_to_end_earlier(office: Play) -> None:
    take(office.as_("builder"), "src", ttl=HOUR_S * 1000)
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py")
    (row,) = office.rows(WAITING)

    renew(office.as_("builder"), ttl=60_000)

    assert bells.is_ringing(row.removeprefix(WAITING))
    release(office.as_("builder"))
    thread.join(20)
    assert len(got) == 1


def test_who_waits_is_told_who_still_has_it_when_the_time_is_over(office: Play) -> None:
    take(office.as_("builder"), "src")

    with pytest.raises(LeaseStillTaken, match=r"held by seat builder .*still after 0\.2 seconds"):
        take(office.as_("reviewer"), "src/a.py", wait_s=0.2)

    assert office.rows(WAITING) == []


def test_who_waits_takes_what_runs_out(office: Play) -> None:
    take(office.as_("builder"), "src", ttl=60_000)
    office.clock.advance(59.8)

    def time_goes_on() -> None:
        office.clock.advance(1)

    timer = threading.Timer(0.1, time_goes_on)
    timer.start()
    took = take(office.as_("reviewer"), "src/a.py", wait_s=20)

    timer.join()
    assert took.term


def test_a_release_that_dies_before_it_rings_is_rung_for_by_whoever_comes_next(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(office.as_("builder"), "src")
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py")

    with monkeypatch.context() as patch:
        patch.setattr(Leases, "_rung", lambda *_: None)  # it was killed
        release(office.as_("builder"), "src")
    assert got == []
    assert len(office.rows(FREED)) == 1
    wait_for("somebody comes by", lambda: comes_by(office))

    thread.join(20)
    assert len(got) == 1


@pytest.mark.parametrize("killed", [False, True])
def test_who_begins_to_wait_just_before_the_release_is_stored_is_woken(
    office: Play, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    take(office.as_("builder"), "src")
    office.as_("reviewer")
    refused = threading.Event()
    ends_of, releasing = Queue.ends, lease_rules.release
    threads: list[threading.Thread] = []

    def refused_and_sleeping(*look: Any) -> tuple[list[int], float]:
        refused.set()
        return ends_of(*look)

    def release_later(*what: Any, **how: Any) -> tuple[Lease, ...]:
        threads.append(waiting(office, office.as_("reviewer"), "src/a.py")[0])
        assert refused.wait(20)
        return releasing(*what, **how)

    with monkeypatch.context() as patch:
        patch.setattr(Queue, "ends", refused_and_sleeping)
        patch.setattr(lease_rules, "release", release_later)
        if killed:
            patch.setattr(Leases, "_rung", lambda *_: None)
        release(office.as_("builder"), "src")
    if killed:
        wait_for("somebody comes by", lambda: comes_by(office))

    threads[0].join(20)
    assert holders(office.person, "src/a.py") == ["reviewer"]
    assert office.rows(FREED) == []


def test_a_release_for_which_nobody_waits_leaves_nothing_to_be_done(office: Play) -> None:
    take(office.as_("builder"), "src")

    release(office.as_("builder"))

    assert office.rows(FREED) == []


def test_who_waits_looks_again_when_who_left_its_seat_was_killed_before_it_rang(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailstop.acts.leases.SLOW_LOOK_S", 0.1)
    take(office.as_("builder"), "src")
    thread, _ = waiting(office, office.as_("reviewer"), "src/a.py")

    with monkeypatch.context() as patch:
        patch.setattr(Office, "seats_changed", lambda *_: None)  # it was killed
        office.as_("builder").leave()

    thread.join(20)
    assert holders(office.person, "src/a.py") == ["reviewer"]


def comes_by(office: Play) -> bool:
    """Somebody uses mailstop, and does what is due on the way; whether none of it is left."""
    with office.stranger.at_office() as at:
        at.do_due_work()
    return not office.rows(FREED)


@pytest.mark.parametrize("by", ["a release", "a sweep"])
def test_what_a_waiter_left_behind_that_died_is_taken_away(office: Play, by: str) -> None:
    process = office.process()
    bell = "lease-of-the-dead"
    with office.store() as store:
        value = {"bell": bell, "life": process.life.as_dict(), "at": []}
        store.board.change([Put(WAITING + bell, value)])
    take(office.as_("builder"), "src")
    process.end()

    if by == "a release":
        release(office.as_("builder"), "src")
    else:
        with office.person.at_office() as at:
            at.sweep()

    assert office.rows(WAITING) == []
    assert not bells.is_ringing(bell)


def test_those_who_wait_for_something_else_are_not_rung(office: Play) -> None:
    take(office.as_("builder"), "src", "docs")
    thread, got = waiting(office, office.as_("reviewer"), "src/a.py")
    (row,) = office.rows(WAITING)

    release(office.as_("builder"), "docs")

    assert not bells.is_ringing(row.removeprefix(WAITING))
    release(office.as_("builder"), "src")
    thread.join(20)
    assert len(got) == 1


def test_of_many_who_wait_for_one_thing_one_gets_it_at_a_time(office: Play) -> None:
    take(office.as_("builder"), "name:deploy")
    takers = [office.as_(f"taker-{count}") for count in range(4)]
    order: list[str] = []

    def take_and_let_go(player: SessionPlayer) -> None:
        (lease,) = take(player, "name:deploy", wait_s=30).leases
        order.append(lease.seat)
        assert holders(office.person, "name:deploy") == [lease.seat]
        release(player)

    threads = [threading.Thread(target=take_and_let_go, args=(taker,)) for taker in takers]
    for thread in threads:
        thread.start()
    wait_for("all wait", lambda: len(office.rows(WAITING)) == 4)
    release(office.as_("builder"))
    for thread in threads:
        thread.join(40)

    assert sorted(order) == [f"taker-{count}" for count in range(4)]


# -- the person -------------------------------------------------------------------------------------------------------


def test_the_person_ends_anybodys_lease_and_its_holder_is_told(office: Play) -> None:
    builder = office.as_("builder")
    take(builder, "src/a.py", "name:deploy")

    with office.person.at_office() as at:
        (ended,) = at.leases.force([read("src/a.py")])

    assert ended.seat == "builder"
    assert [state(office.as_("reviewer"), word) for word in ("src/a.py", "name:deploy")] == ["free", "taken"]
    assert builder.peek() == ["The person has ended your lease: /srv/app/src/a.py. Others may take it now."]


def test_the_person_ends_a_shared_lease_of_all_in_whatever_bag(office: Play) -> None:
    take(office.as_("builder"), "src", shared=True)
    take(office.as_("critic", "side"), "src", shared=True, bag="side")

    with office.person.at_office() as at:
        at.leases.force([read("src")])

    assert state(office.as_("reviewer"), "src") == "free"
    assert len(office.as_("builder").peek()) == len(office.as_("critic", "side").peek()) == 1


def test_the_person_ends_leases_of_all_bags_and_tells_of_it_in_one_append(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder, critic = office.as_("builder"), office.as_("critic", "side")
    take(builder, "src", shared=True)
    take(critic, "src", shared=True, bag="side")
    take(critic, "docs", bag="side")
    appended: list[int] = []

    with builder.monitor(), critic.monitor(), office.person.at_office() as at:
        append = at.store.ledger.append

        def counted(entries: Sequence[Entry], **how: Any) -> int:
            n = append(entries, **how)
            appended.append(len(entries))
            return n

        monkeypatch.setattr(at.store.ledger, "append", counted)
        ended = at.leases.force([read("src"), read("docs")])
        assert [player.monitor_rings() != [] for player in (builder, critic)] == [True, True]

    assert appended == [4], "two entries that end leases, two letters"
    assert sorted((lease.bag, lease.resource.shown) for lease in ended) == [
        ("default", "/srv/app/src"),
        ("side", "/srv/app/docs"),
        ("side", "/srv/app/src"),
    ]
    assert builder.peek() == ["The person has ended your lease: /srv/app/src. Others may take it now."]
    assert critic.peek() == ["The person has ended your lease: /srv/app/src; /srv/app/docs. Others may take it now."]


def test_what_is_let_go_while_the_person_ends_it_is_left_out_and_the_rest_is_ended(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder, critic = office.as_("builder"), office.as_("critic", "side")
    take(builder, "src")
    take(critic, "docs", bag="side")
    looking = lease_rules.of_others

    def let_go_afterwards(*what: Any, **how: Any) -> list[Lease]:
        found = looking(*what, **how)
        release(builder)
        return found

    monkeypatch.setattr(lease_rules, "of_others", let_go_afterwards)
    with office.person.at_office() as at:
        (ended,) = at.leases.force([read("src"), read("docs")])

    assert ended.resource.shown == "/srv/app/docs"
    assert (builder.peek(), len(critic.peek())) == ([], 1)


def test_who_waits_for_a_path_by_another_of_its_addresses_is_woken_when_the_person_ends_its_lease(office: Play) -> None:
    in_repository, on_machine = Address("git:app", "/src/a.py"), Address("machine", "/srv/app/src/a.py")
    resource = read("src/a.py").but(at=(in_repository, on_machine))
    above = resource.but(at=(Address("machine", "/srv", ALL_BELOW),))
    with office.as_("builder").at_office() as at:
        at.leases.take(Wish((resource,)))
    reviewer = office.as_("reviewer")

    def wait() -> None:
        with reviewer.at_office() as at:
            at.leases.take(Wish((above,)), wait_s=30)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_for("the taker waits", lambda: office.rows(WAITING))
    (row,) = office.rows(WAITING)
    rung: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bells, "ring", rung.append)
        with office.person.at_office() as at:
            at.leases.force([resource])
    bells.ring(row.removeprefix(WAITING))

    thread.join(20)
    assert row.removeprefix(WAITING) in rung
    assert not thread.is_alive()


def test_a_holder_who_lets_go_before_the_person_ends_its_lease_is_told_nothing(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = office.as_("builder")
    take(builder, "src")
    looking = lease_rules.of_others

    def let_go_afterwards(*what: Any, **how: Any) -> list[Lease]:
        found = looking(*what, **how)
        release(builder)
        return found

    monkeypatch.setattr(lease_rules, "of_others", let_go_afterwards)
    with office.person.at_office() as at, pytest.raises(UnknownLease, match="Nobody else holds a lease on"):
        at.leases.force([read("src")])

    assert builder.peek() == []
    assert office.rows(FREED) == []


def test_only_the_person_ends_anothers_lease(office: Play) -> None:
    take(office.as_("builder"), "src")

    with office.as_("reviewer").at_office() as at, pytest.raises(PersonOnly):
        at.leases.force([read("src")])
    with office.person.at_office() as at, pytest.raises(UnknownLease):
        at.leases.force([read("docs")])


# -- what cannot be told ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["memory"], indirect=True)  # a file does not lose contact
@pytest.mark.parametrize("stored", [True, False])
def test_a_taking_of_which_it_is_not_known_whether_it_was_stored_is_repeated_and_counts_once(
    office: Play, world: World, stored: bool
) -> None:
    builder = office.as_("builder")
    world.lose_contact(stored=stored)
    with pytest.raises(LeaseUncertain, match="Repeat the same command"):
        take(builder, "src/a.py")

    take(builder, "src/a.py")

    with office.store() as store:
        assert len(store.index.leases.all()) == 1


# -- bad input --------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60) | st.text(alphabet="a'\"\\\n\t*?[]!{}$`;|&<>\u202e\u200f /.:=-", max_size=12))
def test_any_path_is_refused_with_the_rule_or_kept_exactly(office: Play, text: str) -> None:
    builder = office.as_("builder")
    try:
        resource = read(f"path:{text}")
    except InvalidResource as refusal:
        assert text == "" or "\0" in text or any("\ud800" <= each <= "\udfff" for each in text), refusal.message
        return
    with builder.at_office() as at:
        at.leases.take(Wish((resource,)))
    with office.store() as store:
        (kept,) = [lease for lease in store.index.leases.all() if lease.resource.key == resource.key]
    assert kept.resource.shown == os.path.normpath(os.path.join("/srv/app", text)).replace("//", "/")
    assert [state(office.as_("reviewer"), f"path:{text}"), state(builder, f"path:{text}")] == ["taken", "mine"]
    release(builder)
    assert state(office.as_("reviewer"), f"path:{text}") == "free"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=30) | st.text(alphabet="a'\"\\*?[]!{}$`;|&<>\u200f /.:=-", max_size=12))
def test_any_name_is_refused_with_the_rule_or_kept_exactly(office: Play, text: str) -> None:
    builder = office.as_("builder")
    try:
        take(builder, f"name:{text}")
    except InvalidResource as refusal:
        assert "one printable line" in refusal.message or "UTF-8" in refusal.message
        assert not text or not text.isprintable() or text != text.strip()
        return
    (lease,) = renew(builder, f"name:{text}")
    assert lease.resource.shown == f"name:{text}"
    assert state(office.as_("reviewer"), f"name:{text}") == "taken"
    release(builder)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="ab*?[]!^-/.\\\u202e", min_size=1, max_size=12))
def test_any_pattern_is_refused_with_the_rule_or_kept_exactly(office: Play, text: str) -> None:
    builder = office.as_("builder")
    try:
        resource = read(f"glob:{text}")
    except InvalidResource as refusal:
        assert any(rule in refusal.message for rule in ("wrong way round", "no character", "behind a wildcard"))
        return
    with builder.at_office() as at:
        at.leases.take(Wish((resource,)))
        assert [verdict.state for verdict in at.leases.check([resource])] == ["mine"]
    release(builder)


@pytest.mark.parametrize("word", ["path:" + "x" * 4097, "name:" + "x" * 201, "glob:" + "*x" * 251, "a\0b/"])
def test_what_is_too_long_or_no_path_is_refused(word: str) -> None:
    with pytest.raises(InvalidResource):
        read(word)


def test_a_path_of_four_kilobytes_is_kept_exactly(office: Play) -> None:
    long = "/".join(["d" * 99] * 40)

    (lease,) = take(office.as_("builder"), long).leases

    assert lease.resource.shown == f"/srv/app/{long}"
    assert state(office.as_("reviewer"), long) == "taken"


def test_more_than_a_thousand_things_are_not_taken_at_once(office: Play) -> None:
    with pytest.raises(InvalidLease, match="at most 1000"):
        take(office.as_("builder"), *(f"src/{count}" for count in range(1001)))
    assert len(take(office.as_("builder"), *(f"src/{count}" for count in range(1000))).leases) == 1000
    assert len(verdicts(office.as_("reviewer"), "src")[0].leases) == 1000
