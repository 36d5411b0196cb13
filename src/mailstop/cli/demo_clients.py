"""The part of `mailstop demo` with real clients: in a folder of its own, in processes of their own, and gone at the
end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from mailstop import errors
from mailstop.scripted import seal
from mailstop.scripted.play import ACCOUNT, remove
from mailstop.setup import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

END_S = 40.0  # for all that runs there


def play(claude: str | None, codex: str | None, *, quiet: bool) -> dict[str, Any]:
    """Let two sessions write to each other; give the account. Raises NoClients, UsageError, DemoFailed.

    claude, codex: paths of programs; None looks for them.
    """
    programs = [_program("claude", claude), _program("codex", codex)]
    if not any(programs):
        raise errors.NoClients()
    folder = tempfile.mkdtemp(prefix="mailstop-demo-")
    try:
        os.mkdir(os.path.join(folder, "stage"), 0o700)
        _played([folder, *programs, "quiet" if quiet else ""])
        account = _account(folder)
    finally:
        remove(folder)
    if "failed" in account:
        raise errors.DemoFailed(reason=account["failed"])
    return account


def _program(name: str, chosen: str | None) -> str:
    """The path of a client's program; empty where it is not here. Raises UsageError."""
    if chosen is None:
        return installed.path_of(name)
    path = os.path.abspath(os.path.expanduser(chosen))
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise errors.UsageError(reason=f"--{name} names the client's program, and {path} cannot be run")
    return path


def _played(words: list[str]) -> None:
    """Run the play to its end, or end it with all that it has started."""
    sys.stdout.flush()
    running = subprocess.Popen(
        [*seal.words(), sys.executable, "-P", "-m", "mailstop.scripted.play", *words],
        stdin=subprocess.PIPE,
        env=_environment(words[0]),
        start_new_session=True,  # an interrupt at the terminal comes here, and this ends it
    )
    try:
        running.wait()
    finally:
        assert running.stdin
        running.stdin.close()
        try:
            running.wait(END_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _environment(folder: str) -> dict[str, str]:
    """Nothing of the user's but where Python finds its modules."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": folder, "TMPDIR": folder, "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}


def _account(folder: str) -> dict[str, Any]:
    try:
        with open(os.path.join(folder, ACCOUNT), encoding="utf-8") as file:
            value: dict[str, Any] = json.load(file)
            return value
    except (OSError, ValueError):
        return {"failed": "its process was ended"}
