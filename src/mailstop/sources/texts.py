"""Texts: what others stored, as a letter here can hold it, and what had to be changed for that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from mailstop.letter import LARGEST_BODY, is_kind
from mailstop.past import LONGEST_NUMBER
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

LONGEST_NAME = 100  # characters
LONGEST_QUOTE = 40  # characters of what cannot be understood: a model may read the account, and it is nobody's letter
LONGEST_NOTE = 1_000  # characters
MOST_NAMES = 100  # recipients of one letter
MOST_ARTIFACTS = 32
LONGEST_ARTIFACT = 4_096  # characters
NO_TEXT = "(this letter has no text)"
UNKNOWN = "unknown"
_MOST_SECONDS = 1e11  # since 1970, which is the year 5138; a larger number means milliseconds
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def body_of(text: str) -> tuple[str, str]:
    """A text as the body of a letter, and what was changed; empty where nothing was."""
    if text.isascii() and "\0" not in text and 0 < len(text) <= LARGEST_BODY:
        return text, ""
    changes = []
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        size = len(text.encode())
        changes.append("halves of surrogate pairs, which are no text, were replaced by U+FFFD")
    if "\0" in text:
        text = text.replace("\0", "\u2400")
        size = len(text.encode())
        changes.append("NUL characters were replaced by U+2400")
    if not text:
        return NO_TEXT, ""
    if size > LARGEST_BODY:
        left = f"\n(imported in part: the letter has {counted(size, 'byte')})"
        text = text.encode()[: LARGEST_BODY - len(left)].decode("utf-8", "ignore") + left
        changes.append(
            f"only its beginning was taken: it has {counted(size, 'byte')}, and a letter holds at most {LARGEST_BODY}"
        )
    return text, "; ".join(changes)


def plain(text: str, longest: int) -> str:
    """A text that others chose, on one line without what cannot be printed, at most so long."""
    if len(text) <= longest and text.isprintable():
        return text
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text[: longest + 1])
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def quoted(value: object) -> str:
    """What cannot be understood, as it is shown to who asks why."""
    return "missing" if value is None else repr(plain(str(value), LONGEST_QUOTE))


def name_of(value: object) -> str:
    """A name of somebody elsewhere."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return plain(text.strip(), LONGEST_NAME) or UNKNOWN


def number_of(value: object) -> str:
    """An old number or id; empty where a value is none that can be typed."""
    text = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    return text if 0 < len(text) <= LONGEST_NUMBER and text.isprintable() else ""


def kind_of(value: object) -> tuple[str, str]:
    """A kind, and what was changed; `note` where a value can be none."""
    if value is None or value == "":
        return "note", ""
    if isinstance(value, str) and is_kind(value):
        return value, ""
    return "note", f"its kind cannot be one here: {quoted(value)}"


def artifacts_of(value: object) -> tuple[tuple[str, ...], str]:
    """The paths of a letter, and what was left out of them."""
    given = value if isinstance(value, list) else [] if value is None else [value]
    fit = [each for each in given if isinstance(each, str) and 0 < len(each) <= LONGEST_ARTIFACT and each.isprintable()]
    kept = tuple(fit[:MOST_ARTIFACTS])
    others = [each for each in given if not isinstance(each, str) or each not in kept]
    listed = ", ".join(quoted(each) for each in others[:MOST_ARTIFACTS])
    return kept, f"artifacts that cannot be paths here: {listed}" if others else ""


def time_of(text: str, zone: tzinfo | None = None) -> int:
    """A time of ISO 8601 in milliseconds since 1970. zone: of one that names none; the local one by default.

    Raises ValueError.
    """
    try:
        then = datetime.fromisoformat(text)
        if then.tzinfo is None:
            then = then.replace(tzinfo=zone) if zone else then.astimezone(UTC)
        # Cut off, not rounded: so the time is that in a lane's id.
        return _known((then - _EPOCH) // _MILLISECOND)
    except (OverflowError, OSError):  # of a year that no clock has
        raise ValueError(text) from None


def moment_of(value: object) -> int:
    """A time as people store it: ISO 8601, or a number of seconds or milliseconds since 1970. Raises ValueError."""
    if isinstance(value, str):
        text = value.strip()
        try:
            number = float(text)
        except ValueError:
            return time_of(text)
        value = number
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e15:
        raise ValueError(value)
    return _known(round(value if abs(value) > _MOST_SECONDS else value * 1000))


def digest_of(*parts: str) -> str:
    """What tells a content from others."""
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=8).hexdigest()


def _known(at: int) -> int:
    """A time that is not taken for an unknown one."""
    return at or 1
