"""mailstop channels: the channels of a bag, which of them you read, and what is new there."""

from __future__ import annotations

from mailstop.cli.result import Result
from mailstop.cli.standing import name_text
from mailstop.cli.table import table, terminal_width
from mailstop.fence import sender_text
from mailstop.names import DEFAULT_BAG
from mailstop.times import clock_text, iso_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.acts.channels import Listed
    from mailstop.cli.arguments import Arguments, Parameter
    from mailstop.letter import Letter
    from mailstop.office import Office

PARAMETERS: tuple[Parameter, ...] = ()

HEADING = ("channel", "you", "readers", "unread", "last letter")


def run(office: Office, args: Arguments) -> Result:
    """List all channels by name."""
    bag = args.bag or DEFAULT_BAG
    rows = [(listed, office.store.index.letter(listed.channel.last)) for listed in office.channels.listing(bag)]
    text = table(HEADING, [_row(listed, last) for listed, last in rows], terminal_width())
    return Result({"bag": bag, "channels": [_json(listed, last) for listed, last in rows]}, text)


def _row(listed: Listed, last: Letter | None) -> tuple[str, ...]:
    return (
        f"#{name_text(listed.channel.name)}",
        "always" if listed.stays else "subscribed" if listed.reads else "-",
        str(listed.channel.readers),
        str(listed.unread) if listed.reads else "-",
        f"{last.n} from {sender_text(last.sender)}, {clock_text(last.at)}" if last else "none",
    )


def _json(listed: Listed, last: Letter | None) -> dict[str, Any]:
    return {
        "channel": listed.channel.name,
        "reads": listed.reads,
        "stays": listed.stays,
        "readers": listed.channel.readers,
        "unread": listed.unread if listed.reads else None,
        "last": {"n": last.n, "at": iso_text(last.at), "from": last.sender} if last else None,
    }
