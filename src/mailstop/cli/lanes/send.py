"""mailstop lane send DIR --from ROLE --to ROLE [BODY|-]: append a letter."""

from __future__ import annotations

from mailstop import lanes
from mailstop.cleaning import plain_line
from mailstop.cli.body import body_of
from mailstop.cli.lanes.place import failing
from mailstop.cli.result import Result
from mailstop.errors import UsageError
from mailstop.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments


def run(args: Arguments) -> Result:
    """Append the letter. Nothing is claimed of it but that it is stored: a lane does not tell who reads it."""
    sender, receiver = getattr(args, "from"), args.to
    if not sender or not receiver:
        raise UsageError(reason="who writes, and to whom? mailstop lane send DIR --from ROLE --to ROLE -")
    if not args.lane:
        raise UsageError(reason="in which folder? mailstop lane send DIR --from ROLE --to ROLE -")
    with failing(args.lane, "Nothing was stored."):
        name = lanes.checked_pair(sender, receiver)
        sent = lanes.send(
            args.lane,
            from_role=sender,
            to_role=receiver,
            kind="note" if args.kind is None else args.kind,
            msg=body_of(args),
            needs_reply=args.needs_reply,
            ref=args.ref,
            artifacts=args.artifact or None,
        )
    size = len(sent["msg"].encode())
    stored = f"letter {sent['id']} stored in {plain_line(name)}, {counted(size, 'byte')}"
    text = f"{stored}; a lane does not tell when it is read"
    return Result({"letter": sent, "file": name, "state": "stored"}, text)
