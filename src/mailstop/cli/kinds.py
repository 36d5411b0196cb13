"""mailstop kinds: what each kind of letter says, what answers it, and whether it wakes its reader."""

from __future__ import annotations

from mailstop.cli.result import Result
from mailstop.cli.table import table, terminal_width, wrapped
from mailstop.config import config_file
from mailstop.kinds import KINDS, own_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = ()
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")

HEADING = ("kind", "answered by", "wakes", "what it says")


def run(args: Arguments) -> Result:
    """List mailstop's own kinds, then the user's."""
    everything = [*KINDS.items(), *own_kinds().items()]
    rows = [
        (name, "any" if kind.needs_reply and not kind.expects else kind.expects or "-", "yes" if kind.wakes else "no")
        for name, kind in everything
    ]
    hints = [kind.hint for _, kind in everything]
    text = table(
        HEADING, [(*row, hint) for row, hint in zip(rows, hints, strict=True)], terminal_width(), prose=HEADING[-1]
    )
    data = {
        "kinds": [
            {
                "kind": name,
                "hint": kind.hint,
                "expects": kind.expects,
                "needs_reply": kind.needs_reply,
                "wakes": kind.wakes,
                "own": name not in KINDS,
            }
            for name, kind in everything
        ],
        "file": config_file(),
    }
    own = "any other kind is allowed too; to add your own (mailstop doctor says what is wrong there):"
    return Result(data, "\n".join([text, *wrapped(own, terminal_width() or 80), config_file()]))
