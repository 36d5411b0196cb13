"""Which windows of a Codex daemon may show a thread, by their command lines, start times and folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mailstop.clients.codex_window import LOCKS, OPENED, Window, environment_of, may_show, opened_at
from mailstop.clients.life import life_of, my_life
from mailstop.clients.process import started_at
from tests.clients.waiting import wait_for

if sys.platform != "linux":
    pytest.skip("all of this is read from Linux's own tables", allow_module_level=True)

THREAD = "01a227bc-e031-7b73-a9b7-49711dc7b705"
HERE = my_life().start  # in the unit of the process table
TICK = os.sysconf("SC_CLK_TCK")
NOW = started_at(HERE)


def window(pid: int, *words: str, after_s: float = 0, folder: str = "/w") -> Window:
    """A window that started so many seconds after this process."""
    return Window(pid, HERE + int(after_s * TICK), ("codex", *words), folder)


def shown_by(*windows: Window, opened_s: float = 100, folder: str = "/w") -> list[int]:
    """The pids of those that may show the thread, opened so many seconds after this process had started."""
    return [one.pid for one in may_show(windows, THREAD, folder, NOW + opened_s)]


def test_the_window_that_was_started_to_resume_the_thread_shows_it() -> None:
    assert shown_by(window(1), window(2, "resume", THREAD), window(3)) == [2]


def test_a_window_that_was_started_to_fork_the_thread_does_not_show_it() -> None:
    assert shown_by(window(1, folder="/v"), window(2, "fork", THREAD, folder="/v")) == [1, 2]


def test_the_window_in_whose_first_seconds_the_thread_was_opened_shows_it() -> None:
    assert shown_by(window(1), window(2, after_s=99.5), window(3, after_s=101)) == [2]


def test_of_windows_that_started_together_the_one_in_the_threads_folder_shows_it() -> None:
    assert shown_by(window(1, after_s=99, folder="/v"), window(2, after_s=99.5)) == [2]


def test_a_thread_that_an_old_window_began_is_told_by_its_folder() -> None:
    assert shown_by(window(1, folder="/v"), window(2), folder="/v") == [1]


def test_windows_of_one_folder_that_are_as_old_cannot_be_told_apart() -> None:
    assert shown_by(window(1), window(2)) == [1, 2]


def test_a_thread_in_a_folder_of_no_window_may_be_in_any() -> None:
    assert shown_by(window(1), window(2), folder="/elsewhere") == [1, 2]


@pytest.mark.parametrize("file", [f"{OPENED}/{THREAD}", f"{LOCKS}/{THREAD}.lock"])
def test_a_thread_was_opened_when_a_window_touched_its_file_or_a_server_its_lock(tmp_path: Path, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.touch()
    os.utime(path, (1000, 1000))

    assert opened_at(THREAD, {"codex_home": str(tmp_path)}) == 1000


def test_of_a_thread_without_files_it_is_not_known_when_it_was_opened(tmp_path: Path) -> None:
    assert opened_at(THREAD, {"codex_home": str(tmp_path)}) == 0


# -- what the person of a window has set


@pytest.fixture
def start() -> Iterator[Callable[..., str]]:
    """Start a process with these variables; it ends with the test. What it is noted as."""
    running: list[subprocess.Popen[bytes]] = []

    def started(**variables: str) -> str:
        running.append(subprocess.Popen(["sleep", "60"], env={"PATH": os.environ["PATH"], **variables}))
        place = Path(f"/proc/{running[-1].pid}/cmdline")
        wait_for("it runs what it is to run", lambda: b"sleep" in place.read_bytes())
        life = life_of(running[-1].pid)
        assert life is not None
        return f"{life.pid}:{life.start}"

    yield started
    for process in running:
        process.kill()
        process.wait()


def test_the_variables_of_a_window_are_its_own(start: Callable[..., str]) -> None:
    assert environment_of(start(MAILSTOP_SEAT="builder"))["MAILSTOP_SEAT"] == "builder"


def test_of_several_windows_only_what_all_were_started_with_counts(start: Callable[..., str]) -> None:
    both = f"{start(MAILSTOP_SEAT='builder', LANG='C')} {start(MAILSTOP_SEAT='reviewer', LANG='C')}"

    known = environment_of(both)

    assert "MAILSTOP_SEAT" not in known
    assert known["LANG"] == "C"


def test_a_window_that_is_gone_says_nothing(start: Callable[..., str]) -> None:
    pid, _, began = start(MAILSTOP_SEAT="builder").partition(":")
    assert environment_of(f"{pid}:{int(began) + 1}") == {}
