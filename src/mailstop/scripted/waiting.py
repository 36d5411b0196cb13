"""Waiting for a condition of the clients, which tell nobody of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_STEP_S = 0.01


def wait_for(what: str, probe: Callable[[], T | None], timeout_s: float = 30.0) -> T:
    """Ask `probe` until it gives something true, and give that.

    A probe whose assertion fails is asked again too: what it asserts may come true like any other condition.
    Raises TimeoutError, which says `what` did not happen, after `timeout_s` seconds.
    """
    end = time.monotonic() + timeout_s
    while True:
        failed: AssertionError | None = None
        try:
            if value := probe():
                return value
        except AssertionError as error:
            failed = error
        if time.monotonic() > end:
            raise TimeoutError(f"not within {timeout_s:g} s: {what}") from failed
        time.sleep(_STEP_S)
