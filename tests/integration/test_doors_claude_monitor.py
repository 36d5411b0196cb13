"""The monitor's lock: a sender can tell a session that listens, and nothing outlives the process that did."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mailstop.doors.claude_monitor import Listening, listening, lock_path, sweep

BELL = "claude-4711"

# A monitor as small as can be: it says "listening" or "already", and listens until its standard input ends.
MONITOR = """
import sys
from mailstop.doors.claude_monitor import Listening
with Listening(sys.argv[1]) as here:
    print("already" if here.already else "listening", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def monitor() -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a process that listens; what still runs afterwards is ended."""
    processes: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", MONITOR, BELL]
        pipe = subprocess.PIPE
        processes.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_nobody_listens_where_no_monitor_was_ever_started_and_asking_leaves_nothing_behind() -> None:
    assert not listening(BELL)
    assert not os.path.exists(os.path.dirname(lock_path(BELL)))


def test_a_sender_sees_that_a_monitor_listens(monitor: Callable[[], subprocess.Popen[str]]) -> None:
    assert said(monitor()) == "listening"
    assert listening(BELL)
    assert not listening("claude-4712")


def test_a_monitor_that_is_killed_no_longer_listens(monitor: Callable[[], subprocess.Popen[str]]) -> None:
    process = monitor()
    assert said(process) == "listening"
    process.kill()
    process.wait()
    assert not listening(BELL)
    assert said(monitor()) == "listening"


def test_a_monitor_that_ends_takes_its_lock_file_along(monitor: Callable[[], subprocess.Popen[str]]) -> None:
    process = monitor()
    assert said(process) == "listening"
    process.communicate("")
    assert not listening(BELL)
    assert not os.path.exists(lock_path(BELL))


def test_a_second_monitor_of_a_session_has_nothing_to_do(
    monitor: Callable[[], subprocess.Popen[str]],
) -> None:
    first, second = monitor(), monitor()
    assert sorted([said(first), said(second)]) == ["already", "listening"]
    assert listening(BELL)


def test_the_end_of_the_second_monitor_does_not_end_the_first(
    monitor: Callable[[], subprocess.Popen[str]],
) -> None:
    first = monitor()
    assert said(first) == "listening"
    second = monitor()
    assert said(second) == "already"
    second.communicate("")
    assert listening(BELL)
    assert first.poll() is None


def test_senders_that_test_the_lock_do_not_keep_a_monitor_from_starting() -> None:
    done = threading.Event()

    def test_on_and_on() -> None:
        while not done.is_set():
            listening(BELL)

    tester = threading.Thread(target=test_on_and_on)
    with Listening(BELL):
        pass
    tester.start()
    try:
        for _ in range(50):
            with Listening(BELL) as here:
                assert not here.already
    finally:
        done.set()
        tester.join()


def test_a_sender_that_tests_the_lock_is_not_taken_for_a_monitor_by_another() -> None:
    os.makedirs(os.path.dirname(lock_path(BELL)))
    tester = os.open(lock_path(BELL), os.O_CREAT | os.O_RDONLY, 0o600)  # left by a monitor that was killed
    fcntl.flock(tester, fcntl.LOCK_SH)  # as `listening` holds it for a moment
    assert not listening(BELL)
    os.close(tester)


def test_starts_and_ends_at_once_never_let_two_listen(tmp_path: Path) -> None:
    script = """
import os, sys
from mailstop.doors.claude_monitor import Listening
for _ in range(300):
    with Listening(sys.argv[1]) as here:
        if not here.already:
            os.close(os.open(sys.argv[2], os.O_CREAT | os.O_EXCL))  # fails where another listens too
            os.unlink(sys.argv[2])
"""
    command = [sys.executable, "-c", script, BELL, str(tmp_path / "alone")]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]


def test_asking_works_where_nothing_can_be_written(monitor: Callable[[], subprocess.Popen[str]]) -> None:
    assert said(monitor()) == "listening"
    os.chmod(lock_path(BELL), 0o400)
    os.chmod(os.path.dirname(lock_path(BELL)), 0o500)
    assert listening(BELL)


def test_a_symbolic_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    os.makedirs(os.path.dirname(lock_path(BELL)))
    os.symlink(target, lock_path(BELL))
    assert not listening(BELL)
    with pytest.raises(OSError), Listening(BELL):
        pass
    assert not target.exists()


def test_lock_files_of_ended_sessions_are_swept_and_not_those_still_held(
    monitor: Callable[[], subprocess.Popen[str]],
) -> None:
    assert said(monitor()) == "listening"
    Path(lock_path("claude-1")).touch()
    assert sweep(["claude-1", "claude-2", BELL]) == 1
    assert os.listdir(os.path.dirname(lock_path(BELL))) == [BELL]
