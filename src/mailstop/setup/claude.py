"""Claude Code: its settings, and what setup offers for them.

Observed with 2.1.332: two keys in the user's settings are all that it needs to run a plugin from a folder, in place,
at the next start of a session. A file with a comment in it is no settings for it at all. Of the marketplaces that a
project's own settings name it takes none without asking, so that key is always the user's."""

from __future__ import annotations

import json
import os

from mailstop.setup import config_file, installed
from mailstop.setup.client_command import run
from mailstop.setup.edit import Edit
from mailstop.setup.offer import PLUGIN, FileEdit, Offer
from mailstop.setup.places import claude_folder, market_folder
from mailstop.setup.plan import put_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TITLE = "Claude Code"
NAME = "claude"
OLDEST = (2, 1, 224)  # whose sessions have a messaging socket
_PLUGIN = "mailstop@mailstop"
RULE = "Bash(mailstop:*)"
TOOLS = "mcp__plugin_mailstop_mailstop"


def settings_file() -> str:
    """The user's settings."""
    return os.path.join(claude_folder(), "settings.json")


def offers(project: str | None, command: str) -> list[Offer]:
    """What setup can do; in one project, if one is named: in the settings there that are the user's own."""
    own = settings_file()
    target = os.path.join(project, ".claude", "settings.local.json") if project else own
    source = {"source": {"source": "directory", "path": market_folder()}}
    market = Edit(("extraKnownMarketplaces", "mailstop"), source, is_ours=_is_ours)
    enabled = Edit(("enabledPlugins", _PLUGIN), True, is_ours=lambda found: found is False)
    return [
        Offer(
            PLUGIN,
            "the plugin",
            "its hooks show letters to a session and prove that they were shown, its monitor wakes an idle "
            "one; with it come "
            "tools, skills, and the commands /mailstop:mail, /mailstop:who and /mailstop:send",
            (FileEdit(own, "json", market), FileEdit(target, "json", enabled)),
            also=(f"the plugin is copied to {market_folder()}; what it starts is {command}",),
            copies=True,
        ),
        Offer(
            "commands",
            f"the allow rule {RULE}",
            "without it each mailstop command waits at a permission dialog, and a session that nobody "
            "watches waits for ever; it "
            "lets no other program run, and what only the person may do stays refused",
            (FileEdit(target, "json", Edit(("permissions", "allow"), [RULE], adds=True)),),
        ),
        Offer(
            "tools",
            f"the allow rule {TOOLS}",
            "the same for the plugin's tools of MCP, which do what the commands do",
            (FileEdit(target, "json", Edit(("permissions", "allow"), [TOOLS], adds=True)),),
            needs_plugin=True,
        ),
    ]


def _is_ours(found: Any) -> bool:
    """Whether a marketplace of our name is a copy of ours, which somebody added by hand."""
    source = found.get("source") if isinstance(found, dict) else None
    path = source.get("path") if isinstance(source, dict) else None
    return isinstance(path, str) and is_market(path)


def is_market(path: str) -> bool:
    """Whether a folder is a marketplace with mailstop's plugin, or was one: there is nothing in it any more."""
    try:
        with open(os.path.join(path, ".claude-plugin", "marketplace.json"), "rb") as file:
            return bool(json.load(file)["plugins"][0]["name"] == "mailstop")
    except FileNotFoundError:
        return path.endswith(os.path.join("mailstop", "plugin"))
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return False


def denied(project: str | None) -> list[str]:
    """The rules of ours that the settings deny or have asked about, which goes before what they allow."""
    paths = [settings_file(), *(os.path.join(project, ".claude", name) for name in _OF_PROJECT if project)]
    found = []
    for path in paths:
        file = config_file.look(path, "json")
        rules: Any = file.data(file.text).get("permissions")
        for key in ("deny", "ask") if isinstance(rules, dict) else ():
            found += [f"{path}: {key} {rule}" for rule in (RULE, TOOLS) if rule in (rules.get(key) or ())]
    return found


_OF_PROJECT = ("settings.json", "settings.local.json")


def forget() -> None:
    """Let Claude Code itself forget the marketplace that it has written down; nothing depends on it."""
    program = installed.claude()
    try:
        with open(os.path.join(claude_folder(), "plugins", "known_marketplaces.json"), "rb") as file:
            known = json.load(file)["mailstop"]["source"]["path"] == market_folder()
    except (OSError, ValueError, KeyError, TypeError):
        known = False
    if not (program and known):
        return
    before = config_file.look(settings_file(), "json")
    run([program.path, "plugin", "marketplace", "remove", "mailstop"])
    if before.raw is not None:
        put_back(before, before.raw)
