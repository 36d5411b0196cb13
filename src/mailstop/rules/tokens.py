"""Tokens: who may speak for a seat over the network. Who may make and revoke them is the office's to say.

Guards: tokens.<id>, written by the creation and the revocation of that token and expected by both: empty for the first,
so no two tokens have one id; as it was seen for the second, so a token is revoked once.

Both are entries of the ledger and not rows of the board, because a person would ask about them later (who could write
as `builder` in March?), and because a board may be forgotten: with it the revocation of a stolen token would be. An
entry holds the digest of a token's text, which opens nothing, and never the text. When a token was last used is on the
board: it changes all the time, and nothing hangs on it.
"""

from __future__ import annotations

from mailstop import errors
from mailstop.config import store_name
from mailstop.engines.entry import Entry, subject
from mailstop.engines.row import Put
from mailstop.errors import Conflict, StoreUnavailable
from mailstop.letter import new_id
from mailstop.names import DEFAULT_BAG, PERSON, RESERVED, checked_name, nearest
from mailstop.records import Record
from mailstop.token import ID_DIGITS, LONGEST_MS, MARK, SHORTEST_MS, Token, digest_of, id_of, new_secret, new_token_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.engines.base import Store

MOST_TRIES = 50
USE_MS = 60_000  # a use within so many milliseconds of the last one that was noted is not noted

UNKNOWN, EXPIRED, REVOKED = "unknown", "expired", "revoked"
_QUOTED = len(MARK) + ID_DIGITS  # characters of an unknown id that are repeated: none of a secret, if it was a text
_NOBODYS = "0" * 64  # compared with where there is no token, so that this takes as long


class Verdict(Record):
    """What a text that was shown as a token is. token: which; None where it is none. refused: why it does not count;
    empty where it does."""

    token: Token | None
    refused: str = ""


def created(store: Store, seat: str, bag: str, *, lasts_ms: int | None, now: int) -> tuple[Token, str]:
    """Create a token for a seat of a bag, or for the person, and return it with its text, which is kept nowhere.

    bag: for the person's, which counts in every bag, the empty text. lasts_ms: for how long, in milliseconds; None for
    ever. Raises InvalidName, NoTokenSeat, TokenTime.
    """
    checked_name(seat)
    if seat != PERSON:
        checked_name(bag, "bag")
    if seat in RESERVED and seat != PERSON:
        raise errors.NoTokenSeat(name=seat)
    if lasts_ms is not None and not SHORTEST_MS <= lasts_ms <= LONGEST_MS:
        raise errors.TokenTime()
    expires = 0 if lasts_ms is None else now + lasts_ms
    for _ in range(MOST_TRIES):
        token_id = new_token_id()
        text = new_secret(token_id)
        digest = digest_of(text)
        data = {"token": token_id, "seat": seat, "digest": digest, "expires": expires}
        entry = _entry("token_created", token_id, bag or DEFAULT_BAG, data, now)
        try:
            n = store.ledger.append([entry], expect={entry.subject: 0})
        except Conflict:  # the id is taken
            continue
        return Token(token_id, n, bag, seat, digest, now, expires), text
    raise _endless(store)


def revoked(store: Store, token_id: str, *, now: int) -> tuple[Token, bool]:
    """Revoke a token, and return it as it is then, with whether it was not before. Raises UnknownToken.

    token_id: its id; its text does too, for whoever has found one that leaked.
    """
    token_id = id_of(token_id) or token_id
    for _ in range(MOST_TRIES):
        token = _current(store, token_id)
        if token is None:
            near = nearest(token_id, (each.id for each in store.index.tokens.all()))
            listed = f"; nearest: {', '.join(near)}" if near else ""
            raise errors.UnknownToken(id=token_id[:_QUOTED], listed=listed, nearest=near)
        if token.revoked:
            return token, False
        entry = _entry("token_revoked", token_id, token.bag or DEFAULT_BAG, {"token": token_id}, now)
        try:
            n = store.ledger.append([entry], expect={entry.subject: token.n})
        except Conflict:
            continue
        return token.but(n=n, revoked=now), True
    raise _endless(store)


def judged(store: Store, text: str, *, now: int) -> Verdict:
    """What a text is that somebody shows as a token. Compared in constant time; any text will do."""
    from hmac import compare_digest

    token_id = id_of(text)
    token = _current(store, token_id) if token_id else None
    same = compare_digest(digest_of(text), token.digest if token else _NOBODYS)
    if token is None or not same:
        return Verdict(None, UNKNOWN)
    if token.revoked:
        return Verdict(token, REVOKED)
    return Verdict(token, EXPIRED if token.is_expired(now) else "")


def note_use(store: Store, token_id: str, *, now: int) -> None:
    """A token was used: say so on the board, unless that stands there of the last minute."""
    noted = last_use(store, token_id)
    if not 0 <= now - noted < USE_MS:
        store.board.change([Put(_row(token_id), {"used": now})])


def last_use(store: Store, token_id: str) -> int:
    """When a token was used last, to the minute, in milliseconds since 1970; 0 where nothing is known of any use."""
    row = store.board.get(_row(token_id))
    return int(row.value.get("used", 0)) if row else 0


def _current(store: Store, token_id: str) -> Token | None:
    """A token as the ledger has it now: an index may lag, and a revocation counts at once."""
    return store.index.tokens.token(token_id) if store.ledger.on(subject("tokens", token_id)) else None


def _entry(act: str, token_id: str, bag: str, data: dict[str, Any], now: int) -> Entry:
    return Entry(subject("tokens", token_id), act, bag, new_id(), now, data)


def _row(token_id: str) -> str:
    return f"token/{token_id}"


def _endless(store: Store) -> StoreUnavailable:
    return StoreUnavailable(path=store_name(store.url), reason="others create and revoke tokens, without end")
