"""Questions."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused


class NotAQuestion(Refused):
    """Letter {n} was not asked with mailstop ask, so nobody waits for its one answer. To answer it: mailstop reply {n}
    -"""


class NotAsked(Refused):
    """Question {n} was asked of seat {asked!r}{where}, and only that seat answers it; this is {name!r}. Nothing was
    stored. To write about it: mailstop send SEAT --ref {n} -"""


class AlreadyAnswered(Refused):
    """Question {n} has its answer: letter {answer}, by {by} at {since}. A question is answered once; nothing was
    stored. To add something: {writing}"""


class AskCanceled(Refused):
    """Question {n} was withdrawn by {by} at {since}: nobody waits for an answer. Nothing was stored. To write all the
    same: {writing}"""


class NoChoices(Refused):
    """Question {n} gives no choices. To answer it: mailstop answer {n} -"""


class NotOneOfTheChoices(Refused):
    """Question {n} is answered by one of its choices: {offered}. Nothing was stored. By number: mailstop answer {n}
    --choice K. To write something else: mailstop send {asker} --ref {n} -"""


class WouldWaitInCircle(Refused):
    """This wait would close a circle in which each waits for the next: {around}. Nothing was stored. {first}To leave
    the question there and not wait for it: mailstop ask {seat} --wait 0 -"""


class WaitsInCircle(WouldWaitInCircle):
    """To wait on would close a circle in which each waits for the next: {around}. The question is kept, and its answer
    comes as a letter. {first}"""


class UnknownQuestion(NotFound):
    """There is no question {n} that you asked{listed}. Those without an answer: mailstop asks --mine"""
