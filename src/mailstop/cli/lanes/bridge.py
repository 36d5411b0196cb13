"""mailstop lane bridge DIR --bag NAME: the lane's roles and the bag's seats write to each other while this runs."""

from __future__ import annotations

import os
import signal
import sys

from mailstop import errors
from mailstop.bridge import Bridge
from mailstop.cleaning import plain_line
from mailstop.cli.lanes.place import existing, failing
from mailstop.cli.opening import refuse_sealed
from mailstop.cli.result import Result
from mailstop.clients.caller import identify
from mailstop.clients.stores import store_of
from mailstop.json_text import dumps
from mailstop.names import DEFAULT_BAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments
    from mailstop.clients.caller import Caller


def run(args: Arguments) -> Result:
    """Run until interrupted, or ended by SIGTERM. Ends by KeyboardInterrupt."""
    import gc

    gc.enable()  # switched off for short commands; this one stays
    lane = existing(args.lane)
    caller = identify(os.environ)
    refuse_client(caller)
    url = store_of(caller, args.store)
    refuse_sealed(caller, url)
    signal.signal(signal.SIGTERM, _interrupted)

    def say(line: str) -> None:
        text = dumps({"said": line}) if args.json else plain_line(line)
        if sys.stdout is not None:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()

    with (
        failing(lane, "What waits on either side still does."),
        Bridge(lane, args.bag or DEFAULT_BAG, url, roles=args.role, say=say) as bridge,
    ):
        bridge.run()
    return Result()


def refuse_client(caller: Caller) -> None:
    """Raise DoubtfulCaller inside of a client."""
    if caller.who == "client":
        raise errors.DoubtfulCaller(
            reason="this is inside a client, whose session is its own, and a bridge holds the seats of others: run it"
            " in a terminal or a script of your own"
        )


def _interrupted(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
