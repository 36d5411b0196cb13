"""Command: the path by which clients start mailstop. It must be there tomorrow, after an upgrade too.

pipx and uv put a link, the shim, into a folder of the user's, and keep it when they replace what it leads to. What a
shim leads to, or a folder that has a version in its name, is not for a client's configuration."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import mailstop
from mailstop import config, errors
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "mailstop"
_TIMEOUT_S = 20
_CACHE = "is in a cache that its tool clears"
_VERSIONED = re.compile(r"v?\d+\.\d+(\.\d+)*([a-z.+-].*)?|.*[-_@]v?\d+\.\d+(\.\d+)*")


class Command(Record):
    """path: absolute. warning: what may take it away, empty when nothing is known. on_path: whether a shell finds
    it."""

    path: str
    warning: str
    on_path: bool


def lasting() -> Command:
    """The path of this mailstop that lasts longest. Raises NoLastingCommand."""
    own = _beside_python()
    leading_here = [path for path in _candidates() if _leads_here(path, own)]
    shims = [path for path in leading_here if os.path.realpath(path) != os.path.abspath(path)]
    for path in (*shims, *leading_here, *([own] if own else [])):
        if not (why := _ends_soon(path)):
            return Command(path, "", _is_found(path))
    path = leading_here[0] if leading_here else own
    if not path:
        raise errors.NoLastingCommand(path=os.path.dirname(mailstop.__file__), why="has no command of that name")
    why = _ends_soon(path)
    if why == _CACHE:
        raise errors.NoLastingCommand(path=path, why=why)
    return Command(path, f"{path} {why}", _is_found(path))


def _beside_python() -> str:
    """The command of the environment that runs this; empty where it has none."""
    path = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), NAME)
    return path if os.access(path, os.X_OK) else ""


def _candidates() -> Iterator[str]:
    """Every `mailstop` on PATH, then those in the folders of shims that a shell may not look into."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    folders += [os.environ.get(name, "") for name in ("UV_TOOL_BIN_DIR", "XDG_BIN_HOME", "PIPX_BIN_DIR")]
    folders += [os.path.join(config.home(), ".local", "bin")]
    seen = set()
    for folder in folders:
        if os.path.isabs(folder) and folder not in seen:
            seen.add(folder)
            if path := shutil.which(NAME, path=folder):
                yield path


def _leads_here(path: str, own: str) -> bool:
    """Whether that command runs this very mailstop: it is a link to it, or it says so."""
    if own and os.path.realpath(path) == os.path.realpath(own):
        return True
    try:
        done = subprocess.run([path, "version", "--plugin"], capture_output=True, text=True, timeout=_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError):
        return False
    return os.path.realpath(done.stdout.strip() or "/") == os.path.realpath(mailstop.plugin_folder())


def _ends_soon(path: str) -> str:
    """Why a path will not be there for long; empty where nothing speaks against it."""
    parts = path.split(os.sep)
    if any(part in ("archive-v0", "builds-v0", "environments-v2") for part in parts) or ".cache" in parts:
        return _CACHE
    if any(_VERSIONED.fullmatch(part) for part in parts[:-1]):
        return "has a version in its name, and another one will not have it"
    return ""


def _is_found(path: str) -> bool:
    found = shutil.which(NAME)
    return bool(found) and os.path.realpath(str(found)) == os.path.realpath(path)
