"""Edit: one thing that shall stand in a configuration file. The formats know how; this is the same for all of them."""

from __future__ import annotations

import copy

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Note = dict[str, Any]  # what a format writes down of how it made an edit, so that it can be taken out again


class Malformed(ValueError):
    """A text that is not of its format. position: the offset of the character at which that shows."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position, self.reason = position, reason


class Occupied(ValueError):
    """Where an edit has to go, something else stands. path: the keys that lead to it."""

    def __init__(self, path: tuple[str, ...], found: Any) -> None:
        super().__init__(".".join(path))
        self.path, self.found = path, found


class Edit(Record):
    """A value at a place, or elements in a list there.

    path: the keys that lead to it. value: what shall stand there; with `adds` a list of elements, each of which shall
    be in the list. is_ours: whether what stands there instead was mailstop's, and may be replaced.
    """

    path: tuple[str, ...]
    value: Any
    adds: bool = False
    is_ours: Callable[[Any], bool] | None = None

    def is_in(self, data: Any) -> bool:
        """Whether it stands there already. Raises Occupied."""
        found, there = lookup(data, self.path)
        if not there:
            return False
        if self.adds:
            if not isinstance(found, list):
                raise Occupied(self.path, found)
            return not self.missing(found)
        if covers(found, self.value):
            return True
        if self.is_ours is None or not self.is_ours(found):
            raise Occupied(self.path, found)
        return False

    def missing(self, found: list[Any]) -> list[Any]:
        """The elements that a list lacks."""
        return [one for one in self.value if one not in found]

    def made_in(self, data: Any) -> Any:
        """The data as it is with this edit, for comparison with what a format has made."""
        whole = copy.deepcopy(data)
        holder = whole
        for key in self.path[:-1]:
            holder = holder.setdefault(key, {})
        last = self.path[-1]
        if self.adds:
            found = holder.setdefault(last, [])
            found.extend(self.missing(found))
        elif isinstance(self.value, dict) and isinstance(holder.get(last), dict):
            holder[last] = {**holder[last], **self.value}
        else:
            holder[last] = self.value
        return whole


def lookup(data: Any, path: tuple[str, ...]) -> tuple[Any, bool]:
    """What stands at a place, and whether anything does. Raises Occupied where no object is on the way."""
    for depth, key in enumerate(path):
        if not isinstance(data, dict):
            raise Occupied(path[:depth], data)
        if key not in data:
            return None, False
        data = data[key]
    return data, True


def covers(found: Any, value: Any) -> bool:
    """Whether what was found says all that the value says; a client may have added more."""
    if isinstance(found, dict) and isinstance(value, dict):
        return all(key in found and covers(found[key], each) for key, each in value.items())
    return type(found) is type(value) and bool(found == value)


def newline_of(text: str) -> str:
    """How the lines of a text end: as its first one does."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
