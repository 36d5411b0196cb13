"""JSON as a text with places: what stands where. Comments and commas behind the last are read where a client allows
them.

Python's own reader tells no places and takes the last of two keys of one name; here that is refused, because nobody can
say which of the two its client goes by.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # typeshed leaves it out

from mailstop.records import Record
from mailstop.setup.edit import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_BLANK = " \t\r\n"
_DEEPEST = 200


class Span(Record):
    """A value in the text. start, end: its first character, and the one behind its last. entries: of what it holds."""

    start: int
    end: int
    value: Any
    entries: tuple[Entry, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it is an object or a list."""
        return isinstance(self.value, dict | list)

    def at(self, key: str) -> Span | None:
        """The value of a key of this object."""
        return next((one.span for one in self.entries if one.key == key), None)


class Entry(Record):
    """A member of an object, from its key on, or an element of a list. comma: where the one behind it is, if any."""

    start: int
    key: str | None
    span: Span
    comma: int | None

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.span.end


def read(text: str, *, lenient: bool) -> Span:
    """The value that a text holds. lenient: with comments and commas behind the last entry. Raises Malformed."""
    reader = _Reader(text, lenient)
    span = reader.value(reader.skip(0), 0)
    end = reader.skip(span.end)
    if end < len(text):
        raise Malformed(end, "something stands behind the end")
    return span


def skip(text: str, at: int, *, lenient: bool = True) -> int:
    """The place of the next character that is neither blank nor in a comment. Raises Malformed."""
    while at < len(text):
        if text[at] in _BLANK:
            at += 1
        elif lenient and text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif lenient and text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise Malformed(at, "a comment that does not end")
            at = end + 2
        else:
            break
    return at


class _Reader:
    def __init__(self, text: str, lenient: bool) -> None:
        self._text, self._lenient = text, lenient

    def skip(self, at: int) -> int:
        return skip(self._text, at, lenient=self._lenient)

    def value(self, at: int, depth: int) -> Span:
        text = self._text
        if depth > _DEEPEST:
            raise Malformed(at, "it is nested too deeply")
        if at >= len(text):
            raise Malformed(at, "it ends too early")
        if text[at] in "{[":
            return self._holder(at, depth)
        if text[at] == '"':
            value, end = self._string(at)
            return Span(at, end, value)
        if number := _NUMBER.match(text, at):
            digits = number[0]
            return Span(at, number.end(), int(digits) if digits.lstrip("-").isdigit() else float(digits))
        for word, meant in _WORDS.items():
            if text.startswith(word, at):
                return Span(at, at + len(word), meant)
        raise Malformed(at, f"a value was expected, not {text[at]!r}")

    def _holder(self, start: int, depth: int) -> Span:
        is_object = self._text[start] == "{"
        close = "}" if is_object else "]"
        entries: list[Entry] = []
        at = self.skip(start + 1)
        while self._character(at) != close:
            entry = self._entry(at, depth, is_object)
            if entry.key is not None and any(one.key == entry.key for one in entries):
                raise Malformed(at, f"the key {entry.key!r} stands there twice")
            at = self.skip(entry.end)
            if self._character(at) == ",":
                entry, at = entry.but(comma=at), self.skip(at + 1)
                if self._character(at) == close and not self._lenient:
                    raise Malformed(at, "a comma stands before it")
            elif self._character(at) != close:
                raise Malformed(at, f"',' or {close!r} was expected")
            entries.append(entry)
        value: Any = {one.key: one.span.value for one in entries} if is_object else [one.span.value for one in entries]
        return Span(start, at + 1, value, tuple(entries))

    def _entry(self, at: int, depth: int, is_object: bool) -> Entry:
        if not is_object:
            return Entry(at, None, self.value(at, depth + 1), None)
        if self._character(at) != '"':
            raise Malformed(at, "a key in double quotes was expected")
        key, end = self._string(at)
        colon = self.skip(end)
        if self._character(colon) != ":":
            raise Malformed(colon, "':' was expected")
        return Entry(at, key, self.value(self.skip(colon + 1), depth + 1), None)

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self._text, at + 1, True)
        except JSONDecodeError as error:
            raise Malformed(error.pos, error.msg) from None
        return value, end

    def _character(self, at: int) -> str:
        if at >= len(self._text):
            raise Malformed(at, "it ends too early")
        return self._text[at]
