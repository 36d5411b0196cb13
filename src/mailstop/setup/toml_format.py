"""TOML, edited as text: a table of ours is a block at the end, and what goes into a table that is there, tomlkit puts
there.

What was made is read again, by Python's own reader, and compared with what it should mean; where that cannot be had,
the edit is refused."""

from __future__ import annotations

import copy
import re
import tomllib

from mailstop.setup.edit import Malformed, Occupied, lookup, newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.setup.edit import Edit, Note

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


class TOMLFormat:
    """What the format of JSON does, for TOML."""

    def data(self, text: str) -> dict[str, Any]:
        """What a text says. Raises Malformed."""
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Malformed(_position(text, str(error)), _PLACE.sub("", str(error)).strip()) from None
        except RecursionError:
            raise Malformed(0, "it is nested too deeply") from None

    def with_edit(self, text: str, edit: Edit) -> tuple[str, Note]:
        """The text with an edit that is not in it, and how it was made. Raises Malformed, Occupied."""
        before = self.data(text)
        if edit.is_in(before):
            return text, {}
        wanted = edit.made_in(before)
        for way in (_as_block, _as_line, _by_tomlkit):
            made, note = way(text, edit, before)
            if made != text and _means(made, wanted):
                return made, {"depth": _depth(before, edit.path), **note}
        raise Occupied(edit.path, lookup(before, edit.path)[0])

    def without(self, text: str, edit: Edit, note: Note) -> str:
        """The text without an edit that was made; what is not there any more is left. Raises Malformed."""
        before = self.data(text)
        found, there = _found(before, edit.path)
        if not there:
            return text
        wanted = _without(before, edit, note, found)
        for way in (_cut, _swapped_back, _taken_out_by_tomlkit):
            made = way(text, edit, note)
            if made != text and _means(made, wanted):
                return made
        return text


def _position(text: str, message: str) -> int:
    """Where a message of Python's reader says that something is wrong."""
    place = _PLACE.search(message)
    if not place:
        return len(text)
    line, column = map(int, place.groups())
    return sum(len(one) for one in text.splitlines(keepends=True)[: line - 1]) + column - 1


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return bool(tomllib.loads(text) == wanted)
    except tomllib.TOMLDecodeError:
        return False


def _depth(data: dict[str, Any], path: tuple[str, ...]) -> int:
    """How many of the keys lead somewhere."""
    return max(depth for depth in range(len(path) + 1) if _found(data, path[:depth])[1])


def _found(data: dict[str, Any], path: tuple[str, ...]) -> tuple[Any, bool]:
    try:
        return lookup(data, path)
    except Occupied:
        return None, False


# -- putting in ------------------------------------------------------------------------------------------------------


def _as_block(text: str, edit: Edit, before: dict[str, Any]) -> tuple[str, Note]:
    """A table of its own, at the end."""
    table = edit.path[:-1] if edit.adds else edit.path
    if _found(before, table)[1] or not table:
        return text, {}
    newline = newline_of(text)
    values = {edit.path[-1]: edit.value} if edit.adds else edit.value
    lines = [f"[{_dotted(table)}]", *(f"{_dotted((key,))} = {_literal(value)}" for key, value in values.items()), ""]
    ends = text.endswith("\n") or not text
    block = ("" if not text else newline if ends else newline * 2) + newline.join(lines)
    return text + block, {"block": block, **({"added": edit.value} if edit.adds else {})}


def _as_line(text: str, edit: Edit, before: dict[str, Any]) -> tuple[str, Note]:
    """A line directly under the heading of a table that is there."""
    if not edit.adds or _found(before, edit.path)[1]:
        return text, {}
    keys = r"\s*\.\s*".join(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in edit.path[:-1])
    heading = re.search(rf"^[ \t]*\[\s*{keys}\s*\][^\n]*(\n|\Z)", text, re.MULTILINE)
    if not heading:
        return text, {}
    newline = newline_of(text)
    line = f"{_dotted(edit.path[-1:])} = {_literal(edit.value)}"
    block = line + newline if heading[1] else newline + line
    return text[: heading.end()] + block + text[heading.end() :], {"block": block, "added": edit.value}


def _by_tomlkit(text: str, edit: Edit, before: dict[str, Any]) -> tuple[str, Note]:
    """Into a list or a table that is there, whose own form tomlkit keeps."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        holder = document
        for key in edit.path[:-1]:
            holder = holder[key] if key in holder else holder.setdefault(key, {})
        last = edit.path[-1]
        if edit.adds:
            array = holder.setdefault(last, [])
            was, missing = array.as_string(), edit.missing(array.unwrap())
            for element in missing:
                array.append(element)
            note: Note = {"added": missing}
            if _found(before, edit.path)[1]:
                note |= {"old": was, "new": array.as_string()}
            else:
                note |= {"block": _put_in(text, tomlkit.dumps(document))}
        else:
            table = holder[last]
            note = {"was": {key: _found(before, (*edit.path, key))[0] for key in edit.value}}
            table.update(edit.value)
        return tomlkit.dumps(document), note
    except (TOMLKitError, KeyError, TypeError, AttributeError):
        return text, {}


def _put_in(text: str, made: str) -> str:
    """What was put into a text at one place; empty where it was changed otherwise."""
    pairs = zip(text, made, strict=False)
    start = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(text), len(made)))
    block = made[start : len(made) - len(text) + start]
    return block if made[:start] + made[start + len(block) :] == text else ""


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(key if _BARE.fullmatch(key) else _literal(key) for key in path)


def _literal(value: Any) -> str:
    """A value as TOML."""
    import tomlkit

    return str(tomlkit.item(value).as_string())


# -- taking out ------------------------------------------------------------------------------------------------------


def _without(before: dict[str, Any], edit: Edit, note: Note, found: Any) -> dict[str, Any]:
    """What the text should mean once the edit is out."""
    whole = copy.deepcopy(before)
    holders = [whole]
    for key in edit.path[:-1]:
        holders.append(holders[-1][key])
    last = edit.path[-1]
    if edit.adds:
        holders[-1][last] = left = [one for one in found if one not in note["added"]]
        empty = not left
    else:
        table = holders[-1][last]
        for key in edit.value:
            old = note.get("was", {}).get(key)
            if old is None:
                table.pop(key, None)
            else:
                table[key] = old
        empty = not table
    path = list(edit.path)
    while empty and len(path) > note["depth"]:
        del holders[-1][path.pop()]
        empty = not holders.pop()
    return whole


def _cut(text: str, edit: Edit, note: Note) -> str:
    """Without the block that was put in, if it is there as it was."""
    block = note.get("block", "")
    if not block or text.count(block) != 1:
        return text
    before, _, after = text.partition(block)
    if before and after and block[0] in "\r\n" and not before.endswith("\n"):
        before += newline_of(text)
    return before + after


def _swapped_back(text: str, edit: Edit, note: Note) -> str:
    """With the list as it was written before, if it is still written as it was left."""
    new = note.get("new", "")
    old: str = note.get("old", "")
    return text.replace(new, old) if new and text.count(new) == 1 else text


def _taken_out_by_tomlkit(text: str, edit: Edit, note: Note) -> str:
    """Without the edit wherever it stands now."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        holders = [document]
        for key in edit.path[:-1]:
            holders.append(holders[-1][key])
        last = edit.path[-1]
        if edit.adds:
            array = holders[-1][last]
            for element in note["added"]:
                if element in array.unwrap():
                    array.remove(element)
            empty = not array.unwrap()
        else:
            table = holders[-1][last]
            for key in edit.value:
                old = note.get("was", {}).get(key)
                if old is not None:
                    table[key] = old
                elif key in table:
                    table.remove(key)
            empty = not table.unwrap()
        path = list(edit.path)
        while empty and len(path) > note["depth"]:
            holders[-1].remove(path.pop())
            empty = not holders.pop().unwrap()
        return str(tomlkit.dumps(document))
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError):
        return text
