"""mailstop version: which mailstop this is, and where its plugin lies."""

from __future__ import annotations

import sys

from mailstop import __version__, plugin_folder
from mailstop.cli.arguments import Option
from mailstop.cli.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments

PARAMETERS = (Option(("--plugin",), "print only where the plugin for the clients lies"),)
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")
TELLS_WHAT_WAITS = True


def run(args: Arguments) -> Result:
    """The version of mailstop and of the interpreter that runs it, and where the plugin for the clients lies."""
    python = ".".join(map(str, sys.version_info[:3]))
    data = {"mailstop": __version__, "python": python, "plugin": plugin_folder()}
    if args.plugin:
        return Result(data, plugin_folder())
    return Result(
        data, f"mailstop {__version__} (Python {python})\nplugin for Claude Code and Codex: {plugin_folder()}"
    )
