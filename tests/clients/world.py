"""A user's account for one test: a home, a scripted model, and real clients that share both.

    with World() as world:
        world.claude("alpha")
        world.codex("beta")

Everything a client touches lies in a folder of the world. A client gets an environment built from nothing and a
made-up key. A world refuses to start where a route leads off the loopback interface: `run.sh` makes a network
namespace without one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from mailstop.scripted.stage import KEY, QUIET, claude_state
from tests.clients import install
from tests.clients.claude_session import ClaudeSession
from tests.clients.codex_home import CodexHome
from tests.clients.codex_session import CodexSession
from tests.clients.gate import Gate
from tests.clients.request import Request
from tests.clients.scripted_model import Decide, ScriptedModel
from tests.clients.seal import require_seal
from tests.clients.waiting import wait_for


class World:
    """A home, a model, and the clients of one user; a context manager that ends them all.

    path: folders for the clients' PATH, before the system's; by default the one this Python's scripts are in, so
        that the clients find `mailstop`.
    decide: see ScriptedModel.

    The folder is removed at the end unless `keep` was called or the block raised. In it: ``requests.jsonl`` (what the
    model was sent), ``NAME.screen`` (what a client drew), ``home``, ``projects``.
    """

    def __init__(self, path: Sequence[str | Path] | None = None, decide: Decide | None = None) -> None:
        require_seal()
        # Not under /tmp, where a sandboxed command of Codex may write anyway.
        base = os.environ.get("MAILSTOP_WORLDS", "/var/tmp")
        self.directory = Path(tempfile.mkdtemp(prefix="w-", dir=base)).resolve()
        self.home = self.directory / "home"
        self.projects = self.directory / "projects"
        self.claude_config = self.home / ".claude"
        self.claude_binary = install.binary(install.CLAUDE)
        self.codex_binary = install.binary(install.CODEX)
        self.path = [str(entry) for entry in (path if path is not None else [Path(sys.executable).parent])]
        for folder in (self.home, self.projects, self.directory / "tmp", self.directory / "run", self.claude_config):
            folder.mkdir(mode=0o700)
        self.model = ScriptedModel(self.directory / "requests.jsonl", decide)
        self._sessions: list[ClaudeSession | CodexSession] = []
        self._codex_homes: dict[str, CodexHome] = {}
        self._kept = False
        self._write_home()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._kept = self._kept or kind is not None
        self.close()

    @property
    def env(self) -> dict[str, str]:
        """The environment of everything that runs in this world."""
        return {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LOGNAME": "tester",
            "PATH": ":".join([*self.path, "/usr/local/bin:/usr/bin:/bin"]),
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.directory / "tmp"),
            "USER": "tester",
            "XDG_RUNTIME_DIR": str(self.directory / "run"),
            "no_proxy": "127.0.0.1",
        }

    @property
    def claude_env(self) -> dict[str, str]:
        """What a Claude Code of this world is given beside `env`."""
        return {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": f"{self.model.url}/claude",
            **QUIET,
        }

    def project(self, name: str, *, branch: str | None = None) -> Path:
        """A project folder of that name, made at first use; with `branch`, a git repository with one commit on it."""
        folder = self.projects / name
        if not folder.exists():
            folder.mkdir(parents=True)
            if branch:
                self.run("git", "init", "--quiet", f"--initial-branch={branch}", cwd=folder).check_returncode()
                commit = ["git", "commit", "--quiet", "--allow-empty", "--message=first"]
                self.run(*commit, cwd=folder).check_returncode()
        return folder

    def claude(
        self,
        name: str = "claude",
        prompt: str | None = None,
        *,
        mode: str = "manual",
        allow: Sequence[str] = (),
        plugins: Sequence[Path] = (),
        settings: Mapping[str, Any] | None = None,
        resume: str | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        project: Path | None = None,
        wait: bool = True,
    ) -> ClaudeSession:
        """Start an interactive Claude Code.

        name: of the session in this world, and of its project folder unless `project` is given.
        mode: the permission mode; allow: rules such as ``Bash(mailstop:*)``.
        settings: for this session alone (hooks and the like), beside the user's in ``home/.claude/settings.json``.
        resume: the id of the session to go on with. wait: until it is ready.
        """
        project = project or self.project(name)
        argv = [str(self.claude_binary), "--permission-mode", mode]
        if allow:
            argv += ["--allowedTools", *allow]
        for plugin in plugins:
            argv += ["--plugin-dir", str(plugin)]
        if settings is not None:
            argv += ["--settings", json.dumps(settings)]
        if resume:
            argv += ["--resume", resume]
        argv += args
        if prompt is not None:
            argv += ["--", prompt]
        address = {"ANTHROPIC_BASE_URL": f"{self.model.url}/{name}"}
        session = ClaudeSession(self, name, project, argv, {**self.env, **self.claude_env, **address, **(env or {})})
        self._sessions.append(session)
        if wait:
            session.wait_until_ready()
        return session

    def codex(
        self,
        name: str = "codex",
        prompt: str | None = None,
        *,
        sandbox: str = "workspace-write",
        approval: str = "on-request",
        resume: str | None = None,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        project: Path | None = None,
        home: str = ".codex",
        wait: bool = True,
    ) -> CodexSession:
        """Start an interactive Codex, on the shared daemon of its CODEX_HOME.

        name: of the session in this world, and of its project folder unless `project` is given.
        home: the CODEX_HOME, a folder in the home of the world. resume: the thread to go on with.
        """
        codex_home = self.codex_home(home)
        project = project or self.project(name)
        codex_home.trust(project)
        argv = [str(self.codex_binary), "--no-alt-screen", "--sandbox", sandbox, "--ask-for-approval", approval, *args]
        argv += ["resume", resume] if resume else []
        argv += ["--", prompt] if prompt is not None else []
        session = CodexSession(self, name, project, argv, {**self.env, **codex_home.env, **(env or {})}, resume)
        self._sessions.append(session)
        if wait:
            session.wait_until_ready()
        return session

    def codex_home(self, name: str = ".codex") -> CodexHome:
        """A CODEX_HOME in the home of the world, made at first use."""
        if name not in self._codex_homes:
            self._codex_homes[name] = CodexHome(self.home / name, self.codex_binary, self.model.url)
        return self._codex_homes[name]

    def run(
        self,
        *argv: str | Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        input: str | None = None,
        timeout_s: float = 60,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in this world, without a terminal, as a script of the user would.

        A client's own commands need `claude_env` or ``codex_home().env`` as `env`.
        """
        given = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
        environment = {**self.env, **(env or {})}
        # Looked up in the world's PATH: subprocess itself would look in this process's.
        program = shutil.which(str(argv[0]), path=environment["PATH"]) or str(argv[0])
        return subprocess.run(
            [program, *map(str, argv[1:])],
            cwd=cwd or self.projects,
            env=environment,
            start_new_session=True,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            **given,
        )

    def wait_for_request(
        self, text: str, *, session: str | None = None, after: int = 0, timeout_s: float = 30
    ) -> Request:
        """The first request in which the model was sent `text` by anyone but itself.

        session: of this session (see Request.session); after: behind the request of that number.
        """

        def find() -> Request | None:
            for request in self.model.requests[after:]:
                if request.holds(text) and not request.is_side and session in (None, request.session):
                    return request
            return None

        return wait_for(f"{text!r} at the model", find, timeout_s)

    def wait_until_model_waits(self, gate: str) -> None:
        """Wait until an answer is held at `gate`: the session that asked is now busy."""
        wait_for(f"the model held at {gate}", lambda: self.model.requests and self.model.waits_at(gate))

    def gate(self, name: str) -> Gate:
        """A place for scripted shell commands to wait at, in TMPDIR, where Codex's sandbox lets them write."""
        return Gate(self.directory / "tmp", name)

    def keep(self) -> None:
        """Leave the folder behind at the end."""
        self._kept = True

    def close(self) -> None:
        """End all sessions and daemons, then the model; remove the folder unless it is kept."""
        with ExitStack() as endings:  # from the last to the first, and all of them
            if not self._kept:
                endings.callback(wait_for, "the folder removed", self._remove_folder)
            endings.callback(self.model.close)
            for codex_home in self._codex_homes.values():
                endings.callback(codex_home.end_daemon)
            for session in self._sessions:
                endings.callback(session.close)
            for session in self._sessions:
                endings.callback(session.terminal.terminate)

    def _remove_folder(self) -> bool:
        with suppress(OSError):  # a child of a client may still be writing
            shutil.rmtree(self.directory)
        return not self.directory.exists()

    def _write_home(self) -> None:
        """Write what a user has after the first days: past onboarding and trust questions, with a name for git."""
        (self.home / ".claude.json").write_text(claude_state(str(self.projects)))
        (self.home / ".gitconfig").write_text("[user]\n\tname = Tester\n\temail = tester@localhost\n")
        # Codex runs commands in login shells, for which /etc/profile sets PATH anew.
        (self.home / ".profile").write_text(f'PATH="{":".join(self.path)}:$PATH"\n')
