"""mailstop watch: a line for each new letter; with --monitor, the doorbell of a Claude Code session."""

from __future__ import annotations

import os

from mailstop.cli.arguments import Option
from mailstop.cli.result import Result
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments

PARAMETERS = (Option(("--monitor",), "for Claude Code's plugin monitor: print the fixed line that wakes the session"),)
NEEDS_NO_STORE = True  # it opens one itself, for moments, and sleeps without


def run(args: Arguments) -> Result:
    """Watch until the client ends, or until interrupted."""
    import gc

    gc.enable()  # switched off for short commands; this one stays
    if args.monitor:
        if args.store or args.bag or args.json:
            raise UsageError(reason="--monitor rings for its own session, and takes no --store, --bag or --json")
        from mailstop.cli.monitor import Monitor

        Monitor(os.environ).run()
        return Result()
    from mailstop.cli.watching import watch

    return watch(args)
