"""The pages of exit codes and errors, from the tree of errors."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from mailstop import errors
from mailstop.cli.help import text_of
from mailstop.cli.overview import EXIT_CODES
from mailstop.errors import PIECES, TIMES, WHERE, MailstopError
from reference.text import block, code, page, table

NEVER_SEEN = (errors.Conflict,)  # a rule that meets it looks again


def exit_codes() -> str:
    """What a command ends with, and by which errors."""
    rows = []
    for line in EXIT_CODES.splitlines():
        number, _, meaning = line.strip().partition("  ")
        named = [
            f"[{code(code_of(each))}](errors.md#{code_of(each)})" for each in kinds() if each.exit_code == int(number)
        ]
        rows.append((number, meaning, "none" if number == "0" else ", ".join(named)))
    return page(
        "Exit codes",
        "What a command ends with, so that a script knows how to go on.",
        table(("code", "what it means"), [row[:2] for row in rows]),
        "`mailstop hook` always ends with 0, because another code would stop its client's turn. A command that was"
        " stopped by Ctrl-C ends with 130.",
        "## Which error ends with which",
        table(("code", "errors"), [(row[0], row[2]) for row in rows[1:]]),
        "## Help on exit codes",
        "What `mailstop help exit-codes` prints:",
        block("text", text_of("exit-codes")),
    )


def failures() -> str:
    """Each error: its code for programs, its message, and the facts that stand beside it."""
    parts = []
    for file in ("", *errors._FILES):
        module = "mailstop.errors" + (f".{file}" if file else "")
        own = [each for each in kinds() if each.__module__ == module]
        about = (__import__(module, fromlist=["_"]).__doc__ or "").strip().split("\n")[0].rstrip(".")
        parts += [f"## {about.split(': ')[0] if file else 'Of any kind'}", *(_error(each) for each in own)]
    return page(
        "Errors",
        "What a refused command says on standard error, each with the code by which programs know it. With `--json`"
        " it is an object on standard output, and the exit code is the same:",
        block("json", '{"error": {"code": "unknown_seat", "message": "...", "...": "the facts of the message"}}'),
        "A tool of MCP answers the same code and message ([tools](tools.md)). A word in braces is filled in. Facts"
        " are the values that a message is made of, under the names that stand here; times are ISO 8601.",
        *parts,
    )


def kinds() -> list[type[MailstopError]]:
    """All errors that anybody meets, in the order in which they are written down."""
    for file in errors._FILES:
        __import__(f"mailstop.errors.{file}")
    return [kind for kind in _below(MailstopError) if kind not in NEVER_SEEN]


def code_of(kind: type[MailstopError]) -> str:
    """By what programs know an error."""
    return kind.__new__(kind).code  # it needs none of the values of a message


def _below(kind: type[MailstopError]) -> Iterator[type[MailstopError]]:
    yield kind
    for each in kind.__subclasses__():
        if each.__module__.startswith("mailstop.errors"):
            yield from _below(each)


def _error(kind: type[MailstopError]) -> str:
    message = " ".join((kind.__doc__ or "").split())
    found = facts(message)
    told = f" Facts: {', '.join(code(each) for each in found)}." if found else ""
    return f"### {code_of(kind)}\n\n> {_shown(message)}\n\nExit code {kind.exit_code}.{told}"


def facts(message: str) -> list[str]:
    """The names of the values that programs are told beside a message."""
    names = [_field(name) for _, name, _, _ in Formatter().parse(message) if name]
    told = ["bag" if name == WHERE else name for name in names if name == WHERE or name in TIMES or name not in PIECES]
    return [*dict.fromkeys(told), *sorted({fact for name in names for fact in PIECES.get(name, ())} - set(told))]


def _field(name: str) -> str:
    return name.partition(" ")[0]


def _shown(message: str) -> str:
    """A message with its places in braces, as Markdown."""
    text = ""
    for words, name, _, conversion in Formatter().parse(message):
        text += words.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")
        if name:
            field, _, what = name.partition(" ")
            place = f"{{{field}}} {what}s" if what else f"{{{field}}}"
            text += f"'{place}'" if conversion == "r" else place
    return text
