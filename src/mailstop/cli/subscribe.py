"""mailstop subscribe CHANNEL: read a channel from now on."""

from __future__ import annotations

from mailstop.cli.arguments import Positional
from mailstop.cli.result import Result
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.office import Office

PARAMETERS = (Positional("channel", "CHANNEL", "its name; the first who reads it makes it"),)
EXAMPLES = "mailstop subscribe releases"


def run(office: Office, args: Arguments) -> Result:
    """Let the caller's seat read it."""
    name, new = office.channels.subscribe(args.channel, bag=args.bag or DEFAULT_BAG)
    if not new:
        return Result({"channel": name, "new": False}, f"you read #{name} already")
    history = f"mailstop read --channel {name}" + (f" --bag {args.bag}" if args.bag else "") + office.store_option
    return Result({"channel": name, "new": True}, f"you read #{name} from now on; what was said before: {history}")
