"""mailstop lane ACT DIR ...: letters in plain files that any program can read and write (docs/lanes.md)."""

from __future__ import annotations

from mailstop.cli.acts import refuse_unknown
from mailstop.cli.arguments import BODY, NUMBER, Arguments, Option, Positional
from mailstop.cli.result import Result
from mailstop.config import DELIVERY_BYTES
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PARAMETERS = (
    Positional("act", "ACT", "send, check, watch, doctor, bridge"),
    Positional("lane", "DIR", "the lane's folder"),
    Positional("body", "BODY", "send: the text; - reads standard input", needed=False),
    *BODY[1:],
    Option(("--from",), "send: as which role; check, watch: only letters of this one", "ROLE"),
    Option(("--to",), "send: to which role", "ROLE"),
    Option(("--role",), "check, watch: whose letters; bridge: a role of the lane, may be repeated", "ROLE", each=True),
    Option(("--kind",), "send: a label for triage: question, build-task, note, ...", "KIND"),
    Option(("--needs-reply",), "send: ask for an answer"),
    Option(("--ref",), "send: the id of the letter that this one answers", "ID"),
    Option(("--artifact",), "send: a file that the letter is about; may be repeated", "PATH", each=True),
    Option(("--peek",), "check: look only; the letters stay unread"),
    Option(("--max-bytes",), f"check: at most so many bytes at once (default {DELIVERY_BYTES})", "N", kind=NUMBER),
)
NEEDS_NO_STORE = True  # the bridge opens one itself, for moments

EXAMPLES = """\
mailstop lane send work/lane --from builder --to reviewer --kind question --needs-reply - <<'MAIL'
Does the parser survive an empty file?
MAIL
mailstop lane check work/lane --role reviewer
mailstop lane watch work/lane --role reviewer     a line for each letter, for a client's background monitor
mailstop lane doctor work/lane                    looks, and changes nothing
mailstop lane bridge work/lane --bag parser       the lane's roles and the bag's seats write to each other"""

# The options that an act takes besides --json.
_TAKES: dict[str, tuple[str, ...]] = {
    "send": ("body", "body_file", "from", "to", "kind", "needs_reply", "ref", "artifact"),
    "check": ("role", "from", "peek", "max_bytes"),
    "watch": ("role", "from"),
    "doctor": (),
    "bridge": ("role", "store", "bag"),
}

ACTS = tuple(_TAKES)


def run(args: Arguments) -> Result:
    """Do one act."""
    refuse_unknown("lane", args.act, ACTS)
    given = [*(one.field for one in PARAMETERS[2:]), "store", "bag"]
    unknown = [field for field in dict.fromkeys(given) if getattr(args, field) and field not in _TAKES[args.act]]
    if unknown:
        name = "text" if unknown[0] == "body" else "--" + unknown[0].replace("_", "-")
        raise UsageError(reason=f"lane {args.act} takes no {name}; see: mailstop lane --help")
    act: Callable[[Arguments], Result] = __import__(f"mailstop.cli.lanes.{args.act}", fromlist=["run"]).run
    return act(args)
