"""mailstop lane watch DIR --role ROLE: a line for each letter, for a client's background monitor.

A line says which role wrote, which kind, and whether a reply is needed, and the command that shows the letter. It never
holds a word of its text: what a monitor prints becomes a prompt.
"""

from __future__ import annotations

import os
import sys

from mailstop import lanes
from mailstop.cli.lanes.place import existing, failing, one_role
from mailstop.cli.output import pipe
from mailstop.cli.result import Result
from mailstop.fence_lanes import ring_facts, ring_line
from mailstop.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments


def run(args: Arguments) -> Result:
    """Print until nobody reads any more, or until interrupted. Nothing is consumed."""
    import gc

    gc.enable()  # switched off for short commands; this one stays
    lane, role = os.path.abspath(existing(args.lane)), one_role(args)
    with failing(lane, "Nothing was lost."):
        for letter in lanes.watch(lane, role, from_role=getattr(args, "from"), ends=pipe()):
            line = dumps(ring_facts(letter, lane, role)) if args.json else ring_line(letter, lane, role)
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
    raise BrokenPipeError
