"""Errors: one tree; each class's docstring is the message a caller reads, its fields filled in.

A message says what was wrong, what holds now, and what to type next. Faces turn a class into an exit code, an MCP
error or an HTTP code in one place each.

Here are the branches. What hangs on them lies in a file for each subject, which is loaded when an error of it is first
named: `errors.KeyReused`, or `from mailstop.errors import KeyReused` where that costs nobody anything. Making so many
classes takes longer than a query.
"""

from __future__ import annotations

from mailstop.times import clock_text, iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mailstop.errors.asks import *
    from mailstop.errors.budgets import *
    from mailstop.errors.channels import *
    from mailstop.errors.exports import *
    from mailstop.errors.faults import *
    from mailstop.errors.imports import *
    from mailstop.errors.lanes import *
    from mailstop.errors.leaders import *
    from mailstop.errors.leases import *
    from mailstop.errors.letters import *
    from mailstop.errors.names import *
    from mailstop.errors.resident import *
    from mailstop.errors.seats import *
    from mailstop.errors.setup import *
    from mailstop.errors.stores import *
    from mailstop.errors.tasks import *
    from mailstop.errors.tokens import *
    from mailstop.errors.tools import *

WHERE = "where"  # the bag, as names.in_bag says it
_IN_BAG, _BAG = " in bag ", "default"
TIMES = ("since",)

# Pieces of sentences, and the details that say the same to a program; nothing where a piece says what to do, or only
# puts into words what the class is.
PIECES: dict[str, tuple[str, ...]] = {
    "act": (),
    "advice": (),
    "around": ("circle", "waits"),
    "asking": (),
    "busy": ("holder",),
    "ender": ("by",),
    "first": (),
    "gone": ("reason",),
    "held": ("taken",),
    "holding": ("holder",),
    "instead": ("seat",),
    "listed": ("nearest",),
    "look": (),
    "loser": ("seat",),
    "lost": ("task",),
    "meant": ("nearest",),
    "missing": ("nearest",),
    "named": ("known",),
    "now": ("taken",),
    "offered": ("choices",),
    "option": (),
    "others": ("leaders",),
    "owner": ("giver",),
    "place": ("holder",),
    "problem": (),
    "standing": ("taken",),
    "still": ("seconds",),
    "told": ("leaders",),
    "who": (),
    "whom": ("project",),
    "woken": ("readers",),
    "writing": (),
}


class _Words:
    """Details as a sentence takes them."""

    def __init__(self, details: Mapping[str, Any]) -> None:
        self._details = details

    def __getitem__(self, field: str) -> Any:
        name, _, what = field.partition(" ")
        value = self._details[name]
        if what:
            return counted(value, what)
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return clock_text(value) if name in TIMES and isinstance(value, int) else value


def filled(text: str, details: Mapping[str, Any]) -> str:
    """The text of a message with the details filled in. See `MailstopError.message`."""
    return text.format_map(_Words(details))


class MailstopError(Exception):
    """Something went wrong in mailstop."""

    exit_code = 1

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The sentence for people and models: the docstring of the class with the details filled in.

        `{limit letter}` is so many of them: `1 letter`, `12 letters`; a time is given in milliseconds since 1970; of a
        list the items are named one after the other.
        """
        return filled(" ".join((type(self).__doc__ or "").split()), self.details)

    @property
    def facts(self) -> dict[str, Any]:
        """What a program is told beside the message: the details that are no piece of a sentence. Times are those of
        people's clocks in ISO 8601; `bag` is named where the sentence may leave it out."""
        found: dict[str, Any] = {}
        for name, value in self.details.items():
            if name == WHERE:
                found["bag"] = str(value).removeprefix(_IN_BAG) or _BAG
            elif name in TIMES:
                found[name] = iso_text(value) if isinstance(value, int) and value else None
            elif name not in PIECES:
                found[name] = list(value) if isinstance(value, tuple) else value
        return found

    @property
    def code(self) -> str:
        """The class's name for machines, in snake case."""
        name = type(self).__name__
        return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class Refused(MailstopError):
    """A rule said no; nothing was stored."""

    exit_code = 1


class UsageError(MailstopError):
    """{reason}"""

    exit_code = 2


class NotFound(MailstopError):
    """There is nothing of that name or number."""

    exit_code = 3


class TimedOut(MailstopError):
    """Nothing came within {seconds second}."""

    exit_code = 4


class StoreUnavailable(MailstopError):
    """The store {path} cannot be used: {reason}. Nothing was stored."""

    exit_code = 5


class Uncertain(MailstopError):
    """Whether it was stored is not known ({reason}). {look}"""

    exit_code = 6

    def __init__(self, **details: Any) -> None:
        super().__init__(**{"look": "Repeat with the same --key: it is then stored once.", **details})


class OutputLost(MailstopError):
    """The answer could not be written: {reason}. What was asked is done, but letters that were to be shown count as
    unread."""

    exit_code = 6


class Conflict(MailstopError):
    """Subject {subject} has moved on: expected {expected}, found {found}."""


# By how often an error of theirs is named where it was not imported.
_FILES = (
    "letters",
    "seats",
    "names",
    "stores",
    "budgets",
    "channels",
    "asks",
    "tasks",
    "leases",
    "leaders",
    "lanes",
    "faults",
    "tools",
    "resident",
    "tokens",
    "setup",
    "imports",
    "exports",
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> type[MailstopError]:
        """An error by its name (PEP 562)."""
        for file in _FILES:
            found = vars(__import__(f"{__name__}.{file}", fromlist=["_"])).get(name)
            if found is not None:
                return found
        raise AttributeError(f"there is no error {name!r}")
