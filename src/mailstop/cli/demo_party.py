"""The parties of `mailstop demo`: shells with a seat each, and the person, whose part the demo plays itself."""

from __future__ import annotations

import os
import shlex
import sys
import time

PATIENCE_S = 30.0  # for one step, on a machine that is busy with other things


class Party:
    """A shell that runs detached: whatever started the demo is no part of its session.

    It takes the seat of its name.
    """

    def __init__(self, name: str, home: str, *, quiet: bool) -> None:
        self.name = name
        self._quiet = quiet
        self._commands, self._answers = _detached_shell(home)
        try:
            os.write(self._commands, f'mailstop() {{ {shlex.quote(sys.executable)} -P -m mailstop "$@"; }}\n'.encode())
            self.run(f'eval "$(mailstop join {name} --export)"')
        except BaseException:
            self.close()
            raise

    def run(self, command: str, *, code: int = 0) -> str:
        """Run a command that ends with this exit code, and return what it printed."""
        self.start(command)
        return self._finished(code)

    def start(self, command: str) -> None:
        """Start a command that will wait for something."""
        if not self._quiet:
            print(_typed(self.name, command), flush=True)
        os.write(self._commands, f"{command}\nprintf '\\0%d\\0' $?\n".encode())

    def finish(self) -> str:
        """Wait until the command that was started is woken, and return what it printed."""
        if not self._quiet:
            print(f"\n{self.name} is woken:", flush=True)
        return self._finished()

    def _finished(self, expected: int = 0) -> str:
        import select

        output = b""
        end = time.monotonic() + PATIENCE_S
        while output.count(b"\0") < 2:
            if not select.select([self._answers], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"{self.name} did not answer within {PATIENCE_S:g} s")
            piece = os.read(self._answers, 65536)
            if not piece:
                raise EOFError(f"{self.name}'s shell ended: {output.decode(errors='replace')}")
            output += piece
        printed, code, _ = output.rsplit(b"\0", 2)
        text = printed.decode()
        if int(code) != expected:
            raise RuntimeError(f"a command of {self.name} ended with exit code {code.decode()}: {text.strip()}")
        if text.strip() and not self._quiet:
            print(_printed(text), end="", flush=True)
        return text

    def close(self) -> None:
        """End the shell: its standard input ends."""
        os.close(self._commands)
        try:
            while os.read(self._answers, 65536):
                pass
        finally:
            os.close(self._answers)


class Person:
    """The person of the demo's store, which is the demo's own: it acts as them there without being at a terminal."""

    def __init__(self, home: str, *, quiet: bool) -> None:
        self._home = home
        self._quiet = quiet

    def opens_budget(self, limit: int) -> None:
        """Open a budget of so many letters."""
        import subprocess

        # In a process of its own: whatever it rings and writes belongs into the demo's home.
        code = f"from mailstop.cli.demo_party import open_budget; open_budget({limit})"
        env = {"HOME": self._home, "PATH": os.environ.get("PATH", os.defpath)}
        told = subprocess.run([sys.executable, "-P", "-c", code], env=env, capture_output=True, text=True, check=True)
        if not self._quiet:
            print(_typed("human", f"mailstop budget open --limit {limit}"))
            print(_printed(told.stdout), end="", flush=True)


def open_budget(limit: int) -> None:
    """Open a budget in this home's store, as its person."""
    from mailstop import config
    from mailstop.cli import budget
    from mailstop.cli.arguments import Arguments
    from mailstop.clients.caller import PERSON, Caller
    from mailstop.engines import open_store
    from mailstop.office import Office

    store = open_store(config.default_store())
    try:
        opened = budget.run(Office(store, Caller(PERSON)), Arguments({"act": "open", "limit": limit, "bag": None}))
        print(opened.text)
    finally:
        store.close()


def _typed(name: str, command: str) -> str:
    return f"\n{name} $ {command}"


def _printed(text: str) -> str:
    return "".join(f"  | {line}\n" for line in text.rstrip("\n").split("\n"))


def _detached_shell(home: str) -> tuple[int, int]:
    """A shell whose parent is nobody here; gives the ends to write commands to and to read their output from."""
    command_read, command_write = os.pipe()
    answer_read, answer_write = os.pipe()
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor, place in ((command_read, 0), (answer_write, 1), (answer_write, 2)):
                os.dup2(descriptor, place)
            os.closerange(3, 1 << 12)
            os.chdir(home)
            environment = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
            os.execve("/bin/sh", ["sh", "-s"], environment)
        os._exit(0)
    os.waitpid(middle, 0)
    os.close(command_read)
    os.close(answer_write)
    return command_write, answer_read
