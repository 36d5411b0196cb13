"""mailstop token create|list|revoke: what clients show over the network; the person's alone."""

from __future__ import annotations

import sys

from mailstop.cleaning import plain_line
from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import Option, Positional
from mailstop.cli.lease import duration_ms
from mailstop.cli.result import Result
from mailstop.cli.table import table, terminal_width
from mailstop.errors import UsageError
from mailstop.names import PERSON, in_bag
from mailstop.times import clock_text, iso_text
from mailstop.token import DIGITS, ID_DIGITS, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office
    from mailstop.token import Token

ACTS = ("create", "list", "revoke")
INPUT = "-"
LONGEST_INPUT = 4_096  # bytes; a token has 82

PARAMETERS = (
    Positional("act", "create|list|revoke", "what to do; without it: list", needed=False),
    Positional(
        "which",
        "SEAT|ID|-",
        "create: for which seat, or human; revoke: which token; -: the token itself, on standard input",
        needed=False,
    ),
    Option(("--expires",), "create: after which time it counts no longer: 12h, 30d, 52w (default: never)", "DURATION"),
)

EXAMPLES = """\
mailstop token create builder --expires 30d
(umask 077; mkdir -p ~/.config/mailstop; mailstop token create human > ~/.config/mailstop/my-token)
mailstop token list
mailstop token revoke 7f3a9c21
mailstop token revoke - < leaked-token"""


def run(office: Office, args: Arguments) -> Result:
    """Do one of the acts."""
    act = args.act or "list"
    refuse_unknown("token", act, ACTS)
    if args.expires is not None and act != "create":
        raise UsageError(reason=f"--expires is for create, not for {act}")
    return _DOING[act](office, args)


def _create(office: Office, args: Arguments) -> Result:
    if args.which is None:
        raise UsageError(reason="for whom? mailstop token create SEAT, or: mailstop token create human")
    token, text = office.tokens.create(args.which, bag=args.bag, lasts_ms=duration_ms(args.expires))

    def explain() -> None:
        if sys.stderr is not None and not args.json:
            print(f"token {token.id} for {_whose(token)}, {_ending(token)}. It is shown this once.", file=sys.stderr)

    # Alone on standard output, so that it can be sent into a file.
    return Result({**_json(token, office.clock()), "token": text}, text, written=explain)


def _list(office: Office, args: Arguments) -> Result:
    if args.which is not None:
        raise UsageError(reason=f"list takes no {args.which!r}; of one bag: mailstop token list --bag BAG")
    now = office.clock()
    found = office.tokens.all(bag=args.bag)
    data = [{**_json(one.token, now), "used": iso_text(one.used) if one.used else None} for one in found]
    rows = [
        (
            one.token.id,
            one.token.seat,
            one.token.bag or "all",
            _state(one.token, now),
            clock_text(one.token.created),
            clock_text(one.token.expires) if one.token.expires else "never",
            clock_text(one.used) if one.used else "never",
        )
        for one in found
    ]
    heading = ("token", "for", "bag", "state", "created", "expires", "last used")
    text = table(heading, rows, terminal_width()) if rows else "no tokens"
    return Result({"tokens": data}, text)


def _revoke(office: Office, args: Arguments) -> Result:
    if args.which is None:
        raise UsageError(reason="which? mailstop token revoke ID   (all tokens: mailstop token list)")
    if args.bag is not None:
        raise UsageError(reason="an id says which token it is, whatever its bag: mailstop token revoke ID")
    token, new = office.tokens.revoke(_read() if args.which == INPUT else args.which)
    already = "" if new else f"; it was since {clock_text(token.revoked)}"
    return Result(
        {**_json(token, office.clock()), "new": new}, f"token {token.id} for {_whose(token)} is revoked{already}"
    )


def _read() -> str:
    """The id of the token whose text, or id, stands on standard input: an argument is seen by other users, and kept by
    the shell. Raises UsageError where it is neither; nothing of it is repeated."""
    if sys.stdin is None:
        raise UsageError(reason="standard input is closed, so no token stands there")
    try:
        if sys.stdin.isatty():
            from getpass import getpass

            text = getpass("token, which is not shown: ").strip()
        else:
            text = sys.stdin.buffer.read(LONGEST_INPUT).decode("ascii", "replace").strip()
    except (OSError, EOFError) as error:
        raise UsageError(reason=f"no token can be read from standard input: {error or 'it has ended'}") from None
    token_id = id_of(text) or text
    if len(token_id) != ID_DIGITS or not DIGITS.issuperset(token_id):
        raise UsageError(reason="what stands on standard input is no token, and no id of one")
    return token_id


def _whose(token: Token) -> str:
    return "the person" if token.seat == PERSON else plain_line(f"seat {token.seat}{in_bag(token.bag)}")


def _ending(token: Token) -> str:
    return f"until {clock_text(token.expires)}" if token.expires else "until it is revoked"


def _state(token: Token, now: int) -> str:
    if token.revoked:
        return "revoked"
    return "expired" if token.is_expired(now) else "counts"


def _json(token: Token, now: int) -> dict[str, Any]:
    return {
        "id": token.id,
        "seat": token.seat,
        "bag": token.bag or None,
        "state": _state(token, now),
        "created": iso_text(token.created),
        "expires": iso_text(token.expires) if token.expires else None,
        "revoked": iso_text(token.revoked) if token.revoked else None,
    }


_DOING: dict[str, Callable[[Office, Arguments], Result]] = {"create": _create, "list": _list, "revoke": _revoke}
