"""Codex: its config.toml, and what setup offers for it.

Observed with 0.171.0: it runs a plugin from a copy of its own, which `codex plugin add` makes, so that command is run
once the configuration names the marketplace; it then finds nothing to write. Which plugin is on, what its server may
do and which folders a sandbox opens is read in a project's `.codex/config.toml` too; marketplaces and trust are the
user's."""

from __future__ import annotations

import os
import shutil

from mailstop import config, errors
from mailstop.setup import installed, plugin_copy
from mailstop.setup.claude import is_market
from mailstop.setup.client_command import run
from mailstop.setup.codex_hooks import trusted
from mailstop.setup.edit import Edit
from mailstop.setup.offer import PLUGIN, FileEdit, Offer
from mailstop.setup.places import codex_folder, here, market_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TITLE = "Codex"
NAME = "codex"
OLDEST = (0, 149, 0)  # that has `codex queue`
TRUST = "trust"
_PLUGIN = "mailstop@mailstop"
_OF_CODEX = ".codex-plugin"  # what it adds to its copy: skills that it makes of slash commands


def config_toml() -> str:
    """The user's configuration."""
    return os.path.join(codex_folder(), "config.toml")


def program() -> str:
    """Codex's command. Raises ClientMissing."""
    found = installed.codex()
    if found is None:
        raise errors.ClientMissing(title=TITLE, need="codex plugin add")
    return found.path


def offers(project: str | None, command: str, store: str) -> list[Offer]:
    """What setup can do; in one project, if one is named. store: the URL of the store. Raises ClientMissing."""
    codex, own = program(), config_toml()
    target = os.path.join(project, ".codex", "config.toml") if project else own
    market = Edit(("marketplaces", "mailstop"), {"source_type": "local", "source": market_folder()}, is_ours=_is_ours)
    enabled = Edit(("plugins", _PLUGIN), {"enabled": True}, is_ours=lambda found: isinstance(found, dict))
    approved = Edit(
        ("plugins", _PLUGIN, "mcp_servers", "mailstop"),
        {"default_tools_approval_mode": "approve"},
        is_ours=lambda found: isinstance(found, dict),
    )
    return [
        Offer(
            PLUGIN,
            "the plugin",
            "its hooks show letters to a thread and prove that they were shown; with it come tools and skills",
            (FileEdit(own, "toml", market), FileEdit(target, "toml", enabled)),
            also=(
                f"the plugin is copied to {market_folder()}; what it starts is {command}",
                f"codex plugin add {_PLUGIN} is run, which makes Codex's own copy",
            ),
            copies=True,
        ),
        _sandbox(target, store),
        Offer(
            "tools",
            "approval of the plugin's tools of MCP",
            "without it each call of one waits at a dialog; they do what the commands do, and no more",
            (FileEdit(target, "toml", approved),),
            needs_plugin=True,
        ),
        _trust(own, codex, command),
    ]


def _trust(own: str, codex: str, command: str) -> Offer:
    """What the window's answer *Trust all* would write."""
    try:
        hooks, hindered = trusted(codex, command), ""
    except errors.ClientFailed as error:
        hooks, hindered = {}, f"{error.details['command']}: {error.details['reason']}"
    return Offer(
        TRUST,
        "trust in the plugin's hooks",
        "until then Codex skips them, and asks at the start of the next window; this writes what its answer Trust all "
        "writes, for the hooks of this version of the plugin alone",
        tuple(
            FileEdit(own, "toml", Edit(("hooks", "state", key), value, is_ours=lambda found: isinstance(found, dict)))
            for key, value in hooks.items()
        ),
        safe=False,
        needs_plugin=True,
        hindered=hindered,
    )


def _sandbox(target: str, store: str) -> Offer:
    """The folders that commands in Codex's default sandbox have to write to."""
    folders = [os.path.dirname(config.store_path(store)), config.state_folder()]
    broad = folders[0] in (config.home(), "/", here()) or config.home().startswith(folders[0].rstrip("/") + "/")
    warning = f"; {folders[0]} holds more than the store, and all of it would be open" if broad else ""
    return Offer(
        "sandbox",
        "writable_roots for the store and the bells",
        "without them a command of mailstop in the default sandbox (workspace-write) can neither read nor "
        "write a letter; "
        f"nothing else becomes writable{warning}",
        (FileEdit(target, "toml", Edit(("sandbox_workspace_write", "writable_roots"), folders, adds=True)),),
        safe=not broad,
        also=("the two folders are made, since Codex passes over those that are missing",),
        makes=tuple(folders),
    )


def _is_ours(found: Any) -> bool:
    source = found.get("source") if isinstance(found, dict) else None
    return isinstance(source, str) and is_market(source)


def has_copy(command: str) -> bool:
    """Whether the copy that Codex made is that of this plugin."""
    folder = os.path.join(codex_folder(), "plugins", "cache", "mailstop", "mailstop")
    inside = "mailstop" + os.sep
    files = plugin_copy.files(command).items()
    wanted = {path.removeprefix(inside): raw for path, raw in files if path.startswith(inside)}
    for version in os.listdir(folder) if os.path.isdir(folder) else ():
        there = plugin_copy.there(os.path.join(folder, version)).items()
        if {path: raw for path, raw in there if not path.startswith(_OF_CODEX)} == wanted:
            return True
    return False


def install() -> None:
    """Let Codex take the plugin in, anew where it has an older one. Raises ClientMissing, ClientFailed."""
    if reason := run([program(), "plugin", "add", _PLUGIN]):
        raise errors.ClientFailed(command=f"codex plugin add {_PLUGIN}", reason=reason, client=NAME)


def forget() -> None:
    """Remove the copy that Codex made. Its own command would write the configuration anew, which is ours to mend."""
    shutil.rmtree(os.path.join(codex_folder(), "plugins", "cache", "mailstop"), ignore_errors=True)
    for folder in ("plugins/cache", "plugins"):
        try:
            os.rmdir(os.path.join(codex_folder(), folder))
        except OSError:
            pass
