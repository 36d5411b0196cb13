"""The line that tells how far something is."""

from __future__ import annotations

import io

import pytest

from mailstop.cli.progress import PATIENCE_S, Progress


class Terminal(io.StringIO):
    """A terminal, as far as a program can tell."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(terminal: io.StringIO) -> str:
    """What is left on the terminal's line."""
    return terminal.getvalue().rpartition("\r")[2]


def test_nothing_is_written_during_the_first_moment() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(stream=terminal, clock=clock) as progress:
        tell = progress.stage("folding")
        clock.now += PATIENCE_S / 2
        tell(1, 2)

    assert terminal.getvalue() == ""


def test_what_takes_longer_tells_how_far_it_is_and_leaves_nothing() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(stream=terminal, clock=clock) as progress:
        tell = progress.stage("folding")
        clock.now += PATIENCE_S
        tell(1, 4)
        quarter = shown(terminal)
        clock.now += 1
        tell(4, 4)
        whole = shown(terminal)

    assert quarter == "folding [######..................]  25 %"
    assert whole == "folding [########################] 100 %"
    assert terminal.getvalue().endswith(f"\r{' ' * len(whole)}\r")


def test_where_nobody_knows_how_much_there_is_the_seconds_are_told() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(stream=terminal, clock=clock) as progress:
        tell = progress.stage("checking the file")
        clock.now += 3
        tell(0, 0)

        assert shown(terminal) == "checking the file 3 s"


def test_a_shorter_line_covers_a_longer_one() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(stream=terminal, clock=clock) as progress:
        clock.now += 3
        progress.stage("a long stage")(1, 2)
        clock.now += 3
        progress.stage("x")(0, 0)

        assert shown(terminal).rstrip() == "x 0 s"
        assert len(shown(terminal)) > 30


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["no terminal", "not wanted"])
def test_where_no_terminal_is_or_it_is_not_wanted_nothing_is_written(stream: io.StringIO) -> None:
    clock = Clock()
    with Progress(shown=not stream.isatty(), stream=stream, clock=clock) as progress:
        clock.now += 60
        progress.stage("folding")(1, 2)

    assert stream.getvalue() == ""
