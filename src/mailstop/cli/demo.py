"""mailstop demo: two programs exchange letters in a temporary home, and nothing is left behind."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack

from mailstop.cli.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = ()
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")
TELLS_WHAT_WAITS = True

PATIENCE_S = 30.0  # for one step, on a machine that is busy with other things
ASK = "mailstop send reviewer --needs-reply - <<'EOF'\nDoes parser.py survive an empty file?\nEOF"
ANSWER = "mailstop reply {n} - <<'EOF'\nYes: it returns an empty list. See test_empty.\nEOF"


class Party:
    """A shell with a seat of its own, run detached: whatever started the demo is no part of its session."""

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

    def run(self, command: str) -> str:
        """Run a command and return what it printed."""
        self.start(command)
        return self._finished()

    def start(self, command: str) -> None:
        """Start a command that will wait for something."""
        if not self._quiet:
            print(f"\n{self.name} $ {command}", flush=True)
        os.write(self._commands, f"{command}\nprintf '\\0%d\\0' $?\n".encode())

    def finish(self) -> str:
        """Wait until the command that was started is woken, and return what it printed."""
        if not self._quiet:
            print(f"\n{self.name} is woken:", flush=True)
        return self._finished()

    def _finished(self) -> str:
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
        if code != b"0":
            raise RuntimeError(f"a command of {self.name} failed with exit code {code.decode()}: {text.strip()}")
        if text.strip() and not self._quiet:
            print("".join(f"  | {line}\n" for line in text.rstrip("\n").split("\n")), end="", flush=True)
        return text

    def close(self) -> None:
        """End the shell: its standard input ends."""
        os.close(self._commands)
        try:
            while os.read(self._answers, 65536):
                pass
        finally:
            os.close(self._answers)


def run(args: Arguments) -> Result:
    """Ask, be woken, answer, be woken by the answer, and look at what was proved."""
    began = time.monotonic()
    with ExitStack() as ending:  # each step of it is taken, whatever another one raises
        home = tempfile.mkdtemp(prefix="mailstop-demo-")
        ending.callback(shutil.rmtree, home, ignore_errors=True)
        parties = []
        for name in ("reviewer", "builder"):
            party = Party(name, home, quiet=args.json)
            ending.callback(party.close)
            parties.append(party)
        account = _exchange(*parties)
    seconds = time.monotonic() - began
    data = {"seconds": round(seconds, 2), **account}
    return Result(data, f"\nDone in {seconds:.1f} s; the temporary home is gone.\n\n{_next_steps()}")


def _exchange(reviewer: Party, builder: Party) -> dict[str, Any]:
    reviewer.start("mailstop check --wait 20")
    asked = _number(builder.run(ASK))
    reviewer.finish()
    builder.start("mailstop check --wait 20")
    answered = _number(reviewer.run(ANSWER.format(n=asked)))
    builder.finish()
    builder.run(f"mailstop status {asked}")
    builder.run("mailstop read")
    return {"asked": asked, "answered": answered}


def _number(output: str) -> int:
    """The number in `letter 3 stored, ...`."""
    words = output.split()
    if words[:1] != ["letter"] or not words[1].isdigit():
        raise RuntimeError(f"the letter was not stored: {output.strip()}")
    return int(words[1])


def _next_steps() -> str:
    from mailstop import plugin_folder

    return (
        "Next, two sessions that wake each other, each in a folder of its own:\n"
        f"  claude --plugin-dir {shlex.quote(plugin_folder())} --allowedTools 'Bash(mailstop:*)'\n"
        "Each window says which seat it is. Tell one: send a letter to the other's seat with mailstop."
    )


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
