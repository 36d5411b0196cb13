"""Patterns: paths with wildcards, and whether two of them have a path in common.

A pattern is made of segments, which stand with `/` between them:

| written | stands for |
|---|---|
| `**`, as a whole segment | any number of segments, also none |
| `*` | any number of characters, also none; within one segment, as all that follow |
| `?` | one character |
| `[abc]`, `[a-z]` | one of these; a `]` stands first, a `-` first or last |
| `[!abc]`, `[^abc]` | one that is none of these |
| anything else, a `[` without its `]` too | itself; `[*]` is a star |

A name that begins with a dot is like any other. A pattern stands for the paths that it matches from their first segment
to their last, not for what lies below those; `src/**` stands for all of `src`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Ranges = tuple[tuple[int, int], ...]  # of code points, each with its first and last, in order, apart
    Segment = str | tuple[Ranges | None, ...] | None  # a name; characters, None among them is `*`; `**`

WILDCARDS = frozenset("*?[")
DEEP = None  # the segment `**`
STAR = None  # the character `*`

_LAST = 0x10FFFF
_NEVER: Ranges = ((0, 0), (ord("/"), ord("/")), (0xD800, 0xDFFF))  # no name holds these


def is_wild(text: str) -> bool:
    """Whether a text has wildcards; a `[` alone counts as one."""
    return not WILDCARDS.isdisjoint(text)


def parsed(pattern: str, *, folds: bool = False) -> tuple[Segment, ...]:
    """The segments of a pattern; of an empty text there is none.

    folds: whether capital letters and small ones are the same; it is then held against paths that are `folded`.
    Raises ValueError with the rule that the pattern breaks.
    """
    if folds and not pattern.isascii():
        from unicodedata import normalize

        pattern = normalize("NFC", pattern)
    return tuple(_segment(text, folds) for text in pattern.split("/")) if pattern else ()


def named(path: str) -> tuple[Segment, ...]:
    """The segments of a path without wildcards, whatever characters it holds; `/` and no text have none."""
    return tuple(name for name in path.split("/") if name)


def folded(text: str) -> str:
    """`text` as a file system sees it that does not tell capital letters from small ones."""
    if text.isascii():
        return text.lower()
    from unicodedata import normalize  # only for text that needs it

    return normalize("NFC", normalize("NFC", text).casefold())


def overlap(first: Sequence[Segment], second: Sequence[Segment]) -> bool:
    """Whether some path is one of both. Both are followed at once, segment by segment, in all ways there are."""
    seen: set[tuple[int, int]] = set()
    open_places = [(0, 0)]
    while open_places:
        place = open_places.pop()
        if place in seen:
            continue
        seen.add(place)
        i, j = place
        if i == len(first) and j == len(second):
            return True
        one = first[i] if i < len(first) else ""
        other = second[j] if j < len(second) else ""
        if one is DEEP or other is DEEP:
            open_places += [(i + 1, j)] if i < len(first) else []
            open_places += [(i, j + 1)] if j < len(second) else []
        elif i < len(first) and j < len(second) and (one == other or _names_meet(one, other)):
            open_places.append((i + 1, j + 1))
    return False


def _names_meet(one: Segment, other: Segment) -> bool:
    """Whether two segments stand for a name in common."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    first, second = _characters(one), _characters(other)
    seen: set[tuple[int, int]] = set()
    open_places = [(0, 0)]
    while open_places:
        place = open_places.pop()
        if place in seen:
            continue
        seen.add(place)
        i, j = place
        if i == len(first) and j == len(second):
            return True
        here = first[i] if i < len(first) else ()
        there = second[j] if j < len(second) else ()
        if here is STAR or there is STAR:
            open_places += [(i + 1, j)] if i < len(first) else []
            open_places += [(i, j + 1)] if j < len(second) else []
        elif _have_common(here, there):
            open_places.append((i + 1, j + 1))
    return False


def _characters(segment: Segment) -> tuple[Ranges | None, ...]:
    if isinstance(segment, str):
        return tuple(((ord(character), ord(character)),) for character in segment)
    return segment or ()


def _have_common(first: Ranges, second: Ranges) -> bool:
    """Whether a character is in both."""
    return any(low <= there and here <= high for low, high in first for here, there in second)


# -- reading a pattern -------------------------------------------------------------------------------------------------


def _segment(text: str, folds: bool) -> Segment:
    if text == "**":
        return DEEP
    if not is_wild(text):
        return folded(text) if folds else text
    found: list[Ranges | None] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "*":
            if not found or found[-1] is not STAR:
                found.append(STAR)
        elif character == "?":
            found.append(_complement(()))
        elif character == "[" and (end := _end_of_set(text, at)):
            found.append(_set(text[at + 1 : end], folds))
            at = end
        else:
            found += [((ord(each), ord(each)),) for each in (folded(character) if folds else character)]
        at += 1
    return tuple(found)


def _end_of_set(text: str, at: int) -> int:
    """Where the `]` stands that ends the set which begins at `at`; 0 when none does."""
    first = at + 1
    if text[first : first + 1] in ("!", "^"):
        first += 1
    return max(0, text.find("]", first + 1))


def _set(inner: str, folds: bool) -> Ranges:
    """The characters of a set. Raises ValueError for one that holds none."""
    negated = inner[0] in "!^"
    members = inner[1:] if negated else inner
    ranges: list[tuple[int, int]] = []
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            low, high = members[at], members[at + 2]
            if low > high:
                raise ValueError(f"in [{inner}] the range {low}-{high} is the wrong way round")
            ranges.append((ord(low), ord(high)))
            at += 3
        else:
            ranges.append((ord(members[at]), ord(members[at])))
            at += 1
    if folds:
        ranges = [each for low, high in ranges for each in _both_cases(low, high)]
    # Twice the complement: in order, apart, and without what no name holds.
    kept = _complement(tuple(ranges))
    kept = kept if negated else _complement(kept)
    if not kept:
        raise ValueError(f"[{inner}] stands for no character")
    return kept


def _both_cases(low: int, high: int) -> list[tuple[int, int]]:
    """The range, and its letters in the other case."""
    ranges = [(low, high)]
    for first, last, step in ((ord("A"), ord("Z"), 32), (ord("a"), ord("z"), -32)):
        if low <= last and first <= high:
            ranges.append((max(low, first) + step, min(high, last) + step))
    if low == high:
        other = folded(chr(low))
        ranges += [(ord(other), ord(other))] if len(other) == 1 else []
    return ranges


def _complement(ranges: Ranges) -> Ranges:
    """All characters that a name may hold but these."""
    left, first = [], 0
    for low, high in sorted((*ranges, *_NEVER)):
        if low > first:
            left.append((first, low - 1))
        first = max(first, high + 1)
    if first <= _LAST:
        left.append((first, _LAST))
    return tuple(left)
