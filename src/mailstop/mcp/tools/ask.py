"""ask: put a question to one seat and wait for its answer; wait on, withdraw it, see which have none yet.

A call waits as any does that is answered later: it holds nothing but the wait that is registered in the store, which
ends with the call, whatever becomes of it. The question stays.
"""

from __future__ import annotations

import os

from mailstop.acts.asks import CIRCLE, EMPTY, IDLE, PENDING, unanswered_text
from mailstop.cleaning import in_quotes, one_line
from mailstop.errors.tools import InvalidArguments
from mailstop.fence_tools import deliver
from mailstop.follower import Follower
from mailstop.letter import Draft
from mailstop.mcp.schema import Takes, checked_for
from mailstop.mcp.tools.send import recipients_told
from mailstop.mcp.tools.tool import FLAG, NUMBER, ROOM, TEXT, TEXTS, Answer, Call, Later, Tool, as_many_as_fit, size
from mailstop.names import DEFAULT_BAG, LONGEST, PERSON
from mailstop.rules.offers import Terms
from mailstop.times import iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.acts.asks import Asked, Open, Standing
    from mailstop.fence import Delivery
    from mailstop.letter import Letter
    from mailstop.office import Office

WAIT_S = 45  # clients give a call up after a minute
LONGEST_BEGIN = 120  # characters of a question in a list

_TAKES = {
    "ask": Takes(("to", "body"), ("choices", "wait", "ref", "artifacts", "key", "hold", "bag")),
    "resume": Takes(("number",), ("wait", "bag")),
    "cancel": Takes(("number",), ("bag",)),
    "list": Takes((), ("bag",)),
}


def run(call: Call) -> Answer | Later:
    """Do what the action says; without one, ask, or wait on where a number is given."""
    action = call.given("action") or ("resume" if "number" in call.arguments else "ask")
    checked_for(action, call.arguments, _TAKES[action], "ask")
    if action == "list":
        return _listed(call)
    if action == "cancel":
        return _cancelled(call)
    seconds: int = call.given("wait", WAIT_S)
    asks = call.office.asks
    if action == "resume":
        return _begun(call, asks.resume(call.given("number"), wait_ms=seconds * 1000, bag=call.given("bag")), seconds)
    choices = tuple(call.given("choices", ()))
    bag = call.given("bag", DEFAULT_BAG)
    return _begun(call, asks.ask(_draft(call), choices=choices, wait_ms=seconds * 1000, bag=bag), seconds)


def _draft(call: Call) -> Draft:
    to = call.given("to").strip().removeprefix("@")
    if "," in to or not to:
        raise InvalidArguments(problem="one seat is asked at a time", tool="ask", takes="to: the name of a seat")
    return Draft(
        (to,),
        call.given("body"),
        ref=call.given("ref"),
        artifacts=tuple(call.given("artifacts", ())),
        key=call.given("key"),
        hold=call.given("hold", False),
    )


# -- waiting ---------------------------------------------------------------------------------------------------------


def _begun(call: Call, asked: Asked, seconds: int) -> Answer | Later:
    wait = Wait(asked, seconds)
    try:
        answer = wait.look(call, not seconds)
    except BaseException:
        wait.over(call.office)
        raise
    return answer or Later(wait.look, seconds, ends=wait.ends, over=wait.over)


class Wait:
    """The wait of one call for the answer to a question."""

    def __init__(self, asked: Asked, seconds: int) -> None:
        self._asked, self._seconds = asked, seconds
        self._standing: Standing | None = None  # as the last look found it
        self._follower = Follower()
        self._rests = False

    def look(self, call: Call, last: bool) -> Answer | None:
        """What there is to say; None while there is no answer and time is left."""
        asks = call.office.asks
        self._standing = standing = asks.look(self._asked.question.n, wait=self._asked.wait)
        if standing.state == PENDING and not last:
            return None
        standing = asks.rest(self._asked, standing)
        self._rests = True
        self._follower.close()
        if standing.answer is None:
            return _unanswered(self._asked, standing, self._seconds)
        return _answered(call, self._asked, standing, standing.answer)

    def ends(self) -> tuple[Sequence[int], float | None]:
        """Readable when the process of the session that was asked ends."""
        ends = self._follower.ends_with(self._standing.holder.session if self._standing else None)
        return ends, 0.0 if self._follower.ended else None

    def over(self, office: Office | None) -> None:
        """The call waits no more; the question is kept."""
        self._follower.close()
        if not self._rests and office is not None:
            office.asks.give_up(self._asked)


def _answered(call: Call, asked: Asked, standing: Standing, answer: Letter) -> Answer:
    """The answer, handed out like any letter, so that no other way shows it again."""
    office, question = call.office, asked.question
    nonce, now = os.urandom(4).hex(), office.clock()
    choice = {"choice": question.choices.index(answer.body) + 1} if answer.body in question.choices else {}
    known = {**_data(asked, standing), "answer": answer.n, **choice}

    def composed(letters: Sequence[Letter], more: int) -> Delivery:
        return deliver(
            letters, more=more, now_ms=now, nonce=nonce, fits=lambda given: size({**known, "text": given.text}) <= ROOM
        )

    terms = Terms(
        act="the tool ask",
        turn=call.turn,
        announced_too=True,
        hands_out=not office.caller.subagent,  # its session's model would not see it
        compose=composed,
        nonce=nonce,
        only=answer.n,
    )
    offer = office.offer(terms, bag=question.bag)
    if offer.letters:
        return Answer({**known, "text": offer.text}, offer.text, offer=offer)
    if any(each.shown for each in office.store.index.deliveries(answer.n) if each.seat == question.sender):
        text = composed([answer], 0).text  # it was shown before, and is asked for by its question's number
    else:
        text = (
            f"question {question.n} is answered by letter {answer.n}, which this session is being given already; to"
            f" see it again: read with number {answer.n}"
        )
    return Answer({**known, "text": text}, text)


def _unanswered(asked: Asked, standing: Standing, seconds: int) -> Answer:
    n = asked.question.n
    lines = [f"question {n} to {_name(asked.question.to[0])}: {unanswered_text(standing, seconds)}"]
    if standing.state in (PENDING, EMPTY, IDLE, CIRCLE):
        lines.append(f"Its answer comes as a letter. To wait on: ask with number {n}; action cancel withdraws it")
    text = "\n".join(lines)
    return Answer({**_data(asked, standing), "text": text}, text)


def _data(asked: Asked, standing: Standing) -> dict[str, Any]:
    question = asked.question
    told = recipients_told(asked.recipients)
    return {
        "n": question.n,
        "to": _name(question.to[0]),
        "state": standing.state,
        **({"recipients": told} if told else {}),
        **({"since": iso_text(standing.since)} if standing.since else {}),
    }


# -- withdrawing, and looking ----------------------------------------------------------------------------------------


def _cancelled(call: Call) -> Answer:
    question, told = call.office.asks.cancel(call.given("number"), bag=call.given("bag"))
    to = _name(question.to[0])
    text = f"question {question.n} to {to} is withdrawn" + (f"; {to} may have seen it, and is told" if told else "")
    return Answer({"n": question.n, "to": to, "state": "canceled", "text": text}, text)


def _listed(call: Call) -> Answer:
    bag = call.given("bag")
    (mine, more), (given, further) = (
        call.office.asks.listed(mine=mine, given=not mine, bag=bag) for mine in (True, False)
    )
    found = [*(_told(each, "to") for each in mine), *(_told(each, "from") for each in given)]

    def composed(questions: list[dict[str, Any]]) -> dict[str, Any]:
        left = len(found) - len(questions) + more + further
        lines = [_line(each) for each in questions] or ["no question without an answer, asked by you or of you"]
        lines += [f"and {left} more"] if left else []
        return {"text": "\n".join(lines), "questions": questions, **({"left_out": left} if left else {})}

    data = composed(as_many_as_fit(found, composed))
    return Answer(data, data["text"])


def _told(each: Open, side: str) -> dict[str, Any]:
    other = each.ask.asked if side == "to" else each.question.sender
    return {
        "n": each.question.n,
        side: "human" if other == PERSON else _name(other),
        "since": iso_text(each.question.at),
        "shown": each.shown,
        "begins": one_line(each.question.body, LONGEST_BEGIN),
    }


def _line(each: dict[str, Any]) -> str:
    to = "to" in each
    who = f"you asked {each['to']}" if to else f"{each['from']} asked you"
    how = f"ask with number {each['n']}" if to else f"answer with number {each['n']}"
    return f'question {each["n"]}: {who} at {each["since"]}: "{in_quotes(each["begins"], LONGEST_BEGIN)}": {how}'


def _name(text: str) -> str:
    return one_line(text, LONGEST)


_PROPERTIES = {
    "action": {"type": "string", "enum": [*_TAKES]},
    "to": TEXT,
    "body": TEXT,
    "choices": TEXTS,
    "number": NUMBER,
    "wait": NUMBER,
    "ref": NUMBER,
    "artifacts": TEXTS,
    "key": TEXT,
    "hold": FLAG,
    "bag": TEXT,
}

TOOL = Tool(
    name="ask",
    description="Ask one seat (human: the person), wait up to 45 s. pending: resume by number, or go on; the"
    " answer comes as a letter. list: open ones.",
    act=run,
    properties=_PROPERTIES,
    ranges={"wait": (0, WAIT_S)},
    always=("text",),
    stores=True,
)
