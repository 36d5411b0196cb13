"""mailstop unsubscribe CHANNEL: read a channel no longer."""

from __future__ import annotations

from mailstop.cli.arguments import Positional
from mailstop.cli.result import Result
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (Positional("channel", "CHANNEL", "its name"),)


def run(office: Office, args: Arguments) -> Result:
    """Let the caller's seat read it no longer."""
    name = office.channels.unsubscribe(args.channel, bag=args.bag or DEFAULT_BAG)
    return Result({"channel": name}, f"you do not read #{name} any more")
