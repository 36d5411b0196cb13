"""Refusals: what an error is for a model that calls tools. The one place where the tree of errors becomes that.

`code` and `message` are the error's own; `next` is the call to make instead, as tool and arguments, or null where no
call helps. Words in capitals are for the caller to fill in.
"""

from __future__ import annotations

from mailstop.cleaning import plain_line
from mailstop.errors import (
    BodyTooLarge,
    DoubtfulCaller,
    InvalidArguments,
    InvalidBody,
    InvalidField,
    InvalidKind,
    InvalidName,
    KeyReused,
    MustJoin,
    NoReply,
    NotSeated,
    OtherBag,
    OwnSeat,
    ReservedName,
    SeatLost,
    SeatTaken,
    SeatWasLeft,
    StoreAbsent,
    StoreBusy,
    StoreGone,
    Uncertain,
    UnknownBag,
    UnknownNumber,
    UnknownSeat,
)
from mailstop.mcp import tools
from mailstop.mcp.tools.tool import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mailstop.errors import MailstopError

    Arguments = Mapping[str, Any]
    Next = dict[str, Any] | None

LONGEST_REPEATED = 1_000  # bytes of an argument that the next call repeats
LONGEST_MESSAGE = 2_000  # characters
JOIN = "the tool me with action join and a name"


def refusal(error: MailstopError, tool: str, arguments: Arguments) -> dict[str, Any]:
    """What a model is told of an error that a call of a tool met."""
    short = {name: value for name, value in arguments.items() if name == "body" or size(value) <= LONGEST_REPEATED}
    message = plain_line(_message(error))
    if len(message) > LONGEST_MESSAGE:  # it names all that was wrong, of a list that somebody chose
        message = f"{message[:LONGEST_MESSAGE]}…"
    return {"code": error.code, "message": message, "next": _next(error, tool, short)}


def _message(error: MailstopError) -> str:
    """The error's message; where it names a command of the shell that gives a seat, the call that does."""
    if not isinstance(error, (MustJoin, UnknownBag, StoreAbsent, StoreGone)):
        return error.message
    return type(error)(**{**error.details, "command": JOIN}).message


def _next(error: MailstopError, tool: str, arguments: Arguments) -> Next:
    for kind, instead in _INSTEAD:
        if isinstance(error, kind):
            return instead(tool, arguments)
    return None


def _call(tool: str, **arguments: Any) -> Next:
    return {"tool": tool, "arguments": arguments}


def _in_bag(arguments: Arguments) -> dict[str, Any]:
    """The bag that a call named, for the next one."""
    return {"bag": arguments["bag"]} if "bag" in arguments else {}


def _without(arguments: Arguments, *names: str) -> dict[str, Any]:
    """The arguments that need not be repeated in full, and not these. A body is the caller's to say again."""
    kept = {name: value for name, value in arguments.items() if name not in (*names, "body")}
    return {**kept, "body": "BODY"} if "body" in arguments else kept


def _again(tool: str, arguments: Arguments) -> Next:
    return _call(tool, **_without(arguments))


def _with(tool: str, arguments: Arguments, name: str, value: Any) -> Next:
    """The same call with another value; of a tool that takes none of that name, nothing."""
    known = tools.find(tool)
    return _call(tool, **{**_without(arguments), name: value}) if known and name in known.properties else None


def _looked_up(tool: str, arguments: Arguments) -> Next:
    """Whether it was stored can be told only with a key, or by a look."""
    if "key" in arguments:
        return _again(tool, arguments)
    return _call("read", **_in_bag(arguments))


def _joined(_tool: str, arguments: Arguments) -> Next:
    return _call("me", action="join", name="NAME", **_in_bag(arguments))


# From the special to the general: the first that fits counts.
_INSTEAD: tuple[tuple[type[MailstopError] | tuple[type[MailstopError], ...], Callable[[str, Arguments], Next]], ...] = (
    (SeatWasLeft, lambda _tool, given: _call("read", **_in_bag(given))),  # the person said so, or another did
    ((MustJoin, SeatLost, StoreAbsent), _joined),
    ((SeatTaken, UnknownSeat), lambda _tool, given: _call("who", all=True, **_in_bag(given))),
    (UnknownBag, lambda _tool, _given: _call("who", all=True)),
    ((InvalidName, ReservedName), lambda tool, given: _joined(tool, given) if tool == "me" else _call("who", all=True)),
    (UnknownNumber, lambda _tool, _given: _call("read")),
    (OtherBag, lambda tool, given: _call(tool, **_without(given, "bag"))),
    ((OwnSeat, NotSeated), lambda _tool, _given: _call("me")),
    (NoReply, lambda _tool, given: _call("read", number=given["ref"]) if "ref" in given else _call("read")),
    (KeyReused, lambda tool, given: _with(tool, given, "key", "ANOTHER KEY")),
    (BodyTooLarge, lambda tool, given: _with(tool, given, "artifacts", ["PATH"])),
    ((InvalidBody, InvalidKind, InvalidField), _again),
    (StoreBusy, _again),
    (Uncertain, _looked_up),
    (InvalidArguments, lambda _tool, _given: None),
    (DoubtfulCaller, lambda _tool, _given: None),
)
