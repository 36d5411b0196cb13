"""The configuration file: what the user has added, and in which line there is a mistake."""

from __future__ import annotations

import json

from mailstop import config
from mailstop.checkup.finding import OK, WARNING, Finding
from mailstop.kinds import kinds_in, settings_text
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLANK = " \t\r\n"
_MOST = 5  # mistakes that are told at once


def kinds() -> Finding:
    """Whether the user's own kinds can be used. A mistake stops no letter; its kind counts as unknown."""
    path = config.config_file()
    try:
        text = settings_text()
    except OSError as error:
        return Finding("kinds", WARNING, f"{path} cannot be read: {error.strerror}; kinds of your own count as unknown")
    except ValueError as error:
        return Finding("kinds", WARNING, f"{path} cannot be used: {error}; kinds of your own count as unknown")
    try:
        settings = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}, column {error.colno}"
        return Finding("kinds", WARNING, f"{where}: no JSON ({error.msg}); kinds of your own count as unknown")
    except RecursionError:
        return Finding("kinds", WARNING, f"{path} is nested too deeply; kinds of your own count as unknown")
    found, mistakes = kinds_in(settings)
    if not mistakes:
        return Finding("kinds", OK, f"{counted(len(found), 'kind')} of your own" if found else "none of your own")
    told = [f"line {line_of(text, place)}, {' > '.join(place) or 'the whole'}: {why}" for place, why in mistakes]
    more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
    head = f"{counted(len(mistakes), 'mistake')} in {path}; a kind with a mistake counts as unknown:"
    return Finding("kinds", WARNING, "\n".join([head, *told[:_MOST], *more]))


def line_of(text: str, place: Sequence[str]) -> int:
    """The line of a sound JSON text in which a key stands, to which these keys lead from its outermost object.

    Of a key that stands there twice the last one counts, as it does for whoever reads the text.
    """
    key, value = 0, _skip(text, 0)
    for wanted in place:
        found = [(at, after) for name, at, after in _members(text, value) if name == wanted]
        if not found:
            break
        key, value = found[-1]
    return text.count("\n", 0, key or value) + 1


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The keys of the object that begins at a position, with where each and its value begin; none of another value."""
    if text[at] != "{":
        return
    decoder = json.JSONDecoder()
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = decoder.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)  # behind the colon
        yield name, at, value
        _, end = decoder.raw_decode(text, value)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    """The position of the next character that is not blank."""
    while text[at] in _BLANK:
        at += 1
    return at
