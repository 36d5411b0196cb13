"""The other side of a lane: what the format says that the original writes and reads, byte by byte.

Written from the format's description and on nothing of ours, so that a test which plays both sides shows that they
agree. It takes no lock and syncs nothing, as the original does. What the original fails on raises here too.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def send(
    lane: Path,
    *,
    from_role: str,
    to_role: str,
    kind: str,
    msg: str,
    needs_reply: bool = False,
    ref: str | None = None,
    artifacts: list[Any] | None = None,
) -> dict[str, Any]:
    """Append a letter."""
    at = datetime.now(UTC)
    envelope: dict[str, Any] = {
        "id": f"{int(at.timestamp() * 1000)}-{uuid.uuid4().hex[:8]}",
        "ts": at.isoformat(timespec="microseconds"),
        "from": from_role,
        "to": to_role,
        "kind": kind,
        "msg": msg,
        "needs_reply": needs_reply,
    }
    if ref is not None:
        envelope["ref"] = ref
    if artifacts is not None:
        envelope["artifacts"] = artifacts
    folder = lane / "_sync"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{from_role}-to-{to_role}.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(envelope, ensure_ascii=False) + "\n")
    return envelope


def check(lane: Path, *, role: str, from_role: str | None = None) -> list[dict[str, Any]]:
    """What is new for a role, merged by time; the cursor moves."""
    folder = lane / "_sync"
    folder.mkdir(parents=True, exist_ok=True)
    if from_role is None:
        files = sorted(folder.glob(f"*-to-{role}.jsonl"))
    else:
        files = [folder / f"{from_role}-to-{role}.jsonl"]
    seen = cursor_of(lane, role)
    counted: dict[str, int] = {}
    found: list[dict[str, Any]] = []
    for file in files:
        lines = complete_lines(file)
        found += [envelope for line in lines[seen.get(file.name, 0) :] if (envelope := parsed(line, file.name))]
        counted[file.name] = len(lines)
    if files:
        write_cursor(lane, role, counted)
    return sorted(found, key=moment)


def complete_lines(file: Path) -> list[str]:
    """The lines of a file that have come to their end, by universal newlines."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text.split("\n")[:-1]


def parsed(line: str, name: str) -> dict[str, Any] | None:
    """The letter of a line."""
    text = line.strip()
    if not text:
        return None
    try:
        envelope: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        nothing = dict.fromkeys(("from", "to", "ts", "id"))
        envelope = {**nothing, "kind": "_unparsable", "msg": text, "_parse_error": True}
    envelope["_source_file"] = name
    return envelope


def moment(envelope: dict[str, Any]) -> tuple[bool, datetime]:
    """Where a letter stands among the others."""
    try:
        at = datetime.fromisoformat(envelope.get("ts") or "")
        return False, at if at.tzinfo else at.replace(tzinfo=UTC)
    except ValueError:
        return True, datetime.min.replace(tzinfo=UTC)


def cursor_of(lane: Path, role: str) -> dict[str, int]:
    """The cursor of a role."""
    path = lane / "_sync" / f".cursor-{role}.json"
    cursor: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    return cursor


def write_cursor(lane: Path, role: str, counted: dict[str, int]) -> None:
    """Replace the cursor of a role: of each number the larger one stays."""
    cursor = cursor_of(lane, role)
    cursor.update({name: max(count, cursor.get(name, 0)) for name, count in counted.items()})
    path = lane / "_sync" / f".cursor-{role}.json"
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False
    ) as file:
        json.dump(cursor, file)
    os.replace(file.name, path)
