"""`mailstop lead`, by real processes: who leads a project, and how that changes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Arrive
from tests.party import ClaudeParty, CompletedRun, Party, Person

SeatAt = Callable[..., Party]
SESSION = "01a227bc-e031-7b73-a9b7-49711dc7b705"
OTHER = "01a227bc-e031-7b73-a9b7-49711dc7b706"
GIT = ("-c", "user.name=x", "-c", "user.email=x@example.org")


def git(folder: Path, *words: str) -> None:
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    subprocess.run(["git", *GIT, *words], cwd=folder, check=True, env=environment, capture_output=True)


@pytest.fixture
def shop(own_home: Path) -> Path:
    """A repository whose default branch is called trunk, with a worktree beside it on another one."""
    folder = own_home / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    git(folder, "config", "init.defaultBranch", "trunk")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "worktree", "add", "-q", "-b", "cart", str(own_home / "shop-cart"))
    return folder


@pytest.fixture
def leading(arrive: Arrive[ClaudeParty], shop: Path) -> Iterator[ClaudeParty]:
    """A session on the default branch, which leads by itself."""
    party = arrive(ClaudeParty)
    party.open(SESSION, cwd=str(shop))
    yield party


@pytest.fixture
def worker(arrive: Arrive[ClaudeParty], shop: Path) -> Iterator[ClaudeParty]:
    """A session in the worktree, started before anybody leads unless `leading` was asked for first."""
    party = arrive(ClaudeParty)
    party.open(OTHER, cwd=f"{shop}-cart")
    yield party


def post(party: Party, *words: str) -> Any:
    """What `mailstop lead --json` says."""
    told = party.run("lead", "--json", *words)
    assert told.code == 0, told.err
    return told.json


def context(run: CompletedRun) -> str:
    """What a hook put before the model."""
    text: str = json.loads(run.out)["hookSpecificOutput"]["additionalContext"]
    return text


def test_a_session_on_the_default_branch_leads_and_its_start_says_so(leading: ClaudeParty, shop: Path) -> None:
    told = post(leading)

    assert (told["vacant"], told["seat"], told["project"], told["you"]) == (False, "shop", "shop", True)
    assert (told["client"], told["client_session"], told["forced"]) == ("claude", SESSION, False)
    again = leading.hook("SessionStart", SESSION, source="compact", cwd=str(shop))
    assert "It leads project shop (mailstop lead)." in context(again)
    since = f"since {clock(leading)}, in term {told['term']}"
    assert leading.run("lead").lines == [f"seat shop (this session, Claude Code 01a227bc) leads project shop {since}"]
    assert f"leads: project shop {since}" in leading.run("me").lines
    assert leading.run("who", "--json").json["seats"][0]["leads"] is True
    assert leading.run("who").lines[1].startswith("shop (you, leads) ")


def clock(party: Party) -> str:
    """Since when somebody leads, as people are told it."""
    (line,) = (line for line in party.run("lead").lines if line.startswith("seat "))
    return line.partition("since ")[2].partition(",")[0]


def test_a_worker_in_a_worktree_is_told_who_leads_and_reaches_it_as_leader(
    leading: ClaudeParty, worker: ClaudeParty, shop: Path
) -> None:
    started = worker.hook("SessionStart", OTHER, source="startup", cwd=f"{shop}-cart")
    assert "Its project is led by seat shop: mailstop send leader -" in context(started)

    sent = worker.run("send", "leader", "-", "--json", input="may I?")

    assert [told["seat"] for told in sent.json["recipients"]] == ["shop"]
    assert "may I?" in leading.run("check").out
    assert post(worker)["you"] is False


def test_a_worker_claims_a_vacant_post_and_releases_it(worker: ClaudeParty) -> None:
    assert worker.run("lead").out.startswith(
        "nobody leads project shop: nobody has led it yet. To lead it: mailstop lead"
    )

    claimed = worker.run("lead", "claim", "--json").json
    again = worker.run("lead", "claim", "--json").json

    assert (claimed["granted"], claimed["new"], claimed["seat"]) == (True, True, "shop-cart")
    assert (again["granted"], again["new"], again["term"]) == (True, False, claimed["term"])
    released = worker.run("lead", "release", "--json").json
    assert (released["released"], released["term"]) == (True, claimed["term"])
    assert (post(worker)["vacant"], post(worker)["reason"]) == (True, "it was released")


def test_a_claim_against_a_living_leader_is_refused_and_says_who_leads(
    leading: ClaudeParty, worker: ClaudeParty
) -> None:
    for words, code in ((("claim",), 1), (("claim", "--force"), 1), (("release",), 1)):
        refused = worker.run("lead", *words)
        assert (refused.code, refused.out) == (code, "")
    assert "is led by seat shop (Claude Code 01a227bc) since" in worker.run("lead", "claim").err
    assert "Taking the lead of a project by force is the person's alone" in worker.run("lead", "claim", "--force").err
    assert "seat shop does, since" in worker.run("lead", "release").err
    assert worker.run("lead", "claim", "--json").json["error"]["code"] == "project_led"
    assert post(worker)["seat"] == "shop"


def test_the_death_of_a_leader_frees_the_post_at_once(leading: ClaudeParty, worker: ClaudeParty) -> None:
    first = post(worker)["term"]
    leading.close()  # its process is gone, and nothing told anybody

    told = worker.run("lead")
    assert told.out == (
        f"nobody leads project shop: its session has ended; seat shop led it in term {first}. To lead it: "
        "mailstop lead claim\n"
    )
    refused = worker.run("send", "leader", "anybody?")
    assert (refused.code, refused.out) == (3, "")
    assert "Nobody leads project shop: its session has ended. Nothing was stored." in refused.err

    assert worker.run("lead", "claim", "--json").json["term"] > first


def test_the_end_of_a_leaders_session_frees_the_post(leading: ClaudeParty, worker: ClaudeParty) -> None:
    leading.hook("SessionEnd", SESSION, reason="other")

    assert (post(worker)["vacant"], post(worker)["reason"]) == (True, "its session has ended")


def test_another_session_on_the_default_branch_leads_once_its_turn_ends(
    leading: ClaudeParty, arrive: Arrive[ClaudeParty], shop: Path
) -> None:
    second = arrive(ClaudeParty)
    second.open(OTHER, cwd=str(shop))
    assert post(second)["seat"] == "shop"
    leading.close()

    second.hook("Stop", OTHER, cwd=str(shop))

    assert (post(second)["seat"], post(second)["you"]) == ("shop-2", True)


def test_the_person_says_who_leads_and_that_nobody_does(
    leading: ClaudeParty, worker: ClaudeParty, person: Person
) -> None:
    refused = person.run("lead", "claim", "shop-cart", terminal=True)
    assert refused.code == 1
    assert "is led by seat shop" in refused.out
    assert person.run("lead", "claim", terminal=True).code == 2

    said = person.run("lead", "claim", "--force", "shop-cart", terminal=True)

    assert said.code == 0
    assert said.lines[0].endswith("; the person said so")
    assert (post(worker)["you"], post(worker)["forced"]) == (True, True)
    assert person.run("lead", "claim", "--force", "shop-crat", terminal=True).code == 3
    assert person.run("lead", "release", "--project", "shop", terminal=True).code == 0
    assert post(worker)["reason"] == "the person released it"


def test_what_leads_elsewhere_in_the_bag_is_listed_too(leading: ClaudeParty, seat: SeatAt) -> None:
    told = post(seat("script"))

    assert (told["vacant"], [each["project"] for each in told["others"]]) == (True, ["shop"])
    assert seat("another").run("lead", "--project", "shop", "--json").json["seat"] == "shop"
    unknown = seat("third").run("lead", "--project", "shp")
    assert unknown.code == 3
    assert "nearest: shop" in unknown.err


def test_looking_never_fails_and_makes_no_store(stranger: Party, own_home: Path) -> None:
    told = post(stranger)

    assert (told["vacant"], told["reason"]) == (True, "nobody has led it yet")
    assert not (own_home / ".local/share/mailstop").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("clam",), "lead has no act 'clam'; nearest: claim. There are: claim, release"),
        (("release", "builder"), "a seat and --force belong to: mailstop lead claim --force SEAT"),
        (("--force",), "a seat and --force belong to: mailstop lead claim --force SEAT"),
        (("claim", "--project", "x"), "without --project"),
    ],
)
def test_wrong_use_says_what_is_right(seat: SeatAt, words: tuple[str, ...], says: str) -> None:
    refused = seat("builder").run("lead", *words)

    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err


def test_a_session_that_names_a_seat_is_told_that_only_the_person_does(worker: ClaudeParty) -> None:
    refused = worker.run("lead", "claim", "shop-cart")

    assert refused.code == 1
    assert "Saying who leads a project is the person's alone" in refused.err


def test_what_is_told_in_the_channel_can_be_read(leading: ClaudeParty, worker: ClaudeParty) -> None:
    assert "Seat shop leads project shop now." in worker.run("read").out
