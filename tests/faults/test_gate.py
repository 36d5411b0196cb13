"""The gate: sixteen wait in it, holders stop and die, and nobody is left outside (cases D5, M10)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mailstop.engines.sqlite.gate import Gate
from mailstop.engines.sqlite.store import SQLiteStore
from mailstop.errors import StoreBusy
from mailstop.faults import VARIABLE
from tests.clients.waiting import wait_for
from tests.faults.soundness import assert_sound, everything_new, stored_bodies
from tests.party import Party

PATIENCE_S = 0.3  # of the gates in this process; commands wait 10 s
HOLD = """
import sys
from mailstop.engines.sqlite.gate import Gate
with Gate(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""
MAKE = """
import sys
from mailstop.engines.row import Put
from mailstop.engines.sqlite.store import SQLiteStore
with SQLiteStore(sys.argv[1]) as store:
    store.board.change([Put(f"maker/{sys.argv[2]}", {})])
"""
PASS = """
import sys, time
from mailstop.engines.sqlite.gate import Gate
print("waits", flush=True)
began = time.monotonic()
with Gate(sys.argv[1]):
    print(time.monotonic() - began, flush=True)
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the gate of the store at `path` until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()


def is_free(path: Path) -> bool:
    """Whether the gate can be entered at once."""
    gate = Gate(str(path), longest_wait_s=0.0)
    try:
        with gate:
            return True
    except StoreBusy:
        return False
    finally:
        gate.close()


def open_locks(path: Path) -> int:
    """How many descriptors this process has on the gate's file."""
    lock = f"{path}.lock"
    found = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return sum(os.path.islink(link) and os.readlink(link) == lock for link in found)


def test_who_waits_too_long_is_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with holder(path) as process:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(StoreBusy, match=rf"it is held by process {process.pid} \(") as refused, waiting(path):
            pass
    assert refused.value.exit_code == 5
    assert refused.value.facts["holder"]["pid"] == process.pid


@contextmanager
def waiting(path: Path) -> Iterator[None]:
    """In the gate, for whose turn this process waits a moment only."""
    gate = Gate(str(path), longest_wait_s=PATIENCE_S)
    try:
        with gate:
            yield
    finally:
        gate.close()


def test_who_gave_up_waiting_does_not_take_the_lock_later(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with holder(path):
        for _ in range(5):
            with pytest.raises(StoreBusy), waiting(path):
                pass
        assert open_locks(path) == 5  # those of the threads that still stand in the kernel's queue

    wait_for("the threads leave the queue", lambda: open_locks(path) == 0)
    assert is_free(path)


def test_who_is_interrupted_while_it_waits_does_not_take_the_lock_later(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with holder(path):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt), Gate(str(path)):
                pass
    finally:
        signal.signal(signal.SIGALRM, before)

    wait_for("the gate is free", lambda: is_free(path))


def test_a_dead_holder_lets_the_next_in_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with holder(path) as process:
        process.send_signal(signal.SIGSTOP)
        process.kill()
        process.wait()
        assert is_free(path)


def test_sixteen_that_wait_all_get_their_turn(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with holder(path):
        command = [sys.executable, "-c", PASS, str(path)]
        others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(16)]
        assert [other.stdout and other.stdout.readline() for other in others] == ["waits\n"] * 16
        wait_for("all of them stand in the kernel's queue", lambda: queued(path) >= 16)
        released = time.monotonic()

    waited = [other.communicate()[0] for other in others]
    assert all(float(seconds) > 0 for seconds in waited)
    assert time.monotonic() - released < 10
    assert [other.returncode for other in others] == [0] * 16


def queued(path: Path) -> int:
    """How many wait for the lock (proc(5), /proc/locks: lines with an arrow)."""
    inode = os.stat(f"{path}.lock").st_ino
    lines = Path("/proc/locks").read_text().splitlines()
    return sum("->" in line and f":{inode} " in line for line in lines)


def test_a_stopped_waiter_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with holder(path) as process:
        stopped = subprocess.Popen([sys.executable, "-c", PASS, str(path)], stdout=subprocess.PIPE)
        wait_for("it stands in the queue", lambda: queued(path) == 1)
        stopped.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
        process.kill()
        process.wait()
        try:
            assert is_free(path)
        finally:
            stopped.kill()
            stopped.communicate()


def test_sixteen_that_make_the_store_together_all_use_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    commands = ([sys.executable, "-c", MAKE, str(path), str(number)] for number in range(16))
    makers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]

    assert [maker.communicate()[1] for maker in makers] == [""] * 16
    with SQLiteStore(str(path)) as store:
        assert len(store.board.under("maker/")) == 16
    assert_sound(path)


@contextmanager
def stopped_at(party: Party, point: str, *words: str) -> Iterator[int]:
    """A command of the party that was stopped at a point, and its pid; it is killed in the end."""
    party.environment[VARIABLE] = f"{point}:1:STOP"
    running = party.start(*words)
    party.environment.pop(VARIABLE)
    wait_for("the command stops", lambda: Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2][1] == "T")
    try:
        yield running.pid
    finally:
        running.kill()


def test_a_command_behind_one_that_was_stopped_gives_up_and_names_it(seat: Callable[[str], Party], store: Path) -> None:
    builder, reader, other = seat("builder"), seat("reader"), seat("other")

    with stopped_at(builder, "begun", "send", "reader", "stopped") as pid:
        began = time.monotonic()
        refused = other.run("send", "reader", "refused")
        waited = time.monotonic() - began

    assert (refused.code, refused.out) == (5, "")
    assert f"was busy for 10 seconds; it is held by process {pid} (mailstop). Nothing was stored" in refused.err
    assert 9 < waited < 15
    assert other.run("send", "reader", "afterwards").code == 0
    assert stored_bodies(store) == everything_new(reader) == ["afterwards"]


def test_a_command_behind_one_that_is_killed_goes_on_at_once(seat: Callable[[str], Party], store: Path) -> None:
    builder, reader, other = seat("builder"), seat("reader"), seat("other")

    with stopped_at(builder, "before commit", "send", "reader", "killed"):
        waiting_command = other.start("send", "reader", "next")
        wait_for("it stands in the queue", lambda: queued(store) == 1)

    assert waiting_command.wait() == 0
    assert everything_new(reader) == ["next"]
