"""mailstop version."""

from __future__ import annotations

import sys

from mailstop import __version__
from mailstop.cli.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = ()
NEEDS_NO_STORE = True


def run(_args: Arguments) -> Result:
    """The version of mailstop and of the interpreter that runs it."""
    python = ".".join(map(str, sys.version_info[:3]))
    return Result({"mailstop": __version__, "python": python}, f"mailstop {__version__} (Python {python})")
