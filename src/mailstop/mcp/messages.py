"""Messages: JSON-RPC 2.0, what a line means and what is answered.

A message that is none is refused under its own id where that can be read, else under `null`, and the next line is
served as if nothing had been.
"""

from __future__ import annotations

from mailstop.json_text import loads
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Id = str | int | None

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_PROTOCOL_VERSION = -32022  # protocol 2026-07-28


class Fault(Exception):
    """A request that cannot be served, as the protocol says it. id: of the request; None where none can be read."""

    def __init__(self, code: int, message: str, data: Any = None, *, id: Id = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id


class Request(Record):
    """A request, or a notification: that has no id and gets no answer. meta: its `_meta`."""

    method: str
    params: dict[str, Any]
    id: str | int | None = None
    arrived: int = 0

    @property
    def meta(self) -> dict[str, Any]:
        """What client and server say to each other beside the parameters."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def value_of(line: bytes) -> Any:
    """The JSON value of a line. Raises Fault."""
    try:
        return loads(line)
    except UnicodeDecodeError:
        raise Fault(PARSE_ERROR, "the line is not UTF-8", id=_id_in(line)) from None
    except ValueError as error:
        raise Fault(PARSE_ERROR, str(error)) from None


def _id_in(line: bytes) -> Id:
    """The id of a request whose text is damaged."""
    try:
        return id_of(loads(line.decode("utf-8", "replace")))
    except ValueError:
        return None


def request_of(value: Any, arrived: int) -> Request | None:
    """The request or notification that a value is; None for an answer, of which none is awaited. Raises Fault."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, 'no JSON-RPC message: it needs "jsonrpc": "2.0"', id=id_of(value))
    method = value.get("method")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    if not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "the method of a message is a text", id=id_of(value))
    if "id" in value and id_of(value) is None:
        raise Fault(INVALID_REQUEST, "the id of a request is a text or a whole number")
    params = value.get("params")
    if params is not None and not isinstance(params, dict):
        if "id" not in value:
            return None  # a notification gets no answer, not even this one
        raise Fault(INVALID_PARAMS, "params is an object", id=id_of(value))
    return Request(method, params or {}, id_of(value), arrived)


def id_of(value: Any) -> Id:
    """The id of a message; None where it has none that counts."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) or (isinstance(found, int) and not isinstance(found, bool)) else None


def result(id: Id, value: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(fault: Fault, id: Id = None) -> dict[str, Any]:
    """The answer to a request that cannot be served."""
    value: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        value["data"] = fault.data
    return {"jsonrpc": "2.0", "id": fault.id if id is None else id, "error": value}


def notification(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """What is said to the client unasked."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
