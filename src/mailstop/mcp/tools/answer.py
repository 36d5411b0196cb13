"""answer: the one answer to a question whose sender waits."""

from __future__ import annotations

from mailstop.errors.tools import InvalidArguments
from mailstop.letter import Draft
from mailstop.mcp.tools.send import stored
from mailstop.mcp.tools.tool import NUMBER, TEXT, TEXTS, Answer, Call, Tool


def run(call: Call) -> Answer:
    """Store the answer, and wake whoever waits for it."""
    choice, body = call.given("choice"), call.given("body")
    if (choice is None) == (body is None):
        problem = "a question is answered by a choice or by a body, not by both"
        raise InvalidArguments(problem=problem, tool="answer", takes=", ".join(_PROPERTIES))
    draft = Draft((), body or "", artifacts=tuple(call.given("artifacts", ())), key=call.given("key"))
    return stored(call.office.asks.answer(call.given("number"), draft, choice=choice, bag=call.given("bag")))


_PROPERTIES = {"number": NUMBER, "body": TEXT, "choice": NUMBER, "artifacts": TEXTS, "key": TEXT, "bag": TEXT}

TOOL = Tool(
    name="answer",
    description="Answer a question, once: body, or a choice's number.",
    act=run,
    properties=_PROPERTIES,
    required=("number",),
    always=("n", "recipients"),
    stores=True,
)
