"""Letter: what one seat writes to others. A letter never changes once it is stored."""

from __future__ import annotations

import os
import time

from mailstop import errors
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LARGEST_BODY = 256 * 1024  # bytes of UTF-8
LONGEST_KIND = 40  # characters
MOST_CHOICES = 8  # of a question
LONGEST_CHOICE = 80  # characters

# Whom the coming of a letter wakes; in a channel it may also be a project's id, which is a path or begins with `name:`.
ALL = "all"
NOBODY = "nobody"


class About(Record):
    """The task that a letter is about. act: what happened to it. holder: the seat that it lies with then, if any.

    n: the task's number, 0 where the index was not asked.
    """

    id: str
    act: str
    holder: str = ""
    n: int = 0

    @property
    def brings(self) -> bool:
        """Whether the task comes to its holder by that act, so that the letter says how to go on with it."""
        return self.act in ("give", "reassign") and bool(self.holder)


class Origin(Record):
    """Where an imported letter comes from, as its source tells, which nothing here proves.

    source: the source's name. number: what its readers called it there. sender, to, channel: the names there. record:
    which record of its file it was; 0 where those are not numbered. answers: the number there of the letter that it
    answers, where that was not imported. note: what else its source tells of it. kept: what its source reported of it
    beyond that, receipts among it.
    """

    source: str
    number: str
    sender: str
    to: tuple[str, ...] = ()
    channel: str = ""
    record: int = 0
    answers: str = ""
    note: str = ""
    kept: Mapping[str, Any] = {}


class Letter(Record):
    """A stored letter.

    n: the ledger's number, which people and models quote. id: UUIDv7, which links are stored by. at:
    milliseconds since 1970, for people; order is by number. ref, thread: numbers of the letter it answers and
    of the first letter of the conversation. project: the sender's, for display. channel: where it was said, without
    the `#`; empty for a letter to seats. wakes: whom its coming wakes: ALL whom it is for, NOBODY, or of a channel's
    readers those of the project of this id. hops: how many letters of other sessions led to it. budget: the number of
    the bag's budget, which letter of it this is, and its limit; empty while none was open. asks: whether its sender
    waits for the one answer; choices: what that may be. task: what it is about, where that is a task. closed: how such
    a question has ended, or where the task that it brought is now, where its reader is to be told; nothing that is
    stored. imported: where it comes from, if it is no letter of this store's seats; its sender and recipients are then
    told as `postbag:builder`, which no seat can be called, and it was shown to nobody.
    """

    n: int
    id: str
    at: int
    bag: str
    sender: str
    to: tuple[str, ...]
    kind: str
    body: str
    needs_reply: bool = False
    ref: int | None = None
    thread: int | None = None
    final: bool = False
    artifacts: tuple[str, ...] = ()
    project: str = ""
    client: str = ""
    channel: str = ""
    hops: int = 0
    budget: tuple[int, ...] = ()
    asks: bool = False
    choices: tuple[str, ...] = ()
    wakes: str = ALL
    task: About | None = None
    closed: str = ""
    imported: Origin | None = None

    @property
    def ends_budget(self) -> bool:
        """Whether it is the last letter of its bag's budget: its reader cannot answer until the person opens
        another."""
        return bool(self.budget) and self.budget[1] == self.budget[2]


class Draft(Record):
    """A letter as its writer gives it: to whom, what, and how it hangs together with others.

    channel: where it is said instead of being sent to seats. wakes: see Letter; a kind that wakes nobody comes first.
    """

    to: tuple[str, ...]
    body: str
    kind: str = "note"
    needs_reply: bool = False
    ref: int | None = None
    final: bool = False
    artifacts: tuple[str, ...] = ()
    key: str | None = None
    hold: bool = False
    channel: str = ""
    wakes: str = ALL


def letter_from(
    n: int, letter_id: str, at: int, bag: str, data: Mapping[str, Any], body: str, ref: int | None, thread: int
) -> Letter:
    """The letter that an entry of the ledger holds. data: its fields. Raises KeyError or TypeError for another's."""
    asked, task = data.get("ask"), data.get("task")
    letter = Letter(
        n,
        letter_id,
        at,
        bag,
        data["from"],
        tuple(data["to"]),
        data["kind"],
        body,
        data.get("needs_reply", False),
        ref,
        thread,
        data.get("final", False),
        tuple(data.get("artifacts", ())),
        data.get("project", ""),
        data.get("client", ""),
        data.get("channel", ""),
        data.get("hops", 0),
        tuple(data.get("budget", ())),
        asked is not None,
        tuple(asked["choices"]) if asked else (),
        data.get("wakes", ALL),
        About(task["id"], task["act"], task["holder"]) if task else None,
    )
    return _as_imported(letter, data) if "source" in data else letter


def _as_imported(letter: Letter, data: Mapping[str, Any]) -> Letter:
    """A letter whose entry was imported: from nobody of this store, to nobody of it, and it wakes nobody."""
    source = data["source"]
    origin = Origin(
        source,
        data["number"],
        data["from"],
        tuple(data["to"]),
        data.get("channel", ""),
        data.get("record", 0),
        data.get("answers", ""),
        data.get("note", ""),
        data.get("kept", {}),
    )
    to = [f"#{origin.channel}"] if origin.channel else origin.to
    return letter.but(
        sender=f"{source}:{origin.sender}",
        to=tuple(f"{source}:{name}" for name in to),
        channel="",
        wakes=NOBODY,
        imported=origin,
    )


def new_id() -> str:
    """A new UUIDv7 (RFC 9562): 48 bits of milliseconds, then version, variant and 74 random bits."""
    value = bytearray((time.time_ns() // 1_000_000).to_bytes(6, "big") + os.urandom(10))
    value[6] = value[6] & 0x0F | 0x70
    value[8] = value[8] & 0x3F | 0x80
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def checked_body(body: str) -> str:
    """`body` itself when a letter may carry it: not blank, UTF-8, without NUL, at most 256 KiB.

    Raises InvalidBody or BodyTooLarge.
    """
    if not body.strip():
        raise errors.InvalidBody(reason="it is blank")
    if "\0" in body:
        raise errors.InvalidBody(reason="it holds a NUL character")
    try:
        size = len(body.encode("utf-8"))
    except UnicodeEncodeError:
        raise errors.InvalidBody(reason="it holds half of a surrogate pair, which is no Unicode text") from None
    if size > LARGEST_BODY:
        raise errors.BodyTooLarge(size=size, limit=LARGEST_BODY)
    return body


def is_kind(text: str) -> bool:
    """Whether a text may name a kind."""
    return 0 < len(text) <= LONGEST_KIND and text.isprintable() and bool(text.strip())


def checked_kind(kind: str) -> str:
    """`kind` itself when it is one printable line of at most 40 characters. Raises InvalidKind."""
    if not is_kind(kind):
        from mailstop.lines import line_rule  # only for a refusal

        raise errors.InvalidKind(kind=kind[: 2 * LONGEST_KIND], reason=line_rule(kind, LONGEST_KIND))
    return kind
