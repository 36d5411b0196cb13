"""Ways: how each way by which a letter comes to its reader is named, to everybody who asks. One table of it.

What a way is, and which one a letter takes, is decided in routes.
"""

from __future__ import annotations

from mailstop.records import Record
from mailstop.rules.routes import LATER, MONITOR, QUEUE, SEALED, SOCKET, TURN, VISIT


class Words(Record):
    """One way in words.

    name: what wakes a seat's holder, in a table. told: what a writer is told once that way was taken; where a door
    answers, what it said instead. now: how a letter that still waits gets there. own: what wakes whoever asks.
    """

    name: str
    told: str
    now: str
    own: str


WORDS = {
    MONITOR: Words(
        "its monitor", "its monitor was rung", "its monitor rings", "your client's monitor of mailstop's plugin"
    ),
    SOCKET: Words(
        "its socket",
        "its client's message socket was rung",
        "its client's message socket is rung",
        "your client's message socket",
    ),
    QUEUE: Words("codex queue", "codex queue rang", "codex queue rings", "codex queue"),
    TURN: Words(
        "its hooks (busy)",
        "it is busy: its next tool call or the end of its turn shows it",
        "it is busy: the hooks of its running turn show letters",
        "the hooks of the turn that is running",
    ),
    VISIT: Words(
        "nothing",
        "nothing wakes it: it sees the letter when it next does anything",
        "nothing wakes it: it sees letters when it next looks",
        "nothing: look now and then with mailstop check, or wait with mailstop check --wait 60",
    ),
    LATER: Words(
        "nothing",
        "this letter wakes nobody: it is shown when its reader next looks",
        "this letter does not wake it: it is shown when it next looks",
        "nothing",
    ),
    SEALED: Words(
        "another process (sandbox)",
        "this sandbox may not ring: its bell was rung, and the next process outside does the rest",
        "the sender's sandbox may not ring: the next process outside of it does",
        "another process, outside of this sandbox",
    ),
}


def words_of(way: str) -> Words:
    """The words of a way; of one that a newer program took, those of a session that nothing wakes."""
    return WORDS.get(way, WORDS[VISIT])
