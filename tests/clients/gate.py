"""A gate in a shell command: the command stops there until the test lets it go on."""

from __future__ import annotations

import errno
import os
import shlex
from pathlib import Path

from tests.clients.waiting import wait_for


class Gate:
    """A place where a scripted command waits. The folder must be one where a sandboxed command may write."""

    def __init__(self, folder: Path, name: str) -> None:
        self._name = name
        self._reached = folder / f"{name}.reached"
        self._pipe = folder / f"{name}.pipe"
        os.mkfifo(self._pipe)

    @property
    def command(self) -> str:
        """The shell command that waits."""
        return f": > {shlex.quote(str(self._reached))}; read -r _ < {shlex.quote(str(self._pipe))}"

    def wait_until_reached(self) -> None:
        """Wait until the command has come to the gate: its session is busy with a tool."""
        wait_for(f"a command at the gate {self._name}", self._reached.exists)

    def open(self) -> None:
        """Let the command go on."""
        writer = wait_for(f"a command waiting at the gate {self._name}", self._open_pipe)
        os.write(writer, b"\n")
        os.close(writer)

    def _open_pipe(self) -> int | None:
        try:
            return os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:  # nobody reads yet
                raise
            return None
