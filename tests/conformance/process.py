"""Processes that stand for clients: real ones, so that whether a session lives is found out as it always is."""

from __future__ import annotations

import subprocess

from mailstop.clients.life import Life, life_of


class Process:
    """A process that does nothing but live, until it is ended."""

    def __init__(self) -> None:
        # It ends with the test run, however that ends: its input is then at an end.
        self._child = subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        life = life_of(self._child.pid)
        assert life is not None
        self.life: Life = life

    def end(self) -> None:
        """Kill it, and wait until it is gone. Twice is fine."""
        if self._child.poll() is None:
            self._child.kill()
            self._child.communicate()
