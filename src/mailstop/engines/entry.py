"""Entry: one fact of the ledger, and the subject it stands on."""

from __future__ import annotations

from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Entry(Record):
    """One fact of the ledger. subject: dotted tokens, most general first. at: milliseconds since 1970.

    n is the ledger's number: 0 until it is appended.
    """

    subject: str
    type: str
    bag: str
    id: str
    at: int
    data: dict[str, Any]
    body: str | None = None
    n: int = 0


def token(text: str) -> str:
    """`text` as one token of a subject: other bytes than letters, digits, `_` and `-` become `=XX`."""
    if text and _PLAIN.issuperset(text):
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if chr(byte) in _PLAIN else f"={byte:02X}" for byte in encoded) or "="


def subject(*tokens: str) -> str:
    """The subject made of these tokens, each encoded so that a dot in a name is no border."""
    return ".".join(token(part) for part in tokens)
