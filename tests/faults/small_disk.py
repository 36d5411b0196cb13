"""A small disk: a tmpfs that only one party sees, in a mount namespace of its own, and that a test can fill.

Needs no privilege where ordinary users may make user namespaces.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mailstop.errors import StoreFull
from tests.party import Party

AS_USER = () if os.geteuid() == 0 else ("--user", "--map-root-user")
UNSHARE = ("unshare", *AS_USER, "--mount")
SIZE = "1m"
FILES = 64  # at most; a full disk may also be one on which no file can be made
FILLING = {
    "blocks": 'cat /dev/zero > "$0/filling"',
    "files": 'i=0; while : > "$0/filling-$i"; do i=$((i+1)); done',
}


def is_possible() -> bool:
    """Whether this system lets the tests mount something."""
    try:
        mounting = [*UNSHARE, "mount", "-t", "tmpfs", "none", "/tmp"]
        return subprocess.run(mounting, capture_output=True).returncode == 0
    except OSError:
        return False


class PartyOnSmallDisk(Party):
    """A party that sees a small disk at `disk`. It plays several seats: `as_("builder")` says which from now on."""

    def __init__(self, home: Path, disk: Path) -> None:
        disk.mkdir(parents=True, exist_ok=True)
        self.disk = disk
        mount = f'mount -t tmpfs -o size={SIZE},nr_inodes={FILES},mode=0700 none "$0" && exec "$@"'
        self.wrapper: Sequence[str] = (*UNSHARE, "sh", "-c", mount, str(disk))
        self._sessions: dict[str, str] = {}
        super().__init__(home)

    def as_(self, seat: str) -> PartyOnSmallDisk:
        """Go on as whoever sits at that seat; who has never sat there takes it."""
        if seat in self._sessions:
            self.environment["MAILSTOP_SESSION"] = self._sessions[seat]
        else:
            self.environment.pop("MAILSTOP_SESSION", None)
            self.join(seat)
            self._sessions[seat] = self.environment["MAILSTOP_SESSION"]
        return self

    def fill(self, *what: str) -> None:
        """Leave no "blocks", or no "files", or nothing at all."""
        for each in what or FILLING:
            assert "No space left" in self.call(["sh", "-c", FILLING[each], str(self.disk)]).err

    def make_room(self) -> None:
        """Undo it."""
        assert self.call(["sh", "-c", 'rm "$0"/filling*', str(self.disk)]).code == 0

    def mount_read_only(self) -> None:
        """Let nothing be written to the disk any more."""
        assert self.call(["mount", "-o", "remount,bind,ro", str(self.disk)]).code == 0

    def copy_out(self, store: Path, folder: Path) -> Path:
        """A copy of a store on the disk, where the test can look at it."""
        folder.mkdir()
        assert self.call(["sh", "-c", 'cp "$0"* "$1"', str(store), str(folder)]).code == 0
        return folder / store.name


def is_full(run_err: str, store: Path) -> bool:
    """Whether a command said that the store's disk is full, and nothing else."""
    return run_err == f"mailstop: {StoreFull(path=store).message}\n"
