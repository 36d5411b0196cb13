"""A scripted model on loopback, for real clients: Anthropic Messages and OpenAI Responses.

It keeps no state of a conversation: each answer follows from the request alone. Every request is kept.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mailstop.scripted.answer import message, message_events, response_events
from mailstop.scripted.plan import Json, Plan
from mailstop.scripted.request import Request

Decide = Callable[[Request], Plan | None]


class Model:
    """The endpoint, served from background threads until `close`.

    decide: gives the answer to each request that offers tools; None: a text that ends the turn. It may be set at any
    time, runs in the thread of the request, and should look at nothing but the request.
    """

    def __init__(self, decide: Decide | None = None) -> None:
        self.decide = decide
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._errors: list[Exception] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """All requests so far, oldest first. Raises what went wrong while one was answered."""
        with self._lock:
            if self._errors:
                raise self._errors[0]
            return list(self._requests)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def receive(self, path: str, headers: Mapping[str, str], body: Json) -> Request:
        """Note a request and plan the answer, if it is one to the model."""
        with self._lock:
            request = Request(len(self._requests) + 1, time.time(), path, headers, body)
            self._requests.append(request)
            self.note(request)
        if path.partition("?")[0].endswith(("/messages", "/responses")):
            request.plan = self._plan(request)
        return request

    def note(self, request: Request) -> None:
        """A request came; for who keeps them elsewhere too."""

    def hold(self, gate: str) -> None:
        """Wait at a gate that a plan names. There are none here."""

    def script(self, request: Request) -> Plan:
        """The answer where `decide` gives none."""
        return Plan(text="Done.")

    def fail(self, error: Exception) -> None:
        """Remember an error for whoever looks at the requests."""
        with self._lock:
            self._errors.append(error)

    def _plan(self, request: Request) -> Plan:
        if request.is_side:
            return Plan(text="a title")
        try:
            decided = self.decide(request) if self.decide else None
            return decided or self.script(request)
        except Exception as error:  # it belongs to the script, not to the client, whose retries would hide it
            self.fail(error)
            return Plan(text=f"the script failed: {error!r}")


class _Server(ThreadingHTTPServer):
    """Serves a model. A client that hangs up early is no error."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.model.fail(error)


class _Handler(BaseHTTPRequestHandler):
    """Handles one connection of a client."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self.server.model.receive(self.path, self._lower_headers(), {})
        self._send_json({"type": "error", "error": {"type": "not_found_error", "message": self.path}}, 404)

    def do_POST(self) -> None:
        model = self.server.model
        raw = self.rfile.read(int(self.headers["content-length"]))
        body: Json = json.loads(raw or b"{}")
        request = model.receive(self.path, self._lower_headers(), body)
        if request.plan is None:
            self._answer_side_path(len(raw))
            return
        if request.plan.wait:
            model.hold(request.plan.wait)
        name = str(body.get("model"))
        if request.client == "codex":
            self._send_events(response_events(request.number, name, request.plan))
        else:
            whole = message(request.number, name, request.plan)
            if body.get("stream"):
                self._send_events(message_events(whole))
            else:
                self._send_json(whole)
        request.answered = True

    def _lower_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _answer_side_path(self, size: int) -> None:
        if self.path.partition("?")[0].endswith("/count_tokens"):
            self._send_json({"input_tokens": max(1, size // 4)})
        else:
            self._send_json({"type": "error", "error": {"type": "not_found_error", "message": self.path}}, 404)

    def _send_events(self, events: list[Json]) -> None:
        lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self._send("".join(lines).encode(), "text/event-stream")

    def _send_json(self, value: Json, code: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", code)

    def _send(self, data: bytes, kind: str, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
