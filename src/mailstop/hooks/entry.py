"""Entry of the hooks: one event on standard input, one JSON answer or none on standard output, always exit code 0.

Whatever goes wrong is written to the log and nowhere else: a mailbox must not stop a session.
"""

from __future__ import annotations

import os
import sys
import time

from mailstop import config
from mailstop.errors import MailstopError, StoreUnavailable
from mailstop.json_text import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LARGEST_LOG = 1 << 20  # bytes; then it starts anew, the last one kept beside it

# A client's event and the module that answers it. Others, which a newer client may send, are none of ours.
EVENTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "PostToolBatch": "answer_over",
    "Stop": "stop",
    "SessionEnd": "session_end",
    "Doctor": "probe",
}


_said: list[bool] = []  # whether an answer was written: a second one would spoil the first


def main(_words: Sequence[str] = ()) -> int:
    """Answer the event on standard input."""
    event = None
    try:
        event = loads(sys.stdin.buffer.read())
        if isinstance(event, dict):
            answer(event)
    except Exception as error:
        log(error)
        if isinstance(event, dict) and not _said:
            confess(event, error)
    return 0


def answer(event: dict[str, Any]) -> None:
    """Let the event's module answer. Inside a subagent nothing is shown and nothing is proved."""
    name = EVENTS.get(event.get("hook_event_name", ""))
    if name is None or event.get("agent_id"):
        return
    module = __import__(f"mailstop.hooks.{name}", fromlist=["answer"])
    module.answer(event)


def confess(event: dict[str, Any], error: Exception) -> None:
    """Say that the store cannot be used, where silence would look like an empty mailbox: to the person when a session
    starts or a prompt goes out, and to the model when it was told of a letter."""
    name = event.get("hook_event_name")
    if not isinstance(error, MailstopError) or error.exit_code != StoreUnavailable.exit_code:
        return
    if event.get("agent_id") or name not in ("SessionStart", "UserPromptSubmit"):
        return
    from mailstop import fence
    from mailstop.cleaning import plain_line

    message = plain_line(error.message)
    value: dict[str, Any] = {"systemMessage": f"mailstop: {message}"}
    if name == "SessionStart" or fence.is_ring_line(str(event.get("prompt") or "")):
        value = context(event, fence.trouble(message), **value)
    try:
        say(value)
    except OSError:
        pass


def say(value: dict[str, Any]) -> None:
    """Write the answer to the client, whole."""
    _said.append(True)
    stream: Any = sys.stdout
    try:
        stream.buffer.write(dumps(value).encode("utf-8", "backslashreplace") + b"\n")
        stream.buffer.flush()
    except OSError:  # the end of the process must not try again, and fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def context(event: dict[str, Any], text: str, **more: Any) -> dict[str, Any]:
    """The answer that puts `text` before the model, next to the event it belongs to."""
    return {
        "hookSpecificOutput": {"hookEventName": event["hook_event_name"], "additionalContext": text},
        **more,
    }


def log(error: BaseException, what: str = "hook") -> None:
    """Write what went wrong in what to the log, with where; never a body, never a secret."""
    import traceback

    path = config.log_file()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > LARGEST_LOG:
            os.replace(path, f"{path}.1")
        where = traceback.extract_tb(error.__traceback__)[-1] if error.__traceback__ else None
        place = f" at {os.path.basename(where.filename)}:{where.lineno}" if where else ""
        line = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {what} {type(error).__name__}: {error}{place}\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)
    except OSError:
        pass
