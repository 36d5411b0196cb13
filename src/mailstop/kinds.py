"""Kinds: free labels for triage. A known kind says what its sender wants; it never restricts."""

from __future__ import annotations

from mailstop.records import Record


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
    "task": Kind("About a task; its state and history: mailstop task show N."),
    "answer": Kind("The answer to a question that was asked."),
    "ack": Kind("Says that something was received; nothing to do.", wakes=False),
    "fyi": Kind("For information; nothing to do.", wakes=False),
}


def kind_of(name: str) -> Kind:
    """What `name` means; an unknown kind is no error and gets the generic hint."""
    return KINDS.get(name, GENERIC)


def action_needed(name: str, needs_reply: bool, final: bool = False) -> bool:
    """Whether a letter of this kind asks something of its reader.

    The rule of lanes: a reply is asked for, or the kind implies one, or it expects an answer of a kind of its
    own. A final letter asks for nothing, whatever its kind.
    """
    kind = kind_of(name)
    return not final and (needs_reply or kind.needs_reply or kind.expects is not None)
