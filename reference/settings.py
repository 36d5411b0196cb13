"""The pages of configuration, of kinds, and of the topics of help."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from unittest.mock import patch

import mailstop
from mailstop import config, letter, limits, names
from mailstop import kinds as all_kinds
from mailstop.cli.help import text_of
from mailstop.cli.help import topics as all_topics
from mailstop.cli.limits import PARAMETERS as OF_LIMITS
from mailstop.cli.variables import VARIABLES
from reference.text import block, code, page, table

FORMATS = Path(mailstop.__file__).parent / "setup" / "formats"
SYSTEMS = {"linux": "Linux", "darwin": "macOS"}


def configuration() -> str:
    """Variables, the configuration file, folders, what a bag's person sets, bounds, and clients of MCP."""
    return page(
        "Configuration",
        "Nothing has to be set. What can be is here; what `mailstop setup` writes for the clients is in"
        " [its guide](../setup.md).",
        "## Variables of the environment",
        table(
            ("variable", "what it says", "where it is not set"),
            [(code(each.name), _plain(each.meaning), _plain(each.otherwise) or "–") for each in VARIABLES],
        ),
        "## Files and folders",
        table(("what", *SYSTEMS.values()), _places()),
        "A store is chosen by `--store`, by a session's own, or by `MAILSTOP_STORE`; bells and the log are in one"
        " folder for each user, whatever the store.",
        "## The configuration file",
        "It holds one object with the one setting `kinds`: kinds of your own, by their names."
        " [What each setting means](../channels.md#kinds-of-your-own). `mailstop doctor` names each mistake in it.",
        table(("setting of a kind", "type", "default"), _kind_settings()),
        "## What the person sets for a bag",
        "By `mailstop limits` and `mailstop budget` ([what they do](../limits.md)); they are kept in the store. None"
        f" may be above {limits.LARGEST:,}, the minutes not above {limits.LONGEST_RETURN_MIN:,}.",
        table(("option of limits", "what it sets"), [(code(one.names[0]), one.help) for one in OF_LIMITS]),
        f"A budget that is opened without `--limit` has {limits.DEFAULT_BUDGET} letters.",
        "## Bounds that nobody sets",
        table(("of what", "at most"), _bounds()),
        "## Clients of `mailstop setup mcp`",
        table(("`--client`", "what it is", "file", "file of a project", "where in it"), _clients()),
    )


def kinds() -> str:
    """Each kind, what it says, what answers it, whether it wakes."""
    rows = [
        (
            code(name),
            kind.hint,
            "any kind" if kind.needs_reply or kind.expects == "any" else code(kind.expects) if kind.expects else "–",
            "yes" if kind.wakes else "no",
        )
        for name, kind in all_kinds.KINDS.items()
    ]
    return page(
        "Kinds of letters",
        "A kind is a free label; these mean something. Any other is allowed, has no defined action, and wakes."
        " [How kinds are used, and how to add your own](../channels.md#kinds).",
        table(("kind", "what stands above such a letter", "answered by", "wakes its reader"), rows),
        f"A kind's name is one printable line of at most {letter.LONGEST_KIND} characters. Of a kind of your own the"
        f" name, the hint and the kind that answers it have at most {all_kinds.LONGEST_WORDS} characters together.",
    )


def topics() -> str:
    """What `mailstop help TOPIC` prints."""
    parts = [part for topic in all_topics() for part in (f"## {topic}", block("text", text_of(topic)))]
    return page("Help topics", "What `mailstop help TOPIC` prints, for each topic.", *parts)


def _places() -> list[tuple[str, ...]]:
    what = {
        "the user's store": lambda: config.store_name(config.default_store()),
        "the configuration file": config.config_file,
        "bells, registrations": config.state_folder,
        "the log": config.log_file,
    }
    return [(name, *(code(_on(system, place)) for system in SYSTEMS)) for name, place in what.items()]


def _on(system: str, place: object) -> str:
    assert callable(place)
    bare = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with patch.object(sys, "platform", system), patch.dict(os.environ, {**bare, "HOME": "/~"}, clear=True):
        return str(place()).removeprefix("/")


def _kind_settings() -> list[tuple[str, ...]]:
    named = {bool: "true or false", str: "text", type(None): "null"}
    defaults = all_kinds.Kind(hint="")
    return [
        (
            code(name),
            " or ".join(named[each] for each in types),
            "needed" if name == "hint" else code(json.dumps(getattr(defaults, name))),
        )
        for name, types in all_kinds._FIELDS.items()
    ]


def _bounds() -> list[tuple[str, str]]:
    return [
        ("the body of a letter", f"{letter.LARGEST_BODY:,} bytes of UTF-8"),
        ("the name of a seat, a bag, a channel", f"{names.LONGEST} characters: `a-z`, `0-9`, `.`, `_`, `-`"),
        ("the name of a kind", f"{letter.LONGEST_KIND} characters"),
        ("the choices of a question", f"{letter.MOST_CHOICES}, each of {letter.LONGEST_CHOICE} characters"),
        ("letters that are shown at once", f"{config.DELIVERY_BYTES:,} bytes; what is left out is named"),
        ("the configuration file", f"{all_kinds.LARGEST_FILE:,} bytes"),
    ]


def _clients() -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for file in sorted(FORMATS.glob("*.json")):
        told = json.loads(file.read_text())
        user = ", ".join(
            code(path.replace("{config}", "~/.config").replace("{codex}", "~/.codex"))
            for path in told["files"]["linux"]
        )
        where = code(".".join([*told["path"], "mailstop"]))
        rows.append((code(file.stem), told["title"], user, code(told["project"]) if told["project"] else "–", where))
    return rows


def _plain(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
