"""Claude Code: what it tells about itself, in the environment of its children and in its own registry.

Observed with Claude Code 2.1.332 (docs/clients-claude-code.md); the registry is not documented by the vendor,
so nothing here raises, and what cannot be read is unknown. The messaging token is never read.
"""

from __future__ import annotations

import os

from mailstop.clients.small_file import read_small
from mailstop.json_text import loads
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_UNATTENDED = frozenset({"mcp", "claude-code-github-action"})


class Told(Record):
    """What the environment of a child tells.

    pid: of the client, 0 where it is not told, as to MCP servers. session: its session id, which in a process
    that is older than the last `/clear` is an earlier one. socket: path of the messaging socket, empty when
    there is none. attended: a person sees this session; False for `claude -p` and the SDKs.
    """

    pid: int
    session: str
    entrypoint: str
    socket: str
    config_folder: str

    @property
    def attended(self) -> bool:
        """Whether a person sees this session, or it was started by `claude -p`, an SDK or an automation."""
        return not self.entrypoint.startswith("sdk") and self.entrypoint not in _UNATTENDED


def told_by(environment: Mapping[str, str]) -> Told:
    """What this environment tells; fields are empty where it tells nothing."""
    pid = environment.get("CLAUDE_PID", "")
    return Told(
        pid=int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 10 else 0,
        session=environment.get("CLAUDE_CODE_SESSION_ID", ""),
        entrypoint=environment.get("CLAUDE_CODE_ENTRYPOINT", ""),
        socket=environment.get("CLAUDE_CODE_MESSAGING_SOCKET", ""),
        config_folder=config_folder(environment),
    )


def config_folder(environment: Mapping[str, str]) -> str:
    """Where the client keeps its settings and its registry: CLAUDE_CONFIG_DIR, else ~/.claude."""
    home = environment.get("HOME") or os.path.expanduser("~")
    return environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def details_of(environment: Mapping[str, str]) -> dict[str, str]:
    """What a registration keeps for the doors."""
    told = told_by(environment)
    return {"config_folder": told.config_folder, "socket": told.socket, "entrypoint": told.entrypoint}


class Entry(Record):
    """A running client in its own registry.

    status: `busy` in a turn, `waiting` while a dialog is open, `idle`, or `shell` when idle with a command in
    the background; empty while it is still starting. kind: `interactive`, `bg` and others. since: when it
    came to that status, in milliseconds since 1970; 0 where that is not told.
    """

    pid: int
    session: str
    status: str
    kind: str
    entrypoint: str
    socket: str
    folder: str
    since: int = 0


def entry_of(folder: str, pid: int, start: int) -> Entry | None:
    """What the client's own registry says about the process of that pid and start; None when it says nothing.

    folder: the client's configuration folder. An entry that kill -9 left behind, found under a pid that was
    used again, is not taken for the new process.
    """
    value = _told_of(folder, pid, start)
    if value is None:
        return None

    def text(name: str) -> str:
        return found if isinstance(found := value.get(name), str) else ""

    since = value.get("statusUpdatedAt")
    return Entry(
        pid,
        session=text("sessionId"),
        status=text("status"),
        kind=text("kind"),
        entrypoint=text("entrypoint"),
        socket=text("messagingSocketPath"),
        folder=text("cwd"),
        since=since if isinstance(since, int) else 0,
    )


def _told_of(folder: str, pid: int, start: int) -> dict[str, Any] | None:
    content = read_small(f"{folder}/sessions/{pid}.json", own=True)
    if content is None:
        return None
    try:
        value = loads(content)
    except ValueError:
        return None
    # `procStart` is field 22 of /proc/PID/stat as text; what it is on macOS is not known.
    if not isinstance(value, dict) or value.get("pid") != pid or str(value.get("procStart", start)) != str(start):
        return None
    return value


def launched_mode(pid: int, environment: Mapping[str, str], folder: str) -> str:
    """The permission mode a session started with, which SessionStart does not tell; empty when that is not known.

    The command line decides, then the settings of the project and of the user.
    """
    words = (read_small(f"/proc/{pid}/cmdline") or b"").decode("utf-8", "replace").split("\0")
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if word == "--dangerously-skip-permissions":
            return "bypassPermissions"
        if name == "--permission-mode":
            return value or following
    own = os.path.join(folder, ".claude")
    for path in (f"{own}/settings.local.json", f"{own}/settings.json", f"{config_folder(environment)}/settings.json"):
        try:
            settings = loads(read_small(path) or b"")
            mode = settings["permissions"]["defaultMode"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(mode, str):
            return mode
    return ""


BUSY_STATES = ("busy", "waiting")


def status_told(details: Mapping[str, Any], life: Mapping[str, Any]) -> tuple[str, int]:
    """The status of a session in the client's own registry, and since when, as in `Entry`; empty when it tells none.

    details, life: of its registration, the life as a dictionary.
    """
    folder, pid, start = details.get("config_folder"), life.get("pid"), life.get("start")
    if not isinstance(folder, str) or not isinstance(pid, int) or not isinstance(start, int):
        return "", 0
    value = _told_of(folder, pid, start) or {}
    status, since = value.get("status"), value.get("statusUpdatedAt")
    return status if isinstance(status, str) else "", since if isinstance(since, int) else 0


def is_busy(details: Mapping[str, Any], life: Mapping[str, Any], *, before: int | None = None) -> bool:
    """Whether the session is in a turn, so that its hooks will run soon. False also where that is not known.

    details, life: of its registration, the life as a dictionary. before: only if it has been so since before
    that moment, in milliseconds since 1970.
    """
    status, since = status_told(details, life)
    return status in BUSY_STATES and (before is None or since < before)
