"""Calls: a tool's call from its arguments to its answer, in a worker's thread; one that waits holds no thread."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager, nullcontext

from mailstop import config
from mailstop.errors import Failed, FailedInDoubt, MailstopError, MustJoin, NoConnection
from mailstop.fence_tools import waiting
from mailstop.json_text import dumps
from mailstop.mcp.refusals import refusal
from mailstop.mcp.schema import checked
from mailstop.mcp.tools.tool import Answer, Call, Later
from mailstop.names import PERSON
from mailstop.office import Office
from mailstop.records import Record
from mailstop.resident.log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from typing import Any

    from mailstop.engines.base import Store
    from mailstop.mcp.tools.tool import Tool
    from mailstop.resident.callers import Callers, Connected
    from mailstop.resident.exchanges import Exchange
    from mailstop.resident.figures import Figures
    from mailstop.resident.rings import Rings
    from mailstop.resident.workers import Workers
    from mailstop.rules.offers import Offer

    Progress = Callable[[float, float], Awaitable[None]]
    Run = Callable[[Call], Answer | Later | None]

PROGRESS_S = 10.0  # how often a client that wants to know is told that a call still waits


class Asked(Record):
    """One call. request: its id, as a text. progress: tells the client how long it waits, of how many seconds; None
    where it does not want to know."""

    connected: Connected
    exchange: Exchange
    connection: str
    request: str
    tool: Tool
    arguments: Mapping[str, Any]
    progress: Progress | None = None
    one_at_a_time: threading.Lock | None = None  # whoever looks, for as long as it does


class Said(Record):
    """What came of a look. answer: None while there is none. bell: on which to wait for one. mail: how many letters
    wait, in a line; empty where none do."""

    answer: Answer | Later | None
    bell: str
    mail: str = ""


class Calls:
    """The calls of one server. after: called after each one, when there may be work due."""

    def __init__(
        self, workers: Workers, callers: Callers, rings: Rings, figures: Figures, after: Callable[[], None]
    ) -> None:
        self._workers, self._callers, self._rings = workers, callers, rings
        self._figures, self._after = figures, after
        self._writing: dict[Connected, set[asyncio.Task[None]]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self.draining = False

    def drain(self) -> None:
        """Let nobody wait any longer: who does is answered with what there is."""
        self.draining = True
        self._rings.wake_all()

    async def settled(self) -> None:
        """Wait until all is recorded of calls that are over."""
        while tasks := {*self._ending, *(task for some in self._writing.values() for task in some)}:
            await asyncio.wait(tasks)

    async def call(self, asked: Asked) -> dict[str, Any]:
        """The result of a call, as the protocol has it."""
        began, outcome = time.perf_counter(), "failed"
        try:
            with self._callers.calling(asked.connected, asked.connection):
                await self._written(asked.connected)
                said = await self._look(asked, asked.tool.run)
                if isinstance(said.answer, Later):
                    said = await self._wait(asked, said.answer, said.bell)
            outcome = "ok"
            return self._result(asked, said)
        except MailstopError as error:
            outcome = "refused"
            told = refusal(error, asked.tool.name, asked.arguments)
            return {"content": [{"type": "text", "text": dumps(told)}], "structuredContent": told, "isError": True}
        finally:
            self._figures.called(asked.tool.name, outcome, time.perf_counter() - began)
            self._after()

    # -- one look

    async def _look(self, asked: Asked, run: Run) -> Said:
        """Run a call at its caller's office. Raises MailstopError."""
        return await self._workers.run(
            lambda store: self._at_office(store, asked, run), lost=lambda said: self._take_back(asked, said)
        )

    def _at_office(self, store: Store, asked: Asked, run: Run) -> Said:
        """In a worker."""
        tool, connected = asked.tool, asked.connected
        try:
            given = checked(asked.arguments, tool.input_schema, tool.name)
            office = self._callers.office(connected, store, looks=tool.reads_only)
            self._callers.prove(office, connected, asked.exchange.arrived)
            call = Call(office, given, lambda name, bag: self._callers.seat(connected, office, name, bag))
            with asked.one_at_a_time or nullcontext():
                answer = run(call)
            bell = office.session.bell if office.session else PERSON
            return Said(answer, bell, "" if answer is None or tool.delivers else _mail(office))
        except MustJoin:
            if not connected.key:
                raise NoConnection() from None
            raise
        except MailstopError:
            raise
        except Exception as error:
            log(error, f"the tool {tool.name}")
            kind = FailedInDoubt if tool.stores else Failed
            raise kind(what=f"{type(error).__name__}: {error}"[:200], log=config.log_file()) from None

    def _result(self, asked: Asked, said: Said) -> dict[str, Any]:
        answer = said.answer
        assert isinstance(answer, Answer)
        data, text = answer.data, answer.text
        if said.mail:
            data, text = {**data, "mail": said.mail}, f"{text}\n{said.mail}"
        if answer.offer is not None and answer.offer.hands:
            offer = answer.offer
            asked.exchange.answered(lambda whole: self._settled(asked, offer, whole))
        return {"content": [{"type": "text", "text": text}], "structuredContent": data, "isError": False}

    # -- waiting

    async def _wait(self, asked: Asked, later: Later, bell: str) -> Said:
        """Ask a call again at each ring, until it has an answer or its time is over."""
        loop = asyncio.get_running_loop()
        began = told = loop.time()
        until = began + later.seconds
        gone = asked.exchange.gone
        bells = dict.fromkeys(name for name in (bell, later.bell) if name)
        with self._over_at_last(asked, later), self._rings.listen(*bells) as rung, self._figures.waiting():
            while True:
                rung.clear()
                last = self.draining or gone.is_set() or loop.time() >= until
                said = await self._look(asked, _look_of(later, last))
                if said.answer is not None:
                    return said
                if asked.progress and (told == began or loop.time() >= told + PROGRESS_S):
                    told = loop.time()
                    await asked.progress(round(told - began, 1), later.seconds)
                ends, longest = await self._ends(asked, later)
                times = [until - loop.time()] if longest is None else [until - loop.time(), longest]
                if asked.progress:
                    times.append(told + PROGRESS_S - loop.time())
                await _first(rung, gone, ends, min(times))

    async def _ends(self, asked: Asked, later: Later) -> tuple[Sequence[int], float | None]:
        """What else ends the sleep of a call: see Later."""
        ask = later.ends
        if ask is None:
            return (), None

        def ends(_store: Store) -> tuple[Sequence[int], float | None]:
            with asked.one_at_a_time or nullcontext():
                return ask()

        return await self._workers.run(ends)

    @contextmanager
    def _over_at_last(self, asked: Asked, later: Later) -> Iterator[None]:
        """However the wait of a call ends, the tool is told."""
        try:
            yield
        finally:
            self._over(asked, later)

    def _over(self, asked: Asked, later: Later) -> None:
        tell = later.over
        if tell is None:
            return

        def over(store: Store) -> None:
            with asked.one_at_a_time or nullcontext():
                tell(self._callers.as_it_is(asked.connected, store))

        async def told() -> None:
            try:
                await self._workers.run(over)
            except Exception as error:  # what it held ends with its time
                log(error, f"the end of a wait of the tool {asked.tool.name}")

        task = asyncio.ensure_future(told())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    # -- letters that were written, or not

    def _settled(self, asked: Asked, offer: Offer, whole: bool) -> None:
        """The letters of an answer were written to the client, or it has hung up before."""
        if whole:
            asked.connected.given_at = time.monotonic_ns()
            asked.connected.remember(asked.connection, asked.request, offer)
        self._record(asked.connected, offer, Office.handed if whole else Office.given_back)

    def _take_back(self, asked: Asked, said: Said) -> None:
        """A call was cancelled while it ran: whatever it was given was not written."""
        if isinstance(said.answer, Later):
            self._over(asked, said.answer)
        elif said.answer is not None and said.answer.offer is not None:
            self._record(asked.connected, said.answer.offer, Office.given_back)

    def cancelled(self, connected: Connected, connection: str, request: str) -> None:
        """The client throws away what answered a request of its."""
        offer = connected.given.pop((connection, request), None)
        if offer is not None:
            self._record(connected, offer, Office.withdrawn)

    def _record(self, connected: Connected, offer: Offer, what: Callable[[Office, Offer], None]) -> None:
        task = asyncio.ensure_future(self._recorded(connected, offer, what))
        self._writing.setdefault(connected, set()).add(task)
        task.add_done_callback(lambda done: self._forget(connected, done))

    async def _recorded(self, connected: Connected, offer: Offer, what: Callable[[Office, Offer], None]) -> None:
        def record(store: Store) -> None:
            office = self._callers.as_it_is(connected, store)
            what(office, offer)
            office.set_bell()

        try:
            await self._workers.run(record)
        except Exception as error:  # they stay handed out to this session, and are offered again after it
            log(error, "what was handed")

    def _forget(self, connected: Connected, done: asyncio.Task[None]) -> None:
        left = self._writing[connected]
        left.discard(done)
        if not left:
            del self._writing[connected]

    async def _written(self, connected: Connected) -> None:
        """Wait until it is recorded what earlier answers gave: this call may prove it."""
        while writing := self._writing.get(connected):
            await asyncio.wait(writing)


def _look_of(later: Later, last: bool) -> Run:
    return lambda call: later.look(call, last)


async def _first(rung: asyncio.Event, gone: asyncio.Event, ends: Sequence[int], seconds: float) -> None:
    """Sleep until the bell is rung, the client is gone, one of the descriptors is readable, or so long."""
    loop = asyncio.get_running_loop()
    waits = [asyncio.ensure_future(each.wait()) for each in (rung, gone)]
    for end in ends:
        loop.add_reader(end, rung.set)
    try:
        await asyncio.wait(waits, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            loop.remove_reader(end)
        for each in waits:
            each.cancel()


def _mail(office: Office) -> str:
    try:
        count = office.waiting()
    except MailstopError as error:  # what the call was for is done; a stranger has no letters
        log(error, "what waits")
        return ""
    return waiting(count) if count else ""
