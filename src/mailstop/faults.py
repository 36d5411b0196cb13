"""Faults: named points that a process passes, at which a test may end it or stop it.

`MAILSTOP_FAULT=POINT` ends the process, as kill -9 does, when it comes to that point; `POINT:K` when it comes there
for the K-th time; `POINT:K:STOP` halts it there. Without the variable a point costs a call and one comparison.
Every name is used at one place only, so that the tests can tell which places they have tried.
"""

from __future__ import annotations

import os

VARIABLE = "MAILSTOP_FAULT"

_awaited = os.environ.get(VARIABLE)
_arrivals = 0


def reach(point: str) -> None:
    """Say that this process has come to a point."""
    if _awaited is not None:
        _arrive(point)


def _arrive(point: str) -> None:
    global _arrivals
    assert _awaited is not None
    name, _, rest = _awaited.partition(":")
    times, _, kind = rest.partition(":")
    if point != name:
        return
    _arrivals += 1
    if _arrivals == int(times or 1):
        import signal

        os.kill(os.getpid(), getattr(signal, f"SIG{kind or 'KILL'}"))
