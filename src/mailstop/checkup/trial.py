"""Trial: a letter of mailstop's to the caller's own seat, and how far each way to the caller was seen to work with it.

The letter is of a kind that wakes nobody, and the trial hands it out itself: it costs no request to a model, whoever
runs it, and stays unread nowhere. So each door is tried up to where its vendor would start a turn, and not beyond. What
lies beyond is told from the ledger: the last letter that came that way, and how long it took.
"""

from __future__ import annotations

import os
import time

from mailstop import bells
from mailstop.checkup import plugin
from mailstop.checkup.finding import DOCTOR, FAILED, OPEN, PROVED, Route
from mailstop.doors.base import HELD, NOTIFIED, Outcome
from mailstop.fence import client_text
from mailstop.letter import Draft
from mailstop.names import DEFAULT_BAG, PERSON, POSTMASTER
from mailstop.records import Record
from mailstop.rules.offers import Terms
from mailstop.watcher import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mailstop.fence import Delivery
    from mailstop.letter import Letter
    from mailstop.office import Office
    from mailstop.rules.offers import Offer
    from mailstop.seat import Seat
    from mailstop.session import Session

    Compose = Callable[[Sequence[Letter], int], Delivery]

BODY = "mailstop doctor tries the ways to this seat. There is nothing to do."
KIND = "reconnect"  # wakes nobody
PATIENCE_S = 3.0  # for whatever is to answer
RECENT_MS = 15 * 60_000  # of a ring that a sandbox could not do itself
_LOOKED_AT = 300  # records of a bag, for what came this way before
_AGAIN = "claude --continue"  # once the session is ended
_NO_REQUEST = "that its line wakes the model, which would cost a request"
_EVIDENCE = {
    "monitor": "the session's monitor printed the line",
    "socket": "read by the session (EOF)",
    "queue": "queued by codex",
}


class Trial(Record):
    """What came of it.

    why_not: why no letter was sent, empty when one was. broken: it should have been. offer: the letter, handed out.
    """

    routes: tuple[Route, ...] = ()
    why_not: str = ""
    letter: Letter | None = None
    offer: Offer | None = None
    broken: bool = False


def hindrance(office: Office, *, shows: bool) -> str:
    """Why no letter is to be sent; empty when nothing stands against it. Changes nothing.

    shows: whether what is printed will be before whoever the seat is.
    """
    if office.caller.subagent:
        return "a subagent runs this, and what it reads its session's model does not see"
    if _seat(office) is None:
        return "there is no seat here to write to"
    if office.is_person and not shows:
        return "the person sees letters at a terminal, and this is printed elsewhere"
    return ""


def _seat(office: Office) -> Seat | None:
    """The seat of the caller's that the letter is for."""
    own = office.seats()
    return next((one for one in own if one.bag == DEFAULT_BAG), own[0] if own else None)


def try_all(office: Office, *, compose: Compose | None, call: str) -> Trial:
    """Send the letter, try each way, and hand the letter out; record it as handed once it was printed.

    compose, call: see `Terms`.
    """
    seat = _seat(office)
    if seat is None:  # left since nothing stood against it
        return Trial(why_not="there is no seat here to write to")
    answer = f"doctor-{os.getpid()}"
    bell = office.session.bell if office.session else PERSON
    if office.session:
        office.probes.ask(answer)
    try:
        with Watcher(bell, answer) as watcher:
            watcher.wait(0)  # what rang before
            draft = Draft((seat.name,), BODY, kind=KIND, final=True)
            began = time.monotonic()
            letter = office.notify(draft, bag=seat.bag).letter
            routes = [_bell(watcher, began)]
            if office.session and office.caller.who == "client":
                routes += _of_client(office, office.session, seat, letter, watcher, began)
    finally:
        if office.session:
            office.probes.forget()
        bells.silence(answer)
    terms = Terms(act="mailstop doctor", only=letter.n, announced_too=True, call=call, compose=compose)
    offer = office.offer(terms, bag=seat.bag)
    routes.append(_read(office, offer, letter, began))
    if office.session and office.caller.client == "codex":  # behind the offer: its prompt must find the letter given
        routes.append(_queue(office, office.session, seat, letter))
    return Trial(tuple(routes), "", letter, offer)


# -- bell, and reading -----------------------------------------------------------------------------------------------


def _bell(watcher: Watcher, began: float) -> Route:
    if not watcher.wait(PATIENCE_S).rung:
        text = "the letter is stored, and its bell was not heard"
        return Route("bell", FAILED, text, _ms(began), mend=f"{DOCTOR} --mend")
    return Route("bell", PROVED, "stored, rung for, and heard", _ms(began))


def _read(office: Office, offer: Offer, letter: Letter, began: float) -> Route:
    """What the caller itself looks with."""
    if offer.letters:
        where = "shown here" if office.is_person else "given to you here"
        proof = "" if office.is_person else f"that you read it; your next step does: mailstop status {letter.n}"
        return Route("reading", PROVED, f"letter {letter.n} is {where}", _ms(began), proof)
    if _is_taken(office, letter):
        return Route("reading", PROVED, f"letter {letter.n} was shown meanwhile by another way", _ms(began))
    mend = f"mailstop check{office.store_option}"
    return Route("reading", FAILED, f"letter {letter.n} waits, and is not given out", _ms(began), mend=mend)


def _is_taken(office: Office, letter: Letter) -> bool:
    if any(letter.n in hand.numbers for hand in office.hands()):
        return True
    return any(one.shown for one in office.store.index.deliveries(letter.n))


# -- clients ---------------------------------------------------------------------------------------------------------


def _of_client(
    office: Office, session: Session, seat: Seat, letter: Letter, watcher: Watcher, began: float
) -> list[Route]:
    found = []
    if office.caller.client == "claude":
        found += _doors_of_claude(office, session, seat, watcher, began)
    if session.hooked:
        found.append(_shown_before(office, seat, plugin.hooks(office, session)))
    else:
        name = office.caller.client
        text = f"no hook of mailstop's plugin has run in this session of {client_text(name)}"
        found.append(Route("hooks", FAILED, text, mend=f"mailstop setup {name}"))
    return [*found, *plugin.tools(office, seat)]


def _doors_of_claude(office: Office, session: Session, seat: Seat, watcher: Watcher, began: float) -> list[Route]:
    from mailstop.doors.claude_monitor import listening

    listens = listening(session.bell)
    socket = str(session.details.get("socket") or "")
    found = []
    if listens:
        found.append(_monitor(office, seat, watcher, began))
    elif session.hooked and session.attended:
        text = "no monitor of mailstop's plugin listens for this session; a session that starts anew has one"
        mend = _AGAIN if _has_monitor(session) else "mailstop setup claude"
        found.append(Route("monitor", FAILED, text, mend=mend))
    if not socket:
        if not listens and session.attended:
            found.append(Route("socket", FAILED, "the client has no message socket", mend="claude update"))
        return found
    if session.mode == "bypassPermissions":
        return found  # where the client would hold such a line: no way at all
    return [*found, _socket(office, seat, socket)]


def _has_monitor(session: Session) -> bool:
    """Whether the plugin that the session runs brings a monitor."""
    return os.path.exists(os.path.join(plugin.plugin_of(session), "monitors", "monitors.json"))


def _monitor(office: Office, seat: Seat, watcher: Watcher, began: float) -> Route:
    from mailstop import __version__

    end = time.monotonic() + PATIENCE_S
    heard = office.probes.heard()
    while not heard and time.monotonic() < end:
        watcher.wait(end - time.monotonic())
        heard = office.probes.heard()
    if not heard:
        text = "the session's monitor listens and did not answer: it hangs, or is of an older mailstop; end the session"
        return Route("monitor", FAILED, text, _ms(began), mend=_AGAIN)
    if heard != __version__:
        text = f"the session's monitor runs mailstop {heard}, and this is {__version__}; end the session"
        return Route("monitor", FAILED, text, _ms(began), mend=_AGAIN)
    text = "woke at the bell, found the session in the store, and answered"
    return _as_before(office, seat, Route("monitor", PROVED, text, _ms(began)))


def _socket(office: Office, seat: Seat, path: str) -> Route:
    from mailstop.doors.claude_socket import SocketDoor

    if office.caller.sandboxed:
        return Route("socket", OPEN, "this sandbox may connect to no socket", unproved="try it outside of the sandbox")
    began = time.monotonic()
    outcome = SocketDoor(path).probe()
    if outcome.state != NOTIFIED:
        text = f"{outcome.evidence} ({outcome.detail}); end the session"
        return Route("socket", FAILED, text, _ms(began), mend=_AGAIN)
    text = "the client took a connection and read it to its end"
    return _as_before(office, seat, Route("socket", PROVED, text, _ms(began)))


# -- Codex's queue ---------------------------------------------------------------------------------------------------


def _queue(office: Office, session: Session, seat: Seat, letter: Letter) -> Route:
    """Ring it for the letter that was given by now; where the hooks did not run, its line would start a turn."""
    if not session.hooked:
        return Route("queue", OPEN, "not tried: without hooks its line would start a turn", mend="mailstop setup codex")
    if office.caller.sandboxed:
        return _queue_by_others(office, seat, letter)
    began = time.monotonic()
    outcome = office.probes.ring_queue(seat, letter)
    took = _ms(began)
    if outcome.state != NOTIFIED:
        return _queue_failed(outcome, took)
    if not _came_back(office, session, seat, letter):
        text = (
            f"{outcome.evidence}; once Codex brings the line, your hook ends that turn without a request to the model"
        )
        return _as_before(office, seat, Route("queue", PROVED, text, took))
    return Route("queue", PROVED, "the line went through the queue, and your hook answered it", _ms(began))


def _queue_failed(outcome: Outcome, took: float) -> Route:
    text = f"{outcome.evidence}{f' ({outcome.detail})' if outcome.detail else ''}"
    text += "; codex queue --help says what it takes" if outcome.state != HELD else ""
    return Route("queue", FAILED, text, took)


def _came_back(office: Office, session: Session, seat: Seat, letter: Letter) -> bool:
    """Whether the line's own prompt came, waited for where no turn runs in front of it."""
    from mailstop.clients.codex import running_turn

    if running_turn(session.details, session.life):
        return False
    end = time.monotonic() + PATIENCE_S
    with Watcher(session.bell) as watcher:
        while (left := end - time.monotonic()) > 0:
            if not office.probes.is_awaited(seat, letter):
                return True
            watcher.wait(min(left, 0.05))  # the hook silences the bell, which wakes nobody
    return not office.probes.is_awaited(seat, letter)


def _queue_by_others(office: Office, seat: Seat, letter: Letter) -> Route:
    """In a sandbox, what an earlier run has set going tells; this one sets it going again."""
    office.probes.ring_queue_later(seat, letter)
    found = _earlier_ring(office, seat)
    if found:
        n, took = found
        text = f"rung for letter {n} of an earlier run, by a hook outside of this sandbox"
        return _as_before(office, seat, Route("queue", PROVED, text, took))
    text = "this sandbox may not ring it: your next hook does, for this letter; run the doctor as your next command"
    return Route("queue", OPEN, text, mend=DOCTOR)


def _earlier_ring(office: Office, seat: Seat) -> tuple[int, float] | None:
    """The last letter of the doctor's that was rung for, lately and for this session, and after how many ms."""
    now = office.clock()
    for one in _letters(office, seat):
        if one.sender == POSTMASTER and one.kind == KIND and one.n > seat.epoch and now - one.at < RECENT_MS:
            for receipt in office.store.index.receipts(one.n):
                if receipt.seat == seat.name and receipt.evidence == _EVIDENCE["queue"]:
                    return one.n, float(receipt.at - one.at)
    return None


# -- what the ledger tells -------------------------------------------------------------------------------------------


def _as_before(office: Office, seat: Seat, route: Route) -> Route:
    """The route with what the trial leaves unproved: nothing where a letter has come that way to this holder."""
    for one in _letters(office, seat):
        if one.n < seat.epoch:
            break
        states = {receipt.state: receipt for receipt in office.store.index.receipts(one.n) if receipt.seat == seat.name}
        rung, shown = states.get("notified"), states.get("shown")
        if rung and shown and rung.evidence == _EVIDENCE[route.name] and one.kind != KIND and rung.at <= shown.at:
            after = f"letter {one.n} came that way, shown {shown.at - rung.at} ms after its ring"
            return route.but(found=f"{route.found}; {after}")
    return route.but(unproved=_NO_REQUEST)


def _shown_before(office: Office, seat: Seat, route: Route) -> Route:
    """The route of the hooks: nothing is left unproved where they have shown this holder a letter."""
    if route.state != PROVED:
        return route
    for one in _letters(office, seat):
        if one.n < seat.epoch:
            break
        for receipt in office.store.index.receipts(one.n):
            if receipt.seat == seat.name and receipt.state == "shown" and receipt.evidence.endswith(" hook"):
                return route.but(found=f"{route.found}; they have shown letter {one.n}", unproved="")
    return route


def _letters(office: Office, seat: Seat) -> list[Letter]:
    """The letters to a seat among the last records of its bag, the newest first."""
    from mailstop.letter import Letter as Kept

    records = office.store.index.history(bag=seat.bag, limit=_LOOKED_AT).records
    return [one for one in reversed(records) if isinstance(one, Kept) and seat.name in one.to]


def _ms(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)
