"""mailstop completion bash|zsh|fish: what makes the shell complete verbs, options, seats, channels and kinds."""

from __future__ import annotations

import os
import sys

from mailstop.cli.arguments import Positional
from mailstop.cli.result import Result
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.cli.arguments import Arguments, Parameter

SHELLS = ("bash", "zsh", "fish")
CANDIDATES = "candidates"  # what the shells' scripts ask: the words so far on standard input, one a line

PARAMETERS: tuple[Parameter, ...] = (Positional("shell", "bash|zsh|fish", "whose script to print"),)
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")

EXAMPLES = """\
eval "$(mailstop completion bash)"        # in ~/.bashrc
eval "$(mailstop completion zsh)"         # in ~/.zshrc
mailstop completion fish | source         # in ~/.config/fish/config.fish"""


def run(args: Arguments) -> Result:
    """Print a shell's script; or, for that script, what may stand where the cursor is."""
    if args.shell == CANDIDATES:
        from mailstop.cli.candidates import candidates

        words = sys.stdin.buffer.read().decode(errors="replace").split("\n") if sys.stdin else [""]
        found = candidates([*words[:-1]] or [""])
        return Result(found, "\n".join("\t".join(part for part in each if part) for each in found))
    if args.shell not in SHELLS:
        raise UsageError(reason=f"there is no completion for {args.shell!r}. There is for: {', '.join(SHELLS)}")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shells", f"mailstop.{args.shell}")
    with open(script, encoding="utf-8") as file:
        text = file.read().rstrip("\n")
    return Result({"shell": args.shell, "script": text}, text)
