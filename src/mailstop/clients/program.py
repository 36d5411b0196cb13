"""Program sessions: a script, or a person's shell, that takes part in the mail without being a coding client.

`mailstop join NAME --export` prints a line for the shell to evaluate. The token in it is no secret and opens
nothing by itself: it counts only for the process it was bound to, while that lives, and for its descendants.
"""

from __future__ import annotations

import os

from mailstop.clients.life import Life, life_of
from mailstop.clients.process import own_pid, process_of
from mailstop.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mailstop.clients.ancestry import Ancestor

VARIABLE = "MAILSTOP_SESSION"
_TOKEN_CHARACTERS = frozenset("0123456789abcdef")
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "busybox"})
_RUNNERS = frozenset({"uv", "uvx"})  # `uvx mailstop`, `uv run mailstop`: above the command while it runs, and no longer


def new_token() -> str:
    """A new token: 32 hexadecimal digits."""
    return os.urandom(16).hex()


def is_token(text: str) -> bool:
    """Whether `text` can be a token."""
    return len(text) == 32 and _TOKEN_CHARACTERS.issuperset(text)


def export_line(token: str) -> str:
    """The line for a POSIX shell to evaluate."""
    return f"export {VARIABLE}={token}"


def bound_life(pid: int | None = None) -> Life:
    """The life that a new program session is bound to: of the process `pid`, by default of who ran this one.

    In `eval "$(mailstop join NAME --export)"` a shell may run us from a subshell that ends at once; then it
    is bound to the shell that the script or terminal runs, the one that `$$` names. So may a runner such as uvx.
    Raises UsageError when there is no such process.
    """
    life = life_of(_main_shell() if pid is None else pid)
    if life is None:
        raise UsageError(reason=f"There is no process {pid}." if pid else "The process that ran this one has ended.")
    return life


def refuse_outside(life: Life, ancestry: Iterable[Ancestor], command: str) -> None:
    """Raise UsageError where a session that is bound to that process would not count for who ran this command.

    command: which binds it to a process that is above.
    """
    own = process_of(own_pid())
    if own is None or not covers(life, own.pid, own.start, ancestry):
        refused = f"process {life.pid} is not above this one, so its session would count for nothing that runs here"
        raise UsageError(reason=f"{refused}. Nothing was done. To bind one to this shell: {command}")


def _main_shell() -> int:
    """The parent of this process, or the shell of which the parent is only a fork; runners are passed over."""
    process = process_of(own_pid())
    parent = process_of(process.parent) if process else None
    while parent and parent.name in _RUNNERS:
        parent = process_of(parent.parent)
    while parent and parent.forked_only and parent.name in _SHELLS:
        above = process_of(parent.parent)
        if above is None or above.name != parent.name:
            break
        parent = above
    return parent.pid if parent else os.getppid()


def covers(life: Life, pid: int, start: int, ancestry: Iterable[Ancestor]) -> bool:
    """Whether a session bound to `life` counts for this process: it is that process, or comes from it."""
    return life.is_same(pid, start) or any(life.is_same(above.pid, above.start) for above in ancestry)
