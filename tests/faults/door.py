"""A client's messaging socket that notes what is written to it, and closes, which is all that the client answers."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any


class ListeningDoor:
    """A context manager: listens at `path` in a thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> ListeningDoor:
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # which wakes the thread
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile() as written:
                self.lines += [json.loads(line) for line in written]
