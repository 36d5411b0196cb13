"""Letters for machines: the keys that `--json` prints of a letter."""

from __future__ import annotations

from mailstop.kinds import action_needed, kind_of
from mailstop.times import iso_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mailstop.fence import Delivery
    from mailstop.letter import Letter


def letter_json(letter: Letter) -> dict[str, Any]:
    """A letter as a JSON object; its body is what was sent, not what models are shown."""
    return {
        "n": letter.n,
        "id": letter.id,
        "at": iso_text(letter.at),
        "bag": letter.bag,
        "from": letter.sender,
        "to": list(letter.to),
        "channel": letter.channel or None,
        "kind": letter.kind,
        "body": letter.body,
        "needs_reply": letter.needs_reply,
        "ref": letter.ref,
        "thread": letter.thread,
        "final": letter.final,
        "artifacts": list(letter.artifacts),
        "asks": letter.asks and not letter.closed,
        "choices": list(letter.choices),
        "task": letter.task.n if letter.task else None,
        "hint": kind_of(letter.kind).hint,
        "hops": letter.hops,
        "budget": budget_json(letter),
        "imported": origin_json(letter),
    }


def origin_json(letter: Letter) -> dict[str, Any] | None:
    """Where an imported letter comes from, as its source tells; None where it is one of this store's seats."""
    origin = letter.imported
    if origin is None:
        return None
    return {
        "source": origin.source,
        "number": origin.number,
        "from": origin.sender,
        "to": list(origin.to),
        "channel": origin.channel or None,
        "record": origin.record or None,
        "answers": origin.answers or None,
        "note": origin.note or None,
    }


def budget_json(letter: Letter) -> dict[str, int] | None:
    """Which letter of which budget of its bag a letter is; None where none was open."""
    return dict(zip(("ordinal", "slot", "limit"), letter.budget, strict=True)) if letter.budget else None


def budget_text(letter: Letter) -> str:
    """The same for people, and how many letters are left after it."""
    ordinal, slot, limit = letter.budget
    left = limit - slot
    rest = f"{counted(left, 'letter')} left" if left else "none is left"
    return f"{slot} of {limit} of budget {ordinal}, {rest}"


def letters_json(letters: Sequence[Letter], more: int, part: Sequence[int] = (), store: str = "") -> dict[str, Any]:
    """What `check --json` prints: the letters, by kind, which need action, and how many more wait.

    part: numbers of the letters whose body is left out.
    """
    by_kind: dict[str, list[int]] = {}
    for letter in letters:
        by_kind.setdefault(letter.kind, []).append(letter.n)
    return {
        "letters": [left_out_json(letter, store) if letter.n in part else letter_json(letter) for letter in letters],
        "by_kind": by_kind,
        "action_needed": [
            letter.n
            for letter in letters
            if action_needed(letter.kind, letter.needs_reply, letter.final or letter.ends_budget) and not letter.closed
        ],
        "more": more,
    }


def left_out_json(letter: Letter, store: str = "") -> dict[str, Any]:
    """A letter that is too long to be printed with others: what it is, and the command that prints it.

    store: what that command has to say of the store.
    """
    value = letter_json(letter)
    kept = {
        name: value[name] for name in ("n", "id", "at", "bag", "from", "channel", "kind", "needs_reply", "ref", "final")
    }
    return {**kept, "body": None, "left_out": f"mailstop read {letter.n} --json{store}"}


def composed(letters: Sequence[Letter], more: int, limit_bytes: int, store: str = "") -> Delivery:
    """What `check --json` prints of these letters within so many bytes, its last line's end included.

    The first letter that does not fit stays out with all after it; one that does not fit even alone is named without
    its body, and counts as given in part. more: how many wait besides.
    """
    from mailstop.fence import Delivery
    from mailstop.json_text import dumps

    def fits(value: dict[str, Any]) -> bool:
        return len(dumps(value).encode("utf-8", "backslashreplace")) < limit_bytes

    waiting = len(letters) + more
    count = 0
    while count < len(letters) and fits(letters_json(letters[: count + 1], waiting - count - 1)):
        count += 1
    if count or not letters:
        return Delivery("", tuple(letter.n for letter in letters[:count]), (), waiting - count)
    first = letters[0]
    part = (first.n,) if fits(letters_json([first], waiting - 1, (first.n,), store)) else ()
    return Delivery("", (), part, waiting - len(part))
