"""Overview: what `mailstop --help` prints."""

from __future__ import annotations

from mailstop import __version__
from mailstop.cli.entry import VERBS

# The verbs in the order in which they come up; what is not named here stands last.
GROUPS = (
    ("write and read", ("send", "reply", "check", "read")),
    ("know", ("status", "who", "bags", "watch")),
    ("sit", ("join", "leave")),
    ("tend", ("doctor", "demo", "version")),
    ("for clients", ("hook",)),
)

EXAMPLES = """\
  mailstop send reviewer - <<'MAIL'
  The parser is done; please look at branch parser.
  MAIL
  mailstop reply 142 --body-file answer.md
  mailstop status 142"""


def overview() -> str:
    """All verbs with a line each."""
    lines = [f"mailstop {__version__}: internal mail for coding agents", "", "usage: mailstop VERB [...]"]
    grouped = {verb for _, verbs in GROUPS for verb in verbs}
    others = ("", tuple(verb for verb in VERBS if verb not in grouped))
    for title, verbs in (*GROUPS, others):
        if verbs:
            lines += ["", title, *(f"  {verb:<8} {VERBS[verb]}" for verb in verbs if verb in VERBS)]
    lines += ["", "for example", EXAMPLES]
    lines += ["", "Everywhere: --store URL, --bag NAME, --json. One verb in full: mailstop VERB --help"]
    return "\n".join(lines)
