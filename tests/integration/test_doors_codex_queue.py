"""Codex's queue, rung through a stand-in for `codex` that follows what the real one was seen to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mailstop.doors import codex_queue
from mailstop.doors.base import NOTIFIED, REFUSED, UNCERTAIN, UNREACHABLE, Outcome
from mailstop.doors.codex_queue import LONGEST_LINE_BYTES, QueueDoor, executable

LINE = "mailstop: letter 142 from builder"
THREAD = "019aa0b0-1111-7222-8333-444455556666"

# It writes down how it was called, then does what a real `codex queue` was seen to do for a known thread.
CODEX = """#!{python}
import json, os, sys
home = os.environ["CODEX_HOME"]
seen = {{"argv": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(),
         "stdin": sys.stdin.read(), "descriptors": sorted(map(int, os.listdir("/dev/fd")))[:4]}}
json.dump(seen, open(home + "/seen.json", "w"))
{then}
"""
QUEUED = f'print("Queued message 7 for thread {THREAD}.")'


@pytest.fixture
def codex_home(tmp_path: Path) -> Path:
    home = tmp_path / "codex home"
    home.mkdir()
    return home


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a stand-in that ends with the given lines of Python onto an otherwise empty PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def install(then: str = QUEUED, name: str = "codex") -> Path:
        program = folder / name
        program.write_text(CODEX.format(python=sys.executable, then=then))
        program.chmod(0o755)
        return program

    return install


def seen_by(codex_home: Path) -> dict[str, object]:
    import json

    seen: dict[str, object] = json.loads((codex_home / "seen.json").read_text())
    return seen


def ring(codex_home: Path, line: str = LINE, thread: str = THREAD) -> Outcome:
    return QueueDoor(thread, codex_home=str(codex_home)).ring(line)


def test_a_line_that_codex_queued_is_notified(codex: Callable[..., Path], codex_home: Path) -> None:
    codex()
    assert ring(codex_home) == Outcome(NOTIFIED, "queued by codex")
    assert seen_by(codex_home)["argv"] == ["queue", f"--thread={THREAD}", f"--message={LINE}"]


def test_a_line_that_looks_like_an_option_stays_one_argument(codex: Callable[..., Path], codex_home: Path) -> None:
    codex()
    line = "--resume $(touch x) 'it''s' `id`\nsecond \U0001f4ee"
    assert ring(codex_home, line).state == NOTIFIED
    assert seen_by(codex_home)["argv"] == ["queue", f"--thread={THREAD}", f"--message={line}"]


def test_the_longest_line_fits_and_a_longer_one_is_not_tried(codex: Callable[..., Path], codex_home: Path) -> None:
    codex()
    assert ring(codex_home, "é" * (LONGEST_LINE_BYTES // 2)).state == NOTIFIED
    (codex_home / "seen.json").unlink()
    assert ring(codex_home, "é" * (LONGEST_LINE_BYTES // 2) + "x").state == REFUSED
    assert not (codex_home / "seen.json").exists()


@pytest.mark.parametrize("line", ["", "a\0b", "\ud800"], ids=["empty", "NUL", "lone surrogate"])
def test_a_line_that_no_argument_can_hold_is_refused(codex: Callable[..., Path], codex_home: Path, line: str) -> None:
    codex()
    assert ring(codex_home, line).state == REFUSED
    assert not (codex_home / "seen.json").exists()


@pytest.mark.parametrize("thread", ["", "builder", "-x", THREAD + "0", THREAD.replace("a", "g"), "-" * 36])
def test_a_thread_that_is_no_uuid_is_refused(codex: Callable[..., Path], codex_home: Path, thread: str) -> None:
    codex()
    assert ring(codex_home, thread=thread).state == REFUSED
    assert not (codex_home / "seen.json").exists()


def test_a_thread_in_capital_letters_is_the_same_thread(codex: Callable[..., Path], codex_home: Path) -> None:
    codex()
    assert ring(codex_home, thread=THREAD.upper()).state == NOTIFIED
    assert seen_by(codex_home)["argv"][1] == f"--thread={THREAD}"  # type: ignore[index]


def test_the_program_sees_the_receiver_s_home_of_codex_and_no_secret(
    codex: Callable[..., Path], codex_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codex()
    secrets = {
        "CLAUDE_CODE_MESSAGING_SOCKET": "/tmp/cc-socks/1.sock",
        "CLAUDE_CODE_MESSAGING_TOKEN": "0123456789abcdef0123456789abcdef",
        "CLAUDE_CODE_SESSION_ID": "a-session",
        "CLAUDECODE": "1",
        "CODEX_THREAD_ID": "019aa0b0-9999-7222-8333-444455556666",
        "CODEX_SESSION_ID": "019aa0b0-9999-7222-8333-444455556666",
        "CODEX_HOME": "/home/of-the-sender/.codex",
        "OPENAI_API_KEY": "sk-not-real",
        "ANTHROPIC_API_KEY": "sk-ant-not-real",
        "MAILSTOP_STORE": "/somewhere/mail.db",
        "GITHUB_TOKEN": "ghp-not-real",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    for name in ("LANG", "TMPDIR", "USER"):
        monkeypatch.setenv(name, f"value-of-{name}")
    assert ring(codex_home).state == NOTIFIED

    environment = seen_by(codex_home)["environment"]
    assert isinstance(environment, dict)
    # The interpreter adds LC_CTYPE itself where LANG names no locale.
    assert set(environment) - {"LC_CTYPE"} == {"HOME", "PATH", "LANG", "TMPDIR", "USER", "CODEX_HOME"}
    assert environment["CODEX_HOME"] == str(codex_home)
    assert not set(secrets.values()) & set(environment.values())


def test_the_program_runs_apart_from_the_sender(codex: Callable[..., Path], codex_home: Path) -> None:
    codex()
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        assert ring(codex_home).state == NOTIFIED
    finally:
        os.close(reading)
        os.close(writing)
    seen = seen_by(codex_home)
    assert seen["folder"] == str(codex_home)
    assert seen["stdin"] == ""
    assert seen["descriptors"] == [0, 1, 2, 3]  # 3 is that of the listing itself


def test_a_thread_that_codex_does_not_know_is_unreachable(codex: Callable[..., Path], codex_home: Path) -> None:
    codex('sys.exit("Error: No active session found with that name")')
    assert ring(codex_home).state == UNREACHABLE
    codex('sys.exit("Error: no rollout found for thread id")')
    assert ring(codex_home).state == UNREACHABLE


def test_another_failure_leaves_it_uncertain(codex: Callable[..., Path], codex_home: Path) -> None:
    codex('sys.exit("database is locked")')
    assert ring(codex_home) == Outcome(UNCERTAIN, "codex queue failed", "exit code 1")


def test_words_of_the_line_itself_are_no_sign_of_an_unknown_thread(
    codex: Callable[..., Path], codex_home: Path
) -> None:
    codex('sys.exit("cannot store: " + sys.argv[3])')
    assert ring(codex_home, "no rollout, No active session").state == UNCERTAIN


def test_success_without_the_word_that_it_queued_is_uncertain(codex: Callable[..., Path], codex_home: Path) -> None:
    codex('print("usage: codex queue ...")')
    assert ring(codex_home).state == UNCERTAIN


def test_a_program_that_does_not_end_is_ended_and_leaves_it_uncertain(
    codex: Callable[..., Path], codex_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codex_queue, "TIMEOUT_S", 1.0)
    codex('open(home + "/pid", "w").write(str(os.getpid())); import time; time.sleep(600)')
    assert ring(codex_home).state == UNCERTAIN
    with pytest.raises(ProcessLookupError):
        os.kill(int((codex_home / "pid").read_text()), 0)


def test_a_daemon_that_the_program_leaves_behind_holds_nobody_up(codex: Callable[..., Path], codex_home: Path) -> None:
    daemon = "import subprocess; daemon = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    codex(f'{daemon}; open(home + "/daemon", "w").write(str(daemon.pid)); {QUEUED}')
    try:
        assert ring(codex_home).state == NOTIFIED
        os.kill(int((codex_home / "daemon").read_text()), 0)  # it goes on, its output still open
    finally:
        os.kill(int((codex_home / "daemon").read_text()), 9)


def test_a_missing_program_is_unreachable(codex_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert ring(codex_home).state == UNREACHABLE


def test_a_missing_home_of_codex_is_unreachable(codex: Callable[..., Path], tmp_path: Path) -> None:
    codex()
    assert ring(tmp_path / "nowhere").state == UNREACHABLE
    assert QueueDoor(THREAD, codex_home="a\0b").ring(LINE).state == UNREACHABLE


def test_what_the_program_prints_is_not_passed_on(codex: Callable[..., Path], codex_home: Path) -> None:
    codex('print("secret-7"); sys.exit("secret-8")')
    outcome = ring(codex_home)
    assert "secret" not in outcome.evidence + outcome.detail


def test_a_chosen_program_comes_before_the_receiver_s_own_and_that_before_the_path(
    codex: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = str(codex(name="codex-0.171.0"))
    assert executable() == "codex"
    assert executable(own) == own
    assert executable(f"{own} (deleted)") == "codex"  # as /proc names one that an upgrade replaced
    monkeypatch.setenv("MAILSTOP_CODEX", "~/chosen")
    assert executable(own) == f"{os.environ['HOME']}/chosen"
    monkeypatch.setenv("MAILSTOP_CODEX", "")
    assert executable(own) == own


def test_the_chosen_program_is_the_one_that_runs(
    codex: Callable[..., Path], codex_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codex('sys.exit("the wrong one")')
    monkeypatch.setenv("MAILSTOP_CODEX", str(codex(name="chosen")))
    assert ring(codex_home).state == NOTIFIED
