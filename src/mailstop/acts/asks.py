"""Asks: what callers may ask of the office about questions. Nothing blocks here: who waits sleeps, and looks.

A question is asked and its wait registered in one act; `look` says how it stands; `rest` ends the wait.
"""

from __future__ import annotations

from mailstop import bells, rules
from mailstop.ask import ANSWERED, CANCELED
from mailstop.clients.life import my_life
from mailstop.engines.entry import subject
from mailstop.errors import Conflict, KeyReused, MailstopError, StoreUnavailable, UnknownQuestion
from mailstop.fence import name_text
from mailstop.letter import Draft, Letter
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.records import Record
from mailstop.rules.letters import Rider
from mailstop.rules.presence import Holder
from mailstop.rules.tellings import Told, empty_text
from mailstop.rules.tenure import guard
from mailstop.rules.waits import Wait
from mailstop.times import clock_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mailstop.ask import Ask
    from mailstop.office import Office, Sent
    from mailstop.rules.letters import Ride
    from mailstop.rules.waits import Waits
    from mailstop.seat import Seat

PENDING = "pending"  # no answer yet
EMPTY = "empty"  # nobody sits at the seat that was asked; the question is kept
IDLE = "idle"  # the session that was asked came to rest without an answer
CIRCLE = "circle"  # seats have changed hands since, and now each waits for the next

MOST_TRIES = 50
MOST_LISTED = 50


class Asked(Record):
    """A question that is stored. wait: the id of the wait that is registered for its answer, empty without one.

    recipients: what became of it at the seat that was asked; empty where it was asked before.
    """

    question: Letter
    wait: str = ""
    recipients: tuple[Told, ...] = ()
    new: bool = True


class Standing(Record):
    """How a question stands for its asker: `answered`, `canceled`, PENDING, EMPTY, IDLE or CIRCLE.

    answer: the letter that answers it. by: which seat answered or canceled it. since: milliseconds since 1970, of what
    the state says; 0 where it is not known. holder: who sits at the seat that was asked.
    """

    question: Letter
    state: str
    holder: Holder
    answer: Letter | None = None
    by: str = ""
    since: int = 0


class Open(Record):
    """A question without an answer. shown: whether it was shown at the seat. waits: whether its asker waits now."""

    ask: Ask
    question: Letter
    holder: Holder
    shown: bool
    waits: bool


class Asks:
    """The questions of a store, for the caller of one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store

    # -- asking ------------------------------------------------------------------------------------------------------

    def ask(self, draft: Draft, *, choices: Sequence[str] = (), wait_ms: int = 0, bag: str = DEFAULT_BAG) -> Asked:
        """Ask one seat, and register a wait of so many milliseconds before the question is stored; 0: none.

        choices: of which one is the answer. Raises WouldWaitInCircle, and what `send` raises; nothing is stored then.
        """
        office = self._office
        choices = rules.asks.checked_choices(choices)
        asking = draft.but(kind="question", needs_reply=True, final=False)
        wait = self._wait_of(office.writer(bag).name, bag, wait_ms) if wait_ms else None

        def rider(letter_id: str, recipients: Sequence[Seat]) -> Rider:
            data: dict[str, Any] = {"ask": {"choices": list(choices)}}
            if wait is None:
                return Rider(data)
            (seat,) = recipients  # of the letter itself: whom a name means may change between two looks
            registration = rules.waits.registration(
                self._store, wait.but(ask=letter_id, asked=seat.name), office.clock()
            )
            return Rider(data, expect=registration.expect, board=(registration.put,), rows=registration.rows)

        try:
            sent = office.send(asking, bag=bag, rider=rider)
        except BaseException:
            if wait:  # an engine may have registered it before the letter was refused
                self._let_go(wait.id)
            raise
        if sent.new:
            return Asked(sent.letter, wait.id if wait else "", sent.recipients)
        if wait:  # ditto, before it was found to be asked already
            self._let_go(wait.id)
        if not sent.letter.asks or sent.letter.choices != choices:
            raise KeyReused(key=draft.key, n=sent.letter.n)
        return self.resume(sent.letter.n, wait_ms=wait_ms).but(recipients=sent.recipients, new=False)

    def resume(self, n: int, *, wait_ms: int = 0, bag: str | None = None) -> Asked:
        """Wait on for the answer to a question of the caller's. Raises UnknownQuestion, WaitsInCircle."""
        question = self._own(n, bag)
        if not wait_ms or not rules.asks.is_open(self._store, question.bag, question.id):
            return Asked(question, new=False)
        wait = self._wait_of(question.sender, question.bag, wait_ms).but(ask=question.id, asked=question.to[0])
        rules.waits.register(self._store, wait, self._office.clock())
        return Asked(question, wait.id, new=False)

    def _wait_of(self, asker: str, bag: str, wait_ms: int) -> Wait:
        """A wait of this process, still without the question."""
        office = self._office
        bell = office.session.bell if office.session else PERSON
        now = office.clock()
        until = now + min(wait_ms, rules.waits.LONGEST_MS)
        who = {"bag": bag, "seat": asker, "session": office.session_id}
        return rules.waits.new_wait(office.caller, **who, bell=bell, life=my_life(), until=until, since=now)

    def _own(self, n: int, bag: str | None = None) -> Letter:
        """The question of that number, if the caller's seat has asked it; whose it is else is nobody's business."""
        question = self._store.index.letter(n)
        own = {(seat.bag, seat.name) for seat in self._office.seats()}
        if question is None or not question.asks or (question.bag, question.sender) not in own:
            mine = sorted(
                (each.n for place, name in own for each in self._store.index.asks.open(bag=place, asker=name)),
                key=lambda each: abs(each - n),
            )
            listed = f" (nearest: {', '.join(map(str, mine[:3]))})" if mine else ""
            raise UnknownQuestion(n=n, listed=listed, nearest=mine[:3])
        return self._office.letter(n, bag=bag)

    # -- waiting -----------------------------------------------------------------------------------------------------

    def look(self, n: int, *, wait: str = "", bag: str | None = None) -> Standing:
        """How a question of the caller's stands now. wait: of the one that is registered. Raises UnknownQuestion."""
        question = self._own(n, bag)
        ask = rules.asks.ask_now(self._store, question)
        holder = rules.asks.holder_now(self._store, question.bag, ask.asked)
        if ask.state in (ANSWERED, CANCELED):
            answer = self._store.index.letter(ask.answer) if ask.answer else None
            return Standing(question, ask.state, holder, answer, ask.by, ask.ended)
        if ask.asked != PERSON and holder.present is None:
            return Standing(question, EMPTY, holder, since=holder.since)
        now = self._office.clock()
        registered = rules.waits.waits_of(self._store, now).of(wait) if wait else None
        if registered and registered.idle:
            return Standing(question, IDLE, holder, since=registered.idle)
        if registered and rules.waits.closes_circle(self._store, registered, now):
            return Standing(question, CIRCLE, holder)
        return Standing(question, PENDING, holder)

    def rest(self, asked: Asked, last: Standing) -> Standing:
        """End a wait, whatever has come of it, and say how the question stands. last: what the last look gave."""
        ended = self._forget(asked.wait) if asked.wait else None
        standing = self.look(asked.question.n)
        if standing.state != PENDING:
            return standing
        if ended and ended.idle:  # which came between the last look and the end
            return standing.but(state=IDLE, since=ended.idle)
        return standing.but(state=last.state, since=last.since) if last.state == CIRCLE else standing

    def give_up(self, asked: Asked) -> None:
        """End a wait that nobody looks at any more. Never raises."""
        if asked.wait:
            self._let_go(asked.wait)

    def _let_go(self, wait_id: str) -> None:
        """Take a wait away, if that can be done; else it counts until its process ends, or its time."""
        try:
            self._forget(wait_id)
        except MailstopError:
            pass

    def _forget(self, wait_id: str) -> Wait | None:
        return rules.waits.forget(self._store, wait_id, self._office.clock())

    # -- answering ---------------------------------------------------------------------------------------------------

    def answer(self, n: int, draft: Draft, *, choice: int | None = None, bag: str | None = None) -> Sent:
        """Answer a question, once, from the seat that was asked. choice: the number of one of its choices, from 1.

        Raises UnknownNumber, NotAQuestion, NotAsked, AlreadyAnswered, AskCanceled, NoChoices, NotOneOfTheChoices, and
        what `send` raises.
        """
        office = self._office
        question = office.letter(n, bag=bag)
        writer = office.writer(question.bag)
        rules.asks.refuse_others(question, writer.name)
        if not draft.key:  # with one, it may be this very answer that ended it
            rules.asks.refuse_ended(rules.asks.ask_now(self._store, question))
        if choice is None:
            body = rules.asks.checked_answer(question, draft.body)
        else:
            body = rules.asks.chosen(question, choice)

        def rider(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            rules.asks.refuse_ended(rules.asks.ask_now(self._store, question))
            return self._answered_by(question, letter_id, writer.name)

        answer = draft.but(to=(question.sender,), body=body, kind="answer", ref=n, needs_reply=False, final=True)
        return self._sent(question, answer, rider)

    def reply(self, question: Letter, draft: Draft) -> Sent:
        """A reply by the seat that was asked: the answer while there is none, and an ordinary letter from then on."""
        name = self._office.writer(question.bag).name

        def rider(letter_id: str, _recipients: Sequence[Seat]) -> Rider:
            if not rules.asks.is_open(self._store, question.bag, question.id):
                return Rider()
            rules.asks.checked_answer(question, draft.body)
            return self._answered_by(question, letter_id, name)

        return self._sent(question, draft, rider)

    def _answered_by(self, question: Letter, letter_id: str, name: str) -> Rider:
        entry = rules.asks.answered(question, letter_id, name, self._office.clock())
        return Rider(entries=(entry,), expect={entry.subject: 0})

    def _sent(self, question: Letter, draft: Draft, rider: Ride) -> Sent:
        sent = self._office.send(draft, bag=question.bag, rider=rider)
        self._wake(lambda wait: wait.ask == question.id)
        return sent

    # -- withdrawing -------------------------------------------------------------------------------------------------

    def cancel(self, n: int, *, bag: str | None = None) -> tuple[Letter, bool]:
        """Withdraw a question of the caller's; the person may withdraw any. The question, and whether the seat that was
        asked is told, because it may have seen it.

        Raises UnknownQuestion, AlreadyAnswered, AskCanceled.
        """
        office = self._office
        question = office.letter(n, bag=bag) if office.is_person else self._own(n, bag)
        rules.asks.refuse_others(question, question.to[0])
        for _ in range(MOST_TRIES):
            told = self._try_to_cancel(question)
            if told is not None:
                self._wake(lambda wait: wait.ask == question.id)
                return question, told
        raise self._endless()

    def _try_to_cancel(self, question: Letter) -> bool | None:
        """Whether the seat that was asked was told; None when somebody else was faster with something."""
        asked, ledger = question.to[0], self._store.ledger
        receipts = subject("receipts", question.bag, asked)
        seen = ledger.last(receipts)
        ledger.on(receipts)  # the index has folded that one
        seat = rules.asks.holder_now(self._store, question.bag, asked).seat
        handout = rules.hands.handout_of(self._store, PERSON if asked == PERSON else str(seat.session))
        if rules.asks.was_given(self._store, question, seat) or question.n in handout.numbers(seat):
            who = "the person" if self._office.is_person else question.sender
            body = f"Question {question.n} was withdrawn by {who}: no answer is needed any more."
            notice = Draft((asked,), body, kind="fyi", ref=question.n, final=True)
            self._office.notify(notice, bag=question.bag, rider=lambda *_: self._withdrawal(question))
            return True
        withdrawal = self._withdrawal(question)
        try:
            ledger.append(withdrawal.entries, expect={**withdrawal.expect, receipts: seen}, rows=handout.rows)
        except Conflict:
            return None
        return False

    def _withdrawal(self, question: Letter) -> Rider:
        """What withdraws a question. Raises AlreadyAnswered, AskCanceled, or UnknownQuestion when its seat was lost."""
        rules.asks.refuse_ended(rules.asks.ask_now(self._store, question), to_asker=True)
        name, expect = PERSON, {}
        if not self._office.is_person:
            own = next((seat for seat in self._office.seats() if seat.bag == question.bag), None)
            if own is None or own.name != question.sender:
                raise UnknownQuestion(n=question.n, listed="", nearest=[])
            name, expect = own.name, guard(own)
        entry = rules.asks.canceled(question, name, self._office.clock())
        return Rider(entries=(entry,), expect={**expect, entry.subject: 0})

    # -- what others do ----------------------------------------------------------------------------------------------

    def went_idle(self) -> None:
        """The caller's session has come to rest: whoever waits for its answer hears it, or is told once by a letter."""
        for seat in self._office.seats():
            for n in self._store.index.asked(seat.bag, seat.name, shown=True):
                question = self._store.index.letter(n)
                if question and rules.asks.was_shown(self._store, question, seat):
                    self._say_idle(question, seat)

    def _say_idle(self, question: Letter, seat: Seat) -> None:
        now = self._office.clock()
        waiting: list[Wait] = []
        marked: list[Wait] = []

        def mark(waits: Waits) -> list[Wait]:
            waiting[:] = [wait for wait in waits.all if wait.ask == question.id]
            marked[:] = [wait for wait in waiting if not wait.idle]  # who was told so before is not rung again
            return [wait.but(idle=now) if wait in marked else wait for wait in waits.all]

        rules.waits.change(self._store, mark, now)
        for wait in marked:
            bells.ring(wait.bell)
        key = f"idle {question.id}"  # once for each question
        if not waiting and not rules.letters.with_key(self._store, rules.tenure.postmaster(question.bag), key):
            notice = Draft(
                (question.sender,),
                f"Seat {seat.name} was shown your question {question.n} and ended its turn without an answer. The "
                f"question is kept, and an answer comes as a letter. To withdraw it: mailstop cancel {question.n}",
                kind="fyi",
                ref=question.n,
                final=True,
                key=key,
            )
            self._office.notify(notice, bag=question.bag)

    def seat_changed(self, *seats: Seat) -> None:
        """Somebody has left these seats or sat down there: who waits for them, or has waited from there, looks."""
        places = {(seat.bag, seat.name) for seat in seats}
        self._wake(lambda wait: (wait.bag, wait.asked) in places or (wait.bag, wait.asker) in places)

    def _wake(self, concerned: Callable[[Wait], bool]) -> None:
        """Ring the bells of those whose waits these are. Never raises: what they are to hear of is stored by now."""
        try:
            waits = rules.waits.waits_of(self._store, self._office.clock()).all
        except MailstopError:  # they see it when their time is over
            return
        for wait in waits:
            if not wait.is_for_leases and concerned(wait):
                bells.ring(wait.bell)

    # -- looking -----------------------------------------------------------------------------------------------------

    def listed(
        self, *, mine: bool = False, given: bool = False, bag: str | None = None, limit: int = MOST_LISTED
    ) -> tuple[list[Open], int]:
        """Questions without an answer, the oldest first, and how many more there are.

        mine: those that the caller's seats asked. given: those that were asked of them.
        """
        if bag is not None:
            self._office.checked_bag(bag)
        index = self._store.index.asks
        chosen: list[dict[str, Any]] = [{"bag": bag}]
        if mine or given:
            own = [seat for seat in self._office.seats() if bag in (None, seat.bag)]
            chosen = [{"bag": seat.bag, "asker" if mine else "asked": seat.name} for seat in own]
        found = sorted((ask for which in chosen for ask in index.open(**which, limit=limit)), key=lambda ask: ask.n)
        count = sum(index.count_open(**which) for which in chosen)
        waiting = {wait.ask for wait in rules.waits.waits_of(self._store, self._office.clock()).all}
        opened = [self._opened(ask, waiting) for ask in found[:limit]]
        return [each for each in opened if each], count - len(found[:limit])

    def _opened(self, ask: Ask, waiting: set[str]) -> Open | None:
        question = self._store.index.letter(ask.n)
        if question is None:
            return None
        holder = rules.asks.holder_now(self._store, ask.bag, ask.asked)
        shown = any(each.shown for each in self._store.index.deliveries(ask.n))
        return Open(ask, question, holder, shown, ask.id in waiting)

    def _endless(self) -> StoreUnavailable:
        from mailstop.config import store_name

        return StoreUnavailable(path=store_name(self._store.url), reason="others change the same without end")


def unanswered_text(standing: Standing, seconds: float) -> str:
    """Why a question has no answer, for who waited so many seconds for it."""
    since = clock_text(standing.since) if standing.since else ""
    if standing.state == EMPTY:
        return f"{empty_text(standing.holder)}; the question is kept"
    if standing.state == IDLE:
        return f"pending; the session there ended its turn at {since} and did not answer"
    if standing.state == CIRCLE:
        return "pending; seats have changed hands, and whoever sits there now waits for this session in turn"
    if standing.state == PENDING:
        return f"pending, no answer within {counted(seconds, 'second')}" if seconds else "pending"
    return f"withdrawn by {name_text(standing.by)} at {since}"
