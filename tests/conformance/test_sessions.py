"""Sessions: which running client is which, through clear, compaction, resume and the death of processes."""

from __future__ import annotations

from tests.conformance.play import Play


def test_clear_keeps_session_seat_and_epoch(office: Play) -> None:
    player = office.as_("builder")
    before, session = office.seat("builder"), player.id

    registered = player.clear()

    assert registered.resumed
    assert player.id == session
    assert office.seat("builder") == before


def test_resume_keeps_session_seat_and_epoch(office: Play) -> None:
    player = office.as_("builder")
    before = office.seat("builder")
    player.die()

    again = player.resumed()

    assert again.id == player.id
    assert office.seat("builder") == before
    assert again.seats() == ["builder"]


def test_resume_after_clear_goes_on_with_the_same_session(office: Play) -> None:
    player = office.as_("builder")
    player.clear()
    player.die()

    assert player.resumed().seats() == ["builder"]


def test_a_session_start_that_is_repeated_changes_nothing(office: Play) -> None:
    player = office.as_("builder")
    entries, rows = office.entries(), office.rows()

    for _ in range(5):
        player.start()

    assert office.entries() == entries
    assert office.rows() == rows


def test_two_live_processes_of_one_client_session_are_two_sessions(office: Play) -> None:
    first = office.as_("builder")
    second = first.another_process()

    registered = second.start()

    assert not registered.resumed
    assert second.id != first.id
    assert first.seats() == ["builder"]
    assert second.seats() == ["app"]


def test_the_second_process_of_a_client_session_reads_nothing_of_the_first(office: Play) -> None:
    first = office.as_("builder")
    second = first.resumed()
    office.as_("writer").send("builder", body="for one of them")

    assert second.peek() == []
    assert first.peek() == ["for one of them"]


def test_a_process_that_lost_its_registration_is_still_its_session(office: Play) -> None:
    player = office.as_("builder")
    session = player.id
    player.caller = player.caller.but(registration=None)

    player.start()

    assert player.id == session
    assert player.seats() == ["builder"]


def test_a_session_that_ended_and_is_started_again_lives(office: Play) -> None:
    player = office.as_("builder")
    with player.at_office() as at:
        at.end()

    player.start()

    with player.at_office() as at:
        (holder,) = at.reading.holders()
    assert holder.alive is True


def test_the_late_end_of_an_old_process_does_not_end_the_resumed_session(office: Play) -> None:
    old = office.as_("builder")
    with old.at_office() as late:
        assert late.session is not None  # it has looked at what it is about to end
        old.die()
        old.resumed()
        late.end()

    with office.stranger.at_office() as at:
        (holder,) = at.reading.holders()
    assert holder.alive is True


def test_what_was_handed_before_a_clear_is_offered_again(office: Play) -> None:
    player = office.as_("builder")
    office.as_("writer").send("builder", body="look")
    player.check()

    player.clear()

    assert player.peek() == ["look"]


def test_after_a_clear_the_session_is_told_what_it_still_owes(office: Play) -> None:
    player = office.as_("builder")
    asked = office.as_("writer").send("builder", body="how long?", kind="question").letter.n
    office.as_("writer").send("builder", body="by the way")
    player.reads()

    registered = player.clear()

    assert [letter.n for letter in registered.owed] == [asked]
    assert registered.waiting == 0


def test_an_answered_question_is_no_longer_owed(office: Play) -> None:
    player = office.as_("builder")
    asked = office.as_("writer").send("builder", body="how long?", needs_reply=True).letter.n
    player.reads()
    player.reply(asked)

    assert player.clear().owed == ()


def test_a_session_of_another_client_with_the_same_id_is_another(office: Play) -> None:
    player = office.as_("builder")
    other = office.player("program", client_session=player.found.client_session)

    other.start()

    assert other.id != player.id


def test_a_thread_of_codex_is_one_session_whichever_process_serves_it(office: Play) -> None:
    first = office.player("codex")
    first.start(automatic=False)
    first.join("builder")

    second = first.another_process()
    registered = second.start()

    assert registered.resumed
    assert second.id == first.id
    assert second.seats() == ["builder"]


def test_a_late_event_of_an_old_process_does_not_speak_for_the_resumed_session(office: Play) -> None:
    old = office.as_("builder")
    with old.at_office() as late:
        assert late.session is not None
        old.die()
        again = old.resumed()
        late.note_mode("plan")
        late.end_turn(agents=True)

    with again.at_office() as at:
        assert at.session is not None
        assert at.session.life == again.process.life.as_dict()
        assert (at.session.mode, at.session.agents) == ("", False)
