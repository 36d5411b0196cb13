"""Gate: what stands between the network and the server. ASGI, and knows nothing of MCP.

Before anything of a request is believed, or read beyond its headers: is it small enough, is it meant for this server
(`allowed.py`), does its sender show a token that counts (`bearers.py`)? Then its body is read, up to a limit, and only
then the server hears of it. `scope["mailstop.bearer"]` is then a Bearer, or None where no token is needed; the token
itself goes no further. `scope["mailstop.arrived"]`: when its headers had come, by the monotonic clock in nanoseconds.
`scope["mailstop.cut_off"]`: an event, set once what the server writes no longer reaches the client.

A refusal is JSON that says what to do, in the form of an error of JSON-RPC, which is what clients of MCP show. It tells
nobody why a token does not count; the log does.
"""

from __future__ import annotations

import asyncio
import logging
import time

from mailstop.cleaning import in_quotes
from mailstop.errors import StoreUnavailable
from mailstop.json_text import dumps
from mailstop.records import Record
from mailstop.resident.allowed import Allowed
from mailstop.resident.bearers import MISSING, SHARED, Admission, Bearers
from mailstop.resident.exposure import is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping
    from typing import Any

    from mailstop.resident.bearers import AtStore
    from mailstop.resident.shared_token import SharedToken

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

BEARER, ARRIVED, CUT_OFF = "mailstop.bearer", "mailstop.arrived", "mailstop.cut_off"  # keys of the scope
REFUSED = -32000  # JSON-RPC's code for what a server refuses by rules of its own
HEALTH, METRICS = "/healthz", "/metrics"
LOOKING = ("GET", "HEAD")
WITH_BODY = ("POST", "PUT", "PATCH")

LONGEST_BODY = 4 << 20  # bytes; the largest letter takes less than half of it, escaped
MOST_ITEMS = 10_000  # of lists and objects in a body: a server takes them one by one, in its event loop
LONGEST_HEADERS = 32 << 10  # bytes, of all together
MOST_HEADERS = 100
MOST_HELD = 64 << 20  # bytes at a time of bodies that the server has not taken yet, of all requests together
BODY_S = 30.0  # for the whole body to come
LINGER_S = 2.0  # for a client to read that it is refused while it still writes
BELIEVED_S = 1.0  # a token that counted is not looked up again for that long, for what one answer tells
MOST_LINGERING = 16 << 20  # bytes that are thrown away meanwhile

_NOBODY = Admission()  # of a request that needs no token, whoever sends it

log = logging.getLogger(__name__)


class Refusal(Record):
    """Why a request is not let in, and what its sender can do. challenge: the WWW-Authenticate header."""

    status: int
    code: str
    message: str
    next: str
    challenge: str = ""

    def as_error(self) -> dict[str, Any]:
        """As an error of JSON-RPC, of a request that was not read."""
        data = {"code": self.code, "message": self.message, "next": self.next}
        error = {"code": REFUSED, "message": f"{self.message} {self.next}", "data": data}
        return {"jsonrpc": "2.0", "id": None, "error": error}


BAD_REQUEST = Refusal(400, "bad_request", "A header that a request has once stands in it twice.", "Send it once.")
NEEDS_TOKEN = Refusal(
    401,
    "token_needed",
    "This server wants a token that counts; what was sent is none, or it is unknown, expired or revoked.",
    "Send the header Authorization: Bearer TOKEN. The person makes a token: mailstop token create SEAT",
    "Bearer",
)
FOREIGN_ORIGIN = Refusal(
    403,
    "origin_refused",
    "Pages of this origin may not call this server.",
    "The person may allow it: MAILSTOP_HTTP_ALLOWED_ORIGINS=https://NAME, where the server is started",
)
TOO_SLOW = Refusal(408, "too_slow", f"The body did not come within {BODY_S:g} seconds.", "Send it again.")
TOO_LARGE = Refusal(
    413, "too_large", f"The body has more than {LONGEST_BODY} bytes.", "Put what is large into a file, and name that."
)
TOO_MANY = Refusal(
    413, "too_many_items", f"The body is JSON of more than {MOST_ITEMS} items.", "Send fewer in one request."
)
OTHER_ENCODING = Refusal(400, "not_utf8", "The body is no text in UTF-8.", "Send JSON in UTF-8.")
UNWANTED_BODY = Refusal(400, "unwanted_body", "A request by this method has no body.", "Send it without.")
FOREIGN_HOST = Refusal(
    421,
    "host_refused",
    "This server is not called that.",
    "Use its address, or the person may allow the name: MAILSTOP_HTTP_ALLOWED_HOSTS=NAME, where the server is started",
)
LONG_HEADERS = Refusal(
    431,
    "headers_too_large",
    f"The headers are more than {MOST_HEADERS}, or have more than {LONGEST_HEADERS} bytes.",
    "Send fewer.",
)
BUSY = Refusal(503, "busy", "Too much is being read at once.", "Try again in a moment.")
NO_STORE = Refusal(503, "store_unavailable", "The store cannot be asked now.", "Try again in a moment.")


class Refused(Exception):
    """A request is not let in."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.code)


class Gone(Exception):
    """The client hung up before its request was complete."""


class Gate:
    """ASGI middleware around a server.

    app: the server. loopback: whether it is bound to an address that only this machine's processes reach. longest_body:
    bytes. body_s: seconds. refused: told the code of each refusal.
    """

    def __init__(
        self,
        app: App,
        bearers: Bearers,
        allowed: Allowed,
        *,
        loopback: bool,
        longest_body: int = LONGEST_BODY,
        body_s: float = BODY_S,
        refused: Callable[[str], None] = lambda code: None,
    ) -> None:
        self._app = app
        self._bearers = bearers
        self._allowed = allowed
        self._loopback = loopback
        self._longest_body = longest_body
        self._body_s = body_s
        self._held = 0  # bytes of bodies
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        arrived = time.monotonic_ns()  # before a body that takes its time: what came meanwhile, its sender did not know
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "there is nothing here for WebSockets"})
            return
        try:
            admission = await self._admitted(scope)
            body = await self._body(scope, receive)
        except Refused as refused:
            await self._refuse(refused.refusal, scope, receive, send)
            return
        except Gone:
            return
        exchange = Exchange(self._bearers, admission, scope, body, self._let_go, receive, send)
        inner: Scope = {
            **scope,
            BEARER: admission.bearer,
            ARRIVED: arrived,
            CUT_OFF: exchange.cut_off,
            "headers": _without_token(scope["headers"]),
        }
        try:
            await self._app(inner, exchange.receive, exchange.send)
        finally:
            exchange.take_body()

    # -- who is let in

    async def _admitted(self, scope: Scope) -> Admission:
        """Who sends a request. Raises Refused."""
        headers = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MOST_HEADERS or size > LONGEST_HEADERS or len(scope.get("raw_path") or b"") > LONGEST_HEADERS:
            raise Refused(LONG_HEADERS)
        looks = scope["method"] in LOOKING
        if looks and scope["path"] == HEALTH:  # it says that it is well, or not, and that to everybody
            return _NOBODY
        self._refuse_misled(scope)
        if looks and scope["path"] == METRICS and self._loopback:
            return _NOBODY
        try:
            admission = await self._bearers.admitted(_all(headers, b"authorization"))
        except StoreUnavailable as error:
            log.warning("%s is refused: %s", _client(scope), error.message)
            raise Refused(NO_STORE) from None
        if admission.refused:
            _log_refused(scope, admission)
            raise Refused(NEEDS_TOKEN)
        return admission

    def _refuse_misled(self, scope: Scope) -> None:
        """Raise Refused for a request that is meant for another server, or comes from another's page."""
        hosts, origins = _all(scope["headers"], b"host"), _all(scope["headers"], b"origin")
        if len(hosts) > 1 or len(origins) > 1:
            raise Refused(BAD_REQUEST)
        host = hosts[0].decode("latin-1") if hosts else ""
        if not self._allowed.is_host(host):
            log.warning("%s is refused: it calls this server %s", _client(scope), _quoted(host))
            raise Refused(FOREIGN_HOST)
        origin = origins[0].decode("latin-1") if origins else None
        if origin is not None and not self._allowed.is_origin(origin, host):
            log.warning("%s is refused: a page of %s", _client(scope), _quoted(origin))
            raise Refused(FOREIGN_ORIGIN)

    # -- bodies

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body of a request, however it is sent. Raises Refused, Gone."""
        longest, too_large = self._longest_body, TOO_LARGE
        if scope["method"] not in WITH_BODY:  # there nobody would read it
            longest, too_large = 0, UNWANTED_BODY
        for length in _all(scope["headers"], b"content-length"):
            if not length.isdigit() or int(length[:20]) > longest:
                raise Refused(too_large if length.isdigit() else BAD_REQUEST)
        pieces: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Gone
                    piece = message.get("body", b"")
                    size += len(piece)
                    self._held += len(piece)
                    if size > longest:
                        raise Refused(too_large)
                    if self._held > MOST_HELD:
                        raise Refused(BUSY)
                    pieces.append(piece)
                    if not message.get("more_body", False):
                        break
            body = b"".join(pieces)
            _refuse_dense(body)
            return body
        except TimeoutError:
            self._held -= size
            raise Refused(TOO_SLOW) from None
        except BaseException:
            self._held -= size
            raise

    def _let_go(self, size: int) -> None:
        """So many bytes of bodies are no longer held here."""
        self._held -= size

    # -- refusals

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a refusal, and end the connection, on which the rest of the request may still come."""
        self._refused(refusal.code)
        start, body = _answer(refusal)
        await send(start)
        shown = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": shown, "more_body": True})
        if _has_body(scope):
            await _linger(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def gated(
    app: App,
    at_store: AtStore,
    refused: Callable[[str], None],
    *,
    host: str,
    shared: SharedToken | None,
    environment: Mapping[str, str],
    had_tokens: bool = False,
) -> Gate:
    """The gate around a server that is bound to `host`, as it is by default and as the environment adds to it.

    at_store, shared: see Bearers. had_tokens: whether a token is known to have been created. refused: see
    Gate. Raises UnusableAddress.
    """
    loopback = is_loopback(host)
    bearers = Bearers(at_store, shared=shared, open_without=loopback and not had_tokens)
    return Gate(app, bearers, Allowed.of(host, environment), loopback=loopback, refused=refused)


class Exchange:
    """A request that was let in, and its answer.

    An answer that was long in the making, or goes on for long, ends when the token under which it was asked for counts
    no longer: a client whose token was revoked is told nothing more, from a second later on.

    let_go: told how many bytes the server has taken, or nobody will. cut_off: set once nothing more is written.
    """

    def __init__(
        self,
        bearers: Bearers,
        admission: Admission,
        scope: Scope,
        body: bytes,
        let_go: Callable[[int], None],
        receive: Receive,
        send: Send,
    ) -> None:
        self._bearers = bearers
        self._scope = scope
        self._body: bytes | None = body
        self._let_go = let_go
        self._receive = receive
        self._send = send
        bearer = admission.bearer
        # Also where no token is needed: that may end while an answer goes on.
        self._may_end = admission is not _NOBODY and (bearer is None or bearer.kind != SHARED)
        self._streams = False
        self._looked = time.monotonic()
        self.cut_off = asyncio.Event()

    def take_body(self) -> bytes:
        """The body, once."""
        body, self._body = self._body or b"", None
        self._let_go(len(body))
        return body

    async def receive(self) -> Message:
        """What the server reads: the body, at once and whole, then that the client is gone. An answer that is cut off
        is complete, after which that is read too (https://asgi.readthedocs.io/en/latest/specs/www.html)."""
        if self._body is not None:
            return {"type": "http.request", "body": self.take_body(), "more_body": False}
        return await self._receive()

    async def send(self, message: Message) -> None:
        """What the server writes."""
        if self.cut_off.is_set():
            return
        if message["type"] == "http.response.start":
            if self._may_end and not await self._counts_still():
                self.cut_off.set()
                start, body = _answer(NEEDS_TOKEN)
                await self._send(start)
                await self._send({"type": "http.response.body", "body": body, "more_body": False})
                return
            kinds = _all(message.get("headers", ()), b"content-type")
            self._streams = self._may_end and any(kind.startswith(b"text/event-stream") for kind in kinds)
        elif self._streams and message.get("body") and not await self._counts_still():
            self.cut_off.set()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    async def _counts_still(self) -> bool:
        if time.monotonic() - self._looked < BELIEVED_S:
            return True
        self._looked = time.monotonic()
        try:
            admission = await self._bearers.admitted(_all(self._scope["headers"], b"authorization"))
        except StoreUnavailable:  # that says nothing about the token
            return True
        if admission.refused:
            _log_refused(self._scope, admission)
        return not admission.refused


def _refuse_dense(body: bytes) -> None:
    """Raise Refused for JSON that the server would be long busy with, as it takes its items one by one.

    What stands within strings does not count, and neither does how long they are.
    """
    if b"\0" in body or body.startswith((b"\xff\xfe", b"\xfe\xff")):  # in UTF-16, bytes look like quotes that are none
        raise Refused(OTHER_ENCODING)
    without_escapes = body.replace(rb"\\", b"__").replace(rb"\"", b"__")
    if without_escapes.count(b'"') > 4 * MOST_ITEMS:  # a name and a string for each of them
        raise Refused(TOO_MANY)
    outside = b"".join(without_escapes.split(b'"')[::2])
    if sum(outside.count(begin) for begin in (b",", b"[", b"{")) > MOST_ITEMS:
        raise Refused(TOO_MANY)


def _answer(refusal: Refusal) -> tuple[Message, bytes]:
    """A refusal as the start of an answer, and as its body."""
    body = (dumps(refusal.as_error()) + "\n").encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    if refusal.challenge:
        headers.append((b"www-authenticate", refusal.challenge.encode()))
    return {"type": "http.response.start", "status": refusal.status, "headers": headers}, body


def _log_refused(scope: Scope, admission: Admission) -> None:
    """Say in the log which token was refused, by its id, and why: never what was sent."""
    if admission.refused == MISSING:
        log.warning("%s is refused: it sends no token", _client(scope))
    elif admission.known:
        log.warning("%s is refused: token %s is %s", _client(scope), admission.known, admission.refused)
    else:
        log.warning("%s is refused: its token is %s", _client(scope), admission.refused)


async def _linger(receive: Receive) -> None:
    """Read on for a while what is thrown away, so that the client gets to read its answer."""
    size = 0
    try:
        async with asyncio.timeout(LINGER_S):
            while size < MOST_LINGERING:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
                size += len(message.get("body", b""))
    except TimeoutError:
        return


def _has_body(scope: Scope) -> bool:
    """Whether a body follows the headers of a request."""
    headers = scope["headers"]
    lengths = _all(headers, b"content-length")
    return bool(_all(headers, b"transfer-encoding")) or any(length.strip(b"0") for length in lengths)


def _all(headers: Any, name: bytes) -> list[bytes]:
    """The values of all headers of a name, in small letters."""
    return [value for key, value in headers if key.lower() == name]


def _without_token(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(key, value) for key, value in headers if key.lower() not in (b"authorization", b"proxy-authorization")]


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "a client"


def _quoted(text: str) -> str:
    return f'"{in_quotes(text, 100)}"'
