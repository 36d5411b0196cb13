"""Installed: the clients that are here, whether their versions will do, and what of mailstop they were given."""

from __future__ import annotations

import json
import os
import tomllib

from mailstop import __version__, errors
from mailstop.checkup.finding import FAILED, OK, WARNING, Finding
from mailstop.setup import claude, codex, installed, plugin_copy
from mailstop.setup.codex_hooks import trusted
from mailstop.setup.command import NAME, lasting
from mailstop.setup.places import codex_folder, market_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.setup.installed import Program

TRIED = {claude.NAME: "2.1.332", codex.NAME: "0.171.0"}  # with which the tests of real clients run
_OLDEST = {claude.NAME: claude.OLDEST, codex.NAME: codex.OLDEST}
_NEEDS = {claude.NAME: "a message socket", codex.NAME: "codex queue"}
_UPDATE = {claude.NAME: "claude update", codex.NAME: "npm install --global @openai/codex@latest"}
_TITLES = {claude.NAME: claude.TITLE, codex.NAME: codex.TITLE}


def findings(*, sealed: bool) -> list[Finding]:
    """Look at both clients. sealed: a sandbox keeps us from starting one."""
    found = {claude.NAME: installed.claude(), codex.NAME: installed.codex()}
    told = [_version(name, program) for name, program in found.items() if program]
    if not told:
        told = [Finding("clients", OK, "neither Claude Code nor Codex is found on PATH")]
    told += _plugin([name for name, program in found.items() if program])
    if (program := found[codex.NAME]) and not sealed:
        told += _of_codex(program)
    return told


# -- versions --------------------------------------------------------------------------------------------------------


def _version(name: str, program: Program) -> Finding:
    title, oldest = _TITLES[name], ".".join(map(str, _OLDEST[name]))
    if not program.version:
        text = f"{program.path} does not say its version; needed is {oldest} or later"
        return Finding(title, WARNING, text, f"{program.path} --version")
    if numbers(program.version) < _OLDEST[name]:
        text = f"{program.version} ({program.path}) is older than {oldest}, the first with {_NEEDS[name]}"
        return Finding(title, FAILED, text, _UPDATE[name])
    newer = numbers(program.version)[:2] > numbers(TRIED[name])[:2]
    note = f"; mailstop {__version__} was tried with {TRIED[name]}" if newer else ""
    return Finding(title, OK, f"{program.version} ({program.path}), needed is {oldest} or later{note}")


def numbers(version: str) -> tuple[int, ...]:
    """The three numbers of a version, for comparing."""
    parts = version.replace("-", ".").split(".")[:3]
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in parts)


# -- the plugin ------------------------------------------------------------------------------------------------------


def _plugin(clients: list[str]) -> list[Finding]:
    """The copy that clients were pointed at, and the command that stands in it. clients: those that are here."""
    version = plugin_copy.version()
    if not version:
        mend = f"mailstop setup {clients[0]}" if clients else ""
        return [Finding("plugin", OK, "mailstop setup has given no client a plugin", mend)]
    path = _launched()
    mend = "mailstop setup claude" if _is_on_in_claude() else "mailstop setup codex"
    if path and not os.access(path, os.X_OK):
        return [Finding("plugin", FAILED, f"its hooks and tools start {path}, which is not there any more", mend)]
    try:
        command = lasting()
    except errors.NoLastingCommand as error:
        return [Finding("plugin", WARNING, error.message, f"uv tool install {NAME}")]
    if not plugin_copy.is_current(command.path):
        whose = f"of mailstop {version}" if version != __version__ else f"with the command {path or 'of another place'}"
        return [Finding("plugin", FAILED, f"the copy in {market_folder()} is {whose}: it is stale", mend)]
    found = Finding("plugin", OK, f"{version}, starts {command.path}")
    if command.warning:
        return [found.but(state=WARNING, found=f"{found.found}; {command.warning}", mend=f"uv tool install {NAME}")]
    return [found]


def _launched() -> str:
    """The command that the copy starts; empty where that cannot be told."""
    try:
        with open(os.path.join(market_folder(), "mailstop", ".mcp.json"), "rb") as file:
            return str(json.load(file)["mcpServers"]["mailstop"]["command"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _is_on_in_claude() -> bool:
    try:
        with open(claude.settings_file(), "rb") as file:
            return bool(json.load(file)["enabledPlugins"]["mailstop@mailstop"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


# -- Codex -----------------------------------------------------------------------------------------------------------


def _of_codex(program: Program) -> list[Finding]:
    """The copy that Codex made for itself, and whether its hooks are trusted."""
    settings = _settings()
    plugins = settings.get("plugins")
    ours = plugins.get("mailstop@mailstop") if isinstance(plugins, dict) else None
    if not isinstance(ours, dict) or not ours.get("enabled", True):
        return []
    commands = [NAME]
    try:
        commands.insert(0, lasting().path)
    except errors.NoLastingCommand:  # told of with the plugin
        pass
    command = next((one for one in commands if codex.has_copy(one)), "")
    mend = "mailstop setup codex --yes --with trust"
    if not command:
        text = f"the copy in {codex_folder()}/plugins is not of this mailstop ({__version__}): it is stale"
        return [Finding("plugin of Codex", FAILED, text, mend)]
    return [
        Finding("plugin of Codex", OK, "the copy that Codex made is of this mailstop"),
        _trust(program, command, mend),
    ]


def _trust(program: Program, command: str, mend: str) -> Finding:
    """Whether the configuration says of each hook what Codex would write down of it."""
    try:
        wanted = trusted(program.path, command)
    except errors.ClientFailed as error:
        return Finding("trust of Codex", WARNING, f"cannot be told: {error.message}", mend)
    hooks: Any = _settings().get("hooks", {})
    state: Any = hooks.get("state") if isinstance(hooks, dict) else None
    kept = state if isinstance(state, dict) else {}
    missing = [key for key, value in wanted.items() if not _is_trusted(kept.get(key), value)]
    if not missing:
        return Finding("trust of Codex", OK, f"its {len(wanted)} hooks are trusted")
    text = f"{len(missing)} of {len(wanted)} hooks are not trusted, so Codex skips them and says nothing"
    return Finding("trust of Codex", FAILED, text, mend)


def _is_trusted(kept: Any, wanted: dict[str, str]) -> bool:
    return isinstance(kept, dict) and kept.get("trusted_hash", "").split("/")[0] == wanted.get("trusted_hash")


def _settings() -> dict[str, Any]:
    try:
        with open(codex.config_toml(), "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}
