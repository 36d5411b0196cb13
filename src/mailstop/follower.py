"""Follower: tells of the end of another session's process, so that who waits for that session need not look."""

from __future__ import annotations

import os

from mailstop.clients.life import Life, is_alive
from mailstop.watcher import process_end_fd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from mailstop.session import Session


class Follower:
    """Follows the process of the session that was asked, so that its end wakes who waits. A context manager.

    ended: whether that process was over when it was last asked for: since the look that found the session, which is to
    be repeated now. It is said once of each process: another may serve the session.
    """

    def __init__(self) -> None:
        self.ended = False
        self._life: dict[str, Any] | None = None
        self._end: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def ends_with(self, session: Session | None) -> Sequence[int]:
        """The descriptors that become readable when the process of that session ends; none where nobody can tell."""
        self.ended = False
        if session is None:
            self.close()
        elif session.life != self._life:
            self.close()
            self._life = session.life
            self._end, self.ended = _end_of(session)
        elif self._end is not None and _is_over(self._end):
            self._let_go()
            self.ended = True
        return () if self._end is None else (self._end,)

    def close(self) -> None:
        """Follow nobody."""
        self._let_go()
        self._life = None

    def _let_go(self) -> None:
        if self._end is not None:
            os.close(self._end)
        self._end = None


def _end_of(session: Session) -> tuple[int | None, bool]:
    """The descriptor that tells of the end of a session's process, where there is one, and whether it has ended."""
    life = Life.from_dict(session.life)
    alive = is_alive(life) if life else None
    if life is None or not alive:  # it is dead, or lives elsewhere, where its number means nothing here
        return None, alive is False
    try:
        end = process_end_fd(life.pid)
    except ProcessLookupError:
        return None, True
    if end is not None and not is_alive(life):  # the number may be another's by now
        os.close(end)
        return None, True
    return end, False


def _is_over(end: int) -> bool:
    import select

    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(0))
