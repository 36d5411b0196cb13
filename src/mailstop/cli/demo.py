"""mailstop demo: two programs and a person write to each other in a temporary home, and nothing is left behind.

With --clients it is two sessions of the Claude Code and Codex that are installed here, whose model is a script on
loopback: no account, no key, no network, and nothing of the user's own configuration.
"""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack

from mailstop.cli.arguments import Option
from mailstop.cli.demo_party import Party, Person
from mailstop.cli.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.cli.arguments import Arguments, Parameter

PARAMETERS: tuple[Parameter, ...] = (
    Option(("--clients",), "with the Claude Code and Codex that are installed here, and a scripted model"),
    Option(("--claude",), "with this program as Claude Code; goes with --clients", "PATH"),
    Option(("--codex",), "with this program as Codex; goes with --clients", "PATH"),
)
EXAMPLES = """\
mailstop demo
mailstop demo --clients"""
NEEDS_NO_STORE = True
UNUSED = ("--store", "--bag")
TELLS_WHAT_WAITS = True

SLEEP = "mailstop check --wait 20"  # the door of a program: it wakes at the ring of its bell
LETTER = "mailstop send reviewer --needs-reply - <<'EOF'\nDoes parser.py survive an empty file?\nEOF"
REPLY = "mailstop reply {n} - <<'EOF'\nYes: it returns an empty list. See test_empty.\nEOF"
QUESTION = "mailstop ask reviewer 'Which name shall it have?' --choice parse --choice read --wait 20"
CHOICE = "mailstop answer {n} --choice 1"


def run(args: Arguments) -> Result:
    """Play the scenes one after the other."""
    began = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGHUP):  # a closed window too: all is tidied up then as well
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    if args.clients or args.claude or args.codex:
        return _with_clients(args, began)
    with ExitStack() as ending:  # each step of it is taken, whatever another one raises
        home = tempfile.mkdtemp(prefix="mailstop-demo-")
        ending.callback(shutil.rmtree, home, ignore_errors=True)

        parties = []
        for name in ("reviewer", "builder"):
            party = Party(name, home, quiet=args.json)
            ending.callback(party.close)
            parties.append(party)
        account = _scenes(parties[0], parties[1], Person(home, quiet=args.json), quiet=args.json)
    seconds = time.monotonic() - began
    data = {"seconds": round(seconds, 2), **account}
    return Result(data, f"\nDone in {seconds:.1f} s; the temporary home is gone.\n\n{_next_steps()}")


def _with_clients(args: Arguments, began: float) -> Result:
    """Two sessions of real clients write to each other."""
    from mailstop.cli.demo_clients import play

    account = play(args.claude, args.codex, quiet=args.json)
    seconds = time.monotonic() - began
    data = {"seconds": round(seconds, 2), **account}
    return Result(data, f"\nDone in {seconds:.1f} s; the temporary home is gone.\n\n{_next_steps()}")


def _scenes(reviewer: Party, builder: Party, person: Person, *, quiet: bool) -> dict[str, Any]:
    def scene(what: str) -> None:
        if not quiet:
            print(f"\n== {what}", flush=True)

    scene("A letter wakes the one it is written to, and so does its answer")
    account = _exchange(reviewer, builder)
    scene("One asks and waits; the other picks an answer")
    account |= _question(reviewer, builder)
    scene("The person sets a budget, and the conversation ends with it")
    account |= _budget(reviewer, builder, person)
    scene("What is proved of the first letter, and all that the ledger holds")
    builder.run(f"mailstop status {account['asked']}")
    builder.run("mailstop read")
    return account


def _exchange(reviewer: Party, builder: Party) -> dict[str, Any]:
    reviewer.start(SLEEP)
    asked = _number(builder.run(LETTER))
    reviewer.finish()
    builder.start(SLEEP)
    answered = _number(reviewer.run(REPLY.format(n=asked)))
    builder.finish()
    return {"asked": asked, "answered": answered}


def _question(reviewer: Party, builder: Party) -> dict[str, Any]:
    reviewer.start(SLEEP)
    builder.start(QUESTION)
    question = _ordinal(reviewer.finish(), "Letter ")
    reviewer.run(CHOICE.format(n=question))
    builder.finish()
    return {"question": question}


def _budget(reviewer: Party, builder: Party, person: Person) -> dict[str, Any]:
    person.opens_budget(2)
    one = _number(builder.run("mailstop send reviewer 'Renamed. Shall I go on with the lexer?' --needs-reply"))
    reviewer.run("mailstop check")
    _number(reviewer.run(f"mailstop reply {one} 'Do.'"))
    builder.run("mailstop check")
    builder.run("mailstop send reviewer 'The lexer is done.'", code=1)
    return {"budget": 2}


def _number(output: str) -> int:
    """The number in `letter 3 stored, ...`."""
    return _ordinal(output, "letter ")


def _ordinal(output: str, before: str) -> int:
    """The number that follows these words, at the beginning of a line."""
    for line in output.splitlines():
        number = line.removeprefix(before).partition(" ")[0]
        if line.startswith(before) and number.isdigit():
            return int(number)
    raise RuntimeError(f"no number follows {before!r} in: {output.strip()}")


def _next_steps() -> str:
    return (
        "Next, two sessions that wake each other:\n"
        "  mailstop setup claude     or: mailstop setup codex; it shows what it would change, and asks\n"
        "Then start two, each in a folder of its own. Each window says which seat it is. Tell one: send a letter to\n"
        "the other's seat with mailstop."
    )
