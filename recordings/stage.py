"""The stage: plays a scenario with the real command, in a temporary home, each window a process with a terminal."""

from __future__ import annotations

import secrets
import shutil
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from recordings.scenario import PERSON, Scenario, Step
from recordings.terminal import rows_of
from tests.party import MAILSTOP, CompletedRun, Person

HOME_SHOWN = "/home/you"
PLACE = "/tmp/"  # with as many characters after it, so that tables and the ends of rows are where they would be
PROJECT = "parser"  # the folder in which everybody works
SYSTEM = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Event:
    """What happened in a window next: somebody typed a command, or rows appeared."""

    window: str
    typed: bool
    rows: tuple[str, ...]


class Window:
    """A terminal, and the shell's part in it. Its owner is the person, or a program at the seat of its name."""

    def __init__(self, name: str, home: Path, columns: int) -> None:
        self.name = name
        self._home = home
        self._columns = columns
        self._party = Person(home, columns=columns)
        self._party.environment["PATH"] = f"{home}/.local/bin:{SYSTEM}"
        self._waiting: threading.Thread | None = None
        self._done: CompletedRun | None = None
        if name != PERSON:
            joined = self._party.call(["mailstop", "join", name, "--export"], cwd=home / PROJECT)
            assert joined.code == 0, joined.err
            variable, _, token = joined.out.strip().removeprefix("export ").partition("=")
            self._party.environment[variable] = token

    def close(self) -> None:
        """End the process behind it."""
        self._party.close()

    def typed(self, command: str) -> Event:
        """The command as the shell's line shows it."""
        rows = rows_of(f"{self.name} $ {command}".replace("\n", "\r\n").encode(), self._columns)
        return Event(self.name, True, tuple(rows))

    def start(self, command: str) -> None:
        """Run a command on the terminal, and go on."""
        self._waiting = threading.Thread(target=self._call, args=[command])
        self._waiting.start()

    def finish(self) -> Event:
        """Wait for it to end; give what appeared."""
        assert self._waiting is not None
        self._waiting.join()
        self._waiting = None
        assert self._done is not None, "the command was not run to its end"
        written = self._done.raw.replace(str(self._home).encode(), HOME_SHOWN.encode())
        return Event(self.name, False, tuple(rows_of(written, self._columns)))

    @property
    def waits(self) -> bool:
        """Whether a command still runs here."""
        return self._waiting is not None

    def _call(self, command: str) -> None:
        self._done = self._party.call(["/bin/sh", "-c", command], terminal=True, cwd=self._home / PROJECT)


def play(scenario: Scenario, client: Path | None = None) -> list[Event]:
    """Run each step; return what the picture shows of it. client: the program of the client that has to be there."""
    with ExitStack() as ending:
        home = _new_home()
        ending.callback(shutil.rmtree, home)
        _furnish(home, client)
        windows: dict[str, Window] = {}
        for name in dict.fromkeys(step.window for step in scenario.steps):
            windows[name] = Window(name, home, scenario.columns)
            ending.callback(windows[name].close)
        events = [event for step in scenario.steps for event in _played(step, windows)]
        assert not any(window.waits for window in windows.values()), "something still waits at the end"
    return events


def _new_home() -> Path:
    """A folder of our own whose name is as long as the one that is shown in its place."""
    while True:
        home = Path(PLACE + secrets.token_hex(len(HOME_SHOWN))[: len(HOME_SHOWN) - len(PLACE)])
        try:
            home.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return home


def _furnish(home: Path, client: Path | None) -> None:
    """A home in which mailstop is installed as uv and pipx do it, and perhaps a client."""
    (home / PROJECT).mkdir()
    commands = home / ".local/bin"
    commands.mkdir(parents=True)
    (commands / "mailstop").symlink_to(MAILSTOP)
    if client:
        (commands / client.name).symlink_to(client)


def _played(step: Step, windows: dict[str, Window]) -> list[Event]:
    """One step, and what it wakes: a command that waits in another window ends when this one is through."""
    window = windows[step.window]
    events = [window.typed(step.run)]
    window.start(step.run)
    if not step.waits:
        events.append(window.finish())
        events += [other.finish() for other in windows.values() if other.waits]
    return events if step.shown else []
