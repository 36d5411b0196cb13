"""A user who has nothing of this checkout: a home of their own, a terminal, and the tools that they install with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import mailstop
from tests.distribution.conftest import UV, UVX
from tests.party import CompletedRun, Party, Person

PIPX = str(Path(sys.executable).with_name("pipx"))
SYSTEM = "/usr/local/bin:/usr/bin:/bin"


class User(Person):
    """The person, in a home folder of their own. shelf: the folder that stands for the package index."""

    def __init__(self, home: Path, shelf: Path) -> None:
        home.mkdir(mode=0o700)
        super().__init__(home)
        self.environment |= _without_network(home, shelf)

    @property
    def shim(self) -> Path:
        """The command that a tool puts on a user's PATH."""
        return self.home / ".local/bin/mailstop"

    def mailstop_says(self, *words: str) -> CompletedRun:
        """Run the `mailstop` that a shell of theirs finds."""
        return self.call(["/bin/sh", "-c", 'exec mailstop "$@"', "sh", *words])


class Program(Party):
    """A program of theirs that has taken a seat. command: what it runs mailstop by."""

    def __init__(self, user: User, seat: str, command: Sequence[str]) -> None:
        super().__init__(user.home)
        self._command = command
        self.environment = dict(user.environment)
        joined = self.mailstop_says("join", seat, "--export")
        assert joined.code == 0, joined.err
        name, _, token = joined.out.strip().removeprefix("export ").partition("=")
        self.environment[name] = token

    def mailstop_says(self, *words: str) -> CompletedRun:
        """Run `mailstop` with these words."""
        return self.call([*self._command, *words])


class Installer:
    """A tool that installs commands of Python packages, each in an environment of its own."""

    def __init__(self, install: list[str], upgrade: list[str]) -> None:
        self._install = install
        self._upgrade = upgrade

    def install(self, user: User) -> None:
        """Do what the documentation says to type."""
        done = user.call(self._install)
        assert done.code == 0, done.err
        assert user.mailstop_says("--version").lines[0].startswith(f"mailstop {mailstop.__version__} ")

    def upgrade(self, user: User) -> None:
        """The same for an upgrade."""
        done = user.call(self._upgrade)
        assert done.code == 0, done.err


INSTALLERS = {
    "pipx": Installer([PIPX, "install", "mailstop"], [PIPX, "upgrade", "mailstop"]),
    "uv": Installer([UV, "tool", "install", "--compile-bytecode", "mailstop"], [UV, "tool", "upgrade", "mailstop"]),
}
ONCE = {"uvx": [UVX, "mailstop"], "pipx run": [PIPX, "run", "mailstop"]}


def _without_network(home: Path, shelf: Path) -> dict[str, str]:
    return {
        "PATH": f"{home}/.local/bin:{SYSTEM}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(shelf),
        "PIP_CONFIG_FILE": "/dev/null",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(shelf),
        "UV_OFFLINE": "1",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }
