"""Ancestry: the processes above one, nearest first.

Evidence for who is calling, and what the audit trail keeps.
"""

from __future__ import annotations

from mailstop.clients.process import own_pid, process_of
from mailstop.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 64  # ancestors; deeper chains exist only on purpose
CLAUDE, CODEX = "claude", "codex"


class Ancestor(Record):
    """A process above the caller.

    start: see `Process`; name: what the system calls it, at most 15 bytes on Linux.
    """

    pid: int
    start: int
    name: str


def ancestors(pid: int | None = None) -> tuple[Ancestor, ...]:
    """The parent of a process, by default of this one, its parent and so on: at most 64, up to pid 1.

    It ends earlier where the system shows no more, as at the edge of a pid namespace. A pid that was used
    again while we climbed is noticed (a parent never starts after its child) and ends it too.
    """
    found: list[Ancestor] = []
    process = process_of(own_pid() if pid is None else pid)
    while process is not None and process.parent > 0 and len(found) < MOST:
        parent = process_of(process.parent)
        if parent is None or parent.start > process.start:
            break
        found.append(Ancestor(parent.pid, parent.start, parent.name))
        process = parent
    return tuple(found)


def client_named(name: str) -> str:
    """Which client a process of this name is, empty for none.

    Both vendors' native programs go by these names, Codex's window, daemon, `codex exec` and the first
    process in its sandbox alike.
    """
    if name == CLAUDE:
        return CLAUDE
    return CODEX if name == CODEX or name.startswith("codex-") else ""


def describe(ancestry: Iterable[Ancestor]) -> str:
    """The names, nearest first, in one printable line: `bash < claude < zsh`."""
    names = (ancestor.name or "?" for ancestor in ancestry)
    return " < ".join("".join(c if c.isprintable() else "?" for c in name) for name in names)
