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
    def facts(self) -> dict[str, Any]:
        """What a program is told beside the message."""
        return {}

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


# -- presence


class PersonHasNoSession(Refused):
    """The person has no session, so no objective and no status: those are a session's own. The sessions: mailstop
    who"""


class SessionMoved(Refused):
    """Another process goes on with this session, or the store does not know it any more. Nothing was changed. Who this
    is now: mailstop status"""


# -- letters


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


# -- channels


class ChannelStays(Refused):
    """#{name} cannot be left: everyone in a bag reads #general, #leader and the channel of their project. What is said
    there wakes only sessions of the sender's project."""


class NotSubscribed(Refused):
    """This seat does not read #{name}{where}, so there is nothing to leave. What it reads: mailstop channels"""


class TooManyChannels(Refused):
    """One seat reads at most {limit} channels. To leave one: mailstop unsubscribe CHANNEL"""


class NoProjectChannel(Refused):
    """No session of this project has a seat{where}, so there is no channel of it. Name one: mailstop say general -"""


class WakesMany(Refused):
    """Said in #{channel} with --wake-all this wakes {count}{who}. Nothing was stored. To wake them:
    --wake-all={count}"""


# -- budgets and brakes


class BudgetSpent(Refused):
    """The budget of {letters}{where} is used up. Nothing was stored: do not try again. Only the person can continue:
    {command}"""


class NoBudget(Refused):
    """In bag {bag} sessions write only while a budget is open, and none is. Nothing was stored: do not try again. Only
    the person can open one: {command}"""


class NoBudgetOpen(Refused):
    """No budget is open{where}, so there is nothing to close. To open one: {command}"""


class TooManyHops(Refused):
    """This letter would be number {hops} of a chain of letters that sessions{where} have caused one another to write;
    {limit} are the most, because such a chain is mostly a loop. Nothing was stored: end this, and tell the person. Only
    the person can go on: by a prompt of their own in this session's window, by a letter to seat {seat}, or by
    allowing more: {command}"""


class TooFast(Refused):
    """Seat {seat!r}{where} has written {rate} letters within a minute, and that is the most. Nothing was stored. Try
    again in {seconds} s. Only the person can allow more: {command}"""


# -- asks


class NotAQuestion(Refused):
    """Letter {n} was not asked with mailstop ask, so nobody waits for its one answer. To answer it: mailstop reply {n}
    -"""


class NotAsked(Refused):
    """Question {n} was asked of seat {asked!r}{where}, and only that seat answers it; this is {name!r}. Nothing was
    stored. To write about it: mailstop send SEAT --ref {n} -"""


class AlreadyAnswered(Refused):
    """Question {n} has its answer: letter {answer}, by {by} at {since}. A question is answered once; nothing was
    stored. To add something: mailstop reply {n} -"""


class AskCanceled(Refused):
    """Question {n} was canceled by {by} at {since}: nobody waits for an answer. Nothing was stored. To write all the
    same: mailstop reply {n} -"""


class NoChoices(Refused):
    """Question {n} gives no choices. To answer it: mailstop answer {n} -"""


class NotOneOfTheChoices(Refused):
    """Question {n} is answered by one of its choices: {choices}. Nothing was stored. By number: mailstop answer {n}
    --choice K. To write something else: mailstop send {asker} --ref {n} -"""


class WouldWaitInCircle(Refused):
    """This wait would close a circle in which each waits for the next: {circle}. Nothing was stored. {first}To leave
    the question there and not wait for it: mailstop ask {seat} --wait 0 -"""


class WaitsInCircle(WouldWaitInCircle):
    """To wait on would close a circle in which each waits for the next: {circle}. The question is kept, and its answer
    comes as a letter. {first}"""


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


# -- leases -----------------------------------------------------------------------------------------------------------


class InvalidResource(Refused):
    """{text!r} cannot be taken: {reason}."""


class InvalidLease(Refused):
    """{field} of a lease was refused: {reason}. Nothing was taken."""


class LeaseTaken(Refused):
    """{taken}. Nothing was {act}. To wait until it is free: mailstop lease take --wait SECONDS; to ask: {asking}"""

    @property
    def facts(self) -> dict[str, Any]:
        """Who holds what."""
        return {"taken": self.details["leases"]}


class LeaseOfOthers(Refused):
    """This session holds no lease on {resource}: {taken}. Nothing was {act}. To ask: {asking}"""

    @property
    def facts(self) -> dict[str, Any]:
        """Who holds what."""
        return {"taken": self.details["leases"]}


class StaleTerm(Refused):
    """Term {term} does not hold {resource}: {now}. Nothing was {act}. What is taken: mailstop lease list"""


class SessionOver(Refused):
    """This session has ended, so nothing that it takes would count. Nothing was {act}."""


class LeasesMove(Refused):
    """Leases were taken and ended faster than this one could be {act}. Nothing was {act}: try again."""


# -- leaders


class ProjectLed(Refused):
    """Project {project}{where} is led by seat {seat} ({holder}) since {since}, in term {term}, and a leader who lives
    is not replaced. Nothing was changed. It may release the post (mailstop lead release), and the person may say who
    leads (mailstop lead claim --force SEAT)."""


class NotLeading(Refused):
    """{who} project {project}{where}: {instead}. Nothing was changed."""


class StaleLeader(Refused):
    """Term {term} of project {project}{where} is over: {instead}. Nothing was stored. As it is now: mailstop lead"""


class NobodyThere(Refused):
    """Nobody sits at seat {name!r}{where}, so nobody can lead from there. Who is here: mailstop who"""


class NoProject(Refused):
    """Seat {name!r}{where} is of no project that is known, so there is nothing to lead from there."""


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


class NoLeader(NotFound):
    """Nobody leads {whom}{where}{reason}. Nothing was stored. To lead it: mailstop lead claim{others}"""


class SeveralLeaders(NotFound):
    """Several lead a project each{where}: {listed}. Nothing was stored: write to one of these seats."""


class UnknownProject(NotFound):
    """It is not clear which project is meant: {problem}."""


class UnknownNumber(NotFound):
    """There is no letter {n}. The newest is {newest}: mailstop read"""


class UnknownQuestion(NotFound):
    """There is no question {n} that you asked{nearest}. Those without an answer: mailstop asks --mine"""


class OtherBag(NotFound):
    """Letter {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""


class UnknownBag(NotFound):
    """There is no bag {name!r}{nearest}. All bags: mailstop bags. The first to join makes it: {command}"""


class UnknownChannel(NotFound):
    """There is no channel #{name}{where} ({nearest}). Nothing was stored. To make it, read it: mailstop subscribe
    NAME"""


class UnknownTask(NotFound):
    """There is no task {n}{nearest}. All that are open: mailstop task list"""


class TaskInOtherBag(NotFound):
    """Task {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""


class UnknownLease(NotFound):
    """{who} a lease on {resource}{nearest}. Nothing was done. All leases: mailstop lease list"""


class NoLease(NotFound):
    """This session holds no lease. To take one: mailstop lease take PATH"""


# -- time ------------------------------------------------------------------------------------------------------------


class TimedOut(MailstopError):
    """Nothing came within {seconds:g} seconds."""

    exit_code = 4


class EmptyPool(TimedOut):
    """Nothing waits in the pool of project {project}{lost}."""


class LeaseStillTaken(TimedOut):
    """{taken}, still after {seconds:g} seconds. Nothing was taken. To wait again, repeat this; to ask: {asking}"""

    @property
    def facts(self) -> dict[str, Any]:
        """Who holds what."""
        return {"taken": self.details["leases"]}


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


class CannotTell(StoreUnavailable):
    """Whether it is taken cannot be told: {reason}"""


class StateUnavailable(StoreUnavailable):
    """The folder {path} cannot be written ({reason}), so mailstop would not know this session again. Put that right,
    and try again."""


# -- in doubt --------------------------------------------------------------------------------------------------------


class Uncertain(MailstopError):
    """Whether it was stored is not known ({reason}). Repeat with the same --key: it is then stored once."""

    exit_code = 6


class TaskUncertain(Uncertain):
    """Whether task {n} was changed is not known ({reason}). Look, and repeat what is missing: mailstop task show {n}"""


class LeaseUncertain(Uncertain):
    """Whether this was stored is not known ({reason}). Repeat the same command: who holds a lease already renews it by
    taking it again."""


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
