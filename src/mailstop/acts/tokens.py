"""Tokens: what the person makes and revokes, so that clients elsewhere can speak for a seat."""

from __future__ import annotations

from mailstop import errors, rules
from mailstop.names import DEFAULT_BAG, PERSON
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.office import Office
    from mailstop.token import Token


class Standing(Record):
    """A token, and when it was used last, to the minute: milliseconds since 1970, 0 for never."""

    token: Token
    used: int


class Tokens:
    """What a caller may do about tokens, which is nothing unless it is the person."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def create(self, seat: str, *, bag: str | None = None, lasts_ms: int | None = None) -> tuple[Token, str]:
        """Create a token for a seat, or for the person where that is `human`; and its text, which is kept nowhere.

        bag: where the seat is; where nobody has been before, that makes the bag. lasts_ms: for how long, in
        milliseconds; None until it is revoked. Raises PersonOnly, InvalidName, NoTokenSeat, TokenOfEveryBag, TokenTime.
        """
        self._office.require_person("Creating a token")
        if seat == PERSON and bag is not None:
            raise errors.TokenOfEveryBag()
        place = "" if seat == PERSON else bag or DEFAULT_BAG
        return rules.tokens.created(self._office.store, seat, place, lasts_ms=lasts_ms, now=self._office.clock())

    def all(self, *, bag: str | None = None) -> list[Standing]:
        """All tokens, or those that count in a bag, the oldest first. Raises PersonOnly, UnknownBag."""
        self._office.require_person("Listing tokens")
        if bag is not None:
            self._office.checked_bag(bag)
        store = self._office.store
        return [Standing(token, rules.tokens.last_use(store, token.id)) for token in store.index.tokens.all(bag)]

    def revoke(self, token_id: str) -> tuple[Token, bool]:
        """Revoke a token: from the next request on it opens nothing. False where it was revoked before.

        Raises PersonOnly, UnknownToken.
        """
        self._office.require_person("Revoking a token")
        return rules.tokens.revoked(self._office.store, token_id, now=self._office.clock())
