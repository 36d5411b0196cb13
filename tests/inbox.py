"""What passes for Claude Code's message socket: it reads lines, writes nothing, and closes once the other has ended."""

from __future__ import annotations

import os
import socket
import threading
from typing import Any

from mailstop import json_text
from mailstop.doors.claude_socket import LONGEST_LINE


class Inbox:
    """Stands in for a session: reads lines, writes nothing, closes once the other side has ended."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: list[str] = []
        self.letters: list[dict[str, Any]] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        os.chmod(path, 0o600)
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return
            with connection:
                self._read(connection)

    def _read(self, connection: socket.socket) -> None:
        waiting = b""
        while received := connection.recv(65536):
            *lines, waiting = (waiting + received).split(b"\n")
            for line in lines:
                self._take(line.decode())
            if len(waiting.decode(errors="ignore")) > LONGEST_LINE:
                return
        if waiting:
            self._take(waiting.decode())

    def _take(self, line: str) -> None:
        self.lines.append(line)
        try:
            value = json_text.loads(line)
        except ValueError:
            return
        if isinstance(value, dict) and value.get("type") == "user":
            self.letters.append(value)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
