"""`mailstop serve --bridge`: lanes that a server bridges while it serves, by real processes."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests import lane_side
from tests.clients.waiting import wait_for
from tests.http_served import Served, figure
from tests.lane_ground import file_of
from tests.party import AS_OWNER, Party

SeatAt = Callable[..., Party]
Serve = Callable[..., Served]


@pytest.fixture
def serve(arrive: Callable[[type[Party]], Party]) -> Iterator[Serve]:
    """Start a server with some words."""
    with ExitStack() as stack:

        def start(*words: str, before: tuple[str, ...] = (), **environment: str) -> Served:
            party = arrive(Party)
            party.environment.update(environment)
            return stack.enter_context(Served(party, *words, before=before))

        yield start


def new(party: Party, *words: str) -> list[dict[str, Any]]:
    checked = party.run("check", "--json", "--max-bytes", "1000000", *words)
    assert checked.code == 0, checked.err
    letters: list[dict[str, Any]] = checked.json["letters"]
    return letters


def arrived(party: Party, *words: str) -> list[str]:
    return [letter["body"] for letter in wait_for("a letter in the bag", lambda: new(party, *words))]


def in_lane(lane: Path, sender: str = "reviewer", receiver: str = "builder") -> list[str]:
    path = file_of(lane, sender, receiver)
    return [json.loads(line)["msg"] for line in path.read_text().split("\n")[:-1]] if path.exists() else []


def say(lane: Path, msg: str, to: str = "reviewer") -> None:
    lane_side.send(lane, from_role="builder", to_role=to, kind="note", msg=msg)


def health(served: Served) -> dict[str, Any]:
    status, text = served.get("/healthz")
    assert status == 200
    told: dict[str, Any] = json.loads(text)
    return told


def works(served: Served) -> bool:
    return health(served)["bridges"] == "ok" and figure(served, "mailstop_bridges_failing") == 0


def fails(served: Served) -> bool:
    return "of" in health(served)["bridges"] and figure(served, "mailstop_bridges_failing") > 0


def test_a_lane_and_a_bag_write_to_each_other_while_it_serves(lane: Path, serve: Serve, seat: SeatAt) -> None:
    reviewer = seat("reviewer", "--bag", "parser")
    served = serve("--bridge", str(lane), "--bag", "parser")
    say(lane, "Is main green?")

    assert arrived(reviewer, "--bag", "parser") == ["Is main green?"]
    assert reviewer.run("send", "--bag", "parser", "builder", "It is.").code == 0
    wait_for("a letter in the lane", lambda: in_lane(lane) == ["It is."])
    assert works(served)
    assert figure(served, "mailstop_bridges") == 1
    assert served.log == ""


def test_without_a_bridge_nothing_is_said_of_any(serve: Serve) -> None:
    served = serve()

    assert "bridges" not in health(served)
    assert "mailstop_bridges" not in served.get("/metrics")[1]


def test_several_lanes_are_bridged_each_with_its_bag(own_home: Path, lane: Path, serve: Serve, seat: SeatAt) -> None:
    other = own_home / "other=lane"
    lane_side.send(other, from_role="overseer", to_role="lead", kind="note", msg="to the other bag")
    lead, reviewer = seat("lead", "--bag", "parser"), seat("reviewer")
    served = serve(MAILSTOP_BRIDGE=f"{lane}:parser={other}")
    say(lane, "to the default bag")

    assert arrived(lead, "--bag", "parser") == ["to the other bag"]
    assert arrived(reviewer) == ["to the default bag"]
    assert figure(served, "mailstop_bridges") == 2


def test_its_end_comes_within_the_drain_time_and_frees_the_seats(lane: Path, serve: Serve, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    for number in range(400):  # of which many still wait when it is told to end
        say(lane, str(number))
    served = serve("--bridge", str(lane))
    arrived(reviewer)
    began = time.monotonic()

    assert served.stop() == 0

    assert time.monotonic() - began < 5
    (builder,) = [each for each in reviewer.run("who", "--all", "--json").json["seats"] if each["seat"] == "builder"]
    assert builder["state"] == "empty"


def test_of_a_standing_bridge_and_one_in_a_server_one_works_and_the_other_takes_over(
    lane: Path, serve: Serve, seat: SeatAt, arrive: Callable[[type[Party]], Party]
) -> None:
    reviewer = seat("reviewer")
    standing = arrive(Party).start("lane", "bridge", str(lane))
    wait_for("a seat for the builder", lambda: any("builder sits" in line for line in standing.lines))
    served = serve("--bridge", str(lane))

    wait_for("it says so", lambda: fails(served) and "bridges the lane" in served.log)
    say(lane, "first")
    assert arrived(reviewer) == ["first"]
    standing.kill()
    say(lane, "second")
    assert arrived(reviewer) == ["second"]
    assert works(served)
    refused = arrive(Party).run("lane", "bridge", str(lane))
    assert (refused.code, refused.out) == (1, "")
    served.kill()
    again = arrive(Party).start("lane", "bridge", str(lane))
    wait_for("a seat for the builder", lambda: any("builder sits" in line for line in again.lines))
    reviewer.send("builder", "third")
    wait_for("a letter in the lane", lambda: in_lane(lane) == ["third"])
    assert new(reviewer) == []


def test_a_lane_whose_folder_goes_away_is_bridged_again_once_it_is_back(lane: Path, serve: Serve, seat: SeatAt) -> None:
    reviewer = seat("reviewer")
    served = serve("--bridge", str(lane))
    say(lane, "before")
    assert arrived(reviewer) == ["before"]
    away = lane.with_name("away")
    lane.rename(away)
    reviewer.send("builder", "meanwhile")

    wait_for("it says so", lambda: fails(served) and "No such file" in served.log)
    assert not lane.exists()
    assert served.joined("ann").told("who")["seats"]
    away.rename(lane)
    wait_for("a letter in the lane", lambda: in_lane(lane) == ["meanwhile"])
    wait_for("it says that as well", lambda: works(served) and "bridged again" in served.log)
    say(lane, "after")
    assert arrived(reviewer) == ["after"]


def test_another_folder_in_the_lane_s_place_is_locked_anew(
    lane: Path, serve: Serve, seat: SeatAt, arrive: Callable[[type[Party]], Party]
) -> None:
    reviewer = seat("reviewer")
    served = serve("--bridge", str(lane))
    say(lane, "before")
    assert arrived(reviewer) == ["before"]
    fresh = lane.with_name("fresh")
    lane_side.send(fresh, from_role="builder", to_role="reviewer", kind="note", msg="in the new folder")
    shutil.rmtree(lane)
    fresh.rename(lane)
    reviewer.send("human", "any letter wakes it; else it looks each minute")

    assert arrived(reviewer) == ["in the new folder"]
    assert arrive(Party).run("lane", "bridge", str(lane)).code == 1
    assert works(served)


def test_a_lane_that_cannot_be_written_keeps_its_letters_waiting_and_the_server_serves(
    own_home: Path, serve: Serve, seat: SeatAt
) -> None:
    reviewer = seat("reviewer")
    lane = own_home / "lane"
    lane.mkdir()
    (lane / "_sync").write_text("a file in the folder's place")  # which stops root as well
    served = serve("--bridge", str(lane))

    wait_for("it says so", lambda: fails(served) and "cannot be used" in served.log)
    assert served.joined("ann").told("who")["seats"]
    (lane / "_sync").unlink()
    say(lane, "hello")
    assert arrived(reviewer) == ["hello"]
    assert works(served)


def test_a_lane_without_permission_to_write_is_said(lane: Path, serve: Serve, seat: SeatAt) -> None:
    seat("reviewer")
    (lane / "_sync").chmod(0o500)
    try:
        served = serve("--bridge", str(lane), before=AS_OWNER)
        wait_for("it says so", lambda: fails(served) and "Permission denied" in served.log)
    finally:
        (lane / "_sync").chmod(0o700)
    wait_for("it works again", lambda: works(served))


def test_what_makes_no_sense_is_refused(own_home: Path, lane: Path, stranger: Party, claude: Any) -> None:
    without = stranger.run("serve", "--bag", "parser")
    assert (without.code, "--bridge" in without.err) == (2, True)
    assert stranger.run("serve", "--bridge", "parser=").code == 2
    claude.open("session")
    inside = claude.run("serve", "--port", "0", "--bridge", str(lane))
    assert (inside.code, "client" in inside.err) == (1, True)


def test_the_unit_keeps_the_bridges(lane: Path, stranger: Party) -> None:
    text = stranger.run("serve", "--unit", "--bridge", str(lane), "--bag", "parser").out

    assert f'"--bridge" "parser={lane}"' in text
