"""To which process a program session is bound, tried with the shells that people use."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mailstop.clients import program
from mailstop.clients.ancestry import Ancestor
from mailstop.clients.life import my_life
from mailstop.errors import UsageError

BOUND = "from mailstop.clients.program import bound_life; print(bound_life().pid)"
UV = Path(__file__).parents[2] / ".tools/bin/uv"
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh") if shutil.which(shell)]


def printed_by(shell: str, script: str) -> list[str]:
    done = subprocess.run([shell, "-c", script, sys.executable, BOUND], check=True, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "script",
    [
        'echo $$; "$0" -c "$1"; :',
        'echo $$; x=$("$0" -c "$1"); echo $x',
        'echo $$; x=$(:; "$0" -c "$1"; :); echo $x',
        'echo $$; x="$(echo "$("$0" -c "$1"; :)")"; echo $x',
        'echo $$; "$0" -c "$1" | cat',
    ],
    ids=["plain", "substitution", "subshell", "nested", "pipe"],
)
def test_it_is_bound_to_the_shell_that_the_script_names_by_its_own_pid(shell: str, script: str) -> None:
    shell_pid, bound = printed_by(shell, script)
    assert bound == shell_pid


def test_a_script_started_by_another_shell_is_the_one_it_is_bound_to() -> None:
    outer, inner, bound = printed_by("sh", 'echo $$; sh -c \'echo $$; "$0" -c "$1"; :\' "$0" "$1"; :')
    assert (bound == inner, bound == outer) == (True, False)


def test_without_a_shell_it_is_bound_to_the_parent() -> None:
    script = "import os, subprocess, sys; print(os.getpid(), flush=True); subprocess.run(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", script, sys.executable, "-c", BOUND], check=True, capture_output=True, text=True
    )
    parent, bound = done.stdout.split()
    assert bound == parent


def test_a_runner_that_ends_with_the_command_is_passed_over() -> None:
    run = (
        f"{shlex.quote(str(UV))} run --quiet --no-project --no-config --offline --python {shlex.quote(sys.executable)}"
    )
    shell_pid, bound = printed_by("sh", f'echo $$; x=$({run} "$0" -c "$1"); echo $x')
    assert bound == shell_pid


def test_it_can_be_bound_to_a_process_on_purpose() -> None:
    assert program.bound_life(my_life().pid) == my_life()


def test_it_cannot_be_bound_to_a_process_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no process 4194305"):
        program.bound_life(2**22 + 1)


def test_a_token_is_good_for_a_file_name_and_a_shell() -> None:
    token = program.new_token()
    done = subprocess.run(
        ["sh", "-c", f"{program.export_line(token)}; env"], check=True, capture_output=True, text=True
    )
    assert program.is_token(token)
    assert f"MAILSTOP_SESSION={token}" in done.stdout.splitlines()


def test_two_tokens_differ() -> None:
    assert program.new_token() != program.new_token()


@pytest.mark.parametrize("text", ["", "x" * 32, "A" * 32, "../../../../../../../../../etc/pwd", "0" * 31])
def test_other_texts_are_no_tokens(text: str) -> None:
    assert not program.is_token(text)


def test_a_session_counts_for_its_process_and_its_descendants() -> None:
    mine = my_life()
    above = Ancestor(mine.pid, mine.start, "sh")
    other = Ancestor(1, 0, "init")
    results = [
        program.covers(mine, mine.pid, mine.start, ()),
        program.covers(mine, 9999, mine.start + 5, (above, other)),
        program.covers(mine, 9999, mine.start + 5, (other,)),
        program.covers(mine, mine.pid, mine.start + 1, ()),
    ]
    assert json.dumps(results) == "[true, true, false, false]"
