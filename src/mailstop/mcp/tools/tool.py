"""Tool: what a model is told of one, and what its calls and answers are, whatever carries them."""

from __future__ import annotations

from mailstop.config import DELIVERY_BYTES
from mailstop.json_text import dumps
from mailstop.mcp.schema import checked_ranges
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.office import Office
    from mailstop.rules.offers import Offer
    from mailstop.rules.seats import Seated

TEXT: Mapping[str, Any] = {"type": "string"}
FLAG: Mapping[str, Any] = {"type": "boolean"}
NUMBER: Mapping[str, Any] = {"type": "integer"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": TEXT}


class Call(Record):
    """A call of a tool. arguments: as the tool's schema wants them.

    seat: takes a seat for the caller, whose session it writes down where nobody has yet: the name and the bag.
    turn: the client's id of the turn, empty where it tells none.
    """

    office: Office
    arguments: Mapping[str, Any]
    seat: Callable[[str, str], Seated]
    turn: str = ""

    def given(self, name: str, otherwise: Any = None) -> Any:
        """An argument, or what counts without it."""
        return self.arguments.get(name, otherwise)


class Answer(Record):
    """What a tool says. data: for the client, by the tool's output schema, and what Claude Code and Codex show their
    models. text: the same for a client that shows texts.

    offer: the letters it holds, to be recorded as handed once it is written whole.
    """

    data: dict[str, Any]
    text: str
    offer: Offer | None = None


class Later(Record):
    """There is no answer yet. look: asked again at each ring of the caller's bell, and a last time when it is over.

    seconds: how long at most. look gets the call as it is then, and whether it is the last time; None is: not yet.
    bell: on which it is rung too, where that is not the caller's. ends: asked before each sleep: descriptors that
    become readable, and the seconds, if any, after which to look again. over: told once, when nobody waits any more:
    answered, refused, cancelled, or the client is gone; with the caller's office as it is then, None where it cannot be
    had. Whoever carries calls asks and tells all of these from where the calls themselves run.
    """

    look: Callable[[Call, bool], Answer | None]
    seconds: float
    bell: str = ""
    ends: Callable[[], tuple[Sequence[int], float | None]] | None = None
    over: Callable[[Office | None], None] | None = None


class Tool(Record):
    """A tool. act: what it does. properties, required: of its input. ranges: the least and the most of its numbers,
    which a call has to keep and no schema says: each would cost a model ten tokens. always: the properties that each of
    its answers has. reads_only: it changes nothing. again: calling it twice does no more than once. stores: whether it
    may be in doubt, after a fault, that something was stored. delivers: its answers are letters that wait.
    """

    name: str
    description: str
    act: Callable[[Call], Answer | Later]
    properties: Mapping[str, Mapping[str, Any]] = {}
    required: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[int, int]] = {}
    always: tuple[str, ...] = ()
    reads_only: bool = False
    again: bool = False
    stores: bool = False
    delivers: bool = False

    def run(self, call: Call) -> Answer | Later:
        """Do what a call says. Raises InvalidArguments for a number out of its range, and what the office raises."""
        checked_ranges(call.arguments, self.ranges, self.name)
        return self.act(call)

    @property
    def input_schema(self) -> dict[str, Any]:
        """What its arguments have to be."""
        schema = {"type": "object", "properties": self.properties, "additionalProperties": False}
        return {**schema, "required": list(self.required)} if self.required else schema

    @property
    def described(self) -> dict[str, Any]:
        """What a client is told of it. The world of all of them is the store; none destroys anything.

        Of the hints those are left out that say what counts without them: a model may be shown all of this.
        """
        hints = {"readOnlyHint": True} if self.reads_only else {"destructiveHint": False}
        if self.again and not self.reads_only:
            hints["idempotentHint"] = True
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": {"type": "object", "required": list(self.always)},
            "annotations": {**hints, "openWorldHint": False},
        }


ROOM = DELIVERY_BYTES - 100  # bytes of an answer; the rest is for the line that says how many letters wait


def size(data: Any) -> int:
    """How many bytes a model is shown of these data."""
    return len(dumps(data).encode("utf-8", "backslashreplace"))


def as_many_as_fit(items: list[Any], composed: Callable[[list[Any]], Any]) -> list[Any]:
    """The first of these items, as many as fit into one answer. composed: the data that hold so many."""
    if size(composed(items)) <= ROOM:
        return items
    fits, too_many = 0, len(items) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if size(composed(items[:middle])) <= ROOM:
            fits = middle
        else:
            too_many = middle
    return items[:fits]
