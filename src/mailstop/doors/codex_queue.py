"""Codex's own queue of messages for a thread, by `codex queue` of the receiver's installation.

Observed with Codex 0.171.0 (docs/clients-codex.md). The text stands in the process list while the command
runs, and the model gets it as a bare user message: only the fixed line goes this way, never a body. Whether
a window still watches the thread is not this door's to know; a queued message would start a turn without
one.
"""

from __future__ import annotations

import os

from mailstop.clients.codex import is_thread_id
from mailstop.doors.base import NOTIFIED, REFUSED, UNCERTAIN, UNREACHABLE, Door, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import IO

LONGEST_LINE_BYTES = 100_000  # Linux takes 128 KiB in one argument, together with `--message=`
TIMEOUT_S = 30.0
READ_BYTES = 65_536  # of what the command printed; its one line comes first
PASSED_ON = ("HOME", "PATH", "LANG", "TMPDIR", "USER")  # beside the receiver's CODEX_HOME, and nothing else
UNKNOWN_THREAD = ("No active session", "no rollout")


def executable(registered: str = "") -> str:
    """The program to run: MAILSTOP_CODEX, else the one that serves the receiver, else `codex` on PATH.

    registered: what the receiver's registration names, such as the target of /proc/<daemon>/exe; passed
    over when it cannot be run any more, which an upgrade brings about.
    """
    if chosen := os.environ.get("MAILSTOP_CODEX"):
        # Made absolute, since the command runs in another folder; a bare name is looked for on PATH.
        return os.path.abspath(os.path.expanduser(chosen)) if "/" in chosen else chosen
    if registered and os.path.isfile(registered) and os.access(registered, os.X_OK):
        return registered
    return "codex"


class QueueDoor(Door):
    """Queues one line for a Codex thread.

    thread: its UUID. codex_home: the *receiver's* CODEX_HOME; with another one Codex does not know the
    thread. program: the executable, as `executable` finds it. resume: load the thread when it is not loaded, and let
    it work with nobody watching.
    """

    name = "codex-queue"

    def __init__(self, thread: str, *, codex_home: str, program: str = "", resume: bool = False) -> None:
        self.thread = thread.lower()
        self.codex_home = codex_home
        self.program = program
        self.resume = resume

    def ring(self, line: str) -> Outcome:
        """Run `codex queue`, for at most 30 s. What it prints is looked at, and never passed on."""
        if not is_thread_id(self.thread):  # `--thread` would take a session's name too
            return Outcome(REFUSED, "not tried: the thread's id is no UUID")
        if not line or "\0" in line:
            return Outcome(REFUSED, "not tried: the line is empty or holds NUL")
        try:
            too_long = len(line.encode()) > LONGEST_LINE_BYTES
        except UnicodeEncodeError:
            return Outcome(REFUSED, "not tried: the line is no valid Unicode")
        if too_long:
            return Outcome(REFUSED, "not tried: the line is too long", f"at most {LONGEST_LINE_BYTES:,} bytes")
        try:
            queueing, output = self._started(line)
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or "it cannot be run"
            return Outcome(UNREACHABLE, "codex could not be started", reason)
        with output:
            return _ended(queueing, output, line)

    def _started(self, line: str) -> tuple[Popen[bytes], IO[bytes]]:
        """The command, started in the receiver's CODEX_HOME, and the file that it prints into.

        Raises OSError or ValueError: then nothing was sent.
        """
        import subprocess
        import tempfile

        # A file and not a pipe: a daemon that the command starts may keep its output open for hours.
        output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment["CODEX_HOME"] = self.codex_home
        words = ["--resume"] if self.resume else []
        try:
            queueing = subprocess.Popen(
                # `=` keeps a line that starts with `-` from being read as an option.
                [self.program or executable(), "queue", f"--thread={self.thread}", f"--message={line}", *words],
                env=environment,
                cwd=self.codex_home,  # not the sender's folder, whose project settings are none of this
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # an interrupt at the sender's terminal is not for this one
            )
        except (OSError, ValueError):
            output.close()
            raise
        return queueing, output


def _ended(queueing: Popen[bytes], output: IO[bytes], line: str) -> Outcome:
    """What the command's end proves. Raises nothing: from here on it may have been submitted."""
    from subprocess import TimeoutExpired

    try:
        queueing.wait(TIMEOUT_S)
    except TimeoutExpired:
        queueing.kill()  # only this one: it may have started the user's shared daemon, which goes on
        queueing.wait()
        return Outcome(UNCERTAIN, "codex queue did not end in time", f"{TIMEOUT_S:g} s")
    try:
        output.seek(0)
        printed = output.read(READ_BYTES).decode("utf-8", "replace").replace(line, "")
    except OSError:
        printed = ""
    if queueing.returncode == 0:
        if "Queued message" in printed:
            return Outcome(NOTIFIED, "queued by codex")
        return Outcome(UNCERTAIN, "codex queue ended without saying that it queued")
    if any(sign in printed for sign in UNKNOWN_THREAD):
        return Outcome(UNREACHABLE, "codex does not know the thread")
    return Outcome(UNCERTAIN, "codex queue failed", f"exit code {queueing.returncode}")
