"""Acts: the words that say which of its acts a verb does."""

from __future__ import annotations

from mailstop.errors import UsageError
from mailstop.names import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST = 80  # characters of a word that are repeated


def refuse_unknown(verb: str, act: str, acts: Collection[str]) -> None:
    """Raise UsageError, with the nearest and with all there are, unless the verb has that act."""
    if act in acts:
        return
    near = nearest(act, acts)
    meant = f"; nearest: {', '.join(near)}" if near else ""
    raise UsageError(reason=f"{verb} has no act {act[:LONGEST]!r}{meant}. There are: {', '.join(acts)}")
