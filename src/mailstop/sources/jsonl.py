"""JSONL: files that somebody made by hand, an object a line, whose fields are called as its maker liked.

Which key holds what is told by the person, or found by the names that such files use.
"""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.json_text import dumps
from mailstop.past import Changed, LeftOut, PastLetter, Source
from mailstop.records import Record
from mailstop.sources.lines import NoObject, OfLines, object_of
from mailstop.sources.texts import (
    LONGEST_NOTE,
    MOST_NAMES,
    UNKNOWN,
    artifacts_of,
    body_of,
    kind_of,
    moment_of,
    name_of,
    number_of,
    plain,
    quoted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from mailstop.past import Item

KIND = "jsonl"

# What a letter can be given, and the keys by which it is found where nobody says which: the first that a line has.
FIELDS: dict[str, tuple[str, ...]] = {
    "from": ("from", "sender", "author", "from_role"),
    "to": ("to", "recipient", "recipients", "to_role"),
    "body": ("body", "msg", "message", "text", "content"),
    "at": ("at", "ts", "time", "timestamp", "date", "created_at"),
    "number": ("id", "number", "n"),
    "ref": ("ref", "reply_to", "in_reply_to"),
    "kind": ("kind", "type"),
    "needs-reply": ("needs_reply",),
    "final": ("final",),
    "artifacts": ("artifacts", "files"),
    "channel": ("channel",),
}
_NEEDED = "body"


class Way(Record):
    """Where a field is found: under which keys, one inside the other; or what it is in every line."""

    keys: tuple[str, ...] = ()
    fixed: str | None = None


def mapping(text: str) -> dict[str, Way]:
    """What `FIELD=KEY,FIELD==TEXT,...` says. Raises InvalidMap."""
    found: dict[str, Way] = {}
    for part in text.split(","):
        field, equals, rest = part.strip().partition("=")
        if field not in FIELDS:
            raise errors.InvalidMap(part=part[:80], reason=f"the fields are {', '.join(FIELDS)}")
        if field in found:
            raise errors.InvalidMap(part=part[:80], reason=f"{field} is mapped twice")
        if not equals or not rest:
            raise errors.InvalidMap(part=part[:80], reason="write FIELD=KEY, or FIELD==TEXT for what no line says")
        found[field] = Way(fixed=rest[1:]) if rest.startswith("=") else Way(tuple(rest.split(".")))
    return found


class FileReader(OfLines):
    """Reads one file."""

    def __init__(self, path: str, name: str = KIND, ways: Mapping[str, Way] | None = None) -> None:
        """name: of the source. ways: where fields are found, by field. Raises SourceAbsent, SourceUnavailable."""
        self.source = Source(name, KIND, os.path.abspath(path))
        super().__init__(path)
        self._ways = dict(ways or {})

    def __iter__(self) -> Iterator[Item]:
        with self._lines:
            for line in self._lines:
                number, raw, _, _ = line
                if raw is not None and not raw.strip():
                    continue
                if number == 1 and raw and raw.lstrip().startswith(b"["):
                    reason = (
                        f"it is one JSON array, not an object a line; to make it such: jq -c '.[]' {self.source.path}"
                    )
                    raise errors.SourceUnavailable(path=self.source.path, reason=reason)
                place = f"line {number}"
                try:
                    letter, changed = self._letter(object_of(line, unended=True), number)
                except NoObject as error:
                    yield LeftOut(place, str(error))
                    continue
                yield letter
                if changed:
                    yield Changed(place, changed)

    def _letter(self, row: dict[str, Any], line: int) -> tuple[PastLetter, str]:
        """The letter of a line, and what could not be kept as it stands there. Raises NoObject."""
        text = self._value(row, _NEEDED)
        if text is None or text == "":
            raise NoObject(f"nothing in it is the text of a letter ({self._sought(_NEEDED)})")
        text = text if isinstance(text, str) else dumps(text)
        body, changed = body_of(text)
        at, odd_time = self._time(row)
        kind, odd_kind = kind_of(self._value(row, "kind"))
        artifacts, odd_artifacts = artifacts_of(self._value(row, "artifacts"))
        number = number_of(self._value(row, "number")) or str(line)
        sender, to = name_of(self._value(row, "from")), self._recipients(row)
        channel = name_of(self._value(row, "channel")).lstrip("#")
        # Of a line without a time its file is a part: two files may well begin alike.
        file = "" if at else os.path.basename(self.source.path)
        content = (str(line), file, str(at), sender, ",".join(to), kind, text)
        letter = PastLetter(
            key="\0".join(content),
            number=number,
            at=at,
            sender=sender,
            to=to,
            body=body,
            kind=kind,
            needs_reply=_is_true(self._value(row, "needs-reply")),
            final=_is_true(self._value(row, "final")),
            ref=number_of(self._value(row, "ref")),
            artifacts=artifacts,
            channel="" if channel == UNKNOWN else channel,
            note=plain("; ".join(filter(None, [odd_time, odd_kind, odd_artifacts])), LONGEST_NOTE),
        )
        return letter, "; ".join(filter(None, [changed, odd_time, odd_kind, odd_artifacts]))

    def _value(self, row: dict[str, Any], field: str) -> Any:
        way = self._ways.get(field)
        if way is None:
            return next((row[key] for key in FIELDS[field] if key in row), None)
        if way.fixed is not None:
            return way.fixed
        value: Any = row
        for key in way.keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def _sought(self, field: str) -> str:
        way = self._ways.get(field)
        return (
            f"no {'.'.join(way.keys)}" if way else f"none of {', '.join(FIELDS[field])}; which it is: --map {field}=KEY"
        )

    def _time(self, row: dict[str, Any]) -> tuple[int, str]:
        told = self._value(row, "at")
        if told is None or told == "":
            return 0, ""
        try:
            return moment_of(told), ""
        except ValueError:
            return 0, f"its time is none: {quoted(told)}"

    def _recipients(self, row: dict[str, Any]) -> tuple[str, ...]:
        told = self._value(row, "to")
        given = told if isinstance(told, list) else told.split(",") if isinstance(told, str) else [told]
        return tuple(dict.fromkeys(name_of(each) for each in given[:MOST_NAMES])) or (UNKNOWN,)


def _is_true(value: object) -> bool:
    return value not in (False, None, 0, "", "false", "no")
