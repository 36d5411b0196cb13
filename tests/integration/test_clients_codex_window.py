"""Threads and windows of a Codex daemon, with real locks and sockets of other processes in its places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mailstop.clients.codex import details_of
from mailstop.clients.codex_window import is_watched, note_windows
from mailstop.clients.life import life_of

if sys.platform != "linux":
    pytest.skip("locks and peers are read from Linux's own tables", allow_module_level=True)

THREAD = "01a227bc-e031-7b73-a9b7-49711dc7b705"

# Plays a server: locks the thread, listens where the daemon does, and says when it is ready.
SERVER = """
import fcntl, os, socket, sys
home, thread = sys.argv[1:3]
lock = open(f"{home}/thread-writer-locks/{thread}.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
listener = socket.socket(socket.AF_UNIX)
if sys.argv[3:]:
    listener.bind(f"{home}/listening")
    listener.listen()
print(flush=True)
connections = []
while sys.argv[3:]:
    connections.append(listener.accept()[0])
    connections[-1].send(b"!")
sys.stdin.read()
"""
# Plays a window: connects to the daemon.
WINDOW = """
import os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.path.realpath(sys.argv[1] + "/app-server-control/app-server-control.sock"))
connection.recv(1)
print(flush=True)
sys.stdin.read()
"""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "codex"
    for folder in ("thread-writer-locks", "app-server-control", "app-server-daemon"):
        (home / folder).mkdir(parents=True)
    # Codex's own is a link too: a path of a socket may not be long.
    (home / "app-server-control" / "app-server-control.sock").symlink_to(home / "listening")
    return home


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a script and wait until it says that it is ready; it ends with the test."""
    running: list[subprocess.Popen[str]] = []

    def started(script: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    yield started
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def daemon(start: Start, home: Path) -> subprocess.Popen[str]:
    process = start(SERVER, home, THREAD, "listens")
    (home / "app-server-daemon" / "daemon.pid").write_text(json.dumps({"pid": process.pid}))
    return process


def details(home: Path, **changes: str) -> dict[str, str]:
    return {**details_of({"CODEX_HOME": str(home)}, os.getpid()), **changes}


def ended(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


# -- loaded


def test_a_thread_whose_server_was_killed_is_not_watched_though_its_file_is_there(start: Start, home: Path) -> None:
    ended(start(SERVER, home, THREAD))
    assert (home / "thread-writer-locks" / f"{THREAD}.lock").exists()
    assert is_watched(THREAD, details(home)) is False


def test_another_thread_of_the_same_server_does_not_count(start: Start, home: Path) -> None:
    start(SERVER, home, THREAD.replace("7", "8"))
    assert is_watched(THREAD, details(home)) is False


def test_of_a_codex_without_such_locks_nothing_is_known(tmp_path: Path) -> None:
    assert is_watched(THREAD, details(tmp_path)) is None


def test_from_another_pid_namespace_nothing_is_known(start: Start, home: Path) -> None:
    start(SERVER, home, THREAD)
    assert is_watched(THREAD, details(home, namespace="7")) is None


@pytest.mark.parametrize("known", [{}, {"codex_home": ""}, {"codex_home": None, "namespace": 7}])
def test_of_an_empty_registration_nothing_is_known(known: dict[str, object]) -> None:
    assert is_watched(THREAD, known) is None


def test_looking_takes_no_lock(home: Path) -> None:
    (home / "thread-writer-locks" / f"{THREAD}.lock").mkdir()  # which nobody can open for writing, not even root
    assert is_watched(THREAD, details(home)) is False


# -- watched


def test_a_thread_in_a_window_without_the_daemon_is_watched(start: Start, home: Path) -> None:
    start(SERVER, home, THREAD)
    assert is_watched(THREAD, details(home)) is True


def test_a_thread_that_nobody_has_loaded_is_not_watched(home: Path) -> None:
    assert is_watched(THREAD, details(home)) is False


@pytest.mark.usefixtures("daemon")
def test_a_daemon_without_windows_shows_no_thread(home: Path) -> None:
    assert is_watched(THREAD, details(home)) is False


@pytest.mark.usefixtures("daemon")
def test_a_daemon_with_a_window_may_show_the_thread(start: Start, home: Path) -> None:
    start(WINDOW, home)
    assert is_watched(THREAD, details(home)) is True


@pytest.mark.usefixtures("daemon")
def test_a_window_that_was_noted_and_lives_shows_the_thread(start: Start, home: Path) -> None:
    start(WINDOW, home)
    assert is_watched(THREAD, details(home, windows=note_windows(details(home)))) is True


@pytest.mark.usefixtures("daemon")
def test_a_thread_is_not_watched_when_its_own_window_is_gone_and_another_is_there(start: Start, home: Path) -> None:
    window = start(WINDOW, home)
    known = details_of({"CODEX_HOME": str(home)}, os.getpid(), {"session_id": THREAD})
    start(WINDOW, home)
    ended(window)
    assert is_watched(THREAD, known) is False


@pytest.mark.usefixtures("daemon")
def test_a_thread_is_not_watched_once_its_only_window_was_killed(start: Start, home: Path) -> None:
    ended(start(WINDOW, home))
    assert is_watched(THREAD, details(home)) is False


@pytest.mark.usefixtures("daemon")
def test_whether_a_thread_is_watched_is_unknown_where_the_daemon_cannot_be_asked(home: Path) -> None:
    (home / "app-server-control" / "app-server-control.sock").unlink()
    assert is_watched(THREAD, details(home)) is None


@pytest.mark.usefixtures("daemon")
def test_the_windows_are_noted_with_their_start_times(start: Start, home: Path) -> None:
    windows = [start(WINDOW, home) for _ in range(2)]
    lives = [life for window in windows if (life := life_of(window.pid))]
    assert set(note_windows(details(home)).split()) == {f"{life.pid}:{life.start}" for life in lives}


def test_without_a_daemon_there_are_no_windows_to_note(home: Path) -> None:
    assert note_windows(details(home)) == ""


@pytest.mark.usefixtures("daemon")
def test_a_hook_notes_windows_and_transcript_with_the_registration(start: Start, home: Path) -> None:
    start(WINDOW, home)
    known = details_of({"CODEX_HOME": str(home)}, os.getpid(), {"transcript_path": "/x/rollout.jsonl"})
    assert (known["transcript"], known["windows"]) == ("/x/rollout.jsonl", note_windows(details(home)))
