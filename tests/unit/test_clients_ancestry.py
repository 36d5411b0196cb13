from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.clients import ancestry
from mailstop.clients.ancestry import Ancestor, ancestors, client_named, describe
from mailstop.clients.process import Process, process_from, process_of

REST = b"S 41 42 42 34816 42 4194368 1 0 0 0 0 0 0 0 20 0 1 0 777 9999 88 1844 1 1 0"


def test_the_parent_comes_first() -> None:
    assert ancestors()[0].pid == os.getppid()


def test_the_chain_ends_at_the_first_process() -> None:
    last = process_of(ancestors()[-1].pid)
    assert last is not None
    assert last.pid == 1 or process_of(last.parent) is None


def test_a_process_that_does_not_exist_has_no_ancestors() -> None:
    assert ancestors(2**22 + 1) == ()


def test_a_pid_that_was_used_again_while_climbing_ends_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {5: Process(5, 4, 50, "sh"), 4: Process(4, 3, 40, "sh"), 3: Process(3, 1, 60, "claude")}
    monkeypatch.setattr(ancestry, "process_of", table.get)
    assert [above.pid for above in ancestors(5)] == [4]


def test_ancestors_are_described_in_one_line_nearest_first() -> None:
    chain = [Ancestor(3, 3, "bash"), Ancestor(2, 2, "claude"), Ancestor(1, 1, "zsh")]
    assert describe(chain) == "bash < claude < zsh"


def test_a_name_cannot_bring_control_characters_into_the_audit_trail() -> None:
    assert describe([Ancestor(3, 3, "a\x1b[2J\nb")]) == "a?[2J?b"


@pytest.mark.parametrize("name", ["bash", "a b", "a) S 1 (b", "((", ")", "tmux: server", "naïve"])
def test_a_process_is_read_whatever_its_name_holds(name: str) -> None:
    process = process_from(b"42 (" + name.encode() + b") " + REST)
    assert process is not None
    assert (process.name, process.pid, process.parent, process.start) == (name, 42, 41, 777)


def test_a_terminal_and_a_fork_are_seen_in_a_process() -> None:
    process = process_from(b"42 (bash) " + REST)
    assert process is not None
    assert (process.terminal, process.forked_only, process.dead) == (True, True, False)


@given(st.binary())
def test_no_line_breaks_the_reading_of_a_process(line: bytes) -> None:
    process_from(line)


@pytest.mark.parametrize(("name", "client"), [("claude", "claude"), ("codex", "codex"), ("codex-linux-san", "codex")])
def test_clients_are_known_by_their_names(name: str, client: str) -> None:
    assert client_named(name) == client


@pytest.mark.parametrize("name", ["codexx", "code", "claude-desktop", "Claude", "bash", ""])
def test_other_names_are_no_clients(name: str) -> None:
    assert client_named(name) == ""
