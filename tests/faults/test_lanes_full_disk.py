"""Lanes on full and read-only disks, real ones: an error that says so, and nothing lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.small_disk import FILLING, PartyOnSmallDisk, is_possible

pytestmark = pytest.mark.skipif(not is_possible(), reason="this system lets nobody mount a small disk (unshare)")
MOST = 300  # letters that may fit onto a full disk's last blocks


@pytest.fixture
def disk(own_home: Path, parties: ExitStack) -> PartyOnSmallDisk:
    """A party that has a small disk for its lanes."""
    party = PartyOnSmallDisk(own_home, own_home / "disk")
    parties.callback(party.close)
    return party


@pytest.fixture
def write(disk: PartyOnSmallDisk) -> Callable[..., int]:
    """Send a letter, and give the exit code."""

    def sent(msg: str, sender: str = "builder") -> int:
        run = disk.run("lane", "send", str(disk.disk / "lane"), "--from", sender, "--to", "reviewer", "-", input=msg)
        assert run.code in (0, 5), run.err
        if run.code:
            assert "No space left on device" in run.err or "Read-only" in run.err
            assert run.err.count("\n") == 1
        return run.code

    return sent


def heard(disk: PartyOnSmallDisk) -> tuple[list[str], int]:
    """All that is new, and how many of it are no letters."""
    checked = disk.run(
        "lane", "check", str(disk.disk / "lane"), "--role", "reviewer", "--json", "--max-bytes", "9999999"
    )
    assert checked.code == 0, checked.err
    letters = checked.json["unread"]
    return [one["msg"] for one in letters if not one.get("_parse_error")], sum("_parse_error" in one for one in letters)


@pytest.mark.parametrize("what", FILLING)
def test_a_send_to_a_full_disk_is_an_error_and_spoils_nothing(
    what: str, disk: PartyOnSmallDisk, write: Callable[..., int]
) -> None:
    assert write("before") == 0
    disk.fill(what)
    acknowledged: list[str] = []
    sender = "builder" if what == "blocks" else "docs"  # where no file can be made, a new one is what fails
    for number in range(MOST):
        if write(f"letter {number} " + "x" * 900, sender):
            break
        acknowledged.append(f"letter {number} " + "x" * 900)
    else:
        raise AssertionError("the disk is not full")
    disk.make_room()
    assert write("after", sender) == 0

    letters, torn = heard(disk)

    assert letters == ["before", *acknowledged, "after"]
    assert torn <= 1


@pytest.mark.parametrize("what", FILLING)
def test_a_check_on_a_full_disk_is_an_error_or_moves_the_cursor_and_loses_nothing(
    what: str, disk: PartyOnSmallDisk, write: Callable[..., int]
) -> None:
    assert write("hello") == 0
    disk.fill(what)
    words = ["lane", "check", str(disk.disk / "lane"), "--role", "reviewer"]

    checked = disk.run(*words)

    assert checked.code == 5
    assert "hello" in checked.out
    assert "No space left on device" in checked.err and "unread" in checked.err
    assert "hello" in disk.run(*words, "--peek").out
    disk.make_room()
    assert heard(disk) == (["hello"], 0)
    assert heard(disk) == ([], 0)


def test_on_a_read_only_disk_letters_are_shown_and_stay_unread(
    disk: PartyOnSmallDisk, write: Callable[..., int]
) -> None:
    assert write("hello") == 0
    disk.mount_read_only()
    words = ["lane", "check", str(disk.disk / "lane"), "--role", "reviewer"]

    assert write("lost") == 5
    checked, peeked = disk.run(*words), disk.run(*words, "--peek", "--json")

    assert (checked.code, peeked.code) == (5, 0)
    assert "Read-only" in checked.err
    assert [one["msg"] for one in peeked.json["unread"]] == ["hello"]
    cat = disk.call(["sh", "-c", 'cat "$0"/lane/_sync/*.jsonl', str(disk.disk)])
    assert [json.loads(line)["msg"] for line in cat.lines] == ["hello"]
