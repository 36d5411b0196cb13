"""Overview: what `mailstop --help` prints."""

from __future__ import annotations

from mailstop import __version__
from mailstop.cli.entry import VERBS


def overview() -> str:
    """All verbs with a line each."""
    lines = [f"mailstop {__version__}: internal mail for coding agents", "", "usage: mailstop VERB [...]", ""]
    lines += [f"  {verb:<9} {summary}" for verb, summary in VERBS.items()]
    lines += ["", "Everywhere: --store URL, --bag NAME, --json. One verb in full: mailstop VERB --help"]
    return "\n".join(lines)
