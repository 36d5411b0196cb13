"""check: the letters that wait, handed out to the caller."""

from __future__ import annotations

import os

from mailstop.fence_tools import deliver, nothing_fits
from mailstop.mcp.tools.tool import NUMBER, ROOM, TEXT, Answer, Call, Later, Tool, size
from mailstop.rules.offers import Terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.fence import Delivery
    from mailstop.letter import Letter
    from mailstop.rules.offers import Offer

LONGEST_WAIT_S = 45  # clients give a call up after a minute


def run(call: Call) -> Answer | Later:
    """Give what waits; with `wait`, whatever comes in that time."""
    offer = _offer(call)
    if offer.letters or offer.more or not call.given("wait"):
        return _answer(offer)

    def look(again: Call, last: bool) -> Answer | None:
        found = _offer(again)
        return _answer(found) if last or found.letters or found.more else None

    return Later(look, call.given("wait"))


def _offer(call: Call) -> Offer:
    nonce = os.urandom(4).hex()
    now = call.office.clock()

    def composed(letters: Sequence[Letter], more: int) -> Delivery:
        def fits(delivery: Delivery) -> bool:
            given = {*delivery.whole, *delivery.part}
            return size(_data(delivery.text, [one for one in letters if one.n in given], delivery.left)) <= ROOM

        return deliver(letters, more=more, now_ms=now, nonce=nonce, fits=fits)

    terms = Terms(
        act="the tool check",
        turn=call.turn,
        sender=call.given("from"),
        announced_too=True,
        hands_out=not call.office.caller.subagent,  # its session's model would not see them
        compose=composed,
        nonce=nonce,
    )
    return call.office.offer(terms, bag=call.given("bag"))


def _data(text: str, letters: Sequence[Letter], more: int) -> dict[str, Any]:
    return {"text": text, "letters": [letter.n for letter in letters], "more": more}


def _answer(offer: Offer) -> Answer:
    text = offer.text or (nothing_fits(offer.more) if offer.more else "no new letters")
    return Answer(_data(text, offer.letters, offer.more), text, offer=offer)


TOOL = Tool(
    name="check",
    description="Your new letters, oldest first. wait: up to 45 seconds for one.",
    act=run,
    properties={"from": TEXT, "wait": NUMBER, "bag": TEXT},
    ranges={"wait": (0, LONGEST_WAIT_S)},
    always=("text", "letters", "more"),
    delivers=True,
)
