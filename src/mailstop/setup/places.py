"""Places: where clients keep their configuration, and where mailstop writes down what it changed there.

The plugin and the records lie apart from the store: that folder and the one of the bells are those that a sandboxed
session may write to, and what clients run at every prompt must not be.
"""

from __future__ import annotations

import os

from mailstop import config
from mailstop.errors import UsageError


def own_folder() -> str:
    """Where the plugin, the records and the files as they were lie: `mailstop` in the user's configuration folder."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(config.home(), ".config"), "mailstop")


def market_folder() -> str:
    """The marketplace that the clients are pointed at."""
    return os.path.join(own_folder(), "plugin")


def claude_folder() -> str:
    """Where Claude Code keeps what is the user's."""
    return os.path.abspath(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(config.home(), ".claude"))


def codex_folder() -> str:
    """Where Codex keeps what is the user's."""
    return os.path.abspath(os.environ.get("CODEX_HOME") or os.path.join(config.home(), ".codex"))


def here() -> str:
    """The folder this runs in. Raises UsageError where it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        raise UsageError(reason="the folder this runs in is not there any more") from None


def expanded(template: str) -> str:
    """A path as the data of a client names it: `~` is the home folder, `{config}` that of configurations,
    `{codex}` Codex's."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = base if os.path.isabs(base) else os.path.join(config.home(), ".config")
    path = template.replace("{config}", folder).replace("{codex}", codex_folder())
    return config.home() + path[1:] if path.startswith("~/") else path
