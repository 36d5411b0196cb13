"""Lines: the format of an export that is read back, version 1. A JSON object a line, which people can read as well.

The first line says what the file is, the last one that it is whole; between them a letter or an event each, in the
order in which they were stored. docs/exporting.md describes it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from mailstop.json_text import dumps
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from mailstop.engines.entry import Entry
    from mailstop.receipt import Receipt

VERSION = 1
MARK = "mailstop_export"  # the first key of the first line
END = "end"  # the key of the last line
OWN = "mailstop"  # before the numbers of a store's own letters

# What is an event, and what the rest is that is left out, in words.
EVENTS = (
    *("taken", "left", "channel_joined", "channel_left", "receipt"),
    *("ask_answered", "ask_canceled", "led", "unled", "budget_opened", "budget_closed", "limits_set"),
    *("task_given", "task_moved", "task_taken", "task_returned", "task_reassigned", "task_seat"),
)
LETTERS = ("letter", "imported")
IMPORTED = ("imported_move", "imported_event")
TYPES = (*LETTERS, *EVENTS, *IMPORTED)
# Receipts are with their letters, but for those of channels.
LEFT_OUT = {
    "lease_taken": "leases",
    "lease_renewed": "leases",
    "lease_ended": "leases",
    "token_created": "tokens",
    "token_revoked": "tokens",
    "key": "keys of letters",
    "waited": "marks of notices",
    "import": "imports that brought letters here",
    "rescued": "marks of rescues",
}
MOVES = ("taken", "left")

# The order of what a line holds.
_LETTER_KEYS = (
    *("letter", "id", "at", "bag", "from", "to", "channel", "kind", "answers", "answers_id", "needs_reply", "asks"),
    *("ask", "final", "hops", "budget", "task", "wakes", "artifacts", "project", "client", "session", "epoch"),
    *("record", "note"),
)
_LAST_KEYS = ("body", "receipts")
_OF_IMPORT = ("source", "number", "kept", "ref", "answers")


class Names(Record):
    """How letters of a page are called. own: what stands before this store's numbers. answered: by id, the number here,
    and source and number there."""

    own: str
    answered: Mapping[str, tuple[int, str, str]]

    def of(self, n: int, source: str = "", number: str = "") -> str:
        """What a letter is called by whoever reads the export."""
        return f"{source}:{number}" if source else f"{self.own}:{n}"

    def with_id(self, letter_id: str) -> str | None:
        """What the letter of that id is called."""
        found = self.answered.get(letter_id)
        return self.of(*found) if found else None


def header(*, version: str, now: int, own: str, wanted: Mapping[str, Any], counts: Mapping[str, int]) -> dict[str, Any]:
    """The first line. version: of mailstop. wanted: which bag, and since when. counts: entries by type."""
    left: dict[str, int] = {}
    for kind, count in sorted(counts.items()):
        if kind not in TYPES:
            what = LEFT_OUT.get(kind, f"entries of type {kind}")
            left[what] = left.get(what, 0) + count
    return {
        MARK: VERSION,
        "by": f"mailstop {version}",
        "exported": time_text(now),
        "own": own,
        **wanted,
        "letters": sum(counts.get(kind, 0) for kind in LETTERS),
        "left_out": left,
    }


def end(lines: int, scrubbed: Mapping[str, int] | None) -> dict[str, Any]:
    """The last line. lines: between the first and this one. scrubbed: what was replaced, by what it looked like; None:
    nothing was looked for."""
    return {END: {"lines": lines, **({} if scrubbed is None else {"scrubbed": dict(scrubbed)})}}


def letter_line(entry: Entry, names: Names, receipts: Iterable[Receipt]) -> dict[str, Any]:
    """The line of a letter, one of this store's or one that was imported."""
    data = entry.data
    if entry.type == "imported":
        fields = {**{name: value for name, value in data.items() if name not in _OF_IMPORT}, **data.get("kept", {})}
        fields["letter"] = names.of(0, data["source"], data["number"])
        if "answers" not in fields and ("ref" in data or "answers" in data):
            fields["answers"] = names.with_id(data.get("ref", "")) or f"{data['source']}:{data['answers']}"
            if "ref" in data:
                fields["answers_id"] = data["ref"]
    else:
        fields = {name: value for name, value in data.items() if name != "ref"}
        fields["letter"] = names.of(entry.n)
        if "ref" in data:
            fields["answers"], fields["answers_id"] = names.with_id(data["ref"]), data["ref"]
        proved = [_receipt(each) for each in receipts]
        if proved:
            fields["receipts"] = proved
    fields.update(id=entry.id, at=time_text(entry.at), bag=entry.bag, body=entry.body or "")
    return _ordered(fields)


def _ordered(fields: dict[str, Any]) -> dict[str, Any]:
    known = {name: fields[name] for name in _LETTER_KEYS if name in fields}
    more = {name: fields[name] for name in sorted(fields) if name not in known and name not in _LAST_KEYS}
    return {**known, **more, **{name: fields[name] for name in _LAST_KEYS if name in fields}}


def _receipt(receipt: Receipt) -> dict[str, Any]:
    told = {"seat": receipt.seat, "state": receipt.state, "at": time_text(receipt.at)}
    return {**told, "evidence": receipt.evidence} if receipt.evidence else told


def event_line(entry: Entry, names: Names) -> dict[str, Any]:
    """The line of something that is no letter. Numbers in its data are those of the store that it comes from."""
    data = entry.data
    place = {"id": entry.id, "at": time_text(entry.at), "bag": entry.bag}
    body = {"body": entry.body} if entry.body else {}
    if entry.type in IMPORTED:
        kept = data.get("kept", {})
        if "event" in kept:  # it was an event of another store's export
            return {"event": kept["event"], "entry": kept["entry"], **place, "data": kept["data"], **body}
        return {"event": entry.type, "source": data["source"], **place, "data": _without(data, "source"), **body}
    return {"event": entry.type, "entry": names.of(entry.n), **place, "data": data, **body}


def _without(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


def text_of(line: dict[str, Any]) -> str:
    """A line as the file holds it. What is invisible, or would be a line's end to some reader, is written as an escape:
    what is seen is what is there."""
    text = dumps(line)
    if not text.isprintable():  # of JSON's own characters all are
        text = "".join(character if character.isprintable() else _escape(character) for character in text)
    return f"{text}\n"


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def time_text(at: int) -> str | int:
    """A time as lines hold it: ISO 8601 in UTC with milliseconds; the milliseconds since 1970 outside of the years 1000
    to 9999."""
    if not -30_610_224_000_000 <= at < 253_402_300_800_000:
        return at
    seconds, milliseconds = divmod(at, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03d}Z"


_END_OF_TIME = 10**15  # milliseconds: no clock is in that year, and each engine can hold it


def time_of(told: object) -> int:
    """The milliseconds since 1970 that a line tells. Raises ValueError."""
    if isinstance(told, int) and not isinstance(told, bool):
        if abs(told) >= _END_OF_TIME:
            raise ValueError("its time is none")
        return told
    if not isinstance(told, str):
        raise ValueError("its time is missing")
    at = datetime.fromisoformat(told)
    since = (at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """A line, or what it holds, with each text in it changed, but for names by which lines refer to one another."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [changed(each, change) for each in value]
    if isinstance(value, dict):
        return {name: each if name in _KEPT_AS_THEY_ARE else changed(each, change) for name, each in value.items()}
    return value


_KEPT_AS_THEY_ARE = frozenset({"letter", "entry", "event", "id", "at", "bag", "answers", "answers_id", "session"})
