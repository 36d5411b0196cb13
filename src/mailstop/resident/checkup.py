"""Checkup of the server: whether one serves a store, of which version, and whether it answers. For `doctor`."""

from __future__ import annotations

import http.client
import json
import time
from urllib.parse import urlsplit

from mailstop import __version__
from mailstop.checkup.finding import FAILED, OK, OPEN, PROVED, WARNING, Finding, Route
from mailstop.checkup.interpreter import upgrade
from mailstop.resident.gate import HEALTH
from mailstop.resident.lock import Serving, is_older, serving
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ANSWER_S = 4.0
_PATH = "/mcp"
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "mailstop-doctor", "version": __version__},
    },
}


def found(url: str) -> Serving | None:
    """The server of a store, if there is one."""
    try:
        return serving(url)
    except OSError:
        return None


def version(served: Serving | None, option: str = "") -> Finding:
    """Whether the server is of this mailstop's version. option: what names its store."""
    if served is None:
        return Finding("server", OK, "none serves this store over HTTP, and nothing here needs one")
    what = f"mailstop {served.version} serves it at {served.address or 'no address yet'}, process {served.pid}"
    what += f", since {clock_text(served.since)}"
    if served.version == __version__:
        return Finding("server", OK, what)
    if is_older(served.version):
        text = f"{what}; this is {__version__}, which takes its place when it is started"
        return Finding("server", WARNING, text, _serve(served, option))
    return Finding("server", WARNING, f"{what}; this mailstop is older, {__version__}", upgrade())


def route(served: Serving, *, sealed: bool, option: str = "") -> Route:
    """Ask it whether it is well, and greet it as a client of tools does.

    sealed: whether a sandbox keeps us from it. option: what names its store.
    """
    mend = f"kill -9 {served.pid}; {_serve(served, option)}"  # which does not answer, may not end when it is asked to
    began = time.monotonic()
    try:
        health, told = _asked(served, "GET", HEALTH, None)
        greeting, _ = _asked(served, "POST", _PATH, _HELLO)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        if sealed:
            return Route("server", OPEN, "this sandbox may not connect to it")
        return Route("server", FAILED, f"{served.address} does not answer ({reason})", _ms(began), mend=mend)
    took = _ms(began)
    if health != http.client.OK:
        return Route(
            "server", FAILED, f"it says that it is not well: {told[:200]}", took, mend="mailstop doctor --rebuild"
        )
    if greeting == http.client.OK:
        return Route("server", PROVED, f"{served.address}{_PATH} is well, and greets a client of tools", took)
    if greeting in (http.client.UNAUTHORIZED, http.client.FORBIDDEN):
        text = f"{served.address}{_PATH} is well, and asks a client without a token for one"
        return Route("server", PROVED, text, took, "that a token of yours counts there: mailstop token list")
    return Route("server", FAILED, f"{served.address}{_PATH} answers a greeting with {greeting}", took, mend=mend)


def _serve(served: Serving, option: str) -> str:
    """The command that serves where this one did."""
    address = urlsplit(served.address)
    where = f" --host {address.hostname} --port {address.port}" if address.hostname and address.port else ""
    return f"mailstop serve{where}{option}"


def _asked(served: Serving, method: str, path: str, value: Any) -> tuple[int, str]:
    address = urlsplit(served.address)
    connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port or 80, timeout=_ANSWER_S)
    try:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection.request(method, path, json.dumps(value) if value is not None else None, headers if value else {})
        response = connection.getresponse()
        return response.status, response.read(65536).decode("utf-8", "replace")
    finally:
        connection.close()


def _ms(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
