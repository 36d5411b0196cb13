"""Leaders: one for each project of a bag, in a term that only grows, for as long as its session lives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mailstop import bells
from mailstop.errors import (
    MustJoin,
    NobodyThere,
    NoLeader,
    NotLeading,
    OwnSeat,
    PersonOnly,
    ProjectLed,
    SeveralLeaders,
    StaleLeader,
    Uncertain,
    UnknownBag,
    UnknownProject,
    UnknownSeat,
)
from mailstop.leadership import Leadership
from mailstop.letter import Draft, Letter
from mailstop.rules import letters as letter_rules
from mailstop.rules.leaders import ENDED, LEFT, NEVER, RELEASED, SILENT, Post
from mailstop.rules.letters import Rider
from mailstop.rules.waits import KEY as WAITS
from mailstop.seat import Seat
from tests.conformance.at_once import at_once
from tests.conformance.play import Play
from tests.conformance.player import Player, SessionPlayer

APP = "git:/srv/app/.git"  # the project of the players
SHOP = "git:/srv/shop/.git"
CLAIMANTS = 8


def on_default(office: Play, **fields: Any) -> SessionPlayer:
    """A session that works on the default branch of a repository, not started yet."""
    return office.player(**{"branch": "trunk", **fields})


def off_default(office: Play, seat: str = "", **fields: Any) -> SessionPlayer:
    """A session that works on another branch, and sits down."""
    player = office.player(**{"branch": "topic", "on_default_branch": False, "folder": "/srv/app", **fields})
    player.start(automatic=not seat)
    if seat:
        player.join(seat)
    return player


def place(office: Play, project_id: str = APP, bag: str = "default") -> Post:
    """The post as anybody sees it who opens the store now."""
    with office.stranger.at_office() as at:
        return at.leaders._post(bag, project_id, "")


def leader(office: Play, project_id: str = APP, bag: str = "default") -> str | None:
    """The seat that leads."""
    leads = place(office, project_id, bag).leads
    return leads.seat if leads else None


def term(office: Play, project_id: str = APP) -> int:
    leads = place(office, project_id).leads
    assert leads is not None
    return leads.term


def claim(player: Player, bag: str = "default", *, force: bool = False) -> bool:
    """Whether the claim made it lead that did not lead before."""
    with player.at_office() as at:
        return at.leaders.claim(bag=bag, force=force).new


def appoint(office: Play, seat: str, *, force: bool = False) -> Post:
    with office.person.at_office() as at:
        return at.leaders.appoint(seat, force=force).post


def release(player: Player, project: str | None = None) -> Leadership:
    with player.at_office() as at:
        return at.leaders.release(project=project)


def told(office: Play, bag: str = "default") -> list[Letter]:
    """What was said in #leader, oldest first."""
    with office.store() as store:
        records = store.index.history(bag=bag, limit=10_000).records
    return [record for record in records if isinstance(record, Letter) and record.channel == "leader"]


def types(office: Play) -> list[str]:
    """The types of all entries, oldest first."""
    with office.store() as store:
        return [entry.type for entry in store.ledger.after(0, limit=10_000)]


# -- who leads by itself


def test_a_session_on_the_default_branch_leads_by_itself_and_is_told_so(office: Play) -> None:
    registered = on_default(office).start()

    assert leader(office) == "app"
    assert registered.leads == "app"


def test_a_session_off_the_default_branch_does_not_lead_by_itself_but_may(office: Play) -> None:
    worker = off_default(office)
    assert place(office).gone == NEVER

    assert claim(worker)

    assert leader(office) == "app-topic"


def test_who_is_in_no_repository_or_in_no_window_does_not_lead_by_itself(office: Play) -> None:
    office.player().start()
    script = on_default(office, client="program")
    script.start()
    unseen = on_default(office)
    unseen.found = unseen.found.but(attended=False)
    unseen.start(seat="unseen")

    assert leader(office) is None


def test_the_second_on_the_default_branch_leaves_the_first_its_post_and_is_told_who_leads(office: Play) -> None:
    on_default(office).start()
    first = term(office)

    registered = on_default(office).start()

    assert (leader(office), term(office)) == ("app", first)
    assert (registered.leads, registered.leader) == ("", "app")


def test_a_session_that_starts_with_a_dead_leaders_seat_leads_on_in_a_new_term(office: Play) -> None:
    first = on_default(office)
    first.start()
    before = term(office)
    first.die()

    assert on_default(office).start().leads == "app"
    assert term(office) > before


# -- claims


def test_a_vacant_post_is_claimed_in_a_term_that_is_the_number_of_its_entry(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)

    with office.store() as store:
        (entry,) = (entry for entry in store.ledger.after(0) if entry.type == "led")
    assert (term(office), entry.data["seat"]) == (entry.n, "worker")


def test_who_leads_already_and_claims_again_changes_nothing(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    entries, before = office.entries(), place(office).leads

    assert not claim(worker)

    assert (office.entries(), place(office).leads) == (entries, before)


def test_of_many_who_claim_at_once_one_leads_and_the_others_are_told_who(office: Play) -> None:
    claimants = [off_default(office, f"worker-{count}") for count in range(CLAIMANTS)]
    outcomes: list[str] = []

    def try_it(player: SessionPlayer) -> None:
        try:
            claim(player)
        except ProjectLed as refusal:
            outcomes.append(str(refusal.details["seat"]))

    at_once(*(partial(try_it, player) for player in claimants))

    assert outcomes == [leader(office)] * (CLAIMANTS - 1)
    assert types(office).count("led") == 1
    assert len(told(office)) == 1


def test_many_who_start_at_once_on_the_default_branch_have_one_leader(office: Play) -> None:
    players = [on_default(office) for _ in range(CLAIMANTS)]

    at_once(*(player.start for player in players))

    assert types(office).count("led") == 1
    assert leader(office) is not None


def test_a_living_leader_is_not_replaced_and_the_refusal_says_who_leads_since_when(office: Play) -> None:
    first = off_default(office, "worker")
    claim(first)

    with pytest.raises(ProjectLed) as refusal:
        claim(off_default(office, "other"))

    message = refusal.value.message
    assert "is led by seat worker" in message
    assert f"Claude Code {first.found.client_session[:8]}" in message
    assert f"in term {term(office)}" in message
    assert "an unknown time" not in message
    assert leader(office) == "worker"


def test_a_leader_of_whose_life_nothing_can_be_known_is_not_replaced(office: Play) -> None:
    elsewhere = off_default(office, "worker")
    claim(elsewhere)
    life = elsewhere.process.life.but(namespace="4026539999")  # a container's, which cannot be looked into
    with elsewhere.at_office() as at:
        at.register(elsewhere.found.but(life=life.as_dict()), known=elsewhere.id, automatic=False)
    elsewhere.die()

    with pytest.raises(ProjectLed, match="cannot be seen from here"):
        claim(off_default(office, "other"))

    assert leader(office) == "worker"


def test_who_has_no_seat_leads_nothing(office: Play) -> None:
    player = office.player()
    player.start(automatic=False)

    for nobody in (player, office.stranger):
        with pytest.raises(MustJoin):
            claim(nobody)
    with pytest.raises(UnknownBag):
        claim(off_default(office, "worker"), "nowhere")


def test_what_a_leader_has_checked_out_is_not_asked_again(office: Play) -> None:
    player = on_default(office)
    player.start()
    before = place(office).leads

    player.found = player.found.but(branch="topic", on_default_branch=False)
    player.start()
    player.clear()

    assert place(office).leads == before


# -- one for each project of each bag


def test_each_project_has_a_leader_of_its_own_whatever_its_name(office: Play) -> None:
    on_default(office).start()
    on_default(office, folder="/elsewhere/app").start()

    assert (leader(office), leader(office, "git:/elsewhere/app/.git")) == ("app", "app-2")


def test_worktrees_of_one_repository_have_one_leader(office: Play) -> None:
    on_default(office).start()
    worker = office.player(branch="topic", on_default_branch=False, folder="/srv/app-topic")
    worker.found = worker.found.but(project_id=APP)
    worker.start(seat="worker")

    with pytest.raises(ProjectLed):
        claim(worker)


def test_each_bag_has_a_leader_of_its_own(office: Play) -> None:
    claim(off_default(office, "worker"))
    other = off_default(office, "other")
    other.join("critic", "side")

    claim(other, "side")

    assert (leader(office), leader(office, bag="side")) == ("worker", "critic")


# -- how a term ends


def test_a_leader_releases_the_post_and_nobody_leads(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)

    ended = release(worker)

    assert (ended.seat, leader(office), place(office).gone) == ("worker", None, RELEASED)


def test_release_by_another_is_without_effect_and_says_who_leads(office: Play) -> None:
    claim(off_default(office, "worker"))
    other = off_default(office, "other")
    before, entries = place(office).leads, office.entries()

    with pytest.raises(NotLeading, match="seat worker does, since"):
        release(other)

    assert (place(office).leads, office.entries()) == (before, entries)


def test_releasing_what_nobody_leads_is_refused_with_why_nobody_does(office: Play) -> None:
    with pytest.raises(NotLeading, match=r"does not lead project app: nobody does \(nobody has led it yet\)\. Nothing"):
        release(off_default(office, "worker"))
    with pytest.raises(NotLeading, match=r"Nobody leads project app: nobody has led it yet\. Nothing"):
        release(office.person, APP)


def test_the_next_term_is_higher_than_each_before_it(office: Play) -> None:
    first, second = off_default(office, "worker"), off_default(office, "other")
    terms = []
    for player in (first, second, first):
        claim(player)
        terms.append(term(office))
        release(player)

    assert terms == sorted(set(terms))


def test_a_dead_leaders_post_is_vacant_at_once_and_nothing_is_written_for_it(office: Play) -> None:
    worker, other = off_default(office, "worker"), off_default(office, "other")
    claim(worker)
    entries, before = office.entries(), term(office)

    worker.die()

    assert (leader(office), place(office).gone, office.entries()) == (None, ENDED, entries)
    assert claim(other)
    assert (leader(office), term(office) > before) == ("other", True)


def test_a_leader_that_is_resumed_before_another_has_claimed_goes_on_in_its_term(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    before = term(office)
    worker.die()
    assert leader(office) is None

    again = worker.resumed()

    assert (leader(office), term(office)) == ("worker", before)
    assert not claim(again)


def test_a_leader_that_is_resumed_after_another_has_claimed_leads_no_longer(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    worker.die()
    claim(off_default(office, "other"))

    again = worker.resumed()

    assert leader(office) == "other"
    with pytest.raises(ProjectLed):
        claim(again)


def test_clear_and_compaction_keep_the_term(office: Play) -> None:
    player = on_default(office)
    player.start()
    before = place(office).leads

    player.clear()
    player.start()

    assert place(office).leads == before


def test_a_session_that_ends_frees_the_post_by_the_append_that_ends_it(office: Play) -> None:
    player = on_default(office)
    player.start()

    player.end()

    assert (leader(office), types(office)[-2:]) == (None, ["unled", "letter"])
    assert place(office).gone == "its session has ended"


def test_a_session_that_ends_frees_the_posts_of_all_bags(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    worker.join("critic", "side")
    claim(worker, "side")

    worker.end()

    assert (leader(office), leader(office, bag="side")) == (None, None)
    assert types(office).count("unled") == 2


def test_who_leaves_the_seat_leaves_the_post_by_the_same_append(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)

    worker.leave()

    assert (leader(office), place(office).gone) == (None, LEFT)
    assert types(office)[-3:] == ["left", "unled", "letter"]


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("stored", [True, False])
def test_an_append_that_fails_leaves_seat_and_post_together(office: Play, world: Any, stored: bool) -> None:
    worker = off_default(office, "worker")
    claim(worker)

    world.lose_contact(stored=stored)
    with pytest.raises(Uncertain):
        worker.leave()

    assert (worker.seats(), leader(office)) == (([], None) if stored else (["worker"], "worker"))


def test_who_takes_another_seat_leads_on_from_there_in_a_new_term(office: Play) -> None:
    player = on_default(office)
    player.start()
    before = term(office)

    player.join("boss")

    assert (player.seats(), leader(office)) == (["boss"], "boss")
    assert term(office) > before
    assert types(office)[-4:] == ["taken", "left", "led", "letter"]
    assert not claim(player)


def test_a_leader_that_chooses_the_seat_it_has_leads_on_in_its_term(office: Play) -> None:
    player = on_default(office)
    player.start()
    before = place(office).leads

    player.join("app")

    assert place(office).leads == before


def test_who_gets_a_leaders_seat_does_not_lead_by_that(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    worker.die()

    off_default(office, "worker")

    assert (leader(office), place(office).gone) == (None, LEFT)


def test_a_silent_thread_leads_no_longer_until_it_goes_on(office: Play, tmp_path: Path) -> None:
    transcript = tmp_path / "rollout.jsonl"
    transcript.write_text("")
    thread = off_default(office, "worker", client="codex")
    thread.found = thread.found.but(details={**thread.found.details, "transcript": str(transcript)})
    thread.start()
    claim(thread)

    office.clock.advance(15 * 60 + 1)
    assert (leader(office), place(office).gone) == (None, SILENT)

    os.utime(transcript, (office.clock() / 1000, office.clock() / 1000))
    assert leader(office) == "worker"


# -- the person


def test_force_is_refused_to_sessions_before_anything_is_looked_at(office: Play) -> None:
    worker = off_default(office, "worker")
    entries = office.entries()

    with pytest.raises(PersonOnly, match="by force is the person's alone"):
        claim(worker, force=True)
    with worker.at_office() as at, pytest.raises(PersonOnly):
        at.leaders.appoint("worker", force=True)

    assert (office.entries(), leader(office)) == (entries, None)


def test_the_person_may_replace_a_living_leader(office: Play) -> None:
    on_default(office).start()
    before = term(office)
    off_default(office, "worker")

    appoint(office, "worker", force=True)

    leads = place(office).leads
    assert leads is not None
    assert (leads.seat, leads.forced, leads.term > before) == ("worker", True, True)


def test_a_leader_whom_the_person_chose_stays_also_off_the_default_branch(office: Play) -> None:
    first, worker = on_default(office), off_default(office, "worker")
    first.start()
    appoint(office, "worker", force=True)
    before = place(office).leads

    first.start()
    worker.start()
    worker.clear()
    with pytest.raises(ProjectLed):
        claim(first)

    assert place(office).leads == before


def test_without_force_the_person_fills_a_vacant_post_only(office: Play) -> None:
    worker = off_default(office, "worker")
    appoint(office, "worker")
    off_default(office, "other")

    with pytest.raises(ProjectLed):
        appoint(office, "other")
    worker.die()
    appoint(office, "other")

    assert leader(office) == "other"


def test_nobody_leads_from_a_seat_where_nobody_sits(office: Play) -> None:
    worker = off_default(office, "worker")
    worker.die()
    office.as_("writer").send("later", hold=True)

    for name in ("worker", "later", "human"):
        with pytest.raises(NobodyThere):
            appoint(office, name, force=True)
    with pytest.raises(UnknownSeat, match="nearest: worker"):
        appoint(office, "wroker", force=True)


def test_the_person_may_release_whoever_leads(office: Play) -> None:
    claim(off_default(office, "worker"))

    assert release(office.person, "app").seat == "worker"

    assert place(office).gone == "the person released it"


# -- acting as a leader


def test_who_leads_acts_in_its_term_and_for_its_own_project_only(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    claim(off_default(office, "cart", project="shop", folder="/srv/shop"))

    with worker.at_office() as at:
        assert at.leaders.acting("default", APP).term == term(office)
        assert at.leaders.acting("default", SHOP).term == 0
        assert at.leaders.acting("default", SHOP).guard() == {}
        assert at.leaders.acting("side", APP).term == 0


def test_an_act_of_a_term_that_ends_meanwhile_is_refused_and_nothing_is_stored(office: Play) -> None:
    worker = off_default(office, "worker")
    off_default(office, "other")
    claim(worker)
    replaced: list[Post] = []

    with worker.at_office() as at:
        acting = at.leaders.acting("default", APP)

        def rider(_letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            guard = acting.guard()
            if not replaced:  # between the look and the append
                replaced.append(appoint(office, "other", force=True))
            return Rider(expect=guard)

        with pytest.raises(StaleLeader) as refusal:
            at.send(Draft(("other",), "do this"), rider=rider)

    assert f"Term {acting.term} of project app is over: seat other leads it since" in refusal.value.message
    assert "do this" not in office.letters()


def test_whoever_believes_to_lead_in_another_term_is_refused(office: Play) -> None:
    worker, other = off_default(office, "worker"), off_default(office, "other")
    claim(worker)
    before = term(office)
    appoint(office, "other", force=True)

    for player, believed in ((worker, before), (other, before), (worker, term(office))):
        with player.at_office() as at, pytest.raises(StaleLeader):
            at.leaders.acting("default", APP, believed)
    with other.at_office() as at:
        assert at.leaders.acting("default", APP, term(office)).term == term(office)


def test_a_dead_leaders_term_is_over_also_before_another_leads(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    with worker.at_office() as at:
        acting = at.leaders.acting("default", APP)
        worker.die()
        with pytest.raises(StaleLeader, match=r"nobody leads it \(its session has ended\)"):
            acting.guard()


def test_a_term_of_a_project_that_nobody_ever_led_is_refused_with_the_projects_name(office: Play) -> None:
    with off_default(office, "worker").at_office() as at, pytest.raises(StaleLeader) as refusal:
        at.leaders.acting("default", APP, 5)

    told = "Term 5 of project app is over: nobody leads it (nobody has led it yet). Nothing was stored."
    assert refusal.value.message.startswith(told)


# -- the seat name leader


def test_a_letter_to_leader_goes_to_whoever_leads_the_senders_project(office: Play) -> None:
    claim(off_default(office, "worker"))
    claim(off_default(office, "cart", project="shop", folder="/srv/shop"))
    sender = off_default(office, "sender")

    letter = sender.send("leader", body="done").letter

    assert letter.to == ("worker",)
    assert office.state(letter.n, "worker") == "stored"


def test_it_follows_the_post(office: Play) -> None:
    worker, sender = off_default(office, "worker"), off_default(office, "sender")
    claim(worker)
    off_default(office, "other")
    assert sender.send("leader").letter.to == ("worker",)

    appoint(office, "other", force=True)

    assert sender.send("leader").letter.to == ("other",)


def test_a_question_to_leader_and_its_wait_are_for_the_same_seat_whoever_leads_by_then(
    office: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(off_default(office, "worker"))
    asker = off_default(office, "asker")
    off_default(office, "other")
    resolving = letter_rules.resolved
    replaced: list[Post] = []

    def replaced_afterwards(*what: Any) -> tuple[Seat, ...]:
        found = resolving(*what)
        if what[1].name == "asker" and not replaced:
            replaced.append(appoint(office, "other", force=True))
        return found

    monkeypatch.setattr(letter_rules, "resolved", replaced_afterwards)
    asked = asker.ask("leader")

    with office.store() as store:
        row = store.board.get(WAITS)
    assert replaced and row
    assert [wait["asked"] for wait in row.value["waits"]] == list(asked.question.to)


def test_a_leader_who_is_named_twice_gets_one_letter(office: Play) -> None:
    claim(off_default(office, "worker"))
    sender = off_default(office, "sender")

    assert sender.send("leader", "worker", "human").letter.to == ("worker", "human")


def test_where_nobody_leads_the_letter_is_refused_with_how_to_lead(office: Play) -> None:
    worker, sender = off_default(office, "worker"), off_default(office, "sender")
    claim(worker)
    worker.die()
    claim(off_default(office, "cart", project="shop", folder="/srv/shop"))
    letters = office.letters()

    with pytest.raises(NoLeader) as refusal:
        sender.send("leader", body="anybody?")

    assert refusal.value.exit_code == 3
    assert "Nobody leads project app: its session has ended." in refusal.value.message
    assert "mailstop lead claim. Of other projects: cart (project shop)" in refusal.value.message
    assert office.letters() == letters


def test_a_leader_does_not_write_to_itself(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)

    with pytest.raises(OwnSeat):
        worker.send("leader")


def test_the_person_reaches_the_only_leader_and_of_several_is_told_who_they_are(office: Play) -> None:
    with pytest.raises(NoLeader, match="Nobody leads any project"):
        office.as_("writer")
        office.person.send("leader")
    claim(off_default(office, "worker"))
    assert office.person.send("leader").letter.to == ("worker",)

    claim(off_default(office, "cart", project="shop", folder="/srv/shop"))
    with pytest.raises(SeveralLeaders, match=r"worker \(project app\), cart \(project shop\)") as refusal:
        office.person.send("leader")
    assert refusal.value.exit_code == 3


def test_of_two_projects_of_one_name_neither_is_taken_for_the_other(office: Play) -> None:
    claim(off_default(office, "worker"))
    claim(off_default(office, "other", folder="/srv/clone/app"))

    with office.person.at_office() as at:
        with pytest.raises(
            UnknownProject, match=r"Several projects are named 'app'; by their ids: git:/srv/app/.git, git:/srv/cl"
        ):
            at.leaders.release(project="app")
        assert at.leaders.release(project="git:/srv/clone/app/.git").seat == "other"


def test_a_letter_to_leader_that_is_repeated_with_its_key_is_the_first_one(office: Play) -> None:
    claim(off_default(office, "worker"))
    off_default(office, "other")
    sender = off_default(office, "sender")
    first = sender.send("leader", body="done", key="k").letter

    appoint(office, "other", force=True)
    again = sender.send("leader", body="done", key="k")

    assert (again.letter.n, again.new, again.letter.to) == (first.n, False, ("worker",))


# -- what #leader is told


def test_each_change_is_told_in_the_channel_by_mailstop_and_wakes_nobody(office: Play) -> None:
    reader = off_default(office, "reader")
    worker = off_default(office, "worker")
    reader.reads_all()

    claim(worker)
    appoint(office, "reader", force=True)
    release(office.person, "app")

    letters = told(office)
    assert [letter.body for letter in letters] == [
        "Seat worker leads project app now. To write to whoever leads it: mailstop send leader -",
        "Seat reader leads project app now, as the person decided. Until now seat worker did. To write to whoever "
        "leads it: mailstop send leader -",
        "Nobody leads project app now: seat reader did, and the person released it. Any session of the project may "
        "lead it: mailstop lead claim",
    ]
    assert {(letter.sender, letter.kind, letter.final, letter.wakes) for letter in letters} == {
        ("postmaster", "fyi", True, "nobody")
    }
    assert office.rows("route/") == []


def test_everyone_hears_of_a_change_but_whoever_made_it(office: Play) -> None:
    reader, worker = off_default(office, "reader"), off_default(office, "worker")
    bells.silence(reader.found.bell)

    claim(worker)

    assert bells.is_ringing(reader.found.bell)
    assert [letter.channel for letter in reader.check().letters] == ["leader"]
    assert worker.check().letters == ()


def test_a_session_that_leads_by_itself_is_told_at_its_start_and_not_again(office: Play) -> None:
    player = on_default(office)
    registered = player.start()

    assert (registered.leads, registered.waiting) == ("app", 0)
    assert player.prompted().letters == ()


def test_a_change_and_its_announcement_are_one_append(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    release(worker)

    assert types(office)[-4:] == ["led", "letter", "unled", "letter"]


# -- looking


def test_looking_writes_nothing_however_often(office: Play) -> None:
    worker = off_default(office, "worker")
    claim(worker)
    entries, rows = office.entries(), office.rows()

    for player in (worker, office.stranger, office.person) * 10:
        with player.at_office() as at:
            assert at.leaders.post(project="app").leads

    assert (office.entries(), office.rows()) == (entries, rows)


def test_a_project_is_named_by_its_name_or_where_two_share_it_by_channel_or_id(office: Play) -> None:
    claim(off_default(office, "worker"))
    with office.person.at_office() as at:
        assert at.leaders.post(project="app").leads
        with pytest.raises(UnknownProject, match="nearest: app"):
            at.leaders.post(project="ap")
    claim(off_default(office, "other", folder="/elsewhere/app"))

    with office.person.at_office() as at:
        led = {name: at.leaders.post(project=name).leads for name in ("app-2", APP)}
        seats = {name: leads.seat for name, leads in led.items() if leads}
        assert seats == {"app-2": "other", APP: "worker"}
        others = at.leaders.others(at.leaders.post(project=APP))
        assert [each.leads.seat for each in others if each.leads] == ["other"]


@pytest.mark.parametrize(
    "name", ["x'; DROP TABLE leaders; --", 'a "b" c', "*[?]", "a.b.>", "to the \u202eleft", "x" * 4096], ids=ascii
)
def test_names_are_data_whatever_they_hold(office: Play, name: str) -> None:
    claim(off_default(office, "worker"))
    folder = f"/srv/{name}"
    other = off_default(office, "other", project=name, folder=folder)

    claim(other)

    project_id = f"git:{folder}/.git"
    assert (leader(office), leader(office, project_id)) == ("worker", "other")
    with office.person.at_office() as at:
        assert at.leaders.post(project=name).project_id == project_id
    release(other)
    assert (leader(office), leader(office, project_id)) == ("worker", None)


# -- a vacant post while sessions live


@pytest.fixture
def trunk(tmp_path: Path) -> Iterator[Path]:
    """A worktree that has its default branch checked out."""
    git = tmp_path / "app" / ".git"
    for part in ("objects", "refs/heads"):
        (git / part).mkdir(parents=True)
    (git / "refs/heads/trunk").write_text("0" * 40 + "\n")
    (git / "HEAD").write_text("ref: refs/heads/trunk\n")
    yield git.parent


def test_who_sits_down_in_a_bag_leads_there_too(office: Play, trunk: Path) -> None:
    player = on_default(office, folder=str(trunk))
    player.start()

    player.join("builder", "side")

    assert leader(office, f"git:{trunk}/.git", "side") == "builder"


def ends_its_turn(player: SessionPlayer) -> None:
    """What the hook at the end of a turn does about leading."""
    with player.at_office() as at:
        at.claim_vacant(anew=False)


def test_a_post_that_falls_vacant_is_taken_by_who_ends_a_turn_on_the_default_branch(office: Play, trunk: Path) -> None:
    first, second = (on_default(office, folder=str(trunk)) for _ in range(2))
    worker = off_default(office, "worker", folder=str(trunk))
    for player in (first, second):
        player.start()
    ends_its_turn(second)
    assert leader(office, f"git:{trunk}/.git") == "app"
    first.die()

    ends_its_turn(worker)
    assert leader(office, f"git:{trunk}/.git") is None
    ends_its_turn(second)
    assert leader(office, f"git:{trunk}/.git") == "app-2"


def test_who_has_left_the_default_branch_since_it_told_of_it_takes_no_post(office: Play, trunk: Path) -> None:
    first, second = (on_default(office, folder=str(trunk)) for _ in range(2))
    for player in (first, second):
        player.start()
    first.die()
    (trunk / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")

    ends_its_turn(second)

    assert leader(office, f"git:{trunk}/.git") is None
