"""Tasks."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused, TimedOut, Uncertain


class TaskOver(Refused):
    """Task {n} is {state} since {since}, by {ender}, and what is over never goes on. Nothing was changed. To ask for
    more, give another: mailstop task give SEAT TITLE -"""


class TaskMoved(Refused):
    """Task {n} is not with {loser}: {place} since {since}. Nothing was changed.{advice}"""


class TaskTaken(Refused):
    """Task {n} is not to be had: {place} since {since}. What else waits: mailstop task list --pool"""


class TaskStays(Refused):
    """Task {n} is there already: {place} since {since}. Nothing was changed."""


class TaskInState(Refused):
    """Task {n} is {state} since {since}, by {ender}; accept is for one that is submitted. To go on with it: mailstop
    task progress {n} -, or mailstop task complete {n} -"""


class NotTaskGiver(Refused):
    """Only its giver, {owner}, and the person may {act} task {n}. Nothing was changed."""


class OtherPool(Refused):
    """Task {n} lies in the pool of project {project}, and this session works in another. Nothing was changed. Its giver
    can let it come here: mailstop task reassign {n} SEAT"""


class TaskKeyReused(Refused):
    """Key {key!r} was already used for task {n}, which asks for something else. Nothing was stored: use another key."""


class TaskContended(Refused):
    """Others change task {n} without end. Nothing was changed: try again."""


class UnknownTask(NotFound):
    """There is no task {n}{listed}. All that are open: mailstop task list --open"""


class UnknownPool(NotFound):
    """No session has ever worked in project {project}{where}, so nobody would take it from that pool. Nothing was
    stored.{named} To a seat: mailstop task give SEAT TITLE -"""


class TaskInOtherBag(NotFound):
    """Task {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""


class EmptyPool(TimedOut):
    """Nothing waits in the pool of project {project}{lost}."""


class TaskUncertain(Uncertain):
    """Whether task {n} was changed is not known ({reason}). Look, and repeat what is missing: mailstop task show {n}"""
