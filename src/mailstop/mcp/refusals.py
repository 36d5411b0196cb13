"""Refusals: what an error is for a model that calls tools. The one place where the tree of errors becomes that.

`code` and `message` are the error's own; `next` is the call to make instead, as tool and arguments, or null where no
call helps. Words in capitals are for the caller to fill in. What a message says of a shell is left out, unless it is
for the person to type.
"""

from __future__ import annotations

from mailstop.cleaning import plain_line
from mailstop.errors import filled
from mailstop.mcp import tools
from mailstop.mcp.tools.tool import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mailstop.errors import MailstopError

    Arguments = Mapping[str, Any]
    Next = dict[str, Any] | None
    Instead = Callable[[MailstopError, str, Arguments], Next]

LONGEST_REPEATED = 1_000  # bytes of an argument that the next call repeats
LONGEST_MESSAGE = 2_000  # characters
JOIN = "the tool me with action join and a name"
CLAIM, LEAD = "mailstop lead claim", "the tool lead with action claim"

# What a sentence holds that says how to go on in a shell, and the details that may hold such sentences, or end so.
_OF_A_SHELL = (": mailstop ", ": --", "leave --", "{asking}", "{writing}")
_ADVISING = ("advice", "first", "nearest", "others", "problem")
_ENDING = ("missing", "listed")  # which also quote what was asked for
_SEE = "see: mailstop "

_TEXTS = ("body", "resources")  # arguments that are never repeated: the caller has them
_FILLED: dict[str, Any] = {"body": "BODY", "resources": ["PATH"]}


def refusal(error: MailstopError, tool: str, arguments: Arguments) -> dict[str, Any]:
    """What a model is told of an error that a call of a tool met."""
    short = {name: value for name, value in arguments.items() if name in _TEXTS or size(value) <= LONGEST_REPEATED}
    message = plain_line(_message(error))
    if len(message) > LONGEST_MESSAGE:  # it names all that was wrong, of a list that somebody chose
        message = f"{message[:LONGEST_MESSAGE]}…"
    return {"code": error.code, "message": message, "next": _next(error, tool, short)}


def decided(kind: type[MailstopError]) -> bool:
    """Whether it is decided, for errors of just this kind, what call helps, or that none does."""
    return kind.__name__ in _INSTEAD


def _message(error: MailstopError) -> str:
    """The error's message without what it says of a shell; where that would give a seat, with the call that does."""
    details = {name: _detail(name, value) if isinstance(value, str) else value for name, value in error.details.items()}
    if "command" in details and _gives_a_seat(error):
        details["command"] = JOIN
    elif details.get("command") == CLAIM:  # the person's own names a seat
        details["command"] = LEAD
    text = filled(_without_shell(" ".join((type(error).__doc__ or "").split())), details)
    return " ".join(text.replace(" ()", "").split())


def _gives_a_seat(error: MailstopError) -> bool:
    names = [kind.__name__ for kind in type(error).__mro__]
    return any(name in names for name in ("MustJoin", "UnknownBag", "StoreAbsent", "StoreGone"))


def _detail(name: str, text: str) -> str:
    """A detail as a message for a model takes it."""
    if name in _ADVISING:
        return _without_shell(text)
    if name in _ENDING:
        return _without_ending(text)
    return _without_brackets(text) if name == "reason" else text


def _without_ending(text: str) -> str:
    """A piece of a sentence without the command at its end. What it quotes before that stays as it is."""
    if text.startswith(_SEE):
        return ""
    before, found, _ = text.rpartition(f" ({_SEE}")
    return before if found and text.endswith(")") else text


def _without_brackets(text: str) -> str:
    """A text of ours without commands in brackets."""
    parts = text.split(" (mailstop ")
    return "".join([parts[0], *(part.partition(")")[2] for part in parts[1:])])


def _without_shell(text: str) -> str:
    """A text of ours without the sentences that end in a command, and without commands in brackets. What the person is
    told to type stays: it is for them, as mailstop doctor is."""
    kept = [
        each
        for each in text.split(". ")
        if "person" in each or "mailstop doctor" in each or not any(mark in each for mark in _OF_A_SHELL)
    ]
    bare = _without_brackets(". ".join(kept))
    lost = len(kept) < len(text.split(". ")) and bare and not bare.rstrip().endswith((".", "}"))
    return f"{bare}." if lost else bare


def _next(error: MailstopError, tool: str, arguments: Arguments) -> Next:
    for kind in type(error).__mro__:  # from the special to the general
        if kind.__name__ in _INSTEAD:
            return _INSTEAD[kind.__name__](error, tool, arguments)
    return None


# -- calls -----------------------------------------------------------------------------------------------------------


def _call(tool: str, **arguments: Any) -> Next:
    return {"tool": tool, "arguments": arguments}


def _in_bag(arguments: Arguments) -> dict[str, Any]:
    """The bag that a call named, for the next one."""
    return {"bag": arguments["bag"]} if "bag" in arguments else {}


def _without(arguments: Arguments, *names: str) -> dict[str, Any]:
    """The arguments that need not be repeated in full, and not these. A text is the caller's to say again."""
    kept = {name: value for name, value in arguments.items() if name not in (*names, *_TEXTS)}
    return {**kept, **{name: _FILLED[name] for name in _TEXTS if name in arguments and name not in names}}


def _again(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
    return _call(tool, **_without(arguments))


def _nothing(_error: MailstopError, _tool: str, _arguments: Arguments) -> Next:
    """No call helps, and that is meant so."""
    return None


def _fixed(tool: str, **arguments: Any) -> Instead:
    return lambda _error, _tool, _given: _call(tool, **arguments)


def _fixed_in_bag(tool: str, **arguments: Any) -> Instead:
    return lambda _error, _tool, given: _call(tool, **arguments, **_in_bag(given))


def _with(name: str, value: Any) -> Instead:
    """The same call with another value; of a tool that takes none of that name, nothing."""

    def instead(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
        known = tools.find(tool)
        if known is None or name not in known.properties:
            return None
        return _call(tool, **{**_without(arguments), name: value})

    return instead


def _without_bag(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
    return _call(tool, **_without(arguments, "bag"))


def _of(tool: str, detail: str = "n", as_: str = "number", **arguments: Any) -> Instead:
    """A call about the number that the error names."""
    return lambda error, _tool, _given: _call(tool, **{as_: error.details[detail]}, **arguments)


def _on_answered(error: MailstopError, tool: str, _given: Arguments) -> Next:
    """The asker reads the answer; whoever else comes too late writes a letter."""
    if tool == "ask":
        return _call("read", number=error.details["answer"])
    return _call("send", ref=error.details["n"], body="BODY")


def _on_canceled(error: MailstopError, tool: str, _given: Arguments) -> Next:
    if tool == "ask":
        return _call("read", number=error.details["n"])
    return _call("send", ref=error.details["n"], body="BODY")


def _looked_up(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
    """Whether it was stored can be told only with a key, or by a look."""
    if "key" in arguments:
        return _call(tool, **_without(arguments))
    return _call("read", **_in_bag(arguments))


def _unnamed(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
    if tool == "me" and arguments.get("action") == "join":
        return _call("me", action="join", name="NAME", **_in_bag(arguments))
    return _call("me") if tool == "me" else _call("who", all=True)


def _unanswerable(_error: MailstopError, _tool: str, arguments: Arguments) -> Next:
    return _call("read", number=arguments["ref"]) if "ref" in arguments else _call("read")


def _wakes(error: MailstopError, tool: str, arguments: Arguments) -> Next:
    return _with("wake_all", error.details["count"])(error, tool, arguments)


def _waits(_error: MailstopError, tool: str, arguments: Arguments) -> Next:
    """Take it as soon as it is free; whoever only renews or releases looks who has it."""
    if tool == "lease" and arguments.get("action") == "take":
        return _call("lease", **{**_without(arguments), "wait": 45})
    return _call("lease", action="list")


_ANOTHER_SEAT = _fixed_in_bag("who", all=True)
_JOINED = _fixed_in_bag("me", action="join", name="NAME")
_SHOWN = _of("task", action="show")
_LEASES = _fixed("lease", action="list")

# By the name of the class, so that none of them needs to be loaded. What hangs below one has its decision.
_INSTEAD: dict[str, Instead] = {
    # names, callers and seats
    "InvalidName": _unnamed,
    "ReservedName": _unnamed,
    "PersonOnly": _nothing,
    "DoubtfulCaller": _nothing,
    "PersonHasNoSession": _nothing,
    "SessionMoved": _fixed("me"),
    "SessionOver": _JOINED,
    "MustJoin": _JOINED,
    "SeatWasLeft": _fixed_in_bag("read"),  # the person said so, or another did
    "SeatWasTaken": _JOINED,
    "SeatTaken": _ANOTHER_SEAT,
    "SeatLost": _JOINED,
    "NotSeated": _fixed("me"),
    "NoConnection": _nothing,
    "TokenOfOtherSeat": _fixed("me"),
    "PersonStays": _nothing,
    "UnknownSeat": _ANOTHER_SEAT,
    "UnknownBag": _fixed("who", all=True),
    # letters
    "OwnSeat": _fixed("me"),
    "OwnPost": _fixed("who"),
    "InvalidBody": _again,
    "BodyTooLarge": _with("artifacts", ["PATH"]),
    "InvalidKind": _again,
    "InvalidField": _again,
    "KeyReused": _with("key", "ANOTHER KEY"),
    "NoReply": _unanswerable,
    "UnknownNumber": _fixed("read"),
    "OtherBag": _without_bag,
    # channels
    "ChannelStays": _nothing,
    "NotSubscribed": _fixed_in_bag("me"),
    "TooManyChannels": _fixed_in_bag("me", action="unsubscribe", name="CHANNEL"),
    "NoProjectChannel": _with("to", "#general"),
    "WakesMany": _wakes,
    "UnknownChannel": _fixed_in_bag("me"),
    # questions
    "NotAQuestion": _of("send", as_="ref", body="BODY"),
    "NotAsked": _of("send", as_="ref", body="BODY", to="SEAT"),
    "AlreadyAnswered": _on_answered,
    "AskCanceled": _on_canceled,
    "NoChoices": _of("answer", body="BODY"),
    "NotOneOfTheChoices": _of("read"),  # which shows them: none is the one to take
    "WouldWaitInCircle": _with("wait", 0),
    "WaitsInCircle": _fixed("check"),
    "UnknownQuestion": _fixed("ask", action="list"),
    # tasks
    "TaskOver": _SHOWN,
    "TaskMoved": _SHOWN,
    "TaskTaken": _fixed_in_bag("task", action="list", whose="pool"),
    "TaskStays": _SHOWN,
    "TaskInState": _of("task", action="progress", body="BODY"),
    "NotTaskGiver": _SHOWN,
    "OtherPool": _fixed_in_bag("task", action="list", whose="pool"),
    "TaskKeyReused": _with("key", "ANOTHER KEY"),
    "TaskContended": _again,
    "UnknownPool": _fixed("who", all=True),
    "UnknownTask": _fixed("task", action="list"),
    "TaskInOtherBag": _without_bag,
    "EmptyPool": _fixed_in_bag("task", action="list"),
    "TaskUncertain": _SHOWN,
    # leases
    "InvalidResource": _again,
    "InvalidLease": _again,
    "LeaseTaken": _waits,
    "LeaseStillTaken": _waits,
    "LeasesInCircle": _with("wait", 0),
    "LeaseOfOthers": _LEASES,
    "StaleTerm": _LEASES,
    "LeasesMove": _again,
    "UnknownLease": _fixed("lease", action="list", mine=True),
    "NoLease": _fixed("lease", action="take", resources=["PATH"]),
    "LeaseUncertain": _again,
    # leaders
    "ProjectLed": _fixed_in_bag("send", to="leader", body="BODY"),
    "NotLeading": _fixed_in_bag("lead"),
    "StaleLeader": _fixed_in_bag("lead"),
    "NobodyThere": _fixed_in_bag("who"),
    "NoProject": _nothing,
    "NoLeader": _fixed_in_bag("lead"),
    "SeveralLeaders": _fixed_in_bag("lead"),
    "UnknownProject": _fixed("who", all=True),
    # budgets and brakes: the person decides
    "BudgetSpent": _nothing,
    "NoBudget": _nothing,
    "NoBudgetOpen": _nothing,
    "TooManyHops": _nothing,
    "TooFast": _again,
    # the store, and faults
    "StoreAbsent": _JOINED,
    "StoreBusy": _again,
    "StoreReplaced": _again,
    "StoreDamaged": _nothing,
    "StoreNewer": _nothing,
    "StoreFull": _nothing,
    "StoreSealed": _nothing,
    "StoreExposed": _nothing,
    "StoreGone": _nothing,
    "NetworkFileSystem": _nothing,
    "InvalidStore": _nothing,
    "DoubtfulStore": _nothing,
    "StateUnavailable": _nothing,
    "StoreUnavailable": _nothing,
    "Uncertain": _looked_up,
    "Failed": _nothing,
    "FailedInDoubt": _looked_up,
    "InvalidArguments": _nothing,  # the message says what the tool takes
}
