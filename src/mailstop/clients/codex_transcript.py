"""The transcript of a Codex thread: what its model had been sent when it gave an answer.

Hooks cannot tell that: the tools of one answer run side by side, so the event of one may come behind a text that was
given with the event of another and that no request has carried yet. Codex writes it down. Every item of the
conversation has a `history_sequence`, and what the model said has `sampled_through_sequence`: the last item of the
request that it answers (observed with Codex 0.171.0, docs/codex.md). What cannot be read proves nothing.
"""

from __future__ import annotations

import os

from mailstop.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

TAIL_BYTES = 1 << 20  # looked at from the end; what lies before counts as not there

_ITEM = b'"type":"response_item","payload":{"type":"'
_METADATA = b',"metadata":{'
_HEAD = 200  # characters of a line within which Codex writes what kind of item it is


def in_request(path: str, marks: Mapping[str, str], call: str = "") -> frozenset[str]:
    """The names of those marks that stood in the request which the model answered with the tool call `call`.

    marks: a text for each name, as the transcript holds it (see `output_mark`). call: id of the tool call; empty means
    the latest of the model's answers.
    """
    through = 0
    places: dict[str, int] = {}
    for kind, line in _items(path):
        by_model = kind.endswith(b"_call") or b'"role":"assistant"' in line
        if by_model:
            if not call or _of_call(call) in line:
                through = _number(line, "sampled_through_sequence")
            continue
        for name, mark in marks.items():
            if mark and mark.encode() in line:
                places.setdefault(name, _number(line, "history_sequence"))
    return frozenset(name for name, place in places.items() if 0 < place <= through)


def output_mark(call: str) -> str:
    """What stands in the transcript once a tool call has its result."""
    return f'"call_id":"{call}"' if call else ""


def _of_call(call: str) -> bytes:
    return output_mark(call).encode()


def _items(path: str) -> Iterator[tuple[bytes, bytes]]:
    """The items of the conversation in the tail of the transcript, oldest first: kind, and the whole line."""
    for line in _tail(path).split(b"\n"):
        at = line.find(_ITEM, 0, _HEAD)
        if at >= 0 and line.endswith(b"}"):
            begin = at + len(_ITEM)
            yield line[begin : line.find(b'"', begin)], line


def _number(line: bytes, name: str) -> int:
    """A number in the metadata of an item, which end the line; 0 where there is none."""
    at = line.rfind(_METADATA)
    try:
        value: Any = loads(line[at + len(_METADATA) - 1 : -1].decode()) if at >= 0 else {}
    except ValueError:
        return 0
    number = value.get(name) if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def _tail(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, TAIL_BYTES, max(0, size - TAIL_BYTES))
    except OSError:
        return b""
    finally:
        os.close(descriptor)
