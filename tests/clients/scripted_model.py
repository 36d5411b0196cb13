"""The scripted model of the tests: what it is to answer stands in the conversation, and an answer can be held.

Every request is kept: a test asserts on what the model was sent.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

from mailstop.scripted.model import Decide, Model
from tests.clients.plan import Plan, plan_from
from tests.clients.request import Request

__all__ = ["Decide", "ScriptedModel"]


class ScriptedModel(Model):
    """The endpoint, served from background threads until `close`.

    decide: asked first at each request that offers tools; None leaves the answer to the script in the conversation.
    log: a file that gets every request as one JSON line.
    """

    def __init__(self, log: Path | None = None, decide: Decide | None = None) -> None:
        self._log = log.open("a") if log else None
        self._gates: dict[str, threading.Event] = {}
        self._waiting: dict[str, int] = {}
        self._closing = threading.Event()
        super().__init__(decide)

    def waits_at(self, gate: str) -> bool:
        """Whether an answer is held at `gate`."""
        with self._lock:
            return self._waiting.get(gate, 0) > 0

    def release(self, gate: str) -> None:
        """Let pass what is held at `gate`, and all that comes there later."""
        self._gate(gate).set()

    def close(self) -> None:
        """Stop listening and let go of every held answer."""
        self._closing.set()
        with self._lock:
            gates = list(self._gates.values())
        for gate in gates:
            gate.set()
        super().close()
        if self._log:
            self._log.close()

    def note(self, request: Request) -> None:
        """Write a request into the log."""
        if self._log and not self._closing.is_set():
            self._log.write(json.dumps([request.number, request.time, request.path, request.body]) + "\n")
            self._log.flush()

    def hold(self, gate: str) -> None:
        """Wait until `gate` is released, or the model closes."""
        with self._lock:
            self._waiting[gate] = self._waiting.get(gate, 0) + 1
        try:
            event = self._gate(gate)
            if not self._closing.is_set():
                event.wait()
        finally:
            with self._lock:
                self._waiting[gate] -= 1

    def script(self, request: Request) -> Plan:
        """The answer that the conversation asks for."""
        return plan_from(request.spoken, request.answers_given)

    def forgive(self) -> None:
        """Forget the errors so far: the test expected them."""
        with self._lock:
            self._errors.clear()

    def _gate(self, name: str) -> threading.Event:
        with self._lock:
            return self._gates.setdefault(name, threading.Event())
