"""The page of the command line: each verb with what it takes, as its module says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mailstop.cli.arguments import EVERYWHERE, NUMBER, SECONDS, Option, Parameter, Positional, parser
from mailstop.cli.entry import ALIASES, VERBS
from mailstop.cli.overview import GROUPS, HOOK
from reference.text import block, code, page, table

KINDS = {NUMBER: "a whole number from 1", SECONDS: "seconds, at most a day"}


def commands() -> str:
    """All verbs, in the groups in which `mailstop --help` lists them."""
    grouped = [verb for _, verbs in GROUPS for verb in verbs]
    groups = [*GROUPS, ("other", tuple(verb for verb in VERBS if verb not in grouped))]
    parts = [
        "What `mailstop VERB --help` prints, for each verb. What a command ends with: [exit codes](exit-codes.md)."
        " What it prints with `--json`: [JSON output](json.md).",
        table(
            ("group", "verbs"), [(title, ", ".join(_link(verb) for verb in verbs)) for title, verbs in groups if verbs]
        ),
        "## Everywhere",
        "These may stand before the verb or behind it.",
        _options(EVERYWHERE),
        f"{', '.join(f'{code(alias)} is {code(verb)}' for alias, verb in ALIASES.items())}.",
    ]
    for _, verbs in groups:
        for verb in verbs:
            parts += ["", *_verb(verb)]
    return page("Command line", *parts)


def _link(verb: str) -> str:
    return f"[{verb}](#{verb})"


def _verb(verb: str) -> list[str]:
    heading = [f"## {verb}", f"{VERBS[verb][0].upper()}{VERBS[verb][1:]}."]
    if verb == "hook":
        return [*heading, block("text", HOOK)]
    module: Any = __import__(f"mailstop.cli.{verb}", fromlist=["PARAMETERS"])
    parameters: Sequence[Parameter] = module.PARAMETERS
    unused = getattr(module, "UNUSED", ())
    everywhere = [one for one in EVERYWHERE if one.names[0] not in unused]
    usage = parser(verb, "", [*parameters, *everywhere]).format_usage()
    arguments = [one for one in parameters if isinstance(one, Positional)]
    options = [one for one in parameters if isinstance(one, Option)]
    examples = getattr(module, "EXAMPLES", "")
    return [
        *heading,
        block("text", usage),
        table(("argument", "what it is"), [(code(one.placeholder), _said(one)) for one in arguments])
        if arguments
        else "",
        _options(options) if options else "",
        f"It takes no {' and no '.join(map(code, unused))}." if unused else "",
        "For example:" if examples else "",
        block("sh", examples) if examples else "",
    ]


def _options(options: Sequence[Option]) -> str:
    return table(("option", "what it does"), [(_named(one), _said(one)) for one in options])


def _named(one: Option) -> str:
    joint = "=" if one.optional else " "
    return ", ".join(code(f"{name}{joint}{one.value}" if one.value else name) for name in one.names)


def _said(one: Parameter) -> str:
    kind = KINDS.get(one.kind, "")
    needed = "" if isinstance(one, Option) or one.needed else "may be left out"
    return "; ".join(part for part in (one.help, kind, needed) if part).replace("<", "&lt;")
