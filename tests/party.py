"""Parties: several who write to each other in one test, each a process of its own that nobody started.

The suite may itself be run inside a coding client. A party's process is therefore cut loose before it runs anything:
orphaned, in a session of its own, so that no client and no terminal is above it. It then runs the commands it is told,
and is their parent. A person is a party with a terminal.

The process itself is party_process.py.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

MAILSTOP = str(Path(sys.executable).with_name("mailstop"))
SESSION = "MAILSTOP_SESSION"
LONGEST_S = 50.0  # for one command; less than a test may take
PROCESS = str(Path(__file__).with_name("party_process.py"))
# Root may read everything; without these two it may what the owner of a file may, as any user.
AS_OWNER = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


@dataclass(frozen=True)
class CompletedRun:
    """What a command printed, and its exit code."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        """Its standard output as text."""
        return self.raw.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of its standard output."""
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        """Its standard output as JSON."""
        return json.loads(self.raw)


class Party:
    """A process that runs `mailstop` and other commands in the home folder `home`. A context manager."""

    terminal = False
    wrapper: Sequence[str] = ()  # a command that runs the process: in namespaces of its own, say
    mailstop = MAILSTOP

    def __init__(self, home: Path, *, columns: int = 100) -> None:
        self.home = home
        self.environment: dict[str, str] = {
            "HOME": str(home),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }
        arguments = [str(columns)] if self.terminal else []
        self._process = subprocess.Popen(
            [*self.wrapper, sys.executable, "-I", "-S", PROCESS, str(LONGEST_S), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment,
            cwd=home,
        )
        self._process.wait()  # what goes on is its orphan
        self._busy = threading.Lock()
        self.pid: int = self._ask({"do": "say"})["pid"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, and all that it still runs."""
        assert self._process.stdin and self._process.stdout
        if not self._process.stdin.closed:
            self._process.stdin.close()
            self._process.stdout.read()  # until it has ended
            self._process.stdout.close()

    def join(self, seat: str, *words: str) -> None:
        """Take a seat; the first makes the party a program session."""
        if SESSION in self.environment:
            assert self.run("join", seat, *words).code == 0
            return
        joined = self.run("join", seat, "--export", *words)
        assert joined.code == 0, joined.err
        variable, _, token = joined.out.strip().removeprefix("export ").partition("=")
        assert variable == SESSION
        self.environment[variable] = token

    def send(self, to: str, body: str | bytes, *words: str) -> int:
        """Write a letter and return its number."""
        sent = self.run("send", to, "-", "--json", *words, input=body)
        assert sent.code == 0, sent.err
        number: int = sent.json["n"]
        return number

    def run(
        self, *words: str, input: str | bytes = b"", terminal: bool = False, cwd: Path | None = None
    ) -> CompletedRun:
        """Run `mailstop` with these words. terminal: it prints onto the party's terminal, not into pipes."""
        return self.call([MAILSTOP, *words], input=input, terminal=terminal, cwd=cwd)

    def seat_state(self, seat: str) -> str:
        """Whether somebody lives at a seat, as this party is told."""
        seats = self.run("who", "--all", "--json").json["seats"]
        state: str = next(each["state"] for each in seats if each["seat"] == seat)
        return state

    def call(
        self,
        argv: Sequence[str],
        *,
        input: str | bytes = b"",
        terminal: bool = False,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> CompletedRun:
        """Run a program to its end."""
        data = input.encode() if isinstance(input, str) else input
        answer = self._ask(
            {
                "do": "run",
                "argv": list(argv),
                "input": base64.b64encode(data).decode(),
                "terminal": terminal,
                "cwd": str(cwd or self.home),
                "env": {**self.environment, **(environment or {})},
            }
        )
        return CompletedRun(answer["code"], base64.b64decode(answer["out"]), base64.b64decode(answer["err"]).decode())

    def start(self, *words: str) -> Running:
        """Start `mailstop` with these words and go on; what it prints goes to a file."""
        output = self.home / f"output-{os.urandom(4).hex()}"
        argv = [MAILSTOP, *words]
        answer = self._ask(
            {"do": "start", "argv": argv, "output": str(output), "cwd": str(self.home), "env": self.environment}
        )
        return Running(self, answer["pid"], output)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        with self._busy:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        assert answer, "the party's process has ended"
        value: dict[str, Any] = json.loads(answer)
        return value


class ClaudeParty(Party):
    """A party that mailstop takes for a Claude Code whose hooks are ours: its process is named as the client.

    It has no monitor and no socket, so nothing wakes it.
    """

    def open(self, session: str, **event: str) -> CompletedRun:
        """Tell of a session's start, as the client does; without a word about a seat it gets its folder's."""
        self.environment |= {"CLAUDECODE": "1", "CLAUDE_PID": str(self.pid), "CLAUDE_CODE_SESSION_ID": session}
        return self.hook("SessionStart", session, source="startup", **event)

    def hook(self, name: str, session: str, **event: str) -> CompletedRun:
        """Run one of its hooks."""
        told = {"hook_event_name": name, "session_id": session, "cwd": str(self.home), **event}
        return self.run("hook", input=json.dumps(told))


class Person(Party):
    """A party at a terminal of its own, with no client above it: mailstop takes it for the person."""

    terminal = True


@dataclass(frozen=True)
class Running:
    """A command that a party has started."""

    party: Party
    pid: int
    output: Path

    @property
    def lines(self) -> list[str]:
        """The whole lines that it has printed so far."""
        return self.output.read_text().split("\n")[:-1]

    def interrupt(self) -> int:
        """Press Ctrl-C, so to speak; return its exit code."""
        return self._stop(signal.SIGINT)

    def kill(self) -> int:
        """End it at once, so that it can tidy up nothing."""
        return self._stop(signal.SIGKILL)

    def wait(self) -> int:
        """Let it come to its end; return its exit code."""
        return self._stop(0)  # the signal that only asks whether there is a process

    def processor_s(self) -> float:
        """The processor time that it has used so far, in seconds (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _stop(self, number: int) -> int:
        code: int = self.party._ask({"do": "stop", "pid": self.pid, "signal": int(number)})["code"]
        return code
