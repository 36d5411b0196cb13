"""Figures: what `GET /metrics` tells, in the format of Prometheus."""

from __future__ import annotations

from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from mailstop import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 45)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Figures:
    """The figures of one server. count: how many call now, and how many of them have a session. bridges: how many
    lanes are bridged, and how many of these cannot be now; None where none are to be."""

    def __init__(
        self, count: Callable[[], tuple[int, int]], bridges: Callable[[], tuple[int, int]] | None = None
    ) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        Info("mailstop", "Which mailstop serves.", registry=registry).info({"version": __version__})
        callers = Gauge("mailstop_callers", "Connections, and bearers of tokens, that call.", registry=registry)
        callers.set_function(lambda: count()[0])
        sessions = Gauge("mailstop_sessions", "Sessions over HTTP that have not ended.", registry=registry)
        sessions.set_function(lambda: count()[1])
        if bridges:
            bridged = Gauge("mailstop_bridges", "Lanes that are bridged with bags.", registry=registry)
            bridged.set_function(lambda: bridges()[0])
            failing = Gauge("mailstop_bridges_failing", "Bridges that cannot work now.", registry=registry)
            failing.set_function(lambda: bridges()[1])
        self._waiting = Gauge("mailstop_waiting_calls", "Calls that wait for a letter or an answer.", registry=registry)
        self._calls = Counter(
            "mailstop_calls", "Calls of tools: ok, refused or failed.", ["tool", "outcome"], registry=registry
        )
        self._seconds = Histogram(
            "mailstop_call_seconds", "How long calls took.", ["tool"], buckets=_SECONDS, registry=registry
        )
        self._refused = Counter(
            "mailstop_refused_requests", "Requests that the gate did not let in.", ["code"], registry=registry
        )
        self._due = Counter("mailstop_due_work", "What fell due in the store and was done here.", registry=registry)
        self._ended = Counter("mailstop_sessions_ended", "Sessions over HTTP that have ended.", registry=registry)

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        """A call of a tool is over."""
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    def refused(self, code: str) -> None:
        """A request was not let in. code: as the client is told it."""
        self._refused.labels(code).inc()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A call waits."""
        self._waiting.inc()
        try:
            yield
        finally:
            self._waiting.dec()

    def did_due_work(self, count: int) -> None:
        """So much that was due was done."""
        self._due.inc(count)

    def ended(self) -> None:
        """A session has ended."""
        self._ended.inc()

    def text(self) -> bytes:
        """All figures as they are now."""
        return generate_latest(self._registry)
