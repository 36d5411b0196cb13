"""Ledgers as each generation of postbag wrote them, by hand from the description of its format.

Tokens and sockets in them are made up, and are searched for where they must not be found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOKEN = "tok-3f9c2a1be7d84c55"
SOCKET = "/tmp/cc-daemon-501/rv/claude-3f9c.sock"
THREAD = "019a4b1e-7d3c-7f7a-9c52-0b1d2e3f4a5b"
SECRETS = (TOKEN, SOCKET)

_FOLDER = Path(__file__).with_name("ledgers")

# 1.0: a fixed pair, no vendor; each exchange is opened by the person; a letter before the first, and one beyond it.
FIRST = (_FOLDER / "postbag-1.0.jsonl").read_text()

# 1.1 to 1.4: names, a rename, a takeover.
NAMED = (_FOLDER / "postbag-1.4.jsonl").read_text()

# 2.1 to 2.3: no exchanges, final letters, leaves, a field that nobody knows; a thread that joins in capital letters and
# leaves in small ones.
LEFT = (_FOLDER / "postbag-2.3.jsonl").read_text()

GENERATIONS = {"1.0": FIRST, "1.1 to 1.4": NAMED, "2.1 to 2.3": LEFT}


def write(path: Path, text: str | bytes) -> Path:
    """A ledger at that path, as postbag makes them: for its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(0o600)
    return path


def row(n: int, kind: str = "letter", **fields: Any) -> str:
    """A line of a ledger."""
    told: dict[str, Any] = {"n": n, "at": f"2026-08-01T12:{n // 60 % 60:02}:{n % 60:02}+00:00", "kind": kind}
    if kind == "letter":
        told |= {"from": "ada", "to": "bob", "body": f"letter {n}"}
    return json.dumps({**told, **fields}) + "\n"


def letters(count: int) -> str:
    """A ledger with so many letters."""
    first = row(1, "join", peer="ada", vendor="claude", socket=SOCKET, token=TOKEN)
    return first + "".join(row(n) for n in range(2, count + 2))
