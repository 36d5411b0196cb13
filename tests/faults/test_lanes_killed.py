"""kill -9 in a send, a check and a bridge: what was acknowledged is there once, and no lane and no reader is stuck."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mailstop.faults import VARIABLE
from mailstop.lanes import check, send
from tests import lane_side
from tests.clients.waiting import wait_for
from tests.faults.soundness import assert_sound, stored_bodies
from tests.lane_ground import ROLES, cursor_file, file_of, messages
from tests.party import Party, Running

LETTER = {"kind": "note", "msg": "the killed one"}

# A real process is killed when so many bytes of its one write have reached the file.
KILLED_SEND = """
import os, signal, sys
from mailstop import lanes
lane, cut = sys.argv[1], int(sys.argv[2])
write = os.write
def torn(descriptor, data):
    write(descriptor, data[:cut])
    os.kill(os.getpid(), signal.SIGKILL)
os.write = torn
lanes.send(lane, from_role="builder", to_role="reviewer", kind="note", msg="the killed one")
"""


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return tmp_path / "work" / "lane"


def run(script: str, lane: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, str(lane), *map(str, words)], capture_output=True, text=True, timeout=50
    )


def length_of_a_line(lane: Path) -> int:
    elsewhere = lane.parent / "elsewhere"
    send(elsewhere, **ROLES, **LETTER)  # type: ignore[arg-type]
    return file_of(elsewhere).stat().st_size


def test_a_send_that_is_killed_at_any_byte_spoils_no_other_letter(lane: Path) -> None:
    length = length_of_a_line(lane)
    cuts = [0, 1, length - 1, length, *random.sample(range(2, length - 1), 8)]
    expected: list[str] = []
    for cut in cuts:
        send(lane, **ROLES, kind="note", msg=f"before {cut}")
        assert run(KILLED_SEND, lane, cut).returncode == -signal.SIGKILL, cut
        send(lane, **ROLES, kind="note", msg=f"after {cut}")
        expected += [f"before {cut}", f"after {cut}"]

        found = check(lane, role="reviewer")

        whole = [one["msg"] for one in found["unread"] if not one.get("_parse_error")]
        parts = [one["msg"] for one in found["unread"] if one.get("_parse_error")]
        assert [msg for msg in whole if msg != "the killed one"] == [f"before {cut}", f"after {cut}"]
        assert (len(whole), len(parts)) == ((3, 0) if cut >= length - 1 else (2, 1) if cut else (2, 0))
        assert messages(check(lane, role="reviewer")) == []


SENDING = """
import sys
from mailstop.lanes import send
for number in range(100_000):
    msg = f"{sys.argv[2]} {number} " + "x" * 20_000
    send(sys.argv[1], from_role="builder", to_role="reviewer", kind="note", msg=msg)
    print(number, flush=True)
"""


def test_writers_that_are_killed_at_random_lose_nothing_they_were_told_is_stored(lane: Path) -> None:
    for life in range(8):
        writers = [
            subprocess.Popen([sys.executable, "-c", SENDING, str(lane), f"{life}.{each}"], stdout=subprocess.PIPE)
            for each in range(2)
        ]
        told: dict[str, int] = {}
        for each, writer in enumerate(writers):
            assert writer.stdout
            for _ in range(random.randint(1, 6)):
                writer.stdout.readline()
            writer.kill()
            told[f"{life}.{each}"] = len(writer.stdout.read().splitlines())
            writer.stdout.close()
            writer.wait()

        found = check(lane, role="reviewer")["unread"]

        heard = Counter(one["msg"].rpartition(" ")[0] for one in found if not one.get("_parse_error"))
        assert max(heard.values()) == 1
        for name, acknowledged in told.items():
            assert {f"{name} {number}" for number in range(acknowledged)} <= heard.keys()
    send(lane, **ROLES, kind="note", msg="last")
    assert messages(check(lane, role="reviewer"))[0] == "last"


# Killed as it comes to a call the K-th time: before it, or behind it.
KILLED_CHECK = """
import os, signal, sys
from mailstop import lanes
lane, call, times, behind = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "behind"
real, arrivals = getattr(os, call), 0
def killed(*arguments):
    global arrivals
    arrivals += 1
    if arrivals == times and not behind:
        os.kill(os.getpid(), signal.SIGKILL)
    value = real(*arguments)
    if arrivals == times:
        os.kill(os.getpid(), signal.SIGKILL)
    return value
setattr(os, call, killed)
print(len(lanes.check(lane, role="reviewer")["unread"]))
"""


@pytest.mark.parametrize("side", ["before", "behind"])
@pytest.mark.parametrize("call", ["replace", "fsync", "pwrite", "ftruncate"])
def test_a_check_that_is_killed_leaves_a_whole_cursor_and_gives_the_letters_or_has_given_them(
    call: str, side: str, lane: Path
) -> None:
    for number in range(3):
        send(lane, **ROLES, kind="note", msg=str(number))
    check(lane, role="reviewer")
    for number in range(3, 6):
        send(lane, **ROLES, kind="note", msg=str(number))

    assert run(KILLED_CHECK, lane, call, 1, side).returncode == -signal.SIGKILL

    count = json.loads(cursor_file(lane).read_text())["builder-to-reviewer.jsonl"]
    assert count in (3, 6)
    assert messages(check(lane, role="reviewer")) == [str(number) for number in range(count, 6)]
    send(lane, **ROLES, kind="note", msg="6")
    assert messages(check(lane, role="reviewer")) == ["6"]


# -- bridges ---------------------------------------------------------------------------------------------------------

LETTERS = 4  # in each direction


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def bridged(lane: Path) -> list[str]:
    """What lies in the lane of what the bag has written."""
    path = file_of(lane, "reviewer", "builder")
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line)["msg"] for line in lines if line]


def is_over(lane: Path, store: Path, count: int = LETTERS) -> bool:
    """Whether everything has arrived, and is recorded as that."""
    arrived = len([body for body in stored_bodies(store) if body.startswith("to the bag")])
    cursor = lane_side.cursor_of(lane, "reviewer").get("builder-to-reviewer.jsonl", 0)
    return (arrived, len(bridged(lane)), cursor) == (count, count, count)


def assert_each_once(lane: Path, store: Path, count: int = LETTERS) -> None:
    numbers = range(count)
    to_bag = [body for body in stored_bodies(store) if body.startswith("to the bag")]
    assert Counter(to_bag) == Counter(f"to the bag {number}" for number in numbers)
    assert Counter(bridged(lane)) == Counter(f"to the lane {number}" for number in numbers)
    ids = [json.loads(line)["id"] for line in file_of(lane, "reviewer", "builder").read_text().split("\n")[:-1] if line]
    assert len(set(ids)) == count
    assert_sound(store)


POINTS = (
    "bridged to the bag",
    "bridged to the lane",
    "committed",
    "before commit",
    "row changed",
    "registration written",
)


@pytest.mark.parametrize("point", POINTS)
def test_a_bridge_that_is_killed_at_a_point_has_handed_each_letter_over_once(
    point: str, own_home: Path, seat: Callable[[str], Party], stranger: Callable[[], Party], store: Path
) -> None:
    """Killed when it comes there for the first time, the next one at the second, and so on; then one lives."""
    lane = own_home / "lane"
    reviewer, party = seat("reviewer"), stranger()
    for number in range(LETTERS):
        lane_side.send(lane, from_role="builder", to_role="reviewer", kind="note", msg=f"to the bag {number}")
        assert reviewer.run("send", "builder", f"to the lane {number}", "--hold").code == 0
    deaths = 0
    for times in range(1, 7):
        party.environment[VARIABLE] = f"{point}:{times}"
        running = party.start("lane", "bridge", str(lane))
        wait_for("its end or its work", lambda now=running: has_ended(now.pid) or is_over(lane, store))  # type: ignore[misc]
        deaths += has_ended(running.pid)
        running.kill()
        if is_over(lane, store):
            break
    party.environment.pop(VARIABLE)
    last = party.start("lane", "bridge", str(lane))
    wait_for("all letters", lambda: is_over(lane, store))
    wait_for("their receipts", lambda: not reviewer.run("status", "--json").json.get("unread"))
    last.kill()

    assert deaths
    assert_each_once(lane, store)


@pytest.mark.parametrize("command", [("lane", "bridge"), ("serve", "--port", "0", "--bridge")], ids=["alone", "served"])
def test_a_bridge_that_is_killed_at_random_while_both_sides_write_hands_each_letter_over_once(
    command: tuple[str, ...], own_home: Path, seat: Callable[[str], Party], stranger: Callable[[], Party], store: Path
) -> None:
    lane, count = own_home / "lane", 30
    lane_side.send(lane, from_role="builder", to_role="nobody", kind="note", msg="so that somebody plays the role")
    reviewer, party = seat("reviewer"), stranger()

    def write() -> None:
        for number in range(count):
            send(lane, from_role="builder", to_role="reviewer", kind="note", msg=f"to the bag {number}")
            sent = reviewer.run("send", "builder", f"to the lane {number}", "--hold")
            assert sent.code == 0, sent.err

    assert reviewer.run("limits").code == 0
    writing = threading.Thread(target=write)
    writing.start()
    bridges: list[Running] = []
    moments = iter(sorted(random.sample(range(1, 2 * count - 2), 6)))
    for moment in moments:
        bridges.append(party.start(*command, str(lane)))

        def reached(now: int = moment) -> bool:
            return len(bridged(lane)) + len(stored_bodies(store)) >= now

        wait_for(f"letter {moment}", reached)
        bridges[-1].kill()
    bridges.append(party.start(*command, str(lane)))
    writing.join()
    wait_for("all letters", lambda: is_over(lane, store, count), 50)
    bridges[-1].kill()

    assert_each_once(lane, store, count)


def test_a_writer_in_the_lane_that_is_killed_in_its_line_keeps_the_bridge_going(
    own_home: Path, seat: Callable[[str], Party], stranger: Callable[[], Party], store: Path
) -> None:
    lane = own_home / "lane"
    reviewer = seat("reviewer")
    send(lane, **ROLES, kind="note", msg="first")
    stranger().start("lane", "bridge", str(lane))
    wait_for("the first", lambda: stored_bodies(store) == ["first"])
    for cut in (1, 60, length_of_a_line(lane)):  # the last one begins with the newline that was missing
        assert run(KILLED_SEND, lane, cut).returncode == -signal.SIGKILL
    send(lane, **ROLES, kind="note", msg="last")

    wait_for("the last", lambda: stored_bodies(store)[-1] == "last")
    bodies: list[Any] = stored_bodies(store)
    assert (bodies[0], bodies[-1], len(bodies)) == ("first", "last", 5)
    assert bodies[3] == "the killed one"  # of whose line only the newline was missing
    assert reviewer.run("check").code == 0
    assert os.listdir(lane / "_sync")
