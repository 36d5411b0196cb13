"""Budgets and brakes."""

from __future__ import annotations

from mailstop.errors import Refused


class BudgetSpent(Refused):
    """The budget of {limit letter}{where} is used up. Nothing was stored: do not try again. Only the person can
    continue: {command}"""


class NoBudget(Refused):
    """In bag {bag} sessions write only while a budget is open, and none is. Nothing was stored: do not try again. Only
    the person can open one: {command}"""


class NoBudgetOpen(Refused):
    """No budget is open{where}, so there is nothing to close. To open one: {command}"""


class TooManyHops(Refused):
    """This letter would be number {hops} of a chain of letters that sessions{where} have caused one another to write;
    more than {limit} are refused, because such a chain is mostly a loop. Nothing was stored: end this, and tell the
    person. Only the person can go on: by a prompt of their own in this session's window, by a letter to seat {seat}, or
    by allowing more: {command}"""


class TooFast(Refused):
    """Seat {seat!r}{where} has written {rate letter} within a minute, and that is the most; what is put into a pool
    counts too. Nothing was stored. Try again in {seconds} s. Only the person can allow more: {command}"""
