"""Kinds: free labels for triage. A known kind says what its sender wants; it never restricts.

Users add their own in the configuration file, which is read when a kind is met that is none of ours, once a process:

    {"kinds": {"release": {"hint": "Says that a version is out.", "wakes": false}}}

Whatever is wrong with it never stops a letter: a kind with a mistake counts as unknown, and `mailstop doctor` says what
the mistake is.
"""

from __future__ import annotations

from mailstop.config import config_file
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Place = tuple[str, ...]  # keys that lead to a place in the file


class Kind(Record):
    """What a kind means. expects: the kind of letter that answers it, or `any`; None when none is due. wakes: whether
    a letter of it rings anybody; of one that does not, its reader learns when they next look.

    The hint stands beside a peer's letter in a model's context: it tells what the sender asks or says, and
    never reads as an order of mailstop or of the person.
    """

    hint: str
    expects: str | None = None
    needs_reply: bool = False
    wakes: bool = True


LONGEST_WORDS = 90  # characters of a kind's name, hint and expected reply together, which stand around each letter
# How a task is looked at, in a shell and by who has tools.
TASK_COMMAND, TASK_CALL = "mailstop task show N", "task with action show"
LARGEST_FILE = 64 * 1024  # bytes

GENERIC = Kind("This kind has no defined action: read it and judge.")

KINDS = {
    "note": GENERIC,
    "design-task": Kind("Asks you to architect this, leave a spec, and answer when ready.", "design-delivered"),
    "design-delivered": Kind("Says that a spec exists, in the file it refers to, to be read."),
    "build-task": Kind("Asks you to implement this from the spec it refers to.", "build-delivered"),
    "build-delivered": Kind("Says that the work is done, with the evidence attached."),
    "qc-verdict": Kind("For information; act only when a reply is asked for."),
    "question": Kind("The sender is blocked until you answer; any kind of answer helps.", "any", True),
    "reconnect": Kind("A sign of presence; nothing to do.", wakes=False),
    "task": Kind(f"About a task; its state and history: {TASK_COMMAND}."),
    "answer": Kind("The answer to a question that was asked."),
    "ack": Kind("Says that something was received; nothing to do.", wakes=False),
    "fyi": Kind("For information; nothing to do.", wakes=False),
}


def kind_of(name: str) -> Kind:
    """What `name` means; an unknown kind is no error and gets the generic hint."""
    return KINDS.get(name) or own_kinds().get(name, GENERIC)


def action_needed(name: str, needs_reply: bool, final: bool = False) -> bool:
    """Whether a letter of this kind asks something of its reader.

    The rule of lanes: a reply is asked for, or the kind implies one, or it expects an answer of a kind of its
    own. A final letter asks for nothing, whatever its kind.
    """
    kind = kind_of(name)
    return not final and (needs_reply or kind.needs_reply or kind.expects is not None)


# -- the user's own --------------------------------------------------------------------------------------------------

_FIELDS: dict[str, tuple[type, ...]] = {
    "hint": (str,),
    "expects": (str, type(None)),
    "needs_reply": (bool,),
    "wakes": (bool,),
}

_own: dict[str, Kind] | None = None


def own_kinds() -> dict[str, Kind]:
    """The kinds that the user has added, without those in which there is a mistake; read once a process."""
    global _own
    if _own is None:
        from mailstop.json_text import loads

        try:
            _own, _ = kinds_in(loads(settings_text()))
        except (OSError, ValueError):
            _own = {}
    return _own


def settings_text() -> str:
    """What stands in the configuration file; `{}` where there is none. Raises OSError, and ValueError for no text."""
    import os

    try:
        descriptor = os.open(config_file(), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO must not stop us
    except FileNotFoundError:
        return "{}"
    with open(descriptor, "rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"it has more than {LARGEST_FILE} bytes")
    return data.decode("utf-8")


def kinds_in(settings: Any) -> tuple[dict[str, Kind], list[tuple[Place, str]]]:
    """The kinds that settings add, and the mistakes in them: where each is, and what."""
    if not isinstance(settings, dict):
        return {}, [((), "it is no object: {...}")]
    unknown = [((name,), "there is no such setting; there is: kinds") for name in settings if name != "kinds"]
    listed = settings.get("kinds", {})
    if not isinstance(listed, dict):
        return {}, [*unknown, (("kinds",), "it is no object: a kind's name leads to what it means")]
    found: dict[str, Kind] = {}
    mistakes: list[tuple[Place, str]] = [*unknown]
    for name, value in listed.items():
        wrong = [(("kinds", name, *place), why) for place, why in _mistakes(name, value)]
        mistakes += wrong
        if not wrong:
            found[name] = _kind(value)
    return found, mistakes


def _kind(value: dict[str, Any]) -> Kind:
    hint, expects = _cleaned(value["hint"]), value.get("expects") or None
    return Kind(hint, expects, value.get("needs_reply", False), value.get("wakes", True))


def _cleaned(hint: str) -> str:
    from mailstop.cleaning import one_line

    return one_line(hint, LONGEST_WORDS + 1)


def _mistakes(name: str, value: Any) -> list[tuple[Place, str]]:
    from mailstop.letter import LONGEST_KIND, is_kind

    if not is_kind(name):
        return [((), f"a kind's name is one printable line of at most {LONGEST_KIND} characters")]
    if name in KINDS:
        return [((), "this kind is mailstop's own, and keeps its meaning")]
    if not isinstance(value, dict):
        return [((), f"it is no object with {', '.join(_FIELDS)}")]
    found: list[tuple[Place, str]] = []
    for field, given in value.items():
        if field not in _FIELDS:
            found.append(((field,), f"there is no such setting; there are: {', '.join(_FIELDS)}"))
        elif not isinstance(given, _FIELDS[field]):
            found.append(((field,), f"it has to be {'true or false' if _FIELDS[field] == (bool,) else 'a text'}"))
    if found:
        return found
    expects = value.get("expects") or ""
    if not value.get("hint", "").strip():
        found.append(((), "it has no hint: a short sentence that says what its sender asks or tells"))
    if expects and not is_kind(expects):
        found.append((("expects",), "it is no name of a kind"))
    if len(name) + len(_cleaned(value.get("hint", ""))) + len(expects) > LONGEST_WORDS:
        found.append(((), f"its name, hint and expected reply have more than {LONGEST_WORDS} characters together"))
    return found
