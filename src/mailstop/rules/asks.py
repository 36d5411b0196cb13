"""Asks: a question, and its one answer.

Guards: asks.<bag>.<id of the question>, which must be empty for an answer and for a cancellation, so that of several of
these one counts; for a cancellation also receipts.<bag>.<the seat that was asked>, because that seat is told only of
a question that it has seen. Who waits for an answer is said in waits.
"""

from __future__ import annotations

from mailstop.ask import ANSWERED, CANCELED, OPEN, Ask
from mailstop.cleaning import one_line
from mailstop.engines.entry import Entry, subject
from mailstop.errors import (
    AlreadyAnswered,
    AskCanceled,
    InvalidField,
    NoChoices,
    NotAQuestion,
    NotAsked,
    NotOneOfTheChoices,
)
from mailstop.fence import choice_lines
from mailstop.letter import LONGEST_CHOICE, MOST_CHOICES, new_id
from mailstop.lines import line_rule
from mailstop.names import in_bag
from mailstop.rules.presence import holder_of
from mailstop.rules.tenure import seat_subject
from mailstop.seat import Seat
from mailstop.times import clock_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.engines.base import Store
    from mailstop.letter import Letter
    from mailstop.rules.presence import Holder

GIVEN = ("handed", "shown in part", "shown", "answered")  # states of a letter that somebody may have read


def ask_subject(bag: str, ask_id: str) -> str:
    """The subject on which a question ends."""
    return subject("asks", bag, ask_id)


def checked_choices(choices: Sequence[str]) -> tuple[str, ...]:
    """The choices of a question, each without blanks around it. Raises InvalidField."""
    found = tuple(choice.strip() for choice in choices)
    if len(found) > MOST_CHOICES:
        raise InvalidField(field="the choices", reason=f"at most {MOST_CHOICES}, and {len(found)} were given")
    for choice in found:
        if not 0 < len(choice) <= LONGEST_CHOICE or not choice.isprintable():
            shown = one_line(choice, LONGEST_CHOICE)
            reason = f"a choice is {line_rule(choice, LONGEST_CHOICE)}"
            raise InvalidField(field=f'the choice "{shown}"', reason=reason)
    if len(set(found)) < len(found):
        raise InvalidField(field="the choices", reason="each may be given once")
    return found


# -- what holds now --------------------------------------------------------------------------------------------------


def ask_now(store: Store, question: Letter) -> Ask:
    """A question as it stands now, however far the index lags behind. Raises NotAQuestion."""
    store.ledger.on(ask_subject(question.bag, question.id))  # the index has then folded it
    found = store.index.asks.ask(question.n) if question.asks else None
    if found is None:
        raise NotAQuestion(n=question.n)
    return found


def is_open(store: Store, bag: str, ask_id: str) -> bool:
    """Whether a question has neither been answered nor canceled."""
    return not store.ledger.last(ask_subject(bag, ask_id))


def holder_now(store: Store, bag: str, name: str) -> Holder:
    """Who holds a seat now, however far the index lags behind."""
    store.ledger.on(seat_subject(bag, name))  # the index has then folded it
    return holder_of(store, store.index.seat(bag, name) or Seat(bag, name))


def as_it_stands(store: Store, letter: Letter) -> Letter:
    """A letter as its reader is to see it: of a question that has ended it says so."""
    if not letter.asks:
        return letter
    ask = store.index.asks.ask(letter.n)
    if ask is None or ask.state == OPEN:
        return letter
    how = f"answered by letter {ask.answer}" if ask.state == ANSWERED else f"withdrawn by {ask.by}"
    return letter.but(closed=f"{how} at {clock_text(ask.ended)}")


# -- answers ---------------------------------------------------------------------------------------------------------


def refuse_others(question: Letter, name: str) -> None:
    """Raise NotAsked unless the question was asked of the seat `name`, NotAQuestion when it is none."""
    if not question.asks:
        raise NotAQuestion(n=question.n)
    if name not in question.to:
        raise NotAsked(n=question.n, asked=question.to[0], where=in_bag(question.bag), name=name)


def refuse_ended(ask: Ask, *, to_asker: bool = False) -> None:
    """Raise AlreadyAnswered or AskCanceled unless the question is open.

    to_asker: whether that is told to who withdraws it: a reply to the question would go to its asker.
    """
    if ask.state == ANSWERED:
        writing = f"mailstop reply {ask.answer if to_asker else ask.n} -"
        raise AlreadyAnswered(n=ask.n, answer=ask.answer, by=ask.by, since=ask.ended, writing=writing)
    if ask.state == CANCELED:
        own = f"mailstop send {ask.asked} --ref {ask.n} -" + (f" --bag {ask.bag}" if in_bag(ask.bag) else "")
        writing = own if to_asker else f"mailstop reply {ask.n} -"
        raise AskCanceled(n=ask.n, by=ask.by, since=ask.ended, writing=writing)


def chosen(question: Letter, number: int) -> str:
    """The choice of that number, counted from 1. Raises NoChoices or NotOneOfTheChoices."""
    if not question.choices:
        raise NoChoices(n=question.n)
    if not 0 < number <= len(question.choices):
        raise _not_one_of_them(question)
    return question.choices[number - 1]


def checked_answer(question: Letter, body: str) -> str:
    """The body of an answer: where the question gives choices, exactly one of these. Raises NotOneOfTheChoices."""
    if not question.choices:
        return body
    if body.strip() not in question.choices:
        raise _not_one_of_them(question)
    return body.strip()


def _not_one_of_them(question: Letter) -> NotOneOfTheChoices:
    offered = ", ".join(choice_lines(question))
    return NotOneOfTheChoices(n=question.n, offered=offered, choices=question.choices, asker=question.sender)


def answered(question: Letter, letter_id: str, name: str, now: int) -> Entry:
    """The entry that says: that letter answers the question."""
    data = {"ask": question.id, "answer": letter_id, "seat": name}
    return Entry(ask_subject(question.bag, question.id), "ask_answered", question.bag, new_id(), now, data)


def canceled(question: Letter, name: str, now: int) -> Entry:
    """The entry that says: the question was withdrawn."""
    data = {"ask": question.id, "seat": name}
    return Entry(ask_subject(question.bag, question.id), "ask_canceled", question.bag, new_id(), now, data)


# -- who has seen it -------------------------------------------------------------------------------------------------


def was_shown(store: Store, question: Letter, seat: Seat) -> bool:
    """Whether the question was shown to the present holder of the seat that was asked."""
    receipts = [one for one in store.index.receipts(question.n) if one.seat == seat.name]
    return any(one.state in ("shown in part", "shown") and one.entry > seat.epoch for one in receipts)


def was_given(store: Store, question: Letter, seat: Seat) -> bool:
    """Whether whoever holds the seat that was asked, or held it, may have read the question; proved or not."""
    return any(one.seat == seat.name and one.state in GIVEN for one in store.index.receipts(question.n))
