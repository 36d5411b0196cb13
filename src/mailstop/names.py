"""Names: of seats, bags and channels, and which known names lie near a mistyped one."""

from __future__ import annotations

from mailstop import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 63  # fits a DNS label and leaves room in a file name
DEFAULT_BAG = "default"
PERSON = "human"
POSTMASTER = "postmaster"
GENERAL = "general"  # the channel of everyone in a bag
LEADING = "leader"  # the channel about who leads
LEADER = "leader"  # the seat name that means whoever leads the sender's project
RESERVED = frozenset({PERSON, LEADER, POSTMASTER})  # the person's seat, a role, and whose notices come from mailstop

_LONGEST_QUOTE = 80  # characters of a refused name that its refusal repeats
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_FURTHER = _FIRST | frozenset("._-")


def is_name(text: str) -> bool:
    """Whether `text` is a legal name: `[a-z0-9][a-z0-9._-]{0,62}`, safe in a path and in a shell."""
    return 0 < len(text) <= LONGEST and text[0] in _FIRST and _FURTHER.issuperset(text)


def checked_name(text: str, what: str = "seat") -> str:
    """`text` itself when it is a legal name. Raises InvalidName, which says what a name may hold."""
    if not is_name(text):
        raise errors.InvalidName(what=what, name=text[:_LONGEST_QUOTE])
    return text


def in_bag(bag: str) -> str:
    """` in bag NAME` for the middle of a sentence; empty for the bag that is not mentioned."""
    return "" if bag == DEFAULT_BAG else f" in bag {bag}"


def seat_to_take(text: str) -> str:
    """`text` when a session may sit there.

    Raises InvalidName, or ReservedName for the person's seat and for roles.
    """
    checked_name(text)
    if text in RESERVED:
        raise errors.ReservedName(name=text)
    return text


def name_from(text: str) -> str:
    """A legal name made of any text, such as the name of a folder; `session` where nothing of it can stay."""
    kept = "".join(character if character in _FURTHER else "-" for character in text.lower())
    kept = kept.lstrip("._-")[:LONGEST].rstrip("._-")
    if not kept:
        return "session"
    return f"{kept}-1" if kept in RESERVED else kept


def numbered(name: str, number: int) -> str:
    """`name` for the first, `name-2`, `name-3` and so on after it, never longer than a name may be."""
    if number == 1:
        return name
    ending = f"-{number}"
    return name[: LONGEST - len(ending)] + ending


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """At most `limit` of the `known` names that a person may have meant by `name`, nearest first."""
    from difflib import get_close_matches  # only for a refusal: it imports `re`

    name = name[: LONGEST + 1].lower()
    known = sorted(set(known))
    close = get_close_matches(name, known, n=limit, cutoff=0.5)
    alike = [other for other in known if name and (other.startswith(name) or name.startswith(other))]
    return list(dict.fromkeys([*close, *alike]))[:limit]
