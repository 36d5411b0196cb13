"""Proofs: which event shows that a model has received what a session was given.

A hook's text reaches the model with the next request of the same turn, so it is *shown* by the next event of that
turn which only a later request can have caused. Two things make this less simple (docs/clients-claude-code.md,
section 1): tools run in parallel, so a tool event may belong to an answer that is older than the text; and a turn can
be interrupted, so an event of another turn proves nothing, and what the old turn was given counts as unread again.
"""

from __future__ import annotations

from mailstop.records import Record
from mailstop.rules.presence import process_lives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailstop.rules.hands import Hand

PROMPT = "prompt"  # a prompt goes to the model, typed or brought by a door
TOOL = "tool"  # a tool is about to run
ANSWER_OVER = "answer over"  # all tools of one answer of the model have run; its next request follows
STOP = "stop"  # the model has ended its turn
CALL = "call"  # a program, which has no turns, uses mailstop again


class Event(Record):
    """What a client said about its turn. turn: its id of the turn, empty where it tells none.

    sent: the hands of which the client's own record of the conversation says that a request has carried them.
    """

    kind: str
    turn: str = ""
    name: str = ""  # as the client calls it, for the evidence
    sent: frozenset[str] = frozenset()


class Verdict(Record):
    """What an event means for what a session was given."""

    shown: tuple[Hand, ...] = ()
    kept: tuple[Hand, ...] = ()
    given_up: tuple[Hand, ...] = ()


def judge(hands: Sequence[Hand], event: Event) -> Verdict:
    """Sort hands into those the event proves, those still open, and those whose turn ended without a proof."""
    shown, kept, given_up = [], [], []
    for hand in hands:
        if hand.writer is not None and event.kind == STOP and process_lives(hand.writer) is None:
            given_up.append(hand)  # one that a sandbox hid, and that was killed there, would keep its letters for ever
        elif hand.writer is not None:
            kept.append(hand)
        elif event.kind == CALL or hand.id in event.sent or (_same_turn(hand, event) and _proves(hand, event)):
            shown.append(hand)
        elif _over(hand, event):
            given_up.append(hand)
        elif event.kind == ANSWER_OVER and not hand.ready:
            kept.append(hand.but(ready=True, turn=event.turn))
        elif event.kind == STOP and not hand.ready and hand.turn:
            kept.append(hand.but(ready=True, turn=""))  # the turn that follows carries it
        else:
            kept.append(hand)
    return Verdict(tuple(shown), tuple(kept), tuple(given_up))


def _same_turn(hand: Hand, event: Event) -> bool:
    return not hand.turn or hand.turn == event.turn


def _proves(hand: Hand, event: Event) -> bool:
    return hand.ready and event.kind in (TOOL, ANSWER_OVER, STOP)


def _over(hand: Hand, event: Event) -> bool:
    """The hand's turn has ended, and nothing proved it."""
    if not _same_turn(hand, event):
        return True
    if hand.ready and not hand.turn:  # for the turn after its own: a prompt means that there was none, or it was cut
        return event.kind == PROMPT
    return event.kind == STOP and (hand.ready or not hand.turn)
