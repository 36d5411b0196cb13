"""The reader of exports (exports/lines.py): letters come back with their ids, old numbers, times and bags, and with
what their store reported of them, which proves nothing here."""

from __future__ import annotations

import os

from mailstop import errors
from mailstop.errors import MailstopError
from mailstop.exports.lines import END, MARK, MOVES, OWN, VERSION, time_of
from mailstop.json_text import loads
from mailstop.letter import checked_body, is_kind
from mailstop.names import is_name
from mailstop.past import LONGEST_NUMBER, LONGEST_SOURCE, LeftOut, PastEvent, PastLetter, PastMove, Source
from mailstop.sources.lines import Lines, NoObject, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.past import Item
    from mailstop.sources.lines import Line

LONGEST_NAME = 200  # characters of a sender or recipient
_OWN = frozenset(
    ("letter", "id", "at", "bag", "from", "to", "channel", "kind", "needs_reply", "final", "artifacts", "project")
) | {"client", "note", "record", "body"}


def is_export(first_line: bytes) -> bool:
    """Whether a file that begins with this line is an export."""
    return first_line.lstrip().startswith(b'{"' + MARK.encode() + b'":')


def begins(path: str) -> bool:
    """Whether a file begins as an export does; False where it is no file or cannot be read."""
    if not os.path.isfile(path):  # a pipe would keep us waiting
        return False
    try:
        with Lines(path) as lines:
            first = next(iter(lines), None)
            return first is not None and is_export(first[1] or b"")
    except MailstopError:
        return False


class ExportReader:
    """Reads an export. name: what stands before the numbers of its store's own letters; empty: as the file says."""

    secrets = 0  # live ones that lie in the file: tokens and doors are in no export

    def __init__(self, path: str, name: str = "") -> None:
        """Look at its beginning. Raises SourceAbsent, SourceUnavailable."""
        self._path = path
        self.done_bytes = 0
        with Lines(path) as lines:
            self.total_bytes = lines.total_bytes
            self._own = _own_name(next(iter(lines), None), path)
        self._name = name or self._own
        self.source = Source(self._name, "mailstop", os.path.abspath(path))

    def __iter__(self) -> Iterator[Item]:
        """All of it, in its order. What is no line of an export is left out, and so is said of a missing end."""
        is_whole = False
        with Lines(self._path) as lines:
            for line in lines:
                self.done_bytes = lines.done_bytes
                number, raw, _, _ = line
                if number == 1 or raw == b"":
                    continue
                place = f"line {number}"
                try:
                    value = object_of(line, unended=True)
                    if END in value:
                        is_whole = self._is_end(value[END], number - 2)
                    else:
                        yield self._item(value)
                except (NoObject, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
                    yield LeftOut(place, _reason(error))
                except errors.Refused as error:
                    yield LeftOut(place, error.message)
        if not is_whole:
            yield LeftOut("the end", "its last line is missing or does not count as many: it was cut off, or changed")

    def _is_end(self, told: Any, lines: int) -> bool:
        return isinstance(told, dict) and told.get("lines") == lines

    def _item(self, line: dict[str, Any]) -> Item:
        if "letter" in line:
            return self._letter(line)
        if "event" in line:
            return self._event(line)
        raise ValueError("it is no letter and no event")

    def _called(self, text: object) -> tuple[str, str]:
        """Source and number of a letter's name; those of the file's own get the name that they are to have."""
        source, colon, number = _text(text, "what a letter is called").partition(":")
        if not colon or not _is_source(source) or not 0 < len(number) <= LONGEST_NUMBER:
            raise ValueError(f"{str(text)[:LONGEST_NUMBER]!r} is no SOURCE:NUMBER")
        return (self._name if source == self._own else source), number

    def _letter(self, line: dict[str, Any]) -> PastLetter:
        source, number = self._called(line["letter"])
        answers = line.get("answers")
        answered = self._called(answers) if answers is not None else ("", "")
        kind, channel, note = line["kind"], line.get("channel", ""), line.get("note", "")
        if not isinstance(kind, str) or not is_kind(kind):
            raise ValueError("its kind is none")
        if channel and not is_name(_text(channel, "its channel")):
            raise ValueError("its channel is none")
        kept = {name: value for name, value in line.items() if name not in _OWN}
        if answers is not None:
            kept["answers"] = ":".join(answered)
        return PastLetter(
            _id(line["id"]),
            number,
            time_of(line["at"]),
            _name(line["from"]),
            tuple(map(_name, _list(line["to"], "its recipients"))),
            checked_body(_text(line["body"], "its text")),
            kind,
            line.get("needs_reply") is True,
            line.get("final") is True,
            answered[1] if answered[0] == source else "",
            tuple(_text(each, "an artifact") for each in _list(line.get("artifacts", []), "its artifacts")),
            _text(channel, "its channel"),
            _text(line.get("project", ""), "its project"),
            _text(line.get("client", ""), "its client"),
            _text(note, "its note"),
            id=_id(line["id"]),
            record=_record(line),
            source=source,
            bag=_bag(line["bag"]),
            ref_id=_id(line["answers_id"]) if "answers_id" in line else "",
            kept=kept,
        )

    def _event(self, line: dict[str, Any]) -> PastMove | PastEvent:
        event, own, at, bag = _text(line["event"], "its event"), _id(line["id"]), time_of(line["at"]), _bag(line["bag"])
        data = line["data"]
        if not isinstance(data, dict):
            raise ValueError("its data is no JSON object")
        if event == "imported_move":
            return _move(own, at, data, _text(data["act"], "its act"), self._source(line), bag, {})
        body = _text(line.get("body", ""), "its text")
        if event == "imported_event":
            return PastEvent(own, at, data.get("kept", {}), body, id=own, source=self._source(line), bag=bag)
        source, number = self._called(line["entry"])
        kept = {"event": event, "entry": f"{source}:{number}", "data": data}
        if event in MOVES:
            return _move(own, at, data, event, source, bag, kept)
        return PastEvent(own, at, kept, body, id=own, source=source, bag=bag)

    def _source(self, line: dict[str, Any]) -> str:
        source = _text(line["source"], "its source")
        if not _is_source(source):
            raise ValueError("its source is none")
        return source


def _own_name(first: Line | None, path: str) -> str:
    """What stands before the numbers of the store's own letters. first: the first line. Raises SourceUnavailable."""
    try:
        header = loads(first[1] or b"") if first else {}
        version, own = header[MARK], header.get("own", OWN)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise errors.SourceUnavailable(path=path, reason="it does not begin as an export does") from None
    if version != VERSION:
        reason = f"it is of version {version!r}, and this mailstop knows version {VERSION}: a newer one may read it"
        raise errors.SourceUnavailable(path=path, reason=reason)
    if not isinstance(own, str) or not _is_source(own):
        raise errors.SourceUnavailable(path=path, reason="it does not say how its own letters are called")
    return own


def _move(own: str, at: int, data: dict[str, Any], act: str, source: str, bag: str, kept: dict[str, Any]) -> PastMove:
    seat, client, project, reason = (
        _text(data.get(name, ""), f"its {name}") for name in ("seat", "client", "project", "reason")
    )
    record = 0 if kept else _record(data)
    return PastMove(own, at, seat, act, client, project, reason, own, record, source, bag, kept)


def _record(line: dict[str, Any]) -> int:
    record = line.get("record", 0)
    return record if isinstance(record, int) and not isinstance(record, bool) and 0 < record < 1 << 53 else 0


def _is_source(name: str) -> bool:
    return len(name) <= LONGEST_SOURCE and is_name(name)


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{what} is no text")
    value.encode()  # half of a surrogate pair is none either
    return value


def _name(value: object) -> str:
    name = _text(value, "a name")
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise ValueError("a sender or recipient has no name")
    return name


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{what} are no list")
    return value


def _id(value: object) -> str:
    own = _text(value, "its id")
    if len(own) != 36 or not frozenset("0123456789abcdef-").issuperset(own):
        raise ValueError("its id is none")
    return own


def _bag(value: object) -> str:
    bag = _text(value, "its bag")
    if not is_name(bag):
        raise ValueError("its bag has no name")
    return bag


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    return str(error)
