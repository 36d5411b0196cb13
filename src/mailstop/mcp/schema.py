"""Schema: whether arguments are what a tool's input schema says. The part of JSON Schema that our tools use."""

from __future__ import annotations

from mailstop.errors.tools import InvalidArguments  # by its file: looked for by name it would load all others
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MOST_ITEMS = 1_000  # of a list: of more, whatever they are, nothing is looked at
_LONGEST_QUOTE = 60  # characters of a wrong value that its refusal repeats


def checked(arguments: Mapping[str, Any], schema: Mapping[str, Any], tool: str) -> dict[str, Any]:
    """The arguments, whole numbers as integers. Raises InvalidArguments with all that is wrong."""
    known = schema["properties"]
    wrong = [f"{_quoted(name)} is unknown" for name in arguments if name not in known]
    wrong += [f"{name} is missing" for name in schema.get("required", ()) if name not in arguments]
    given = {name: _whole(value) for name, value in arguments.items() if name in known}
    for name, value in given.items():
        wrong += _wrong(value, known[name], name)
    if wrong:
        needed = schema.get("required", ())
        takes = ", ".join(f"{name} (needed)" if name in needed else name for name in known) or "nothing"
        raise InvalidArguments(problem="; ".join(wrong[:5]), tool=tool, takes=takes)
    return given


class Takes(Record):
    """What one action of a tool takes of the tool's arguments, beside `action`: all of `needed`, any of `may`."""

    needed: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


def checked_for(action: str, arguments: Mapping[str, Any], takes: Takes, tool: str) -> None:
    """Raise InvalidArguments unless these are an action's arguments."""
    known = ("action", *takes.needed, *takes.may)
    wrong = [f"{name} is not for action {action}" for name in arguments if name not in known]
    wrong += [f"action {action} needs {name}" for name in takes.needed if name not in arguments]
    if wrong:
        named = ", ".join([*(f"{name} (needed)" for name in takes.needed), *takes.may]) or "nothing else"
        raise InvalidArguments(problem="; ".join(wrong[:5]), tool=tool, takes=f"with action {action}: {named}")


def _wrong(value: Any, schema: Mapping[str, Any], name: str) -> list[str]:
    types = schema["type"]
    types = [types] if isinstance(types, str) else types
    if not any(_TYPES[one](value) for one in types):
        return [f"{name} is no {' or '.join(types)}"]
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            return [f"{name} holds half of a surrogate pair"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{name} is none of {', '.join(schema['enum'])}: {_quoted(value)}"]
    elif isinstance(value, list):
        if len(value) > MOST_ITEMS:
            return [f"{name} has {len(value)} items; {MOST_ITEMS} are the most"]
        return [
            found for index, item in enumerate(value) for found in _wrong(item, schema["items"], f"{name}[{index}]")
        ]
    return []


LARGEST = (1 << 62) - 1  # what a number of the ledger can be


def checked_ranges(arguments: Mapping[str, Any], ranges: Mapping[str, tuple[int, int]], tool: str) -> None:
    """Raise InvalidArguments for a number outside of its range; one of which none is told is from 1 on."""
    wrong = []
    for name, value in arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            least, most = ranges.get(name, (1, LARGEST))
            if not least <= value <= most:
                wrong.append(f"{name} is a number from {least} {f'to {most}' if most < LARGEST else 'on'}")
    if wrong:
        raise InvalidArguments(problem="; ".join(wrong), tool=tool, takes=", ".join(arguments))


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
}


def _whole(value: Any) -> Any:
    """A number without a fraction as the integer that JSON Schema takes it for."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _quoted(text: str) -> str:
    return repr(text[:_LONGEST_QUOTE])
