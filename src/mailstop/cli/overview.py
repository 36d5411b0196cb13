"""Overview: what `mailstop --help` prints."""

from __future__ import annotations

from mailstop import __version__
from mailstop.cli.entry import VERBS

# The verbs in the order in which they come up; what is not named here stands last.
GROUPS = (
    ("write and read", ("send", "reply", "say", "ask", "answer", "cancel", "check", "read")),
    ("work", ("task", "lead", "lease", "lane")),
    ("know", ("status", "who", "me", "channels", "kinds", "bags", "asks", "watch")),
    ("sit", ("join", "leave", "subscribe", "unsubscribe")),
    ("bound", ("budget", "limits")),
    ("serve", ("serve", "token")),
    ("tend", ("setup", "import", "doctor", "demo", "help", "completion", "version")),
    ("for clients", ("mcp", "hook")),
)

EXAMPLES = """\
  mailstop send reviewer - <<'MAIL'
  The parser is done; please look at branch parser.
  MAIL
  mailstop reply 142 --body-file answer.md
  mailstop status 142"""


EXIT_CODES = """\
  0  done
  1  refused by a rule; nothing was stored
  2  wrong usage
  3  unknown name or number
  4  nothing came in time
  5  the store cannot be used, or mailstop itself failed; nothing was stored
  6  not known whether it was stored; the message says how to find out"""

HOOK = """\
usage: mailstop hook

For clients: take a hook's event, one JSON object, from standard input, and answer it on standard output with one JSON
object or nothing. It ends with exit code 0 whatever happens; what went wrong stands in the log, which mailstop doctor
names."""


def epilog(examples: str) -> str:
    """What stands under the explanation of a verb. examples: of that verb, if it has any."""
    parts = ["for example", *(f"  {line}" for line in examples.split("\n")), ""] if examples else []
    return "\n".join([*parts, "exit codes", EXIT_CODES])


def overview() -> str:
    """All verbs with a line each."""
    lines = [f"mailstop {__version__}: internal mail for coding agents", "", "usage: mailstop VERB [...]"]
    grouped = {verb for _, verbs in GROUPS for verb in verbs}
    others = ("", tuple(verb for verb in VERBS if verb not in grouped))
    for title, verbs in (*GROUPS, others):
        if verbs:
            lines += ["", title, *(f"  {verb:<11} {VERBS[verb]}" for verb in verbs if verb in VERBS)]
    lines += ["", "for example", EXAMPLES, "", "exit codes", EXIT_CODES]
    lines += ["", "Everywhere: --store URL, --bag BAG, --json. One verb in full: mailstop VERB --help"]
    return "\n".join(lines)
