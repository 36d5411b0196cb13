"""A client's messaging socket whose client hangs: it takes a connection and reads nothing until it is let go."""

from __future__ import annotations

import socket
import threading
from pathlib import Path


class StuckDoor:
    """A context manager: listens at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._rung = threading.Event()
        self._free = threading.Event()
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> StuckDoor:
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.let_go()
        self._socket.shutdown(socket.SHUT_RDWR)  # which wakes the thread
        self._thread.join()
        self._socket.close()

    def wait_until_rung(self) -> None:
        """Return once somebody waits at the door."""
        assert self._rung.wait(30)

    def let_go(self) -> None:
        """Let the client go on: it reads what was written, and hangs up."""
        self._free.set()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._rung.set()
            self._free.wait()
            with connection, connection.makefile("rb") as written:
                written.read()
