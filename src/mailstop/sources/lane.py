"""Lane: all files of a lane, put into one order by the times of their letters.

Who writes to whom is said by a file's name; where a letter's own fields say otherwise, that is kept as a note.
"""

from __future__ import annotations

import heapq
import os
from datetime import UTC

from mailstop import errors, lanes
from mailstop.json_text import dumps
from mailstop.past import Changed, LeftOut, PastLetter, Source
from mailstop.sources.texts import (
    LONGEST_NOTE,
    artifacts_of,
    body_of,
    kind_of,
    name_of,
    number_of,
    plain,
    quoted,
    time_of,
)
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mailstop.past import Item

    Placed = tuple[tuple[bool, int], str, int, dict[str, Any]]  # order, file, line, letter

KIND = "lane"
_FOLDER = "_sync"
_ENDING = ".jsonl"
_TORN = "its last line has no end: it is being written, or whoever wrote it died"
_HEXADECIMAL = frozenset("0123456789abcdef")


class LaneReader:
    """Reads one lane."""

    def __init__(self, path: str, name: str = KIND) -> None:
        """path: of the lane's folder, or of the one in it that holds its files. name: of the source.

        Raises SourceAbsent, SourceUnavailable.
        """
        path = os.path.abspath(path)
        path = os.path.dirname(path) if os.path.basename(path) == _FOLDER else path
        self.source = Source(name, KIND, path)
        self.secrets = 0
        self.total_bytes = 0
        self._done: dict[str, int] = {}
        folder = os.path.join(path, _FOLDER)
        try:
            names = sorted(os.listdir(folder))
            self._names = [name for name in names if lanes.roles_of(name)]
            self.total_bytes = sum(os.lstat(os.path.join(folder, name)).st_size for name in self._names)
        except FileNotFoundError:
            raise errors.SourceAbsent(path=folder) from None
        except OSError as error:
            reason = f"it cannot be read: {error.strerror or error}"
            raise errors.SourceUnavailable(path=folder, reason=reason) from None
        if not self._names:
            raise errors.SourceUnavailable(path=folder, reason="no lane file lies in it (FROM-to-TO.jsonl)")

    @property
    def done_bytes(self) -> int:
        """Read so far."""
        return sum(self._done.values())

    def __iter__(self) -> Iterator[Item]:
        left_out: list[LeftOut] = []
        files = [self._file(name, left_out) for name in self._names]
        for _, name, line, envelope in heapq.merge(*files, key=lambda placed: placed[0]):
            yield from _items(envelope, name, line)
        yield from left_out

    def _file(self, name: str, left_out: list[LeftOut]) -> Iterator[Placed]:
        try:
            for envelope, line, end in lanes.placed_history(self.source.path, name):
                self._done[name] = end
                at = _time(envelope)
                yield (at == 0, at), name, line, envelope
            if os.path.getsize(os.path.join(self.source.path, _FOLDER, name)) > self._done.get(name, 0):
                left_out.append(LeftOut(name, _TORN))
        except OSError as error:
            left_out.append(LeftOut(name, f"it cannot be read: {error.strerror or error}"))


def _items(envelope: dict[str, Any], name: str, line: int) -> Iterator[Item]:
    place = f"{name} line {line}"
    size = envelope.get("_shortened")
    if size is not None:
        yield LeftOut(place, f"it has {counted(size, 'byte')}, and at most {lanes.LARGEST_LINE} are read")
        return
    if envelope.get("_parse_error"):
        yield LeftOut(place, "it is no letter of a lane: no JSON object in UTF-8")
        return
    letter, changed = _letter(envelope, name, line)
    yield letter
    if changed:
        yield Changed(place, changed)


def _letter(envelope: dict[str, Any], name: str, line: int) -> tuple[PastLetter, str]:
    """The letter of an envelope, and what could not be kept as it stands there."""
    told = envelope.get("msg")
    text = told if isinstance(told, str) else "" if told is None else _json(told)
    body, changed = body_of(text)
    kind, odd_kind = kind_of(envelope.get("kind"))
    artifacts, odd_artifacts = artifacts_of(envelope.get("artifacts"))
    sender, to = _roles(envelope, name)
    ref = number_of(envelope.get("ref"))
    odd_ref = f"it answers {quoted(envelope['ref'])}" if envelope.get("ref") and not ref else ""
    notes = [_signed(envelope, sender, to), odd_kind, odd_artifacts, odd_ref]
    number = number_of(envelope.get("id"))
    of_line = f"{name.removesuffix(_ENDING)}:{line}"
    content = (number or of_line, sender, to, str(envelope.get("ts")), str(envelope.get("kind")), text)
    letter = PastLetter(
        key="\0".join(content),
        number=number or number_of(of_line) or str(line),
        at=_time(envelope),
        sender=name_of(sender),
        to=(name_of(to),),
        body=body,
        kind=kind,
        needs_reply=bool(envelope.get("needs_reply")),
        ref=ref,
        artifacts=artifacts,
        note=plain("; ".join(filter(None, notes)), LONGEST_NOTE),
    )
    return letter, "; ".join(filter(None, [changed, odd_kind, odd_artifacts, odd_ref]))


def _roles(envelope: dict[str, Any], name: str) -> tuple[str, str]:
    """From whom to whom a letter goes: by its file's name, and where that can be read in several ways, by its `to`."""
    pairs = lanes.roles_of(name)
    return next((pair for pair in pairs if pair[1] == envelope.get("to")), pairs[-1])


def _signed(envelope: dict[str, Any], sender: str, to: str) -> str:
    """That a letter names others than its file does."""
    own = [envelope.get("from"), envelope.get("to")]
    if all(each in (None, role) for each, role in zip(own, (sender, to), strict=True)):
        return ""
    return f"its own fields say from {name_of(own[0])} to {name_of(own[1])}"


def _time(envelope: dict[str, Any]) -> int:
    """When a letter was written: by its time, else by its id; 0 where neither tells."""
    told, lane_id = envelope.get("ts"), envelope.get("id")
    try:
        if isinstance(told, str):
            return time_of(told, UTC)
    except ValueError:
        pass
    at, _, digits = lane_id.partition("-") if isinstance(lane_id, str) else ("", "", "")
    is_lanes = at.isascii() and at.isdigit() and len(at) <= 14 and len(digits) == 8 and _HEXADECIMAL.issuperset(digits)
    return int(at) if is_lanes else 0


def _json(value: object) -> str:
    try:
        return dumps(value)
    except (ValueError, TypeError, RecursionError):
        return str(value)
