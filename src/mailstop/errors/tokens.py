"""Tokens, and who may reach a server."""

from __future__ import annotations

from mailstop.errors import NotFound, Refused, UsageError


class UnknownToken(NotFound):
    """There is no token {id!r}{listed}. All tokens: mailstop token list"""


class NoTokenSeat(Refused):
    """{name!r} is nobody's seat, so no token can stand for it. A token is for a session's seat, or for `human`, the
    person."""


class TokenOfEveryBag(UsageError):
    """The person has a seat in every bag, and so their token counts in every bag: mailstop token create human, without
    --bag"""


class TokenTime(Refused):
    """A token lasts for at least 1 minute and at most 10 years: --expires 12h, 30d, 52w. Without it, until it is
    revoked."""


class BlankToken(Refused):
    """{source} holds no token, only blanks or nothing, and a server without its token would be open to everybody.
    Nothing was started. Put the token there, or take {variable} out of the environment."""


class TwoTokens(Refused):
    """Both MAILSTOP_TOKEN and MAILSTOP_TOKEN_FILE are set, and which of the two is meant is not known. Nothing was
    started. Take one out of the environment; a file is the safer place."""


class TokenOfUnit(Refused):
    """A unit never holds a token, and MAILSTOP_TOKEN is set: the server that it starts would be without that token.
    Nothing was printed. Put the token into a file of mode 0600, take MAILSTOP_TOKEN out of the environment, and name
    the file: MAILSTOP_TOKEN_FILE=PATH mailstop serve --unit"""


class UnusableToken(Refused):
    """The token in {source} cannot be sent by a client: {reason}. Nothing was started. A good one: openssl rand -hex
    32"""


class TokenFileUnreadable(Refused):
    """The token's file {path} cannot be read: {reason}. Nothing was started."""


class TokenFileExposed(Refused):
    """Others may get at the token's file {path}: {reason}. Nothing was started. To take it from them: {command}"""


class OpenToOthers(Refused):
    """On {host} others than this machine's own processes could reach the server, and no token keeps them out. Nothing
    was started. Make one: mailstop token create SEAT{option} - or serve this machine only: mailstop serve --host
    127.0.0.1"""


class UnusableAddress(UsageError):
    """{value!r} in {source} is no {what}: {example}"""
