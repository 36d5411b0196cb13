"""JSON, edited as text: an edit changes its own characters, and every other one stays as it is.

No library that is kept does this in Python; what others have wrote in JavaScript (jsonc-parser) is what this follows:
read the places, then cut and insert. What was made is read again and compared with what it should mean.
"""

from __future__ import annotations

import json

from mailstop.setup.edit import Malformed, Occupied, newline_of
from mailstop.setup.json_spans import Entry, Span, read, skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.setup.edit import Edit, Note

_INDENT = "  "  # where a text shows none
_SPACES = " \t\r\n"


class JSONFormat:
    """lenient: the client reads comments, and commas behind the last entry."""

    def __init__(self, *, lenient: bool) -> None:
        self._lenient = lenient

    def data(self, text: str) -> dict[str, Any]:
        """What a text says; an empty one says nothing. Raises Malformed."""
        value: dict[str, Any] = self._root(text).value if text.strip() else {}
        return value

    def with_edit(self, text: str, edit: Edit) -> tuple[str, Note]:
        """The text with an edit that is not in it, and how it was made. Raises Malformed, Occupied."""
        before = self.data(text)
        if edit.is_in(before):
            return text, {}
        made, note = self._made(text, edit)
        if self.data(made) != edit.made_in(before):
            raise AssertionError(f"an edit of {'.'.join(edit.path)} went wrong")
        return made, note

    def without(self, text: str, edit: Edit, note: Note) -> str:
        """The text without an edit that was made; what is not there any more is left. Raises Malformed."""
        if not text.strip():
            return text
        if edit.adds:
            for element in reversed(note["added"]):
                text = self._without_element(text, edit.path, element, note)
            return text
        span = self._find(text, edit.path)
        if span is None:
            return text
        if note.get("was") is not None:
            was: str = note["was"]
            return text[: span.start] + was + text[span.end :]
        return self._without_member(text, edit.path, note)

    # -- putting in --------------------------------------------------------------------------------------------------

    def _made(self, text: str, edit: Edit) -> tuple[str, Note]:
        if not text.strip():
            value: Any = edit.value
            for key in reversed(edit.path):
                value = {key: value}
            made = json.dumps(value, indent=_INDENT, ensure_ascii=False) + "\n"
            return made, {"depth": 0, "inside": "", **({"added": edit.value} if edit.adds else {})}
        holder, depth = self._deepest(text, edit.path)
        if depth < len(edit.path):
            value = edit.value
            for key in reversed(edit.path[depth + 1 :]):
                value = {key: value}
            made, inside = _inserted(text, holder, edit.path[depth], value)
            return made, {"depth": depth, "inside": inside, **({"added": edit.value} if edit.adds else {})}
        if edit.adds:
            return self._with_elements(text, edit)
        was = text[holder.start : holder.end]
        if isinstance(edit.value, dict) and isinstance(holder.value, dict):  # what else it says stays
            for key, value in edit.value.items():
                text = self._with_member(text, edit.path, key, value)
            return text, {"was": was}
        return _replaced(text, holder, edit.value), {"was": was}

    def _with_member(self, text: str, path: tuple[str, ...], key: str, value: Any) -> str:
        holder = self._at(text, path)
        found = holder.at(key)
        if found is None:
            return _inserted(text, holder, key, value)[0]
        return text if found.value == value else _replaced(text, found, value)

    def _with_elements(self, text: str, edit: Edit) -> tuple[str, Note]:
        missing, insides = edit.missing(self._at(text, edit.path).value), []
        for element in missing:
            text, inside = _inserted(text, self._at(text, edit.path), None, element)
            insides.append(inside)
        return text, {"depth": len(edit.path), "inside": insides[0], "added": missing}

    # -- taking out --------------------------------------------------------------------------------------------------

    def _without_element(self, text: str, path: tuple[str, ...], element: Any, note: Note) -> str:
        span = self._find(text, path)
        if span is None or not isinstance(span.value, list) or element not in span.value:
            return text
        if span.value == [element] and note["depth"] < len(path):
            return self._without_member(text, path, note)
        number = len(span.value) - 1 - span.value[::-1].index(element)
        return _removed(text, span, number, note["inside"] or "")

    def _without_member(self, text: str, path: tuple[str, ...], note: Note) -> str:
        """Take out a member, with the objects around it that were made for it and hold nothing else now."""
        length = len(path)
        while length - 1 > note["depth"] and len(self._at(text, path[: length - 1]).entries) == 1:
            length -= 1
        holder = self._at(text, path[: length - 1])
        number = next(at for at, one in enumerate(holder.entries) if one.key == path[length - 1])
        return _removed(text, holder, number, note["inside"] or "")

    # -- finding -----------------------------------------------------------------------------------------------------

    def _root(self, text: str) -> Span:
        root = read(text, lenient=self._lenient)
        if not isinstance(root.value, dict):
            raise Malformed(root.start, "an object was expected")
        return root

    def _deepest(self, text: str, path: tuple[str, ...]) -> tuple[Span, int]:
        """What the keys lead to, as far as it is there, and how many of them that are. Raises Occupied."""
        span = self._root(text)
        for depth, key in enumerate(path):
            if not isinstance(span.value, dict):
                raise Occupied(path[:depth], span.value)
            inner = span.at(key)
            if inner is None:
                return span, depth
            span = inner
        return span, len(path)

    def _find(self, text: str, path: tuple[str, ...]) -> Span | None:
        try:
            span, depth = self._deepest(text, path)
        except Occupied:
            return None
        return span if depth == len(path) else None

    def _at(self, text: str, path: tuple[str, ...]) -> Span:
        span = self._find(text, path)
        assert span is not None, path
        return span


# -- characters ------------------------------------------------------------------------------------------------------


def _replaced(text: str, span: Span, value: Any) -> str:
    """The text with another value in the place of one."""
    compact = None if "\n" in text else ": "
    rendered = _rendered(value, _indent_of(text, span.start), _unit_of(text), newline_of(text), compact=compact)
    return text[: span.start] + rendered + text[span.end :]


def _inserted(text: str, holder: Span, key: str | None, value: Any) -> tuple[str, str | None]:
    """The text with one entry more, the last of its holder, and what stood in a holder that was empty."""
    newline, unit = newline_of(text), _unit_of(text)
    first = text.find("\n", holder.start)
    if holder.entries:
        begins = holder.entries[0].start
        return (
            _on_a_line(text, holder, key, value) if 0 <= first < begins else _in_line(text, holder, key, value)
        ), None
    inside = text[holder.start + 1 : holder.end - 1]
    base = _indent_of(text, holder.start)
    rendered = newline + base + unit + _entry(key, value, base + unit, unit, newline, None)
    if inside.strip():  # comments: they stay, before it
        at = holder.start + 1 + len(inside.rstrip())
        if "\n" not in text[at : holder.end]:
            rendered = " " + _entry(key, value, "", "", "", ": ")
        return text[:at] + rendered + text[at:], None
    if "\n" not in text and text.strip() != "{}":
        at = holder.end - 1
        return text[:at] + _entry(key, value, "", unit, newline, ": ") + text[at:], inside
    return text[: holder.start + 1] + rendered + newline + base + text[holder.end - 1 :], inside


def _on_a_line(text: str, holder: Span, key: str | None, value: Any) -> str:
    """With an entry more on a line of its own, behind what is said of the last one on its line."""
    last = holder.entries[-1]
    newline, indent = newline_of(text), _indent_of(text, holder.entries[0].start)
    rendered = newline + indent + _entry(key, value, indent, _unit_of(text), newline, None)
    if last.comma is not None:
        at = _end_of_remarks(text, last.comma + 1)
        return text[:at] + rendered + "," + text[at:]
    at = _end_of_remarks(text, last.end)
    return text[: last.end] + "," + text[last.end : at] + rendered + text[at:]


def _in_line(text: str, holder: Span, key: str | None, value: Any) -> str:
    """With an entry more on the line of the others."""
    last = holder.entries[-1]
    colon = ": " if last.key is None or text[skip(text, _behind_key(text, last)) + 1] in " \t" else ":"
    rendered = _entry(key, value, "", "", "", colon)
    gap = " " if colon == ": " else ""
    if len(holder.entries) > 1:
        comma = holder.entries[0].comma
        assert comma is not None
        gap = " " if text[comma + 1] in _SPACES else ""
    if last.comma is not None:
        at = last.comma + 1
        return text[:at] + gap + rendered + "," + text[at:]
    return text[: last.end] + "," + gap + rendered + text[last.end :]


def _behind_key(text: str, entry: Entry) -> int:
    """The place behind an entry's key."""
    at = entry.start + 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _removed(text: str, holder: Span, number: int, inside: str) -> str:
    """The text without an entry. inside: what stands in its holder when nothing is left there."""
    entries = holder.entries
    entry = entries[number]
    line = _line_before(text, entry.start)
    if len(entries) == 1:
        end = entry.comma + 1 if entry.comma is not None else entry.end
        start = len(text[: entry.start].rstrip(" \t")) if line is None else line
        rest = text[holder.start + 1 : start] + text[end : holder.end - 1]
        return text[: holder.start + 1] + (rest if rest.strip() else inside) + text[holder.end - 1 :]
    if number < len(entries) - 1:
        assert entry.comma is not None
        end = entry.comma + 1
        return text[: entry.start] + text[entries[number + 1].start :] if line is None else text[:line] + text[end:]
    comma = entries[number - 1].comma
    assert comma is not None
    if entry.comma is not None:
        return text[: comma + 1 if line is None else line] + text[entry.comma + 1 :]
    if line is None:
        between = text[comma + 1 : entry.start]
        return text[:comma] + (between if between.strip() else "") + text[entry.end :]
    return text[:comma] + text[comma + 1 : line] + text[entry.end :]


def _line_before(text: str, at: int) -> int | None:
    """Where the line end is that stands before something on a line of its own; None where it has none of its own."""
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    if at == 0 or text[at - 1] != "\n":
        return None
    return at - 2 if at > 1 and text[at - 2] == "\r" else at - 1


def _end_of_remarks(text: str, at: int) -> int:
    """The place behind the comments that follow on the same line."""
    end = at
    while at < len(text):
        if text[at] in " \t":
            at += 1
        elif text.startswith("//", at):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            return stop - 1 if text[stop - 1] == "\r" else stop
        elif text.startswith("/*", at) and "\n" not in text[at : text.find("*/", at + 2)]:
            at = end = text.find("*/", at + 2) + 2
        else:
            break
    return end


def _entry(key: str | None, value: Any, base: str, unit: str, newline: str, compact: str | None) -> str:
    rendered = _rendered(value, base, unit, newline, compact=compact)
    return rendered if key is None else f"{json.dumps(key, ensure_ascii=False)}{compact or ': '}{rendered}"


def _rendered(value: Any, base: str, unit: str, newline: str, *, compact: str | None) -> str:
    """A value as text. compact: what stands behind a key when all of it goes on one line."""
    if compact is not None:
        return json.dumps(value, ensure_ascii=False, separators=("," if compact == ":" else ", ", compact))
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + base)


def _indent_of(text: str, at: int) -> str:
    """What the line begins with on which something stands."""
    start = text.rfind("\n", 0, at) + 1
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]


def _unit_of(text: str) -> str:
    """By how much a text indents: as its first indented line does."""
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return _INDENT
