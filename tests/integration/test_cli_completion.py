"""`mailstop completion`: what may stand where the cursor is, and the real shells that ask for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.integration.conftest import SeatAt
from tests.party import MAILSTOP, Party


@pytest.fixture
def builder(seat: SeatAt) -> Party:
    seat("reviewer")
    seat("review-two", "--bag", "parser")
    return seat("builder")


def offered(party: Party, *words: str) -> list[str]:
    done = party.run("completion", "candidates", input="\n".join([*words, ""]))
    assert (done.code, done.err) == (0, "")
    return [line.partition("\t")[0] for line in done.lines]


def test_verbs_come_first(builder: Party) -> None:
    assert offered(builder, "sub") == ["subscribe"]
    assert {"send", "check", "task"} <= set(offered(builder, ""))
    assert "hook" not in offered(builder, "")


def test_seats_of_the_bag_are_offered_where_a_seat_stands(builder: Party) -> None:
    assert offered(builder, "send", "") == ["builder", "reviewer", "human", "leader"]
    assert offered(builder, "send", "rev") == ["reviewer"]
    assert offered(builder, "--bag", "parser", "send", "rev") == ["review-two"]
    assert offered(builder, "check", "--from", "rev") == ["reviewer"]


def test_options_are_offered_once_and_those_that_may_be_repeated_again(builder: Party) -> None:
    assert "--kind" in offered(builder, "send", "reviewer", "--")
    after = offered(builder, "send", "reviewer", "--kind", "note", "--artifact", "x", "--")
    assert "--kind" not in after
    assert "--artifact" in after


def test_values_of_options_are_offered_behind_them_and_behind_an_equals_sign(builder: Party) -> None:
    assert offered(builder, "send", "reviewer", "--kind", "que") == ["question"]
    assert offered(builder, "send", "reviewer", "--kind=que") == ["--kind=question"]
    assert "default" in offered(builder, "--bag", "")
    assert "blocked" in offered(builder, "me", "--status", "")


def test_acts_and_channels_are_offered(builder: Party) -> None:
    assert offered(builder, "task", "g") == ["give"]
    assert offered(builder, "lease", "re") == ["renew", "release"]
    assert offered(builder, "budget", "") == ["open", "close"]
    assert "general" in offered(builder, "say", "")


def test_clients_of_setup_and_topics_of_help_are_offered_without_a_store(stranger: Party) -> None:
    assert offered(stranger, "setup", "mcp", "--client", "cur") == ["cursor"]
    assert offered(stranger, "help", "s")[:2] == ["seats", "states"]
    assert "send" in offered(stranger, "help", "s")


def test_files_are_left_to_the_shell(builder: Party) -> None:
    assert offered(builder, "send", "reviewer", "--body-file", "") == ["/files"]
    assert offered(builder, "lease", "take", "") == ["/files"]


@pytest.mark.parametrize("words", [["no-such-verb", ""], ["hook", ""], ["send", "reviewer", "text", "more", ""]])
def test_where_nothing_is_known_nothing_is_offered(builder: Party, words: list[str]) -> None:
    assert offered(builder, *words) == []


def test_without_a_store_or_with_a_damaged_one_seats_are_left_out(stranger: Party) -> None:
    assert offered(stranger, "send", "") == ["human", "leader"]
    place = stranger.home / "damaged.db"
    place.write_bytes(b"no store\n" * 1000)

    assert offered(stranger, "--store", f"sqlite:///{place}", "send", "") == []
    assert offered(stranger, "--store", f"sqlite:///{place}", "che") == ["check"]


def test_another_shell_is_refused_and_the_known_ones_named(stranger: Party) -> None:
    done = stranger.run("completion", "tcsh")

    assert done.code == 2
    assert "bash, zsh, fish" in done.err


# -- real shells ------------------------------------------------------------------------------------------------------

BASH = """
eval "$(mailstop completion bash)"
COMP_WORDS=(mailstop {words}) COMP_CWORD={count}
_mailstop
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
autoload -Uz compinit; compinit -u -D
eval "$(mailstop completion zsh)"
_describe() {{ print -l -- "${{(@P)3}}" }}
words=(mailstop {words}) CURRENT={position}
_mailstop
"""
FISH = """
mailstop completion fish | source
complete --do-complete 'mailstop {line}'
"""


def asked(shell: str, script: str, party: Party) -> list[str]:
    """What a shell prints; one that is missing fails the test where all has to be there, as in CI."""
    if shutil.which(shell) is None and "CI" not in os.environ:
        pytest.skip(f"{shell} is not installed")
    flags: Sequence[str] = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    way = f"PATH={Path(MAILSTOP).parent}:$PATH" if shell != "fish" else f"set -gx PATH {Path(MAILSTOP).parent} $PATH"
    done = party.call([shell, *flags, "-c", f"{way}\n{script}"])
    assert (done.code, done.err) == (0, "")
    return done.lines


def test_bash_completes_a_seat(builder: Party) -> None:
    assert asked("bash", BASH.format(words="send rev", count=2), builder) == ["reviewer"]
    assert asked("bash", BASH.format(words="send ''", count=2), builder) == ["builder", "reviewer", "human", "leader"]


def test_zsh_completes_a_seat_and_says_what_each_is(builder: Party) -> None:
    told = asked("zsh", ZSH.format(words="send ''", position=3), builder)

    assert [line.partition(":")[0] for line in told] == ["builder", "reviewer", "human", "leader"]
    assert "human:the person" in told


def test_fish_completes_a_seat_and_says_what_each_is(builder: Party) -> None:
    told = asked("fish", FISH.format(line="send "), builder)

    assert [line.partition("\t")[0] for line in told] == ["builder", "reviewer", "human", "leader"]
    assert "human\tthe person" in told
    assert asked("fish", FISH.format(line="send rev"), builder)[0].startswith("reviewer")
