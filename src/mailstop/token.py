"""Token: what a client shows over the network to say whose seat it writes from, or that it is the person's.

Its text is `mailstop_`, its id, `_`, and 256 random bits: scanners for leaked secrets find it by its beginning, people
quote the id. The text is printed once and kept nowhere. What is kept is its digest, which tells nobody the text: of so
many random bits there is no guessing, so no slow hash and no salt is needed.
"""

from __future__ import annotations

from mailstop.records import Record

MARK = "mailstop_"
ID_DIGITS = 8
SECRET_DIGITS = 64  # 256 bits
DIGITS = frozenset("0123456789abcdef")

SHORTEST_MS = 60_000
LONGEST_MS = 10 * 365 * 24 * 3_600_000


class Token(Record):
    """A token that was created.

    n: number of the last entry about it. seat: whom it stands for, `human` for the person. bag: where; empty for the
    person's, which counts in all. digest: of its text. created, expires, revoked: milliseconds since 1970; 0 for one
    that never expires, or was not revoked.
    """

    id: str
    n: int
    bag: str
    seat: str
    digest: str
    created: int
    expires: int = 0
    revoked: int = 0

    def is_expired(self, now: int) -> bool:
        """Whether it counts no longer at `now`, in milliseconds since 1970."""
        return bool(self.expires) and now >= self.expires

    def counts(self, now: int) -> bool:
        """Whether it counts at `now`, in milliseconds since 1970."""
        return not self.revoked and not self.is_expired(now)


def new_secret(token_id: str) -> str:
    """The text of a new token with this id."""
    from secrets import token_hex  # only for who creates one

    return f"{MARK}{token_id}_{token_hex(SECRET_DIGITS // 2)}"


def new_token_id() -> str:
    """An id that is very likely nobody's yet."""
    from secrets import token_hex

    return token_hex(ID_DIGITS // 2)


def id_of(text: str) -> str:
    """The id in a token's text; empty where the text is no token of ours, whatever else it is."""
    token_id, separator, secret = text.removeprefix(MARK).partition("_")
    is_whole = text.startswith(MARK) and separator and len(token_id) == ID_DIGITS and len(secret) == SECRET_DIGITS
    return token_id if is_whole and DIGITS.issuperset(token_id) and DIGITS.issuperset(secret) else ""


def digest_of(text: str) -> str:
    """What is kept of a token's text: its SHA-256, as 64 hexadecimal digits."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
