"""Bells: rung from any process, heard by whoever sleeps, never in the way of a sender."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mailstop import bells
from mailstop.errors import InvalidName
from mailstop.watcher import Watcher, Woken, process_end_fd

NAME = "claude-4711"
LONG_S = 20.0  # far more than any wake takes: only a missed one lasts so long

# A process that rings NAME each time it reads a byte, at a random moment of the watcher's going to sleep.
RINGER = """
import os, random, sys, time
from mailstop import bells
name, letters = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
while os.read(0, 1):
    until = time.perf_counter() + random.uniform(0, 0.0004)
    while time.perf_counter() < until:
        pass
    os.write(letters, b"x")
    assert bells.ring(name)
"""

FREE_RINGER = """
import os, sys
from mailstop import bells
name, letters = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
for _ in range(int(sys.argv[3])):
    os.write(letters, b"x")
    assert bells.ring(name)
"""


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    file = tmp_path / "letters"
    file.touch()
    return file


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a Python process; what still runs afterwards is ended."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(script: str, *arguments: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def in_a_moment(act: Callable[[], object]) -> threading.Timer:
    """Let `act` happen while the caller sleeps."""
    timer = threading.Timer(0.05, act)
    timer.start()
    return timer


# -- ringing -------------------------------------------------------------------------------------------------


def test_a_rung_bell_is_a_private_file_in_a_private_folder_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        assert bells.ring(NAME)
    finally:
        os.umask(before)
    assert os.stat(bells.path_of(NAME)).st_mode & 0o777 == 0o600
    assert os.stat(bells.folder()).st_mode & 0o777 == 0o700
    assert os.stat(os.path.dirname(bells.folder())).st_mode & 0o777 == 0o700


def test_the_guard_of_a_hook_sees_a_bell_that_rings_and_not_one_that_was_silenced() -> None:
    guard = ["sh", "-c", '[ -e "$0" ]', bells.path_of(NAME)]
    assert subprocess.run(guard).returncode == 1
    bells.ring(NAME)
    assert subprocess.run(guard).returncode == 0
    bells.silence(NAME)
    assert subprocess.run(guard).returncode == 1


def test_a_bell_rings_from_its_ring_until_it_is_silenced() -> None:
    assert not bells.is_ringing(NAME)
    bells.ring(NAME)
    bells.ring(NAME)
    assert bells.is_ringing(NAME)
    assert bells.silence(NAME)
    assert not bells.is_ringing(NAME)
    assert not bells.silence(NAME)


@pytest.mark.parametrize("name", ["", ".", "..", "../log", "a/b", "-x", "A", "a\0b", "a\n", "x" * 64])
def test_a_name_that_could_lead_out_of_the_folder_rings_nothing(name: str) -> None:
    assert not bells.ring(name)
    assert not bells.is_ringing(name)
    assert not bells.silence(name)
    assert not os.path.exists(bells.folder())
    with pytest.raises(InvalidName):
        bells.path_of(name)


def test_a_symbolic_link_in_place_of_a_bell_is_not_followed(tmp_path: Path) -> None:
    bells.ring("another")
    target = tmp_path / "target"
    os.symlink(target, bells.path_of(NAME))
    assert not bells.ring(NAME)
    assert not target.exists()


def test_a_symbolic_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.makedirs(os.path.dirname(bells.folder()))
    os.symlink(elsewhere, bells.folder())
    assert not bells.ring(NAME)
    assert list(elsewhere.iterdir()) == []


def test_a_fifo_in_place_of_a_bell_does_not_stop_the_sender() -> None:
    bells.ring("another")
    os.mkfifo(bells.path_of(NAME))
    assert not bells.ring(NAME)


def test_a_file_in_place_of_the_folder_is_no_error_of_the_sender() -> None:
    os.makedirs(os.path.dirname(bells.folder()))
    Path(bells.folder()).touch()
    assert not bells.ring(NAME)
    assert bells.ringing() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_not_used() -> None:
    bells.ring(NAME)
    os.chown(bells.folder(), 65534, 65534)
    assert not bells.ring("another")


def test_a_read_only_folder_is_no_error_of_the_sender(
    started: Callable[..., subprocess.Popen[bytes]],
) -> None:
    script = """
import os, shutil, sys, tempfile
from mailstop import bells
home = os.environ["HOME"] = tempfile.mkdtemp(dir="/tmp")  # where a plain user can reach it
try:
    if os.geteuid() == 0:  # root writes anywhere, so be a plain user
        os.chown(home, 65534, 65534)
        os.seteuid(65534)
    print(bells.ring("claude-1"))
    os.chmod(bells.folder(), 0o500)
    print(bells.ring("claude-2"), bells.ring("claude-1"), bells.is_ringing("claude-2"))
finally:
    os.chmod(bells.folder(), 0o700)
    os.seteuid(os.getuid())
    shutil.rmtree(home)
"""
    # A new bell cannot be made there; one that rings already can still be touched.
    process = started(script)
    assert process.communicate()[0] == b"True\nFalse True False\n"
    assert process.returncode == 0


def test_bells_of_ended_sessions_are_swept_and_no_others() -> None:
    for name in ("claude-1", "claude-2", "claude-3"):
        bells.ring(name)
    assert bells.sweep(["claude-1", "claude-3", "claude-9"]) == 2
    assert bells.ringing() == ["claude-2"]


def test_a_prompt_bell_rings_beside_the_bell_is_swept_with_it_and_says_nothing_of_mail() -> None:
    for name in ("claude-1", "claude-2"):
        bells.ring(bells.prompt_bell(name))
    assert bells.ringing() == []

    assert bells.sweep(["claude-1"]) == 0

    assert [bells.is_ringing(bells.prompt_bell(name)) for name in ("claude-1", "claude-2")] == [False, True]


def test_ringing_and_silencing_at_once_never_fails(
    started: Callable[..., subprocess.Popen[bytes]], letters: Path
) -> None:
    ringers = [started(FREE_RINGER, NAME, letters, 1000) for _ in range(2)]
    while any(ringer.poll() is None for ringer in ringers):
        bells.silence(NAME)
    assert [ringer.returncode for ringer in ringers] == [0, 0]


# -- watching ------------------------------------------------------------------------------------------------


def test_a_bell_that_rang_before_the_watcher_came_wakes_it_once() -> None:
    bells.ring(NAME)
    with Watcher(NAME) as watcher:
        assert watcher.wait(LONG_S).rung
        assert not watcher.wait(0)


def test_a_ring_between_arming_and_waiting_wakes() -> None:
    with Watcher(NAME) as watcher:
        bells.ring(NAME)
        assert watcher.wait(LONG_S).rung
        assert not watcher.wait(0)


def test_a_sleeping_watcher_wakes_when_its_bell_is_rung() -> None:
    with Watcher(NAME) as watcher:
        assert not watcher.wait(0)
        in_a_moment(lambda: bells.ring(NAME))
        assert watcher.wait(LONG_S) == Woken(rung=True)


def test_a_bell_left_ringing_wakes_again_only_when_it_is_rung_again() -> None:
    bells.ring(NAME)
    with Watcher(NAME) as watcher:
        assert watcher.wait(LONG_S)
        assert not watcher.wait(0.02)
        bells.ring(NAME)
        assert watcher.wait(LONG_S)


def test_a_ring_after_silence_wakes_again() -> None:
    with Watcher(NAME) as watcher:
        for _ in range(3):
            bells.ring(NAME)
            assert watcher.wait(LONG_S)
            bells.silence(NAME)
            assert not watcher.wait(0)


def test_another_session_s_bell_does_not_wake() -> None:
    with Watcher(NAME) as watcher:
        bells.ring("claude-4712")
        assert not watcher.wait(0.02)


def test_a_watcher_waits_without_using_the_processor() -> None:
    with Watcher(NAME) as watcher:
        watcher.wait(0)
        before = time.thread_time()
        watcher.wait(0.3)
        assert time.thread_time() - before < 0.03


def test_of_a_thousand_rings_at_random_moments_none_is_missed(
    started: Callable[..., subprocess.Popen[bytes]], letters: Path
) -> None:
    ringer = started(RINGER, NAME, letters)
    assert ringer.stdin
    with Watcher(NAME) as watcher:
        for stored in range(1000):
            ringer.stdin.write(b".")
            ringer.stdin.flush()
            bells.silence(NAME)
            while letters.stat().st_size == stored:
                assert watcher.wait(LONG_S).rung, f"ring {stored} was missed"
                bells.silence(NAME)


def test_rings_of_several_processes_at_once_leave_no_letter_unseen(
    started: Callable[..., subprocess.Popen[bytes]], letters: Path
) -> None:
    with Watcher(NAME) as watcher:
        for _ in range(4):
            started(FREE_RINGER, NAME, letters, 250)
        while letters.stat().st_size < 1000:
            assert watcher.wait(LONG_S).rung
            bells.silence(NAME)


def test_the_folder_of_bells_may_be_removed_and_come_back() -> None:
    with Watcher(NAME) as watcher:
        for _ in range(3):
            os.rmdir(bells.folder())
            os.mkdir(bells.folder(), 0o700)
            assert not watcher.wait(0.01)
            bells.ring(NAME)
            assert watcher.wait(LONG_S).rung
            bells.silence(NAME)


def test_a_ring_into_a_new_folder_wakes_a_watcher_that_slept_on_the_old_one() -> None:
    def anew() -> None:
        os.rmdir(bells.folder())
        bells.ring(NAME)

    with Watcher(NAME) as watcher:
        in_a_moment(anew)
        assert watcher.wait(LONG_S).rung


def test_a_folder_that_is_moved_away_is_no_longer_listened_to() -> None:
    def move() -> None:
        os.rename(bells.folder(), bells.folder() + ".old")
        bells.ring(NAME)

    with Watcher(NAME) as watcher:
        in_a_moment(move)
        assert watcher.wait(LONG_S).rung


@pytest.mark.skipif(sys.platform != "linux", reason="the queue of events is inotify's")
def test_a_ring_that_drowns_in_an_overflow_of_events_still_wakes() -> None:
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    assert room <= 100_000, "this machine's queue is too long to overflow it in a test"
    with Watcher(NAME) as watcher:
        bells.ring(NAME)
        assert watcher.wait(LONG_S)
        for _ in range(room // 2 + 1):  # two names in turn: equal events that follow each other are merged
            bells.ring("claude-1")
            bells.ring("claude-2")
        assert watcher.wait(LONG_S).rung


def test_without_a_watch_from_the_kernel_the_bell_is_looked_at_each_second(
    started: Callable[..., subprocess.Popen[bytes]],
) -> None:
    script = """
import ctypes, os, resource, sys
from mailstop.watcher import Watcher
free = os.dup(0)
os.close(free)
resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))  # none is left: EMFILE, as at the limit of watches
with Watcher("claude-4711") as watcher:
    watcher.wait(0)
    for _ in range(2):
        os.write(1, b"asleep\\n")
        woken = watcher.wait(600)
        os.write(1, f"{watcher.is_told} {woken.rung} {bool(watcher.wait(0))}\\n".encode())
"""
    process = started(script)
    for _ in range(2):  # the second ring is one of a bell that rings already
        assert process.stdout and process.stdout.readline() == b"asleep\n"
        bells.ring(NAME)
        assert process.stdout.readline() == b"False True False\n"


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="the kernel has no notices of files")
def test_a_watcher_is_told_by_the_kernel() -> None:
    with Watcher(NAME) as watcher:
        assert watcher.is_told


def test_a_watcher_gives_back_every_descriptor() -> None:
    def opened() -> list[str]:
        return sorted(os.listdir("/dev/fd"))

    with Watcher(NAME):
        pass
    before = opened()
    for _ in range(3):
        with Watcher(NAME) as watcher:
            bells.ring(NAME)
            watcher.wait(0)
    assert opened() == before


# -- what else may wake --------------------------------------------------------------------------------------


def test_another_descriptor_wakes_a_watcher_which_says_that_one() -> None:
    reading, writing = os.pipe()
    quiet, quiet_end = os.pipe()
    try:
        with Watcher(NAME) as watcher:
            in_a_moment(lambda: os.write(writing, b"x"))
            assert watcher.wait(LONG_S, also=(quiet, reading)) == Woken(rung=False, ready=(reading,))
    finally:
        for each in (reading, writing, quiet, quiet_end):
            os.close(each)


def test_the_end_of_standard_input_wakes_a_watcher() -> None:
    reading, writing = os.pipe()
    with Watcher(NAME) as watcher:
        in_a_moment(lambda: os.close(writing))
        assert watcher.wait(LONG_S, also=(reading,)).ready == (reading,)
    os.close(reading)


def test_a_ring_and_a_descriptor_are_both_told() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"x")
    bells.ring(NAME)
    with Watcher(NAME) as watcher:
        assert watcher.wait(LONG_S, also=(reading,)) == Woken(rung=True, ready=(reading,))
    os.close(reading)
    os.close(writing)


def test_a_monitor_ends_with_its_client(started: Callable[..., subprocess.Popen[bytes]]) -> None:
    client = started("input()")
    end = process_end_fd(client.pid)
    assert end is not None
    try:
        with Watcher(NAME) as watcher:
            assert not watcher.wait(0, also=(end,))
            in_a_moment(lambda: os.kill(client.pid, signal.SIGKILL))
            assert watcher.wait(LONG_S, also=(end,)).ready == (end,)
    finally:
        os.close(end)


def test_the_end_of_a_process_that_is_gone_is_refused(
    started: Callable[..., subprocess.Popen[bytes]],
) -> None:
    gone = started("")
    gone.wait()
    with pytest.raises(ProcessLookupError):
        process_end_fd(gone.pid)


def test_ringing_and_looking_import_nothing_beyond_what_a_check_may_cost() -> None:
    script = """
import sys
from mailstop import bells
from mailstop.doors import base, claude_monitor, claude_socket, codex_queue
bells.ring("claude-4711"), bells.is_ringing("claude-4711"), bells.silence("claude-4711")
claude_monitor.listening("claude-4711")
costly = "re typing dataclasses enum json argparse pathlib inspect logging asyncio subprocess uuid"
costly += " random shutil tempfile socket hashlib ctypes"
print(sorted(set(costly.split()) & set(sys.modules)))
"""
    script = f"import sys; sys.path[:0] = {sys.path!r}\n{script}"
    seen = subprocess.run([sys.executable, "-S", "-I", "-c", script], capture_output=True, check=True)
    assert seen.stdout == b"[]\n"
