"""The plugin as the caller's own client runs it: its hooks' command line and the command of its tools, started as the
client starts them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from itertools import pairwise

import mailstop
from mailstop import config
from mailstop.checkup.finding import FAILED, OPEN, PROVED, Route
from mailstop.clients.small_file import read_small
from mailstop.setup.places import market_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mailstop.office import Office
    from mailstop.seat import Seat
    from mailstop.session import Session

EVENT = "Doctor"  # which no client sends; see hooks/probe.py
_GUARDED = "PreToolUse"  # an event whose hook runs only while the bell rings
_PATIENCE_S = 20.0
_LARGEST_ANSWER = 1 << 16
_CALLS = (
    {"method": "initialize", "id": 1, "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
    {"method": "notifications/initialized"},
    {"method": "tools/call", "id": 2, "params": {"name": "me", "arguments": {}}},
)


def plugin_of(session: Session) -> str:
    """The folder of the plugin that the session's client runs, as far as can be known; else that of this mailstop."""
    if session.client == "codex":
        home = str(session.details.get("codex_home") or "")
        places = [f"{home}/plugins/cache/mailstop/mailstop"]
        copies = [os.path.join(place, name) for place in places if os.path.isdir(place) for name in os.listdir(place)]
        folders = sorted(copies, key=os.path.getmtime, reverse=True)
    else:
        folders = [*_given_to(int(session.life.get("pid") or 0)), os.path.join(market_folder(), "mailstop")]
    there = (folder for folder in folders if os.path.isfile(os.path.join(folder, "hooks", "hooks.json")))
    return next(there, mailstop.plugin_folder())


def _given_to(pid: int) -> list[str]:
    """The folders that a Claude Code was started with by --plugin-dir, which go before what its settings name."""
    words = (read_small(f"/proc/{pid}/cmdline") or b"").decode("utf-8", "replace").split("\0")
    found = [following for word, following in pairwise(words) if word == "--plugin-dir"]
    return found + [word.partition("=")[2] for word in words if word.startswith("--plugin-dir=")]


# -- hooks -----------------------------------------------------------------------------------------------------------


def hooks(office: Office, session: Session) -> Route:
    """Run the command line of a hook while the bell rings, with an event that shows nothing and proves nothing."""
    folder = plugin_of(session)
    mend = f"mailstop setup {session.client}"
    try:
        with open(os.path.join(folder, "hooks", "hooks.json"), "rb") as file:
            command = str(json.load(file)["hooks"][_GUARDED][0]["hooks"][0]["command"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        return Route("hooks", FAILED, f"{folder} has no hook that could be run ({type(error).__name__})", mend=mend)
    event = {"hook_event_name": EVENT, "session_id": session.client_session, "cwd": session.folder}
    began = time.monotonic()
    said = _answer(["/bin/sh", "-c", command], json.dumps(event), _of_hooks(session, folder))
    took = round((time.monotonic() - began) * 1000, 1)
    return _judged(office, session, said, took, mend)


def _of_hooks(session: Session, folder: str) -> dict[str, str]:
    """The variables of a hook, as its client gives them."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT")}
    variables["CLAUDE_PLUGIN_ROOT"] = folder
    if session.client == "claude":
        return {**variables, "CLAUDE_PID": str(session.life.get("pid") or "")}
    return {**variables, "PLUGIN_ROOT": folder, "CODEX_HOME": str(session.details.get("codex_home") or "")}


def _judged(office: Office, session: Session, said: dict[str, Any], took: float, mend: str) -> Route:
    version = said.get("mailstop")
    if not said and office.caller.sandboxed:
        return Route(
            "hooks", OPEN, "they run outside of this sandbox, and cannot be tried in it", mend="mailstop doctor"
        )
    if not version:
        text = "their command line started no mailstop while the bell rang"
        return Route("hooks", FAILED, text, took, mend=mend)
    if version != mailstop.__version__:
        text = f"they start mailstop {version}, and this is {mailstop.__version__}"
        return Route("hooks", FAILED, text, took, mend=mend)
    if said.get("session") != session.id or said.get("store") != office.store.url:
        other = config.store_name(str(said.get("store"))) or "no session"
        text = f"they take this session for one of {other}, not of {config.store_name(office.store.url)}"
        return Route("hooks", FAILED, f"{text}; end this session, and start it anew", took)
    text = "their command line heard the bell, started this mailstop, and found this session in this store"
    return Route("hooks", PROVED, text, took, "that the client puts their text before the model")


# -- tools -----------------------------------------------------------------------------------------------------------


def tools(office: Office, seat: Seat) -> list[Route]:
    """Start the server of tools as the client does, and ask it who we are; none where the plugin brings none."""
    session = office.session
    assert session is not None
    try:
        with open(os.path.join(plugin_of(session), ".mcp.json"), "rb") as file:
            server = json.load(file)["mcpServers"]["mailstop"]
        argv = [str(server["command"]), *map(str, server["args"])]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    mend = f"mailstop setup {session.client}"
    if not shutil.which(argv[0]):
        return [Route("tools", FAILED, f"the client is to start {argv[0]}, which is not there", mend=mend)]
    began = time.monotonic()
    told = _me(argv, session)
    took = round((time.monotonic() - began) * 1000, 1)
    if told is None:
        if office.caller.sandboxed:
            return [Route("tools", OPEN, "they run outside of this sandbox, and cannot be tried in it")]
        return [Route("tools", FAILED, f"{' '.join(argv)} does not answer", took, mend=mend)]
    if seat.name not in json.dumps(told.get("seats", "")):
        return [Route("tools", FAILED, f"{' '.join(argv)} answers, and knows no seat of this session", took, mend=mend)]
    waits = "says at each call that the letter waits" if told.get("mail") else "answers each call"
    text = f"a server of tools, started as the client starts its own, knows this seat and {waits}"
    return [Route("tools", PROVED, text, took, "the client's own server, which reads the same")]


def _me(argv: list[str], session: Session) -> dict[str, Any] | None:
    """What the server's tool `me` says of the session."""
    meta = {"threadId": session.client_session, "sessionId": session.client_session}
    lines = []
    for call in _CALLS:
        params: dict[str, Any] = {**call.get("params", {})}  # type: ignore[dict-item]
        if call["method"] == "initialize":
            params["clientInfo"] = {"name": "mailstop-doctor", "version": mailstop.__version__}
        if call["method"] == "tools/call" and session.client == "codex":
            params["_meta"] = meta
        lines.append(json.dumps({"jsonrpc": "2.0", **call, "params": params}))
    for line in _printed(argv, "\n".join(lines) + "\n", dict(os.environ)).splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and answer.get("id") == 2:
            found = (answer.get("result") or {}).get("structuredContent")
            is_error = (answer.get("result") or {}).get("isError")
            return found if isinstance(found, dict) and not is_error else None
    return None


# -- processes -------------------------------------------------------------------------------------------------------


def _answer(argv: list[str], written: str, variables: dict[str, str]) -> dict[str, Any]:
    """The JSON object that a process prints; empty when it prints none."""
    try:
        value = json.loads(_printed(argv, written, variables))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _printed(argv: list[str], written: str, variables: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            argv, input=written.encode(), capture_output=True, env=variables, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout[:_LARGEST_ANSWER].decode("utf-8", "replace")
