"""Following a session's process: its end is told, also when it came before anybody listened, and once."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Iterator

import pytest

from mailstop.clients.life import life_of
from mailstop.follower import Follower
from mailstop.session import Session


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
        if process.stdin and not process.stdin.closed:
            process.stdin.close()


def session_of(process: subprocess.Popen[bytes]) -> Session:
    life = life_of(process.pid)
    assert life is not None
    return Session("id", "program", "token", life.as_dict(), "bell")


def end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    process.stdin.close()
    process.wait()


def test_the_end_of_a_process_makes_its_descriptor_readable(process: subprocess.Popen[bytes]) -> None:
    with Follower() as follower:
        (descriptor,) = follower.ends_with(session_of(process))
        assert not select.select([descriptor], [], [], 0)[0]
        end(process)
        assert select.select([descriptor], [], [], 20)[0]


def test_an_end_before_anybody_listened_is_told_once(process: subprocess.Popen[bytes]) -> None:
    session = session_of(process)
    end(process)
    with Follower() as follower:
        assert (follower.ends_with(session), follower.ended) == ((), True)
        assert (follower.ends_with(session), follower.ended) == ((), False)


def test_an_end_between_two_looks_is_told_once(process: subprocess.Popen[bytes]) -> None:
    session = session_of(process)
    with Follower() as follower:
        assert len(follower.ends_with(session)) == 1
        end(process)
        assert (follower.ends_with(session), follower.ended) == ((), True)
        assert (follower.ends_with(session), follower.ended) == ((), False)


def test_nobody_and_who_lives_elsewhere_have_no_end() -> None:
    life = {"machine": "m", "boot": "b", "namespace": "n", "pid": 1, "start": 1}
    elsewhere = Session("id", "program", "token", life, "bell")
    with Follower() as follower:
        assert (follower.ends_with(None), follower.ended) == ((), False)
        assert (follower.ends_with(elsewhere), follower.ended) == ((), False)
