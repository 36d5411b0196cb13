"""Peer: a program of the same user that writes letters to the clients of a world, and what the store proves of them."""

from __future__ import annotations

import json
import os
from subprocess import CompletedProcess
from typing import Any

from mailstop.config import SQLITE
from mailstop.engines import open_store
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.receipt import Receipt
from tests.clients.claude_session import ClaudeSession
from tests.clients.request import Request
from tests.clients.seats import seated
from tests.clients.waiting import wait_for
from tests.clients.world import World


class Peer:
    """A program session that is bound to the process of the test."""

    def __init__(self, world: World, seat: str = "peer") -> None:
        self.world = world
        self.seat = seat
        joined = world.run("mailstop", "join", seat, "--export", "--pid", str(os.getpid()))
        assert joined.returncode == 0, joined.stderr
        name, _, token = joined.stdout.strip().removeprefix("export ").partition("=")
        self.env = {name: token}

    def run(self, *words: str, input: str | None = None) -> CompletedProcess[str]:
        """Run mailstop as this peer."""
        return self.world.run("mailstop", *words, input=input, env=self.env)

    def writes(self, to: str, body: str, *options: str) -> dict[str, Any]:
        """Send a letter and return what mailstop says of it: its number, and how each recipient was told.

        Windows open before their hooks have run, so it waits until somebody has taken those seats.
        """
        bag = options[options.index("--bag") + 1] if "--bag" in options else DEFAULT_BAG
        for name in () if "--hold" in options else to.split(","):
            if name != PERSON:
                seated(self.world, name, bag)
        done = self.run("send", to, "-", "--json", *options, input=body)
        assert done.returncode == 0, done.stdout + done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def send(self, to: str, body: str, *options: str) -> int:
        """Send a letter and return its number."""
        return int(self.writes(to, body, *options)["n"])

    def receipts(self, n: int, seat: str | None = None) -> list[Receipt]:
        """All that is proved of a letter, oldest first; of one recipient when `seat` is given."""
        with open_store(f"{SQLITE}{self.world.home}/.local/share/mailstop/mailstop.db") as store:
            return [receipt for receipt in store.index.receipts(n) if seat in (None, receipt.seat)]

    def states(self, n: int) -> list[str]:
        """The states that are proved of a letter, oldest first."""
        return [receipt.state for receipt in self.receipts(n)]

    def wait_until(self, state: str, n: int) -> Receipt:
        """Wait until the state is proved of the letter, and return the proof."""

        def proof() -> Receipt | None:
            return next((receipt for receipt in self.receipts(n) if receipt.state == state), None)

        return wait_for(f"letter {n} {state}", proof)


def wait_until_at_rest(session: ClaudeSession) -> None:
    """Wait until no turn is running: `shell` is what a client says while its monitor runs."""
    wait_for(f"{session.name} at rest", lambda: session.registry.get("status") in ("idle", "shell"))


def wait_until_listening(session: ClaudeSession) -> None:
    """Wait until the session's monitor sleeps on its bell."""
    lock = session.world.home / ".local/state/mailstop/monitors" / f"claude-{session.pid}"
    wait_for(f"the monitor of {session.name}", lambda: any(_holds(lock)))


def _holds(lock: os.PathLike[str]) -> list[bool]:
    import fcntl

    try:
        with open(lock) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return [True]
    except OSError:
        pass
    return [False]


def times(request: Request, text: str) -> int:
    """How often a request holds a text, in all that others than the model said."""
    return sum(heard.count(text) for heard in request.heard)


def rings(session: ClaudeSession) -> list[str]:
    """The prompts by which doors rang a session, as its last request holds them."""
    heard = session.requests[-1].heard if session.requests else []
    return [text for text in heard if "mailstop: letter" in text and "===" not in text and "additional" not in text]
