"""Letters for machines: the keys that `--json` prints of a letter."""

from __future__ import annotations

from mailstop.kinds import action_needed, kind_of
from mailstop.times import iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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
        "kind": letter.kind,
        "body": letter.body,
        "needs_reply": letter.needs_reply,
        "ref": letter.ref,
        "thread": letter.thread,
        "final": letter.final,
        "artifacts": list(letter.artifacts),
        "hint": kind_of(letter.kind).hint,
    }


def letters_json(letters: Sequence[Letter], more: int) -> dict[str, Any]:
    """What `check --json` prints: the letters, by kind, which need action, and how many more wait."""
    by_kind: dict[str, list[int]] = {}
    for letter in letters:
        by_kind.setdefault(letter.kind, []).append(letter.n)
    return {
        "letters": [letter_json(letter) for letter in letters],
        "by_kind": by_kind,
        "action_needed": [letter.n for letter in letters if action_needed(letter.kind, letter.needs_reply)],
        "more": more,
    }
