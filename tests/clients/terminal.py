"""A program on a pseudo-terminal of its own, as a person's window would run it."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_ROWS, _COLUMNS = 45, 140
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",  # where is the cursor?
    b"\x1b[c": b"\x1b[?1;2c",  # what kind of terminal is this?
}
_LONGEST_QUERY = max(map(len, _ANSWERS))
KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "tab": b"\t",
    "ctrl-c": b"\x03",
    "ctrl-d": b"\x04",
}


class Terminal:
    """A running program and the terminal it has to itself.

    A thread drains the terminal, since a full buffer stalls the program, and answers the queries programs wait for.
    What the program wrote goes to the file `transcript`, for a person to look at: no test should read it.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path, transcript: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        setsid = shutil.which("setsid")
        assert setsid, "setsid is part of util-linux"
        # setsid replaces itself by the program, so the process id is the program's.
        self._process = subprocess.Popen(
            [setsid, "--ctty", *argv], stdin=slave, stdout=slave, stderr=slave, env=dict(env), cwd=cwd
        )
        os.close(slave)
        self._drain_thread = threading.Thread(target=self._drain, args=(transcript,), daemon=True)
        self._drain_thread.start()

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the program has not ended yet."""
        return self._process.poll() is None

    def type(self, text: str) -> None:
        """Put text into the program's input, as one paste: no character in it acts as a key."""
        self._write(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def press(self, *keys: str) -> None:
        """Press keys: names from KEYS, or single characters."""
        for key in keys:
            self._write(KEYS.get(key) or key.encode())

    def terminate(self) -> None:
        """Ask the program to end (SIGTERM)."""
        if self.is_running:
            self._process.terminate()

    def kill(self) -> None:
        """End the program at once (SIGKILL), so that it can tidy up nothing."""
        if self.is_running:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self, timeout_s: float = 10) -> None:
        """End the program, at once if it does not end itself within `timeout_s`, and give the terminal back."""
        self.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        self.kill()
        self._drain_thread.join(timeout_s)
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._master, data) :]

    def _drain(self, transcript: Path) -> None:
        tail = b""
        with transcript.open("wb") as log, suppress(OSError):  # the read fails once nobody has the other end open
            while data := os.read(self._master, 65536):
                log.write(data)
                log.flush()
                tail += data
                for query, answer in _ANSWERS.items():
                    for _ in range(tail.count(query)):
                        self._write(answer)
                    tail = tail.replace(query, b"")
                tail = tail[-_LONGEST_QUERY + 1 :]
