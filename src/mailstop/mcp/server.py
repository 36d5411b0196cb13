"""Server: one client's requests over standard input and output, one after the other, until it is gone.

It sleeps in one place. It wakes for a line, for the end of its client, for a ring where a call or a channel waits for
one, and by a timer that is armed only while work is due in the store or a call waits. One thread does it all: the
office is synchronous, and a call that waits holds nothing but its place in a list.
"""

from __future__ import annotations

import os
import select
import sys
import time
from _signal import SIGINT, SIGTERM, set_wakeup_fd, signal  # type: ignore[import-not-found]  # `signal` loads `enum`

from mailstop.errors import MailstopError, StoreUnavailable
from mailstop.json_text import dumps
from mailstop.mcp import messages, protocol
from mailstop.mcp.messages import INVALID_PARAMS, INVALID_REQUEST, Fault, Request
from mailstop.mcp.protocol import Protocol, Terms
from mailstop.mcp.wire import LONGEST_LINE, Ended, Wire
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from mailstop.mcp.callers import Callers
    from mailstop.mcp.channel import Channel
    from mailstop.mcp.tools.tool import Answer, Call, Later, Tool
    from mailstop.mcp.wire import Line
    from mailstop.office import Office
    from mailstop.rules.offers import Offer
    from mailstop.watcher import Watcher

PROGRESS_S = 10.0  # how often a client that wants to know is told that a call still waits
SHORTEST_S = 0.05  # of a sleep until work is due
MOST_GIVEN = 50  # answers of which it is remembered what letters they held


class Batch:
    """Answers that go out together, as one array: of a batch, or the only one of a single request."""

    def __init__(self, awaited: int, *, single: bool) -> None:
        self.awaited = awaited
        self.single = single
        self.answers: list[dict[str, Any]] = []
        self.offers: list[tuple[Request, Terms, Office, Offer]] = []


class Given(Record):
    """Letters that a call has brought to a session."""

    request: Request
    terms: Terms
    offer: Offer
    session: str


class Waiting(Record):
    """A call that has no answer yet. begun, until, told: by the monotonic clock in seconds; told: when its client was
    last told of it."""

    request: Request
    terms: Terms
    tool: Tool
    arguments: Mapping[str, Any]
    later: Later
    batch: Batch
    begun: float
    until: float
    told: float


def serve(environment: Mapping[str, str], store: str | None = None) -> None:
    """Serve the client until it is gone, or SIGTERM."""
    parent = os.getppid()
    told, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    set_wakeup_fd(wakeup)
    for number in (SIGTERM, SIGINT):
        signal(number, lambda *_: None)  # it is the descriptor that tells
    gone = _end_of(parent)
    if os.getppid() != parent:  # it has ended by now, and nothing would tell
        return
    ends = [told] if gone is None else [told, gone]
    server = Server(Wire(ends), ends, environment, store)
    try:
        server.run()
    except Ended:
        pass
    finally:
        server.end()


def _end_of(pid: int) -> int | None:
    from mailstop.watcher import process_end_fd

    try:
        return process_end_fd(pid)
    except (ProcessLookupError, OSError):
        return None


class Server:
    """The server of one connection. ends: descriptors that become readable when it is over."""

    def __init__(self, wire: Wire, ends: list[int], environment: Mapping[str, str], store: str | None) -> None:
        self._wire, self._ends = wire, ends
        self._environment, self._option = environment, store
        self._protocol = Protocol()
        self._callers: Callers | None = None
        self._waiting: list[Waiting] = []
        self._given: dict[str, Given] = {}  # by request: letters that the client may still throw away
        self._given_at = 0  # when letters were last written, by the monotonic clock in nanoseconds
        self._due: float | None = None  # when to look for work, by the monotonic clock in seconds
        self._watcher: Watcher | None = None
        self._heard = False  # whether a bell was rung while another watcher took over
        self._told_of_letters = False  # whether the client wants to hear of letters
        self._channel: Channel | None = None
        self._last: tuple[Request, Terms] | None = None  # the last call: whose session a look is for

    def run(self) -> None:
        """Serve until the input has ended and all is answered. Raises Ended."""
        while self._wire.is_open or self._wire.lines:
            if self._wire.lines:
                self._serve(self._wire.lines.pop(0))
            else:
                self._sleep()
        for waiting in list(self._waiting):  # nobody can cancel them any more, and nobody need wait
            self._look(waiting, last=True)

    def end(self) -> None:
        """Let go of all that the connection held."""
        for waiting in list(self._waiting):  # its client is gone
            self._over(waiting)
        if self._watcher is not None:
            self._watcher.close()
        if self._callers is not None:
            self._callers.end()

    # -- messages

    def _serve(self, line: Line) -> None:
        """Answer a line; whatever is wrong with it touches no other."""
        if line.too_long:
            self._write(messages.error(Fault(INVALID_REQUEST, f"a line has at most {LONGEST_LINE} bytes")))
            return
        try:
            value = messages.value_of(line.data)
            if isinstance(value, list):
                self._serve_batch(value, line.arrived)
                return
        except Fault as fault:
            self._write(messages.error(fault))
            return
        self._take(value, line.arrived, Batch(1, single=True))

    def _serve_batch(self, values: list[Any], arrived: int) -> None:
        if not self._protocol.takes_batches or not values:
            raise Fault(INVALID_REQUEST, "an array of messages is for protocol version 2025-03-26, and is not empty")
        batch = Batch(len(values), single=False)
        for value in values:
            self._take(value, arrived, batch)

    def _take(self, value: Any, arrived: int, batch: Batch) -> None:
        """One message: answer it, wait, or do as a notification says."""
        try:
            request = messages.request_of(value, arrived)
            if request is None:
                self._done(batch, None)
            elif request.id is None:
                if request.method == "notifications/cancelled":
                    self._cancel(request.params.get("requestId"))
                self._done(batch, None)
            else:
                self._answer(request, batch)
        except Fault as fault:
            self._done(batch, messages.error(fault, messages.id_of(value)))

    def _answer(self, request: Request, batch: Batch) -> None:
        terms = self._protocol.terms_of(request)
        if request.method == "tools/call":
            self._call(request, terms, batch)
            return
        if request.method == "initialize":
            value = self._protocol.initialize(request)
        elif request.method == "server/discover":
            value = protocol.discovered()
        elif request.method == "tools/list":
            value = self._listed(request, terms)
        else:  # ping
            value = {}
        self._done(batch, messages.result(request.id, protocol.dressed(value, terms)))

    def _listed(self, request: Request, terms: Terms) -> dict[str, Any]:
        if request.params.get("cursor") is not None:
            raise Fault(INVALID_PARAMS, "there is one page of tools: no cursor")
        from mailstop.mcp import tools

        return protocol.listed([tool.described for tool in tools.everything()], terms)

    def _done(self, batch: Batch, answer: dict[str, Any] | None) -> None:
        """One message of a batch is answered, or needs no answer; the last one lets all of them out."""
        batch.awaited -= 1
        if answer is not None:
            batch.answers.append(answer)
        if batch.awaited or not batch.answers:
            return
        if batch.offers:
            self._wire.read_all()  # what came before the letters are written cannot have been caused by them
        self._wire.write(dumps(batch.answers[0] if batch.single else batch.answers))
        for request, terms, office, offer in batch.offers:
            self._written(request, terms, office, offer)

    def _write(self, message: dict[str, Any]) -> None:
        self._wire.write(dumps(message))

    # -- calls

    def _call(self, request: Request, terms: Terms, batch: Batch) -> None:
        from mailstop.mcp import tools

        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str) or not (arguments is None or isinstance(arguments, dict)):
            raise Fault(INVALID_PARAMS, "tools/call says the name of a tool, and its arguments as an object")
        tool = tools.find(name)
        if tool is None:
            raise Fault(INVALID_PARAMS, f"Unknown tool: {name[:80]}", {"tools": list(tools.NAMES)})
        self._last = request, terms
        answer = self._attempt(request, terms, tool, arguments or {}, lambda call: tool.run(call))
        if isinstance(answer, dict):
            self._refused(request, terms, answer, batch)
            return
        office, said = answer
        from mailstop.mcp.tools.tool import Answer

        if isinstance(said, Answer):
            self._said(request, terms, tool, office, said, batch)
        else:
            now = time.monotonic()
            waiting = Waiting(request, terms, tool, arguments or {}, said, batch, now, now + said.seconds, now)
            self._waiting.append(waiting)
            self._watch(office)
            self._progress(waiting, now)
            self._look(waiting, last=False)  # what came before it was watched for, and was silenced by another reader
        self._after(office)

    def _attempt(
        self,
        request: Request,
        terms: Terms,
        tool: Tool,
        arguments: Mapping[str, Any],
        run: Callable[[Call], Answer | Later | None],
    ) -> tuple[Office, Any] | dict[str, Any]:
        """Run a call at the caller's office, and return that with what it says; or the refusal."""
        from mailstop.mcp.callers import Callers, turn_of
        from mailstop.mcp.schema import checked
        from mailstop.mcp.tools.tool import Call

        callers = self._callers = self._callers or Callers(self._environment, self._option)
        try:
            given = checked(arguments, tool.input_schema, tool.name)
            joins = tool.name == "me" and given.get("action") == "join"
            office = callers.office(request.meta, terms.client, joins=joins)
            self._prove(office, request)
            call = Call(office, given, lambda name, bag: callers.seat(office, name, bag), turn_of(request.meta))
            return office, run(call)
        except MailstopError as error:
            if isinstance(error, StoreUnavailable):  # the next call opens it anew
                callers.close_store()
            return _refusal(error, tool, arguments)
        except Exception as error:
            callers.close_store()
            return _refusal(_fault(error, tool), tool, arguments)

    def _prove(self, office: Office, request: Request) -> None:
        """The model calls again, so it has received what earlier calls gave it; where our hooks run, they tell better:
        a call may be of the same answer as the one that brought the letters."""
        if office.session is None or office.session.hooked or office.caller.subagent:
            return
        if request.arrived <= self._given_at:
            return
        from mailstop.rules.proofs import CALL, Event

        own = [key for key, given in self._given.items() if given.session == office.session.id]
        for key in own:
            del self._given[key]
        office.prove(Event(CALL, name="its next tool call"))

    def _refused(self, request: Request, terms: Terms, told: dict[str, Any], batch: Batch) -> None:
        value = {"content": [{"type": "text", "text": dumps(told)}], "structuredContent": told, "isError": True}
        self._done(batch, messages.result(request.id, protocol.dressed(value, terms)))

    def _said(self, request: Request, terms: Terms, tool: Tool, office: Office, said: Answer, batch: Batch) -> None:
        """Write what a tool says, with how many letters wait."""
        data, text = said.data, said.text
        line = "" if tool.delivers else _waiting_line(office)
        if line:
            data, text = {**data, "mail": line}, f"{text}\n{line}"
        value = {"content": [{"type": "text", "text": text}], "structuredContent": data, "isError": False}
        if said.offer is not None and said.offer.hands:
            batch.offers.append((request, terms, office, said.offer))
        self._done(batch, messages.result(request.id, protocol.dressed(value, terms)))

    def _written(self, request: Request, terms: Terms, office: Office, offer: Offer) -> None:
        """The letters of an answer were written to the client completely."""
        self._given_at = time.monotonic_ns()
        try:
            office.handed(offer)
            office.set_bell()
        except Exception as error:  # they stay handed out to this process, and are offered again after it
            _log(error)
            return
        self._given[repr(request.id)] = Given(request, terms, offer, office.session_id)
        if len(self._given) > MOST_GIVEN:
            del self._given[next(iter(self._given))]

    def _cancel(self, id_: Any) -> None:
        """The client does not want an answer any more, or has thrown away the one it got."""
        for waiting in self._waiting:
            if waiting.request.id == id_ and type(waiting.request.id) is type(id_):
                self._over(waiting)
                self._done(waiting.batch, None)
                return
        given = self._given.pop(repr(id_), None)
        office = self._office(given.request, given.terms) if given else None
        if given and office:
            try:
                office.withdrawn(given.offer)
                office.set_bell()
            except Exception as error:
                _log(error)

    # -- what is not asked for

    def _sleep(self) -> None:
        """Sleep until there is something to do, and do what is not a line's."""
        rung, looked_for = self._doze()
        now = time.monotonic()
        for waiting in list(self._waiting):
            if rung or waiting.request in looked_for or now >= waiting.until:
                self._look(waiting, last=now >= waiting.until)
            else:
                self._progress(waiting, now)
        if self._due is not None and now >= self._due:
            self._do_due_work()
        if rung and self._channel is not None:
            self._tell()

    def _doze(self) -> tuple[bool, list[Request]]:
        """Sleep, and take in what came; whether a bell was rung, and which calls else are to be looked at. Raises
        Ended."""
        follows = [(each.request, *each.later.ends()) for each in self._waiting if each.later.ends is not None]
        followed = [descriptor for _, ends, _ in follows for descriptor in ends]
        also = [self._wire.input, *self._ends, *dict.fromkeys(followed)]
        seconds = self._seconds([longest for _, _, longest in follows if longest is not None])
        if self._heard:
            seconds = 0.0
        rung, self._heard, began = self._heard, False, time.monotonic()
        if self._watcher is not None:
            woken = self._watcher.wait(seconds, also)
            rung, ready = rung or woken.rung, woken.ready
        else:
            poll = select.poll()
            for descriptor in also:
                poll.register(descriptor, select.POLLIN)
            ready = tuple(each for each, _ in poll.poll(None if seconds is None else seconds * 1000 + 1))
        if self._wire.input in ready:
            self._wire.read()
        elif any(end in ready for end in self._ends):
            raise Ended
        slept = time.monotonic() - began
        return rung, [
            request
            for request, ends, longest in follows
            if (longest is not None and slept >= longest) or any(end in ready for end in ends)
        ]

    def _seconds(self, longest: Sequence[float]) -> float | None:
        """How long to sleep at most, and so for calls that wait; None: until something happens."""
        now = time.monotonic()
        times = [each.until - now for each in self._waiting]
        times += [each.told + PROGRESS_S - now for each in self._waiting if "progressToken" in each.request.meta]
        if self._due is not None:
            times.append(self._due - now)
        return max(0.0, min([*times, *longest])) if times or longest else None

    def _look(self, waiting: Waiting, *, last: bool) -> None:
        """Ask a call that waits again."""
        answer = self._attempt(
            waiting.request, waiting.terms, waiting.tool, waiting.arguments, lambda call: waiting.later.look(call, last)
        )
        if isinstance(answer, tuple) and answer[1] is None:
            self._progress(waiting, time.monotonic())
            return
        self._over(waiting)
        if isinstance(answer, dict):
            self._refused(waiting.request, waiting.terms, answer, waiting.batch)
            return
        office, said = answer
        self._said(waiting.request, waiting.terms, waiting.tool, office, said, waiting.batch)
        self._after(office)

    def _over(self, waiting: Waiting) -> None:
        """Nobody waits for the answer of a call any more."""
        self._waiting = [each for each in self._waiting if each.request is not waiting.request]
        if waiting.later.over is None:
            return
        try:
            waiting.later.over(self._office(waiting.request, waiting.terms))
        except Exception as error:  # what it held ends with its time
            _log(error)

    def _progress(self, waiting: Waiting, now: float) -> None:
        """Tell a client that wants to know that a call still waits."""
        token = waiting.request.meta.get("progressToken")
        if not isinstance(token, (str, int)) or (now != waiting.begun and now < waiting.told + PROGRESS_S):
            return
        progress = {"progressToken": token, "progress": round(now - waiting.begun, 1), "total": waiting.later.seconds}
        self._write(
            messages.notification("notifications/progress", {**progress, "message": f"{waiting.tool.name} waits"})
        )
        at = self._waiting.index(waiting)
        self._waiting[at] = waiting.but(told=now)

    def _after(self, office: Office) -> None:
        """After a call: do what is due, and see what is to be slept for."""
        try:
            office.do_due_work()
            self._arm(office)
            self._listen(office)
        except Ended:
            raise
        except Exception as error:  # the call is answered; whoever comes next does what is due
            _log(error)

    def _do_due_work(self) -> None:
        """The timer went off: do what is due in the store of the last call."""
        self._due = None
        office = self._again()
        if office is not None:
            self._after(office)

    def _arm(self, office: Office) -> None:
        due = office.store.board.next_due()
        self._due = None if due is None else time.monotonic() + max(SHORTEST_S, (due - office.clock()) / 1000)

    def _listen(self, office: Office) -> None:
        """Sleep on the bell of the session where its client wants to be told of letters, or a call waits for one."""
        from mailstop.mcp import channel

        assert self._last is not None
        self._told_of_letters = office.session is not None and channel.is_wanted(self._last[1], office)
        self._watch(office)
        if self._told_of_letters:
            self._channel = self._channel or channel.Channel()
            self._tell(office)

    def _watch(self, office: Office) -> None:
        """Watch the bells on which something waits, and no other."""
        listens = self._told_of_letters or bool(self._waiting)
        names = [office.session.bell] if listens and office.session is not None else []
        names += [each.later.bell for each in self._waiting if each.later.bell]
        before, self._watcher = self._watcher, None
        if before is not None and list(before.names) == names:
            self._watcher = before
            return
        if names:
            from mailstop.watcher import Watcher

            self._watcher = Watcher(*names).__enter__()
        if before is not None:  # until here it has heard what may be silenced by now
            self._heard = self._heard or before.wait(0.0).rung
            before.close()

    def _tell(self, office: Office | None = None) -> None:
        """Tell the client's channel of what nothing else brings."""
        office = office or self._again()
        if office is None or self._channel is None:
            return
        try:
            for news in self._channel.news(office):
                self._write(news)
        except Ended:
            raise
        except Exception as error:
            _log(error)

    def _again(self) -> Office | None:
        """The office of the last caller, as it is now."""
        return self._office(*self._last) if self._last else None

    def _office(self, request: Request, terms: Terms) -> Office | None:
        """The office of who made a call, as it is now."""
        assert self._callers is not None
        try:
            return self._callers.office(request.meta, terms.client)
        except MailstopError as error:
            self._callers.close_store()
            _log(error)
            return None


def _waiting_line(office: Office) -> str:
    try:
        count = office.waiting()
    except MailstopError as error:  # what the call was for is done
        _log(error)
        return ""
    if not count:
        return ""
    from mailstop.fence_tools import waiting

    return waiting(count)


def _refusal(error: MailstopError, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    from mailstop.mcp.refusals import refusal  # which no call needs that succeeds

    return refusal(error, tool.name, arguments)


def _fault(error: Exception, tool: Tool) -> MailstopError:
    """What is said of a fault of our own; the log has the details. A tool that stores may have stored by then."""
    from mailstop import config
    from mailstop.errors.faults import Failed, FailedInDoubt

    _log(error)
    kind = FailedInDoubt if tool.stores else Failed
    return kind(what=f"{type(error).__name__}: {error}"[:200], log=config.log_file())


def _log(error: BaseException) -> None:
    from mailstop.hooks.entry import log

    log(error, "mcp")


def main(store: str | None) -> None:
    """Serve with the environment of this process."""
    if sys.stdin is None or sys.stdout is None:
        return
    serve(os.environ, store)
