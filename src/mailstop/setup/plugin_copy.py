"""The plugin as clients get it: that of the wheel, with the lasting path of the command in the place of its name.

A copy in the user's own folder, because what lies in the wheel moves with Python's version, and because a client that a
desktop started may not have the folder of the command on its PATH.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil

import mailstop
from mailstop import errors
from mailstop.setup.config_file import replace
from mailstop.setup.places import market_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CALLED = re.compile(r"(command -v |exec |&& |\| )mailstop(?= )")  # where a line of shell runs the command
_SHELL = ("hooks.json", "monitors.json")
_SERVERS = ".mcp.json"


def files(command: str) -> dict[str, bytes]:
    """Every file of the marketplace, by its path in it, for a command at that path."""
    market = os.path.dirname(mailstop.plugin_folder())
    found: dict[str, bytes] = {}
    for folder, _folders, names in os.walk(market):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                raw = file.read()
            found[os.path.relpath(path, market)] = _with_command(name, raw, command)
    return found


def _with_command(name: str, raw: bytes, command: str) -> bytes:
    if name == _SERVERS:
        data = json.loads(raw)
        for server in data["mcpServers"].values():
            server["command"] = command
    elif name in _SHELL:
        data = _in_shell(json.loads(raw), shlex.quote(command))
    else:
        return raw
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _in_shell(data: Any, command: str) -> Any:
    if isinstance(data, dict):
        return {
            key: _CALLED.sub(lambda match: match[1] + command, value) if key == "command" else _in_shell(value, command)
            for key, value in data.items()
        }
    return [_in_shell(each, command) for each in data] if isinstance(data, list) else data


def is_current(command: str) -> bool:
    """Whether the copy is that of this mailstop and this command."""
    return there(market_folder()) == files(command)


def version() -> str:
    """The version of the copy; empty when there is none."""
    try:
        with open(os.path.join(market_folder(), "mailstop", ".claude-plugin", "plugin.json"), "rb") as file:
            return str(json.load(file)["version"])
    except (OSError, ValueError, KeyError):
        return ""


def write(command: str, folder: str | None = None) -> None:
    """Write the copy. Raises NotWritable."""
    target = folder or market_folder()
    wanted = files(command)
    try:
        for path, raw in wanted.items():
            whole = os.path.join(target, path)
            if _read(whole) != raw:
                replace(whole, raw)
        for path in set(there(target)) - set(wanted):
            os.unlink(os.path.join(target, path))
    except OSError as error:
        raise errors.NotWritable(path=target, reason=error.strerror, done="Nothing else was changed.") from None


def remove() -> None:
    """Remove the copy, if it is there."""
    shutil.rmtree(market_folder(), ignore_errors=True)


def there(folder: str) -> dict[str, bytes]:
    """Every file in a folder, by its path in it."""
    paths = [os.path.join(inner, name) for inner, _folders, names in os.walk(folder) for name in names]
    return {os.path.relpath(path, folder): _read(path) or b"" for path in paths}


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
