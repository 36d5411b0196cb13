"""Claude Code's messaging socket: a Unix stream socket that takes one JSON object a line and answers nothing.

Observed with Claude Code 2.1.332; the vendor documents it only in the debug log. Peers are known by their
uid, so no token is read or sent. `from` is left out, since nobody listens for an answer, and `from-mode` is
the vendor's own word.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from mailstop.doors.base import HELD, NOTIFIED, REFUSED, UNCERTAIN, UNREACHABLE, Door, Outcome
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket as Socket

# Characters as JavaScript counts them; on a longer line the client hangs up.
LONGEST_LINE = 1_048_576
CONNECT_S = 2.0
WRITE_S = 5.0
READ_S = 2.0  # an idle client closes within 0.06 s


class SocketDoor(Door):
    """Writes one line into the messaging socket of a session.

    path: as the client's registry or environment names it, never guessed. session_id: the client's own
    guard against a socket that another session has taken over; empty leaves it out. msg_id: a UUID that
    receipts would name. bypasses: the receiver bypasses permissions, and then the vendor holds what comes
    by the socket.
    """

    name = "claude-socket"

    def __init__(self, path: str, *, session_id: str = "", msg_id: str = "", bypasses: bool = False) -> None:
        self.path = path
        self.session_id = session_id
        self.msg_id = msg_id
        self.bypasses = bypasses

    def ring(self, line: str) -> Outcome:
        """Write `line` as one message and wait until the session has read it, at most 9 s in all."""
        if self.bypasses:
            return Outcome(
                HELD,
                "not tried: the session bypasses permissions",
                "Claude Code would hold it until the person agrees",
            )
        if not line or "\0" in line:
            return Outcome(REFUSED, "not tried: the line is empty or holds NUL")
        try:
            message = self._message(line)
        except UnicodeEncodeError:
            return Outcome(REFUSED, "not tried: the line is no valid Unicode")
        if len(message) > LONGEST_LINE and len(message.decode().encode("utf-16-le")) // 2 > LONGEST_LINE:
            return Outcome(REFUSED, "not tried: the line is too long", f"at most {LONGEST_LINE:,} characters")
        try:
            connection = _connected(self.path)
        except (OSError, ValueError) as error:  # ValueError: a path that holds NUL
            return Outcome(UNREACHABLE, "the session's socket did not answer", _reason(error))
        with connection:
            return _written(connection, message)

    def probe(self) -> Outcome:
        """Connect, say nothing, and wait until the session has read to the end of that: no prompt comes of it."""
        try:
            connection = _connected(self.path)
        except (OSError, ValueError) as error:
            return Outcome(UNREACHABLE, "the session's socket did not answer", _reason(error))
        with connection:
            return _written(connection, b"")

    def _message(self, line: str) -> bytes:
        message: dict[str, object] = {"msgV": 1}
        if self.msg_id:
            message["msg_id"] = self.msg_id
        if self.session_id:
            message["session_id"] = self.session_id
        message |= {"type": "user", "message": {"role": "user", "content": line}, "priority": "next"}
        return dumps(message).encode() + b"\n"


def _connected(path: str) -> Socket:
    """A connection to the socket of a process of this user. Raises OSError: then nothing was submitted."""
    import socket

    there = os.lstat(path)  # not followed: a link may be turned elsewhere between the look and the connection
    if not stat.S_ISSOCK(there.st_mode):
        raise OSError("not a socket")
    if there.st_uid != os.geteuid():
        raise PermissionError("the socket belongs to another user")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        deadline = time.monotonic() + CONNECT_S
        connection.settimeout(CONNECT_S)
        while True:
            try:
                connection.connect(path)
                break
            except BlockingIOError:  # Linux says so, without waiting, while the queue of connections is full
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        if sys.platform == "linux":
            peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid: three ints
            if int.from_bytes(peer[4:8], sys.byteorder) != os.geteuid():
                raise PermissionError("another user listens there")
    except BaseException:
        connection.close()
        raise
    return connection


def _written(connection: Socket, message: bytes) -> Outcome:
    """Write, end, and wait for the end of the other side, which proves that the line was read."""
    import socket

    try:
        connection.settimeout(WRITE_S)
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
    except OSError as error:
        return Outcome(UNCERTAIN, "writing broke off", _reason(error))
    deadline = time.monotonic() + READ_S
    try:
        while (left := deadline - time.monotonic()) > 0:
            connection.settimeout(left)
            if not connection.recv(4096):
                return Outcome(NOTIFIED, "read by the session (EOF)")
    except OSError as error:
        # A line that nobody reads fits into the kernel's buffer, so a finished write alone proves nothing.
        return Outcome(UNCERTAIN, "written, not seen to be read", _reason(error))
    return Outcome(UNCERTAIN, "written, not seen to be read", "timed out")


def _reason(error: OSError | ValueError) -> str:
    """What the system said, without the path."""
    if isinstance(error, TimeoutError):
        return "timed out"
    return (isinstance(error, OSError) and error.strerror) or str(error)
