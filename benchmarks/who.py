"""`mailstop who`, whole process: 200 sessions against 10. Each is a process of its own, with what a client tells."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator

from benchmarks.ground import Ground, run
from benchmarks.measure import Comparison, compare
from mailstop.clients.caller import CLIENT, Caller
from mailstop.clients.life import life_of
from mailstop.clients.registry import bell_name
from mailstop.config import default_store
from mailstop.doors.claude_monitor import lock_path
from mailstop.engines import open_store
from mailstop.letter import new_id
from mailstop.office import Office
from mailstop.session import Session

WORKTREES = 10  # which the sessions share


class Crowd(Ground):
    """A ground with as many sessions of Claude Code, in worktrees of one repository."""

    def __init__(self, sessions: int) -> None:
        super().__init__()
        self._pids: list[int] = []
        os.environ["HOME"] = str(self.home)
        self.join("me")
        folders = [self._worktree(number) for number in range(WORKTREES)]
        with open_store(default_store()) as store:
            for number in range(sessions):
                found = self._session(number, folders[number % WORKTREES])
                caller = Caller(CLIENT, "claude", found.client_session, life_of(self._pids[-1]))
                office = Office(store, caller)
                office.register(found, known=None, automatic=False)
                office.join(f"seat-{number}")
                office.presence.say(objective=f"part {number} of the parser, its tests and its page", status="active")

    def __exit__(self, *exception: object) -> None:
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        super().__exit__(*exception)

    def _worktree(self, number: int) -> str:
        folder = self.home / f"app-{number}"
        git = folder / ".git"
        for part in ("objects", "refs/heads"):
            (git / part).mkdir(parents=True)
        (git / "HEAD").write_text(f"ref: refs/heads/part-{number}\n")
        return str(folder)

    def _session(self, number: int, folder: str) -> Session:
        pid = os.fork()
        if not pid:
            signal.pause()
        self._pids.append(pid)
        life = life_of(pid)
        assert life is not None
        told = {"pid": pid, "procStart": str(life.start), "status": "busy" if number % 2 else "idle"}
        registry = self.home / ".claude/sessions"
        registry.mkdir(parents=True, exist_ok=True)
        (registry / f"{pid}.json").write_text(json.dumps({**told, "statusUpdatedAt": 1, "sessionId": "x" * 36}))
        bell = bell_name("claude", pid=pid)
        os.makedirs(os.path.dirname(lock_path(bell)), exist_ok=True)
        open(lock_path(bell), "w").close()
        return Session(
            id="",
            client="claude",
            client_session=new_id(),
            life=life.as_dict(),
            bell=bell,
            folder=folder,
            project="app",
            project_id=f"{folder}/.git",
            branch="main",
            worktree=folder,
            hooked=True,
            details={"config_folder": str(self.home / ".claude"), "socket": "/run/user/1/claude.sock"},
        )


def comparisons() -> Iterator[Comparison]:
    with Crowd(10) as few, Crowd(200) as many:
        yield compare(
            "mailstop who, 200 sessions against 10",
            lambda: run([few.command, "who"], few.env),
            lambda: run([many.command, "who"], many.env),
            budget=1.5,
        )
