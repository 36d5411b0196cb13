"""Letters."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused


class OwnSeat(Refused):
    """A letter from {name!r}{where} to itself was refused: nobody writes to their own seat."""


class OwnPost(OwnSeat):
    """Seat {name!r}{where} leads the project itself, so `leader` means that very seat, and nobody writes to their own.
    Who leads other projects: mailstop lead"""


class InvalidBody(Refused):
    """The body was refused: {reason}. Nothing was stored."""


class BodyTooLarge(Refused):
    """The body has {size byte}; a letter may have {limit}. Put the text into a file and name it: --artifact PATH"""


class InvalidKind(Refused):
    """{kind!r} is no kind: {reason}."""


class InvalidField(Refused):
    """Refused because of {field}: {reason}."""


class KeyReused(Refused):
    """Key {key!r} was already used for letter {n} with another content. Nothing was stored: use another key."""


class NoReply(Refused):
    """Letter {n} cannot be answered by this seat: {reason}. {advice}"""


class UnknownNumber(NotFound):
    """There is no letter {n}. The newest is {newest}: mailstop read"""


class OtherBag(NotFound):
    """Letter {n} is in bag {bag}, not in bag {asked}. Its number is enough: leave --bag out."""
