"""Codex: what it tells about itself, in the environment of its commands and hooks.

Observed with Codex 0.171.0 (docs/clients-codex.md). One server process can serve many threads, and on a
machine where several windows are open one usually does; so what tells a session is the thread, never the
process.
"""

from __future__ import annotations

import os
import time

from mailstop import errors
from mailstop.clients.process import namespace, started_at
from mailstop.clients.small_file import read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

UNKNOWN_TURN = "?"

_HEXADECIMAL = frozenset("0123456789abcdef")
_HEAD_BYTES = 4096  # of a transcript: its first line begins with who made it
_TAIL_BYTES = 256 * 1024
_LARGEST_ENVIRONMENT = 256 * 1024
_START = b'"type":"task_started"'
_ENDS = (b'"type":"task_complete"', b'"type":"turn_aborted"')


def thread_of(environment: Mapping[str, str]) -> str:
    """The thread that a command belongs to; empty when the environment names none.

    CODEX_THREAD_ID counts as soon as it is present, and never falls back: raises DoubtfulCaller when it is no
    UUID. CODEX_SESSION_ID, which a thread shares with its subagents, is asked only without it.
    """
    value = environment.get("CODEX_THREAD_ID")
    if value is None:
        session = environment.get("CODEX_SESSION_ID", "").lower()
        return session if is_thread_id(session) else ""
    thread = value.lower()
    if not is_thread_id(thread):
        raise errors.DoubtfulCaller(reason=f"CODEX_THREAD_ID is {value[:80]!r}, which is no thread of Codex")
    return thread


def is_thread_id(text: str) -> bool:
    """Whether `text` is a UUID in small letters, as thread ids are kept here."""
    groups = text.split("-")
    return [len(group) for group in groups] == [8, 4, 4, 4, 12] and _HEXADECIMAL.issuperset("".join(groups))


def home_of(environment: Mapping[str, str]) -> str:
    """CODEX_HOME as the hooks of the same process see it, else ~/.codex."""
    home = environment.get("HOME") or os.path.expanduser("~")
    return environment.get("CODEX_HOME") or f"{home}/.codex"


def home_of_process(pid: int, environment: Mapping[str, str]) -> str:
    """CODEX_HOME of a running Codex, which it does not hand to its MCP servers; else as `home_of` has it."""
    content = read_small(f"/proc/{pid}/environ", largest=_LARGEST_ENVIRONMENT) or b""
    told = (part.partition(b"=")[2] for part in content.split(b"\0") if part.startswith(b"CODEX_HOME="))
    return os.fsdecode(next(told, b"")) or home_of(environment)


def details_of(environment: Mapping[str, str], pid: int, event: Mapping[str, Any] | None = None) -> dict[str, str]:
    """What a registration keeps for the doors.

    pid: of the process that serves the thread. event: of the hook that registers it: only with it `is_busy`
    and `codex_window.is_watched` can tell more than nothing.
    """
    try:
        program = os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
    except OSError:
        program = ""
    details = {"codex_home": home_of(environment), "program": program, "namespace": namespace()}
    if event:
        details["transcript"] = str(event.get("transcript_path") or "")
        details |= _windows(details, event)
    return details


def _windows(details: Mapping[str, Any], event: Mapping[str, Any]) -> dict[str, str]:
    from mailstop.clients.codex_window import note_windows

    noted = note_windows(details, str(event.get("session_id") or "").lower(), str(event.get("cwd") or ""))
    return {"windows": noted, "noted": f"{time.time():.3f}"}


def is_attended(event: Mapping[str, Any]) -> bool:
    """Whether a person sees the session of a hook's event; False for `codex exec`, as its transcript says."""
    # Quotes inside of a value are escaped, so this stands nowhere else.
    return b'"originator":"codex_exec"' not in _part(str(event.get("transcript_path") or ""), 0, _HEAD_BYTES)


def is_busy(details: Mapping[str, Any], life: Mapping[str, Any]) -> bool:
    """Whether the thread is in a turn, so that its hooks will run soon. False also where this cannot be known."""
    return bool(running_turn(details, life))


def running_turn(details: Mapping[str, Any], life: Mapping[str, Any]) -> str:
    """Codex's id of the turn that the thread is in; UNKNOWN_TURN when it is in one that is not told, else empty.

    The transcript says when a turn starts and how it ends; a turn that was running when its server was killed
    has no end there, so nothing counts that was written before this server started.

    details, life: of its registration, the life as a dictionary.
    """
    path, start = str(details.get("transcript") or ""), life.get("start")
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ""
    if not isinstance(start, int) or facts.st_mtime < started_at(start):
        return ""
    begin = max(0, facts.st_size - _TAIL_BYTES)
    tail = _part(path, begin, _TAIL_BYTES)
    ended = max(tail.rfind(mark) for mark in _ENDS)
    started = tail.rfind(_START)
    if started > ended:
        _, named, turn = tail[started : started + _HEAD_BYTES].partition(b'"turn_id":"')
        return turn.partition(b'"')[0].decode("ascii", "replace") if named else UNKNOWN_TURN
    # A turn may write more than this tail, and then its start is not in there.
    return UNKNOWN_TURN if begin > 0 and ended < 0 else ""


def _part(path: str, begin: int, size: int) -> bytes:
    """A part of a file that others write; empty where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        return os.pread(descriptor, size, begin)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
