"""Many at once on one lane: nothing is lost, no line is torn, and no cursor is left malformed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.lanes import check, send
from tests import lane_side
from tests.lane_ground import ROLES, cursor_file, file_of, messages


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return tmp_path / "work" / "lane"


def at_once(count: int, work: Callable[[int], None]) -> None:
    """Do the work in so many threads that begin together. What one of them raises is raised here."""
    together, failures = threading.Barrier(count), list[BaseException]()

    def begin(number: int) -> None:
        try:
            together.wait(30)
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=begin, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("others", [0, 4])
def test_8_threads_that_check_40_letters_get_all_of_them(others: int, lane: Path) -> None:
    """others: how many of the threads play the original's side."""
    for number in range(40):
        send(lane, **ROLES, kind="note", msg=str(number))
    got: list[str] = []

    def read(number: int) -> None:
        if number < others:
            got.extend(one["msg"] for one in lane_side.check(lane, role="reviewer"))
        else:
            got.extend(messages(check(lane, role="reviewer")))

    at_once(8, read)

    assert set(got) == set(map(str, range(40)))
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 40}
    assert messages(check(lane, role="reviewer")) == []


@pytest.mark.parametrize("others", [0, 5])
def test_10_threads_that_send_20_letters_each_leave_200_whole_lines(others: int, lane: Path) -> None:
    def write(number: int) -> None:
        for each in range(20):
            side = lane_side.send if number < others else send
            side(lane, **ROLES, kind="note", msg=f"{number} {each}")

    at_once(10, write)

    lines = file_of(lane).read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert Counter(json.loads(line)["msg"] for line in lines) == Counter(
        f"{number} {each}" for number in range(10) for each in range(20)
    )
    assert len({json.loads(line)["id"] for line in lines}) == 200


WRITING = """
import sys
from mailstop.lanes import send
lane, number = sys.argv[1:]
sys.stdin.read(1)
for each in range(25):
    send(lane, from_role="builder", to_role="reviewer", kind="note", msg=f"{number} {each} " + "x" * 5000)
"""
READING = """
import sys
from mailstop.lanes import check
lane, number = sys.argv[1:]
sys.stdin.read(1)
for each in range(25):
    for one in check(lane, role="reviewer")["unread"]:
        print(one["msg"].rpartition(" ")[0], one.get("_parse_error"))
"""


def test_16_processes_at_once_lose_and_tear_nothing(lane: Path) -> None:
    """12 write and 4 read, all under one role each; some of the readers may be given the same."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", READING if number < 4 else WRITING, str(lane), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(16)
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write("x")
        process.stdin.flush()
    told = [process.communicate(timeout=50) for process in processes]

    assert [(process.returncode, err) for process, (_, err) in zip(processes, told, strict=True)] == [(0, "")] * 16
    heard = {line for out, _ in told[:4] for line in out.splitlines()}
    heard |= {f"{one['msg'].rpartition(' ')[0]} None" for one in check(lane, role="reviewer")["unread"]}
    assert heard == {f"{number} {each} None" for number in range(4, 16) for each in range(25)}
    assert json.loads(cursor_file(lane).read_text()) == {"builder-to-reviewer.jsonl": 300}
    assert list((lane / "_sync").glob(".*.tmp")) == []
