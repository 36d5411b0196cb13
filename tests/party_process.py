"""The process of a party: an orphan that runs the commands it is told.

It imports little, because each test starts some.
Arguments: the longest time for a command in seconds; for a person, the columns of their terminal.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ROWS = 40


class Process:
    """The party's side of the pipe: one request a line, one answer a line."""

    def __init__(self, longest_s: float, columns: int) -> None:
        self._longest_s = longest_s
        self._started: dict[int, subprocess.Popen[bytes]] = {}
        self._master = self._slave = -1
        if columns:
            import fcntl
            import struct
            import termios

            self._master, self._slave = os.openpty()
            fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
            fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

    def serve(self) -> None:
        """Do what is asked until nobody can ask any more."""
        for line in sys.stdin.buffer:
            request = json.loads(line)
            answer = getattr(self, "_" + request["do"])(request)
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            sys.stdout.buffer.flush()
        for process in self._started.values():
            process.kill()
            process.wait()

    def _say(self, _request: dict[str, Any]) -> dict[str, Any]:
        return {"pid": os.getpid()}

    def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        data = a2b_base64(request["input"])
        where = {"cwd": request["cwd"], "env": request["env"]}
        if request["terminal"]:
            code, out, err = self._on_terminal(request["argv"], data, where)
        else:
            done = subprocess.run(request["argv"], input=data, capture_output=True, timeout=self._longest_s, **where)
            code, out, err = done.returncode, done.stdout, done.stderr
        return {"code": code, "out": b2a_base64(out).decode(), "err": b2a_base64(err).decode()}

    def _on_terminal(self, argv: list[str], data: bytes, where: dict[str, Any]) -> tuple[int, bytes, bytes]:
        """Run with the terminal as output; what appears there comes back as its output."""
        import threading

        given = subprocess.PIPE if data else self._slave
        process = subprocess.Popen(argv, stdin=given, stdout=self._slave, stderr=self._slave, **where)
        seen = bytearray()
        end = b"\0party:end\0"

        def drain() -> None:
            while not seen.endswith(end):
                seen.extend(os.read(self._master, 65536))

        reader = threading.Thread(target=drain)
        reader.start()
        if data and process.stdin:
            process.stdin.write(data)
            process.stdin.close()
        code = process.wait(self._longest_s)
        os.write(self._slave, end)
        reader.join()
        return code, bytes(seen).removesuffix(end).replace(b"\r\n", b"\n"), b""

    def _start(self, request: dict[str, Any]) -> dict[str, Any]:
        with open(request["output"], "wb") as output:
            process = subprocess.Popen(
                request["argv"], stdin=subprocess.DEVNULL, stdout=output, cwd=request["cwd"], env=request["env"]
            )
        self._started[process.pid] = process
        return {"pid": process.pid}

    def _stop(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._started.pop(request["pid"])
        process.send_signal(request["signal"])
        return {"code": process.wait(self._longest_s)}


def main(words: Sequence[str]) -> None:
    """Leave whoever started this, and serve."""
    starter = os.getpid()
    if os.fork():
        os._exit(0)
    os.setsid()
    while os.getppid() == starter:  # it has not ended yet
        os.sched_yield()
    # A shell that starts the suite in the background has it ignore the interrupt, and so would all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Process(float(words[0]), int(words[1]) if words[1:] else 0).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
