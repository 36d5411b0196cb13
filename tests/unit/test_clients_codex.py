from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mailstop.clients import codex
from mailstop.clients.life import my_life
from mailstop.errors import DoubtfulCaller

THREAD = "01a227bc-e031-7b73-a9b7-49711dc7b705"
ROOT = "01a227bc-0000-7b73-a9b7-49711dc7b705"


def line(kind: str, **payload: object) -> str:
    return json.dumps(
        {"timestamp": "t", "type": "event_msg", "payload": {"type": kind, **payload}}, separators=(",", ":")
    )


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "rollout.jsonl"


def busy(transcript: Path) -> bool:
    return codex.is_busy({"transcript": str(transcript)}, my_life().as_dict())


def test_a_thread_is_read_in_small_letters() -> None:
    assert codex.thread_of({"CODEX_THREAD_ID": THREAD.upper()}) == THREAD


@pytest.mark.parametrize("value", ["", "x", THREAD[:-1], THREAD + "0", THREAD.replace("-", "_"), THREAD + "\n"])
def test_a_thread_that_is_none_is_refused_and_never_falls_back(value: str) -> None:
    with pytest.raises(DoubtfulCaller, match="CODEX_THREAD_ID"):
        codex.thread_of({"CODEX_THREAD_ID": value, "CODEX_SESSION_ID": ROOT})


def test_the_session_counts_where_no_thread_is_named() -> None:
    assert codex.thread_of({"CODEX_SESSION_ID": ROOT}) == ROOT


def test_an_environment_without_codex_names_no_thread() -> None:
    assert codex.thread_of({"PATH": "/bin"}) == ""


def test_the_home_is_what_the_guard_of_a_hook_sees() -> None:
    assert codex.home_of({"HOME": "/home/ann"}) == "/home/ann/.codex"
    assert codex.home_of({"HOME": "/home/ann", "CODEX_HOME": "/c/"}) == "/c/"


def test_a_session_of_codex_exec_is_not_attended(transcript: Path) -> None:
    transcript.write_text('{"type":"session_meta","payload":{"cwd":"/w","originator":"codex_exec","source":"exec"}}\n')
    assert not codex.is_attended({"transcript_path": str(transcript)})


@pytest.mark.parametrize(
    "text", ['{"payload":{"originator":"codex-tui"}}', '{"cwd":"\\"originator\\":\\"codex_exec\\""}', ""]
)
def test_a_session_in_a_window_is_attended(transcript: Path, text: str) -> None:
    transcript.write_text(text)
    assert codex.is_attended({"transcript_path": str(transcript)})


def test_a_session_without_a_transcript_counts_as_attended() -> None:
    assert codex.is_attended({"transcript_path": None})


def test_a_thread_is_busy_from_the_start_of_a_turn(transcript: Path) -> None:
    transcript.write_text("\n".join([line("task_started"), line("task_complete"), line("task_started"), line("x")]))
    assert busy(transcript) is True


@pytest.mark.parametrize("end", ["task_complete", "turn_aborted"])
def test_a_thread_is_not_busy_after_the_end_of_a_turn(transcript: Path, end: str) -> None:
    transcript.write_text("\n".join([line("task_started"), line("x"), line(end)]))
    assert busy(transcript) is False


def test_what_a_tool_prints_does_not_end_a_turn(transcript: Path) -> None:
    transcript.write_text("\n".join([line("task_started"), line("x", output=line("task_complete"))]))
    assert busy(transcript) is True


def test_a_turn_with_much_output_is_still_a_turn(transcript: Path) -> None:
    transcript.write_text("\n".join([line("task_started"), line("x", output="a" * 400_000)]))
    assert busy(transcript) is True


def test_a_turn_that_was_killed_with_an_earlier_server_is_over(transcript: Path) -> None:
    transcript.write_text(line("task_started"))
    os.utime(transcript, (0, 0))
    assert busy(transcript) is False


def test_a_thread_without_a_transcript_is_not_called_busy(tmp_path: Path) -> None:
    assert busy(tmp_path / "none") is False
