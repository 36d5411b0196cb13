"""Doubt: how whoever ran a verb finds out whether it stored anything, where that is not known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

KEYED = "Look: mailstop read; or repeat with the same --key: it is then stored once."

# What fits each verb that writes. Where nothing is said of a key, to repeat it does no harm or is refused.
LOOK = {
    **dict.fromkeys(("send", "reply", "say", "ask", "answer"), KEYED),
    "cancel": "Look: mailstop asks --mine; or repeat it: what is withdrawn stays so.",
    "join": "Look: mailstop status; or repeat it: who sits there already stays.",
    "leave": "Look: mailstop status; or repeat it.",
    "me": "Look: mailstop me; or repeat it: what is said already is not said twice.",
    "subscribe": "Look: mailstop channels; or repeat it: who reads a channel already goes on.",
    "unsubscribe": "Look: mailstop channels; or repeat it.",
    "lead": "Look: mailstop lead; or repeat it: who leads already goes on in the same term.",
    "lease": "Look: mailstop lease list --mine; or repeat it: who holds a lease already renews it by taking it again.",
    "budget": "Look before you repeat it: mailstop budget",
    "limits": "Look: mailstop limits; or repeat it: the same limits hold.",
    "token": "Look: mailstop token list; one that was made and not printed is of no use: revoke it.",
    "import": "Repeat it: what is here already is not stored again.",
    "lane": "Look at the lane's files, or repeat it: a letter may then be there twice.",
    "task": "Look, and repeat what is missing: mailstop task list",
}
_GIVEN = "Look: mailstop task list --given; or repeat with the same --key: it is then given once."


def look(words: Sequence[str]) -> str:
    """What to do after a command line of which it is not known whether it stored anything."""
    from mailstop.cli.entry import ALIASES, split

    _, verb, rest = split(words)
    if verb == "task" and "give" in rest[:1]:
        return _GIVEN
    return LOOK.get(ALIASES.get(verb or "", verb or ""), KEYED)
