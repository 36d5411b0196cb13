"""mailstop mcp: the tools of this session, for a client that speaks the Model Context Protocol."""

from __future__ import annotations

from mailstop.cli.result import Result
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = ()
NEEDS_NO_STORE = True  # it opens one itself, when a tool is first called

EXAMPLES = """\
claude mcp add --scope user mailstop -- mailstop mcp
codex mcp add mailstop -- mailstop mcp"""


def run(args: Arguments) -> Result:
    """Serve on standard input and output until the client is gone."""
    if args.bag or args.json:
        raise UsageError(reason="mcp takes no --bag and no --json: a bag is an argument of its tools")
    import gc

    from mailstop.mcp.server import main

    gc.enable()  # switched off for short commands; this one stays
    main(args.store)
    return Result()
