"""mailstop ask SEAT [BODY|-]: ask one seat, and wait for its answer; ask --resume N waits on.

The process that waits holds no lock and looks at nothing while nothing happens: it sleeps until its bell is rung, or
until the session that was asked ends.
"""

from __future__ import annotations

import os
import sys
import time

from mailstop import faults
from mailstop.acts.asks import CIRCLE, EMPTY, IDLE, PENDING, unanswered_text
from mailstop.cli.arguments import BODY, NUMBER, SECONDS, Option, Positional
from mailstop.cli.body import body_of
from mailstop.cli.check import written
from mailstop.cli.letter_json import left_out_json, letter_json
from mailstop.cli.result import Result
from mailstop.cli.send import sent_lines
from mailstop.cli.standing import name_text
from mailstop.config import DELIVERY_BYTES
from mailstop.errors import TimedOut, UsageError
from mailstop.fence import Delivery, whole
from mailstop.follower import Follower
from mailstop.json_text import dumps
from mailstop.letter import Draft
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.rules.offers import Terms
from mailstop.times import iso_text
from mailstop.watcher import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mailstop.acts.asks import Asked, Standing
    from mailstop.cli.arguments import Arguments
    from mailstop.letter import Letter
    from mailstop.office import Office

WAIT_S = 45.0  # clients give up a tool call after a minute or two

PARAMETERS = (
    Positional("to", "SEAT", "whom; one seat", needed=False),
    *BODY,
    Option(("--wait",), f"wait so many seconds (default {WAIT_S:g}); 0 leaves the question there", "S", kind=SECONDS),
    Option(("--choice",), "one of the answers to choose from; may be repeated", "TEXT", each=True),
    Option(("--resume",), "wait on for the answer to question N", "N", kind=NUMBER),
    Option(("--artifact",), "a file the question is about; may be repeated", "PATH", each=True),
    Option(("--ref",), "the letter this one refers to", "N", kind=NUMBER),
    Option(("--key",), "ask it once, however often this is repeated with the same key", "KEY"),
    Option(("--hold",), "let it wait for a seat that nobody has taken yet"),
)

EXAMPLES = """\
mailstop ask reviewer - <<'MAIL'
May I drop the old parser?
MAIL
mailstop ask human --choice yes --choice no - <<'MAIL'
Is the release to go out today?
MAIL
mailstop ask --resume 142"""


def run(office: Office, args: Arguments) -> Result:
    """Ask, or find the question that was asked, and wait for its answer."""
    seconds = WAIT_S if args.wait is None else args.wait
    wait_ms = round(seconds * 1000)
    begin: Callable[[], Asked]
    if args.resume is not None:
        given = [args.to, args.body, args.body_file, args.ref, args.key, *args.choice, *args.artifact]
        if any(each is not None for each in given) or args.hold:
            raise UsageError(reason=f"it was asked before: mailstop ask --resume {args.resume}, with --wait at most")

        def begin() -> Asked:
            return office.asks.resume(args.resume, wait_ms=wait_ms, bag=args.bag)
    else:
        draft, bag = _draft(args), args.bag or DEFAULT_BAG

        def begin() -> Asked:
            return office.asks.ask(draft, choices=tuple(args.choice), wait_ms=wait_ms, bag=bag)

    asked, standing = _waited(office, begin, seconds)
    if standing.answer is None:
        return _unanswered(office, asked, standing, seconds)
    return _answered(office, args, asked, standing, standing.answer)


def _draft(args: Arguments) -> Draft:
    if not args.to:
        raise UsageError(reason="whom? mailstop ask SEAT -   (all seats: mailstop who)")
    if "," in args.to:
        raise UsageError(reason="one seat is asked at a time; to write to several: mailstop send SEAT,SEAT -")
    return Draft((args.to,), body_of(args), ref=args.ref, artifacts=tuple(args.artifact), key=args.key, hold=args.hold)


# -- waiting ---------------------------------------------------------------------------------------------------------


def _waited(office: Office, begin: Callable[[], Asked], seconds: float) -> tuple[Asked, Standing]:
    """Begin to wait, and sleep until the question stands otherwise or the time is over."""
    if not seconds:
        asked = begin()
        return asked, office.asks.look(asked.question.n)
    end = time.monotonic() + seconds
    bell = office.session.bell if office.session else PERSON
    with Watcher(bell) as watcher, Follower() as follower:  # before the question: an answer may come at once
        asked = begin()
        faults.reach("question stored")
        try:
            standing = office.asks.look(asked.question.n, wait=asked.wait)
            _say_that_it_waits(office, asked, standing, seconds)
            while standing.state == PENDING and (left := end - time.monotonic()) > 0:
                ends = follower.ends_with(standing.holder.session)
                watcher.wait(0.0 if follower.ended else left, ends)
                standing = office.asks.look(asked.question.n, wait=asked.wait)
            faults.reach("wait over")
            return asked, office.asks.rest(asked, standing)
        except BaseException:
            office.asks.give_up(asked)
            raise


def _say_that_it_waits(office: Office, asked: Asked, standing: Standing, seconds: float) -> None:
    if office.is_person and standing.state == PENDING and sys.stderr.isatty():
        n, seat = asked.question.n, name_text(asked.question.to[0])
        print(f"question {n} is stored; waiting for {seat}, at most {seconds:g} s. Ctrl-C leaves it", file=sys.stderr)


# -- with an answer --------------------------------------------------------------------------------------------------


def _answered(office: Office, args: Arguments, asked: Asked, standing: Standing, answer: Letter) -> Result:
    """The answer, handed out like any letter, so that no other way shows it again."""
    question, store = asked.question, office.store_option

    def value(letter: dict[str, Any] | None) -> dict[str, Any]:
        choice = question.choices.index(answer.body) + 1 if answer.body in question.choices else None
        return {**_json(asked, standing), "answer": letter, "choice": choice}

    def as_json(letters: Sequence[Letter], more: int) -> Delivery:
        if _fits(value(letter_json(answer))):
            return Delivery("", (answer.n,), (), more)
        return Delivery("", (), (answer.n,), more)

    terms = Terms(
        act="mailstop ask",
        announced_too=True,
        hands_out=not office.caller.subagent,  # its session's model would not see it
        call=office.caller.call if args.json else "",
        compose=as_json if args.json else None,
        only=answer.n,
    )
    offer = office.offer(terms, bag=question.bag)
    if offer.letters:
        letter = left_out_json(answer, store) if offer.part else letter_json(answer)
        return Result(value(letter), offer.text, written=lambda: written(office, offer))
    if any(each.shown for each in office.store.index.deliveries(answer.n) if each.seat == question.sender):
        # It was shown before, and is asked for by its question's number, as with read.
        fits = _fits(value(letter_json(answer)))
        text = whole(answer, now_ms=office.clock(), nonce=os.urandom(4).hex(), store=store)
        return Result(value(letter_json(answer) if fits else left_out_json(answer, store)), text)
    text = (
        f"question {question.n} is answered by letter {answer.n}, which this session is being given already; "
        f"to print it again: mailstop read {answer.n}{store}"
    )
    return Result(value(left_out_json(answer, store)), text)


def _fits(value: dict[str, Any]) -> bool:
    return len(dumps(value).encode("utf-8", "backslashreplace")) < DELIVERY_BYTES


# -- without one -----------------------------------------------------------------------------------------------------


def _unanswered(office: Office, asked: Asked, standing: Standing, seconds: float) -> Result:
    question, store = asked.question, office.store_option
    resume, cancel = f"mailstop ask --resume {question.n}{store}", f"mailstop cancel {question.n}{store}"
    lines = [f"question {question.n} to {name_text(question.to[0])}: {unanswered_text(standing, seconds)}"]
    lines += sent_lines(asked.recipients)
    if standing.state in (PENDING, EMPTY, IDLE, CIRCLE):
        lines.append(f"Its answer comes as a letter. To wait on: {resume} - to withdraw it: {cancel}")
    value = {**_json(asked, standing), "answer": None, "choice": None, "resume": resume}
    return Result(value, "\n".join(lines), exit_code=TimedOut.exit_code)


def _json(asked: Asked, standing: Standing) -> dict[str, Any]:
    question = asked.question
    return {
        "n": question.n,
        "id": question.id,
        "bag": question.bag,
        "to": question.to[0],
        "state": standing.state,
        "since": iso_text(standing.since) if standing.since else None,
        "recipients": [told.as_dict() for told in asked.recipients],
    }
