"""send: write a letter to seats, or answer one."""

from __future__ import annotations

from mailstop.cleaning import plain_line
from mailstop.errors import InvalidArguments
from mailstop.letter import Draft
from mailstop.mcp.tools.tool import FLAG, LIST, NUMBER, TEXT, TEXTS, Answer, Call, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.office import Sent


def run(call: Call) -> Answer:
    """Store the letter and ring its recipients."""
    to = _recipients(call.given("to"))
    ref = call.given("ref")
    if not to and ref is None:
        raise InvalidArguments(problem="to whom? to names seats, or ref a letter to answer", tool="send", takes=_TAKES)
    draft = Draft(
        to=to,
        body=call.given("body"),
        kind=call.given("kind", "note"),
        needs_reply=call.given("needs_reply", False),
        ref=ref,
        final=call.given("final", False),
        artifacts=tuple(call.given("artifacts", ())),
        key=call.given("key"),
        hold=call.given("hold", False),
    )
    bag = call.given("bag")
    if to:
        return _answer(call.office.send(draft, bag=bag or DEFAULT_BAG))
    return _answer(call.office.reply(ref, draft, bag=bag))


def _recipients(given: str | list[str] | None) -> tuple[str, ...]:
    """The seats: one, several with commas, or a list; an `@` before a name is how people write one."""
    names = given.split(",") if isinstance(given, str) else given or []
    return tuple(name.strip().removeprefix("@") for name in names)


def _answer(sent: Sent) -> Answer:
    letter = sent.letter
    recipients = [
        {"seat": told.seat, "state": told.state, **({"detail": plain_line(told.detail)} if told.detail else {})}
        for told in sent.recipients
    ]

    def composed(told: list[Any]) -> dict[str, Any]:
        left = len(recipients) - len(told)
        again = {} if sent.new else {"again": True}
        return {"n": letter.n, "recipients": told, **({"left_out": left} if left else {}), **again}

    data = composed(as_many_as_fit(recipients, composed))
    again = "" if sent.new else " (it was stored before with this key)"
    lines = [f"letter {letter.n} stored{', final' if letter.final else ''}{again}"]
    lines += [
        f"  {each['seat']}: {each['state']}; {each.get('detail', '')}".rstrip("; ") for each in data["recipients"]
    ]
    if "left_out" in data:
        lines.append(f"  and {data['left_out']} more: read with number {letter.n}")
    return Answer(data, "\n".join(lines))


_PROPERTIES = {
    "to": {"type": ["string", "array"], "items": TEXT},
    "body": TEXT,
    "ref": NUMBER,
    "kind": TEXT,
    "needs_reply": FLAG,
    "final": FLAG,
    "artifacts": TEXTS,
    "key": TEXT,
    "hold": FLAG,
    "bag": TEXT,
}
_TAKES = ", ".join(_PROPERTIES)

TOOL = Tool(
    name="send",
    description="Write a letter to one seat or a list; without `to`, answer letter `ref`. kind: a label for triage"
    " (question, build-task, note). final: no answer wanted. artifacts: paths. key: stored once, however often"
    " repeated. hold: let it wait for a seat nobody has taken.",
    run=run,
    properties=_PROPERTIES,
    required=("body",),
    output={"n": {"type": "integer"}, "recipients": LIST},
    always=("n", "recipients"),
    stores=True,
)
