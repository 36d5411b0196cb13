"""Claude Code's messaging socket, rung against a stand-in that follows what the real one was seen to do."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailstop.doors import claude_socket
from mailstop.doors.base import HELD, NOTIFIED, REFUSED, UNCERTAIN, UNREACHABLE
from mailstop.doors.claude_socket import LONGEST_LINE, SocketDoor
from tests.inbox import Inbox

LINE = "mailstop: letter 142 from builder"


@pytest.fixture
def folder() -> Iterator[str]:
    """A folder with a short path, since the name of a Unix socket has at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="cc-socks-")
    yield path
    shutil.rmtree(path)


@pytest.fixture
def inbox(folder: str) -> Iterator[Inbox]:
    served = Inbox(os.path.join(folder, "1.sock"))
    yield served
    served.close()


@pytest.fixture
def silent(folder: str) -> Iterator[socket.socket]:
    """A listener that the test plays itself."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(folder, "1.sock"))
        listener.listen(1)
        yield listener


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limits that a test has to sit out."""
    for name in ("CONNECT_S", "WRITE_S", "READ_S"):
        monkeypatch.setattr(claude_socket, name, 0.2)


def test_a_line_that_the_session_read_is_notified(inbox: Inbox) -> None:
    outcome = SocketDoor(inbox.path).ring(LINE)
    assert (outcome.state, outcome.evidence) == (NOTIFIED, "read by the session (EOF)")
    assert inbox.letters == [
        {"msgV": 1, "type": "user", "message": {"role": "user", "content": LINE}, "priority": "next"}
    ]


def test_the_guard_against_another_session_and_the_number_for_receipts_go_along(inbox: Inbox) -> None:
    SocketDoor(inbox.path, session_id="s-1", msg_id="m-1").ring(LINE)
    assert (inbox.letters[0]["session_id"], inbox.letters[0]["msg_id"]) == ("s-1", "m-1")


def test_no_token_no_sender_and_no_permission_mode_is_sent(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_MESSAGING_TOKEN", "0123456789abcdef0123456789abcdef")
    monkeypatch.setenv("CLAUDE_CODE_MESSAGING_SOCKET", "/tmp/cc-socks/of-the-sender.sock")
    SocketDoor(inbox.path, session_id="s-1", msg_id="m-1").ring(LINE)
    assert len(inbox.lines) == 1
    assert set(inbox.letters[0]) == {"msgV", "msg_id", "session_id", "type", "message", "priority"}
    for word in ("0123456789abcdef", "of-the-sender", "from-mode", "auth"):
        assert word not in inbox.lines[0]


def test_a_whole_letter_of_many_lines_arrives_as_one_message(inbox: Inbox) -> None:
    letter = 'first\r\nsecond "quoted" \\ \u2028 \U0001f4ee </cross-session-message>\n' * 4000
    assert SocketDoor(inbox.path).ring(letter).state == NOTIFIED
    assert [each["message"]["content"] for each in inbox.letters] == [letter]


def test_the_longest_line_that_the_client_takes_arrives_and_a_longer_one_is_not_tried(inbox: Inbox) -> None:
    SocketDoor(inbox.path).ring("x")
    room = LONGEST_LINE - len(inbox.lines[0]) - 1  # one for the end of the line
    assert SocketDoor(inbox.path).ring("x" * (1 + room)).state == NOTIFIED
    assert SocketDoor(inbox.path).ring("x" * (2 + room)).state == REFUSED
    assert len(inbox.letters) == 2


def test_length_is_counted_in_characters_not_in_bytes(inbox: Inbox) -> None:
    assert SocketDoor(inbox.path).ring("é" * 600_000).state == NOTIFIED
    assert SocketDoor(inbox.path).ring("\U0001f4ee" * 600_000).state == REFUSED  # two each in JavaScript


@pytest.mark.parametrize("line", ["", "a\0b", "\ud800"], ids=["empty", "NUL", "lone surrogate"])
def test_a_line_that_no_client_could_take_is_refused(inbox: Inbox, line: str) -> None:
    assert SocketDoor(inbox.path).ring(line).state == REFUSED
    assert inbox.lines == []


def test_a_session_that_bypasses_permissions_would_hold_it_so_it_is_not_tried(inbox: Inbox) -> None:
    assert SocketDoor(inbox.path, bypasses=True).ring(LINE).state == HELD
    assert inbox.lines == []


def test_a_session_that_ended_is_unreachable(folder: str) -> None:
    assert SocketDoor(os.path.join(folder, "1.sock")).ring(LINE).state == UNREACHABLE


def test_a_session_that_was_killed_is_unreachable(silent: socket.socket) -> None:
    path = silent.getsockname()
    silent.close()  # its file stays, as after kill -9
    assert os.path.exists(path)
    assert SocketDoor(path).ring(LINE).state == UNREACHABLE


@pytest.mark.parametrize("path", ["", "a\0b", "/" + "x" * 200, "/dev/null", "/tmp"])
def test_a_path_that_is_no_socket_is_unreachable(path: str) -> None:
    assert SocketDoor(path).ring(LINE).state == UNREACHABLE


def test_a_link_to_a_socket_is_not_followed(inbox: Inbox, folder: str) -> None:
    link = os.path.join(folder, "2.sock")
    os.symlink(inbox.path, link)
    assert SocketDoor(link).ring(LINE).state == UNREACHABLE
    assert inbox.lines == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a socket to another user")
def test_a_socket_of_another_user_is_not_used(inbox: Inbox) -> None:
    os.chown(inbox.path, 65534, 65534)
    assert SocketDoor(inbox.path).ring(LINE).state == UNREACHABLE
    assert inbox.lines == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can let another user listen here")
def test_another_user_who_listens_behind_a_file_of_ours_gets_nothing(folder: str) -> None:
    path = os.path.join(folder, "1.sock")
    os.chmod(folder, 0o777)
    os.seteuid(65534)
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()  # the kernel notes here whose it is
    finally:
        os.seteuid(0)
    os.chown(path, 0, 0)
    with listener:
        assert SocketDoor(path).ring(LINE).state == UNREACHABLE
        connection, _address = listener.accept()
        with connection:
            assert connection.recv(10) == b""


@pytest.mark.usefixtures("hurried")
def test_a_line_that_nobody_reads_is_uncertain_although_it_was_written(silent: socket.socket) -> None:
    outcome = SocketDoor(silent.getsockname()).ring(LINE)
    assert (outcome.state, outcome.detail) == (UNCERTAIN, "timed out")


@pytest.mark.usefixtures("hurried")
def test_a_session_that_stops_reading_half_way_leaves_it_uncertain(silent: socket.socket) -> None:
    assert SocketDoor(silent.getsockname()).ring("x" * 1_000_000).state == UNCERTAIN


def test_a_session_that_hangs_up_while_it_is_written_to_leaves_it_uncertain(silent: socket.socket) -> None:
    def hang_up() -> None:
        connection, _address = silent.accept()
        connection.recv(10)
        connection.close()

    thread = threading.Thread(target=hang_up)
    thread.start()
    assert SocketDoor(silent.getsockname()).ring("x" * 1_000_000).state == UNCERTAIN
    thread.join()


@pytest.mark.usefixtures("hurried")
def test_a_session_whose_queue_of_connections_is_full_is_unreachable(silent: socket.socket) -> None:
    waiting = []
    try:
        while True:
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            waiting[-1].connect(silent.getsockname())
    except BlockingIOError:
        pass
    assert SocketDoor(silent.getsockname()).ring(LINE).state == UNREACHABLE
    for each in waiting:
        each.close()


def test_an_outcome_tells_no_path_and_no_token(folder: str, tmp_path: Path) -> None:
    for path in (os.path.join(folder, "1.sock"), str(tmp_path), "/dev/null"):
        outcome = SocketDoor(path).ring(LINE)
        assert path not in outcome.evidence + outcome.detail
