"""Channel: waking a session through the notifications that Claude Code takes in as a channel, where it does.

Best effort and never evidence: a client that does not listen drops them without a word, so nothing is recorded, and a
letter that any door or hook is about to bring is left to it. What is carried is the fixed line of a door.
"""

from __future__ import annotations

from mailstop import fence
from mailstop.mcp.messages import notification
from mailstop.mcp.protocol import CHANNEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.letter import Letter
    from mailstop.mcp.protocol import Terms
    from mailstop.office import Office

OF_CLAUDE = "claude-code"  # the name by which Claude Code calls itself


class Channel:
    """What one connection has been told of; by a position, so that it needs no memory of letters."""

    def __init__(self) -> None:
        self._position = 0

    def news(self, office: Office) -> Iterator[dict[str, Any]]:
        """A notification for each letter that nothing else brings, once; what waited at the start too."""
        while letters := office.unrung(self._position):
            for letter in letters:
                yield notification(f"notifications/{CHANNEL}", {"content": _line(letter), "meta": meta_of(letter)})
                self._position = letter.n


def is_wanted(terms: Terms, office: Office) -> bool:
    """Whether the client takes part: it says so, or it is a Claude Code, which says nothing and goes by what we
    declare. One with hooks of ours has a monitor, which rings."""
    if terms.wants_channel:
        return True
    return terms.client == OF_CLAUDE and office.session is not None and not office.session.hooked


def meta_of(letter: Letter) -> dict[str, str]:
    """What stands beside the line, all of it texts."""
    return {
        "kind": letter.kind,
        "from": letter.sender,
        "bag": letter.bag,
        "n": str(letter.n),
        "needs_reply": "true" if letter.needs_reply and not letter.final else "false",
    }


def _line(letter: Letter) -> str:
    return fence.ring_line([letter.n], letter.sender)
