"""Clients that take no plugin, and can be given tools of MCP: a small file for each says which file and which form.

The files lie in formats/: `files` by system (Linux's where another has none of its own), the first that is there or
else the last; `path`, the keys that lead to the servers; `server`, what stands there under our name; `source`, where
the client's makers say so."""

from __future__ import annotations

import json
import os
import shutil
import sys

from mailstop import errors
from mailstop.names import nearest
from mailstop.records import Record
from mailstop.setup.edit import Edit
from mailstop.setup.offer import FileEdit, Offer
from mailstop.setup.places import expanded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
_WITH_PLUGIN = {"claude": "claude", "claude-code": "claude"}


class MCPClient(Record):
    """What is known of one client. files: where its configuration may lie, from the surest on."""

    name: str
    title: str
    files: tuple[str, ...]
    project: str | None
    format: str
    path: tuple[str, ...]
    server: dict[str, Any]
    programs: tuple[str, ...]
    source: str

    @property
    def is_here(self) -> bool:
        """Whether it seems to be installed: its program is on PATH, or the folder of its configuration is there, as of
        an application with a window."""
        if not self.programs:  # another one's form, or that of a client with a plugin
            return False
        folders = (os.path.dirname(path) for path in self.files)
        return any(map(shutil.which, self.programs)) or any(map(os.path.isdir, folders))

    def file(self, project: str | None) -> str:
        """The configuration file for a project, or the user's own."""
        if project:
            if self.project is None:
                reason = f"{self.title} has no configuration for one project; leave --scope project out"
                raise errors.UsageError(reason=reason)
            return os.path.join(project, self.project)
        return next((path for path in self.files if os.path.exists(path)), self.files[-1])

    def offer(self, project: str | None, command: str) -> Offer:
        """The one thing that setup can do for it."""
        edit = Edit((*self.path, "mailstop"), _filled(self.server, command), is_ours=_is_ours)
        return Offer(
            "tools",
            f"the tools of MCP in {self.title}",
            "a session there can write letters, read and answer its own; nothing wakes it: it looks when it is told to",
            (FileEdit(self.file(project), self.format, edit),),
        )


def _filled(value: Any, command: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, command) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, command) for each in value]
    return command if value == "{command}" else value


def _is_ours(found: Any) -> bool:
    """Whether a server of our name runs mailstop, from wherever."""
    if not isinstance(found, dict):
        return False
    words = found.get("command")
    words = [*(words if isinstance(words, list) else [words]), *(found.get("args") or [])]
    return bool(words) and os.path.basename(str(words[0])) == "mailstop" and "mcp" in words[1:]


def names() -> list[str]:
    """The clients there are."""
    return sorted(name.removesuffix(".json") for name in os.listdir(_FOLDER) if name.endswith(".json"))


def client(name: str) -> MCPClient:
    """What is known of a client. Raises UnknownClient."""
    known = names()
    if name not in known:
        near = nearest(name, known)
        meant = f"; nearest: {', '.join(near)}" if near else ""
        if name in _WITH_PLUGIN:
            meant = f": it takes the plugin, by mailstop setup {_WITH_PLUGIN[name]}"
        raise errors.UnknownClient(name=name, meant=meant, nearest=near, known=known)
    with open(os.path.join(_FOLDER, f"{name}.json"), encoding="utf-8") as file:
        told = json.load(file)
    files = told["files"].get(sys.platform) or told["files"]["linux"]
    return MCPClient(
        name,
        told["title"],
        tuple(map(expanded, files)),
        told["project"],
        told["format"],
        tuple(told["path"]),
        told["server"],
        tuple(told["programs"]),
        told["source"],
    )


def here() -> list[MCPClient]:
    """The clients that seem to be installed."""
    return [one for one in map(client, names()) if one.is_here]
