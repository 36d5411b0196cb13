"""The lock of a store's server, where its process ends at an unlucky moment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mailstop import __version__
from mailstop.clients.life import Life, is_alive, life_of
from mailstop.resident import lock


def open_descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(sys.platform != "linux", reason="counts the open files in /proc")
def test_a_server_that_ends_by_itself_just_before_it_is_asked_to_leaves_no_file_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = subprocess.Popen(["sleep", "60"])
    life = life_of(process.pid)
    assert life is not None
    found = lock.Serving("sqlite:///x.db", process.pid, life, "http://127.0.0.1:1", __version__, 0)
    looks: list[bool | None] = []

    def and_then_it_ends(life: Life) -> bool | None:
        looks.append(is_alive(life))
        if len(looks) == 2:  # the look right before the signal
            process.kill()
            process.wait()
        return looks[-1]

    monkeypatch.setattr(lock, "is_alive", and_then_it_ends)
    before = open_descriptors()
    lock.end(found, "sqlite:///x.db")

    assert looks == [True, True]
    assert open_descriptors() == before
