"""Errors: one tree; each class's docstring is the message a caller reads, its fields filled in.

A message says what was wrong, what holds now, and what to type next. Faces turn a class into an exit code, an MCP
error or an HTTP code in one place each.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MailstopError(Exception):
    """Something went wrong in mailstop."""

    exit_code = 1

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The sentence for people and models: the docstring of the class with the details filled in."""
        return " ".join((type(self).__doc__ or "").split()).format_map(self.details)

    @property
    def code(self) -> str:
        """The class's name for machines, in snake case."""
        name = type(self).__name__
        return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


# -- refused by a rule: nothing was stored ---------------------------------------------------------------------------


class Refused(MailstopError):
    """A rule said no; nothing was stored."""

    exit_code = 1


class InvalidName(Refused):
    """{name!r} is no name for a {what}: small letters a-z, digits, '.', '_' and '-', a letter or digit first, at
    most 63."""


class ReservedName(Refused):
    """{name!r} is reserved and cannot be taken: `human` is the person's seat, `leader` is whoever leads, `postmaster`
    writes mailstop's own notices."""


class MustJoin(Refused):
    """This process has no seat{where}, so it may look but not write. Take one first: {command}"""


class SeatWasLeft(MustJoin):
    """This session left seat {name!r}{where} at {since}, so it may look (mailstop read) but not write. Only if the
    person asks for it, sit down again: {command}"""


class SeatWasTaken(MustJoin):
    """Seat {name!r}{where} of this session was taken by a session of {client} at {since}, so it may look (mailstop
    read) but not write. To take another: {command}"""


class SeatTaken(Refused):
    """Seat {name!r}{where} is held by {holder} since {since}. One live holder a seat: take another name, or ask it to
    leave."""


class SeatLost(Refused):
    """This session no longer holds seat {name!r}{where}: {reason}. Nothing was stored. Take a seat again: mailstop
    join NAME"""


class NotSeated(Refused):
    """This session holds no seat{where}, so there is nothing to leave. Where it sits: mailstop status"""


class PersonStays(NotSeated):
    """`human` is the person's own seat in every bag: nobody takes it, and nobody leaves it."""


class OwnSeat(Refused):
    """A letter from {name!r}{where} to itself was refused: nobody writes to their own seat."""


class InvalidBody(Refused):
    """The body was refused: {reason}. Nothing was stored."""


class BodyTooLarge(Refused):
    """The body has {size} bytes; a letter may have {limit}. Put the text into a file and name it: --artifact PATH"""


class InvalidKind(Refused):
    """{kind!r} is no kind: one printable line of at most 40 characters."""


class InvalidField(Refused):
    """{field} was refused: {reason}."""


class KeyReused(Refused):
    """Key {key!r} was already used for letter {n} with another content. Nothing was stored: use another key."""


class PersonOnly(Refused):
    """{act} is the person's alone: from a terminal of their own, outside every agent session."""


class DoubtfulCaller(Refused):
    """Who is calling is not clear: {reason}. Nothing was done."""


class NoReply(Refused):
    """Letter {n} cannot be answered by this seat: {reason}."""


# -- tasks


class TaskOver(Refused):
    """Task {n} is {state} since {since}, by {mover}, and what is over never goes on. Nothing was changed. To ask for
    more, give another: mailstop task give SEAT TITLE -"""


class TaskMoved(Refused):
    """Task {n} is not with {seat}: {place} since {since}. Nothing was changed.{advice}"""


class TaskTaken(Refused):
    """Task {n} is not to be had: {place} since {since}. What else waits: mailstop task list --pool"""


class TaskStays(Refused):
    """Task {n} is there already: {place} since {since}. Nothing was changed."""


class TaskInState(Refused):
    """Task {n} is {state} since {since}, by {mover}; accept is for one that is submitted. To go on with it: mailstop
    task progress {n} -, or mailstop task complete {n} -"""


class NotTaskGiver(Refused):
    """Only its giver, {giver}, and the person may {act} task {n}. Nothing was changed."""


class OtherPool(Refused):
    """Task {n} lies in the pool of project {project}, and this session works in another. Nothing was changed. Its giver
    can let it come here: mailstop task reassign {n} SEAT"""


class TaskKeyReused(Refused):
    """Key {key!r} was already used for task {n}, which asks for something else. Nothing was stored: use another key."""


class TaskContended(Refused):
    """Others change task {n} without end. Nothing was changed: try again."""


# -- usage ------------------------------------------------------------------------------------------------------------


class UsageError(MailstopError):
    """{reason}"""

    exit_code = 2


# -- not there --------------------------------------------------------------------------------------------------------


class NotFound(MailstopError):
    """There is nothing of that name or number."""

    exit_code = 3


class UnknownSeat(NotFound):
    """{problem}.{advice}"""


class UnknownNumber(NotFound):
    """There is no letter {n}. The newest is {newest}: mailstop read"""


class OtherBag(NotFound):
    """Letter {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""


class UnknownBag(NotFound):
    """There is no bag {name!r}{nearest}. All bags: mailstop bags. The first to join makes it: {command}"""


class UnknownTask(NotFound):
    """There is no task {n}{nearest}. All that are open: mailstop task list"""


class TaskInOtherBag(NotFound):
    """Task {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""


# -- time ------------------------------------------------------------------------------------------------------------


class TimedOut(MailstopError):
    """Nothing came within {seconds:g} seconds."""

    exit_code = 4


class EmptyPool(TimedOut):
    """Nothing waits in the pool of project {project}{lost}."""


# -- the store -------------------------------------------------------------------------------------------------------


class StoreUnavailable(MailstopError):
    """The store {path} cannot be used: {reason}. Nothing was stored."""

    exit_code = 5


class StoreBusy(StoreUnavailable):
    """The store {path} was busy for {seconds:g} seconds; {holder}. Nothing was stored: try again."""


class StoreDamaged(StoreUnavailable):
    """The store {path} is damaged ({reason}). Nothing was changed. See what can be rescued: mailstop doctor"""


class StoreNewer(StoreUnavailable):
    """The store {path} was written by a newer mailstop (format {found}, this one knows {known}). Upgrade this one."""


class StoreFull(StoreUnavailable):
    """The disk that holds {path} is full. Nothing was stored: make room and try again."""


class StoreSealed(StoreUnavailable):
    """The sandbox of this session does not let mailstop write to {path}. Nothing was done. In Codex's config.toml,
    under [sandbox_workspace_write], add: writable_roots = [{roots}] - it counts in sandbox mode
    workspace-write, for threads that start after that."""


class StoreExposed(StoreUnavailable):
    """Others may get at the store {path} (its mode is {mode}), so nothing is written to it. Nothing was stored. To take
    it from them: mailstop doctor --mend"""


class StoreAbsent(StoreUnavailable):
    """There is no store {path} yet. Nothing was stored. The first to join makes it: {command}"""


class StoreGone(StoreUnavailable):
    """The store {path}, where this session has its seat, is not there any more: it was moved or deleted. Nothing was
    done. Put it back, or take a seat in a new one: {command}"""


class NetworkFileSystem(StoreUnavailable):
    """The store {path} lies on a network file system ({kind}), where SQLite cannot be trusted. Choose a local
    folder: MAILSTOP_STORE=sqlite:///PATH"""


class InvalidStore(StoreUnavailable):
    """{url!r} names no store: write sqlite:///absolute/path, or a plain path."""


class StateUnavailable(StoreUnavailable):
    """The folder {path} cannot be written ({reason}), so mailstop would not know this session again. Put that right,
    and try again."""


# -- in doubt --------------------------------------------------------------------------------------------------------


class Uncertain(MailstopError):
    """Whether it was stored is not known ({reason}). Repeat with the same --key: it is then stored once."""

    exit_code = 6


class TaskUncertain(Uncertain):
    """Whether task {n} was changed is not known ({reason}). Look, and repeat what is missing: mailstop task show {n}"""


class OutputLost(MailstopError):
    """The answer could not be written: {reason}. What was asked is done, but letters that were to be shown count as
    unread."""

    exit_code = 6


# -- mailstop's own faults -------------------------------------------------------------------------------------------


class Failed(MailstopError):
    """mailstop itself failed ({what}), and nothing was stored by it. The details are in {log}"""

    exit_code = 5


class FailedInDoubt(Failed):
    """mailstop itself failed ({what}), and whether anything was stored is not known. Look: mailstop read; or repeat
    with the same --key. The details are in {log}"""

    exit_code = 6


# -- between engine and rules, never shown ---------------------------------------------------------------------------


class Conflict(MailstopError):
    """Subject {subject} has moved on: expected {expected}, found {found}."""
