"""send: write a letter to seats, say something in a channel, or answer a letter."""

from __future__ import annotations

from mailstop.cleaning import plain_line
from mailstop.errors.tools import InvalidArguments
from mailstop.kinds import kind_of
from mailstop.letter import Draft
from mailstop.mcp.schema import LARGEST, MOST_ITEMS
from mailstop.mcp.tools.tool import FLAG, NUMBER, TEXT, TEXTS, Answer, Call, Tool, as_many_as_fit
from mailstop.names import DEFAULT_BAG
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mailstop.office import Sent
    from mailstop.rules.tellings import Told


def run(call: Call) -> Answer:
    """Store the letter and ring its recipients."""
    to = _recipients(call.given("to"))
    ref, bag = call.given("ref"), call.given("bag")
    if not to and ref is None:
        raise _wrong("to whom? to names seats or a #channel, or ref a letter to answer")
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
    if any(name.startswith("#") for name in to):
        return _said(call, draft, bag or DEFAULT_BAG)
    if "wake_all" in call.arguments:
        raise _wrong("wake_all is for a #channel")
    if to:
        return stored(call.office.send(draft, bag=bag or DEFAULT_BAG))
    return stored(call.office.reply(ref, draft, bag=bag))


def _wrong(problem: str) -> InvalidArguments:
    return InvalidArguments(problem=problem, tool="send", takes=", ".join(_PROPERTIES))


def _recipients(given: str | list[str] | None) -> tuple[str, ...]:
    """The seats: one, several with commas, or a list; an `@` before a name is how people write one."""
    names = given.split(",") if isinstance(given, str) else given or []
    if len(names) > MOST_ITEMS:
        raise _wrong(f"to names {counted(len(names), 'seat')}; {MOST_ITEMS} are the most")
    return tuple(name.strip().removeprefix("@") for name in names)


# -- to seats --------------------------------------------------------------------------------------------------------


def stored(sent: Sent) -> Answer:
    """What who wrote a letter is told of it."""
    letter = sent.letter
    recipients = recipients_told(sent.recipients)

    def composed(told: list[Any]) -> dict[str, Any]:
        left = len(recipients) - len(told)
        again = {} if sent.new else {"again": True}
        return {"n": letter.n, "recipients": told, **({"left_out": left} if left else {}), **again}

    data = composed(as_many_as_fit(recipients, composed))
    again = "" if sent.new else " (it was stored before with this key)"
    head = f"letter {letter.n} stored{', final' if letter.final else ''}{again}"
    return Answer(data, "\n".join([head, *_lines(data)]))


def recipients_told(recipients: Iterable[Told]) -> list[dict[str, Any]]:
    """What became of a letter at each recipient."""
    return [
        {"seat": told.seat, "state": told.state, **({"detail": plain_line(told.detail)} if told.detail else {})}
        for told in recipients
    ]


def _lines(data: dict[str, Any]) -> list[str]:
    lines = [f"  {each['seat']}: {each['state']}; {each.get('detail', '')}".rstrip("; ") for each in data["recipients"]]
    return [*lines, f"  and {data['left_out']} more: read with number {data['n']}"] if "left_out" in data else lines


# -- to a channel ----------------------------------------------------------------------------------------------------


def _said(call: Call, draft: Draft, bag: str) -> Answer:
    """Say it in the channel, and wake those whom it is to wake."""
    if len(draft.to) > 1:
        raise _wrong("a letter goes to one #channel, or to seats")
    wake_all = call.given("wake_all")
    if wake_all is not None and not kind_of(draft.kind).wakes:
        raise _wrong(f"a letter of kind {draft.kind[:40]!r} wakes nobody, so wake_all has nothing to do")
    if draft.hold:
        raise _wrong("hold is for a seat; a channel keeps its letters")
    channel = draft.to[0].removeprefix("#")
    sent = call.office.channels.say(draft.but(to=(), channel=channel), bag=bag, wake_all=wake_all)
    letter, rest, woken = sent.letter, sent.rest, recipients_told(sent.recipients)
    assert rest is not None
    everyone: list[Any] = [*woken, *rest.live]

    def composed(some: list[Any]) -> dict[str, Any]:
        left = len(everyone) - len(some)
        return {
            "n": letter.n,
            "channel": letter.channel,
            "recipients": some[: len(woken)],
            "later": some[len(woken) :],
            "empty": rest.empty,
            **({"left_out": left} if left else {}),
            **({} if sent.new else {"again": True}),
        }

    data = composed(as_many_as_fit(everyone, composed))
    again = "" if sent.new else " (it was said before with this key)"
    lines = [f"letter {letter.n} said in #{letter.channel}{', final' if letter.final else ''}{again}", *_lines(data)]
    if data["later"]:
        lines.append(f"  not woken, read it when they next look: {', '.join(data['later'])}")
    if rest.empty:
        lines.append(f"  empty seats that keep it for who sits there next: {rest.empty}")
    return Answer(data, "\n".join(lines if everyone or rest.empty else [*lines, "  nobody else reads this channel"]))


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
    "wake_all": NUMBER,
    "bag": TEXT,
}

TOOL = Tool(
    name="send",
    description="Write to a seat, a list, or a #channel (# alone: your project's); without to, answer letter"
    " ref. kind: label for triage. final: no answer wanted. artifacts: paths. key: stored once,"
    " however often repeated. hold: wait for a seat nobody took. wake_all: how many to wake,"
    " beyond your project.",
    act=run,
    properties=_PROPERTIES,
    required=("body",),
    ranges={"wake_all": (0, LARGEST)},
    always=("n", "recipients"),
    stores=True,
)
