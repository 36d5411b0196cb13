from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailstop.clients import claude_code

# As Claude Code 2.1.332 wrote it.
ENTRY = {
    "pid": 12791,
    "sessionId": "65b1020d-19f5-4f2c-a040-5cbeef227e96",
    "cwd": "/srv/project",
    "startedAt": 1795962910797,
    "procStart": "76667",
    "version": "2.1.332",
    "peerProtocol": 1,
    "peerFeatures": ["notify_idle", "reply_across_default_dirs", "artifact_yield"],
    "kind": "interactive",
    "entrypoint": "cli",
    "pidDomain": "linux:3d1219c7c4c5404aaa1f6d2a48adfda4:pid:[4026531836]",
    "asksForConvertedSkills": None,
    "messagingSocketPath": "/run/cc-socks/12791.sock",
    "name": "project-54",
    "nameSource": "derived",
    "status": "idle",
}


@pytest.fixture
def vendor(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    return tmp_path


def put(vendor: Path, **changes: object) -> None:
    (vendor / "sessions" / "12791.json").write_text(json.dumps({**ENTRY, **changes}))


def busy(vendor: Path) -> bool:
    return claude_code.is_busy({"config_folder": str(vendor)}, {"pid": 12791, "start": 76667})


def test_an_entry_tells_session_and_socket(vendor: Path) -> None:
    put(vendor)
    entry = claude_code.entry_of(str(vendor), 12791, 76667)
    assert entry is not None
    assert (entry.session, entry.socket, entry.kind) == (
        "65b1020d-19f5-4f2c-a040-5cbeef227e96",
        "/run/cc-socks/12791.sock",
        "interactive",
    )


def test_an_entry_that_a_killed_process_left_is_not_its_successors(vendor: Path) -> None:
    put(vendor)
    assert claude_code.entry_of(str(vendor), 12791, 76668) is None


def test_an_entry_that_is_still_being_written_tells_what_it_can(vendor: Path) -> None:
    put(vendor, status=None, messagingSocketPath=None)
    entry = claude_code.entry_of(str(vendor), 12791, 76667)
    assert entry is not None
    assert (entry.status, entry.socket) == ("", "")


@pytest.mark.parametrize(
    ("status", "expected"),
    [("busy", True), ("waiting", True), ("idle", False), ("shell", False), (None, False), (7, False)],
)
def test_a_session_is_busy_in_a_turn_and_while_a_dialog_is_open(vendor: Path, status: object, expected: bool) -> None:
    put(vendor, status=status)
    assert busy(vendor) is expected


def test_a_session_without_an_entry_is_not_called_busy(vendor: Path) -> None:
    assert busy(vendor) is False


@given(details=st.dictionaries(st.text(), st.text() | st.none()), life=st.dictionaries(st.text(), st.integers()))
def test_no_registration_breaks_the_question_whether_it_is_busy(
    details: dict[str, object], life: dict[str, object]
) -> None:
    assert claude_code.is_busy(details, life) is False


@given(st.binary(max_size=300))
def test_no_content_breaks_the_reading_of_an_entry(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "vendor" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.json").write_bytes(content)
    assert claude_code.entry_of(str(folder.parent), 1, 1) is None


def test_the_environment_tells_who_the_client_is() -> None:
    told = claude_code.told_by(
        {"CLAUDE_PID": "6688", "CLAUDE_CODE_SESSION_ID": "abc", "CLAUDE_CODE_ENTRYPOINT": "cli", "HOME": "/home/ann"}
    )
    assert (told.pid, told.session, told.attended, told.config_folder) == (6688, "abc", True, "/home/ann/.claude")


@pytest.mark.parametrize("value", ["", "x", "-1", "1" * 40, "１２"])
def test_a_pid_that_is_none_is_not_told(value: str) -> None:
    assert claude_code.told_by({"CLAUDE_PID": value}).pid == 0


@pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-ts", "sdk-py", "mcp", "claude-code-github-action"])
def test_a_session_of_a_script_is_not_attended(entrypoint: str) -> None:
    assert not claude_code.told_by({"CLAUDE_CODE_ENTRYPOINT": entrypoint}).attended


def test_a_registration_never_holds_the_messaging_token() -> None:
    environment = {**os.environ, "CLAUDE_CODE_MESSAGING_TOKEN": "s3cret", "CLAUDE_CODE_MESSAGING_SOCKET": "/s"}
    assert "s3cret" not in claude_code.details_of(environment).values()
