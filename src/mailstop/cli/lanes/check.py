"""mailstop lane check DIR --role ROLE: show what is new, then move the cursor behind exactly that."""

from __future__ import annotations

import os
import sys

from mailstop import lanes
from mailstop.cleaning import plain_line
from mailstop.cli.lanes.place import existing, failing, one_role
from mailstop.cli.result import Result
from mailstop.config import DELIVERY_BYTES
from mailstop.fence_lanes import deliver
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.lanes import Envelope, Look

MOST_LETTERS = 200  # looked at for one check; more than fit into its bytes


def run(args: Arguments) -> Result:
    """Look, print, and advance once all of it was printed: what was not shown stays unread."""
    lane, role = existing(args.lane), one_role(args)
    limit = args.max_bytes or DELIVERY_BYTES
    with failing(lane, "Nothing was lost, and nothing counts as read."):
        found = lanes.look(lane, role=role, from_role=getattr(args, "from"), limit=MOST_LETTERS)
    for notice in found.notices:
        print(f"mailstop: {plain_line(notice)}", file=sys.stderr)
    letters = list(found.in_turn())
    if args.json:
        count = _fitting([len(_json(one)) for one in letters], limit)
        data, text = _data(letters[:count], more=found.more or count < len(letters)), ""
    else:
        page = deliver(letters, lane=lane, role=role, more=found.more, nonce=os.urandom(4).hex(), limit_bytes=limit)
        count, data, text = page.whole, None, page.text
    shown = found if count == len(letters) else found.first(count)
    return Result(data, text, written=None if args.peek or not found.files else lambda: _advance(lane, shown))


def _advance(lane: str, shown: Look) -> None:
    with failing(lane, "The letters above still count as unread."):
        lanes.advance(lane, shown)


def _fitting(sizes: list[int], limit: int) -> int:
    """How many of these fit, at least one: a program has to get past a long letter."""
    total = 0
    for count, size in enumerate(sizes):
        total += size
        if total > limit and count:
            return count
    return len(sizes)


def _data(letters: list[Envelope], *, more: bool) -> dict[str, Any]:
    """For programs: the letters, and by kind and for action which of them, by their place in the list."""
    by_kind: dict[str, list[int]] = {}
    for place, one in enumerate(letters):
        by_kind.setdefault(lanes.kind_of(one), []).append(place)
    needed = [place for place, one in enumerate(letters) if lanes.asks(one)]
    return {"unread": [_writable(one) for one in letters], "by_kind": by_kind, "action_needed": needed, "more": more}


def _writable(envelope: Envelope) -> Envelope:
    """The envelope, without fields that JSON cannot say: NaN, and what is nested beyond what can be written."""
    try:
        dumps(envelope)
        return envelope
    except (ValueError, RecursionError):
        return {name: value if _is_writable(value) else None for name, value in envelope.items()}


def _is_writable(value: object) -> bool:
    try:
        dumps(value)
    except (ValueError, RecursionError):
        return False
    return True


def _json(envelope: Envelope) -> bytes:
    return dumps(_writable(envelope)).encode("utf-8", "backslashreplace")
