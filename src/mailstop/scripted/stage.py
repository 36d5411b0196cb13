"""Stage: a home of its own for the sessions of real clients, in which nothing is the user's.

A client gets an environment built from nothing, a made-up key, and an address on loopback in the place of its
vendor's. What turns its other traffic off is set as well; `seal` shuts the network itself where the system allows it.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

import mailstop
from mailstop import errors
from mailstop.setup import plugin_copy
from mailstop.setup.client_command import run
from mailstop.setup.codex_hooks import trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mailstop.scripted.model import Model

KEY = "test-key-not-real"
_SYSTEM = "/usr/local/bin:/usr/bin:/bin"
_NOWHERE = (
    "http://127.0.0.1:9"  # the port called discard, at which nobody listens: what goes anywhere but here ends there
)
QUIET = {  # of Claude Code
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
CODEX_CONFIG = """\
model = "gpt-5-codex"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{model_url}/codex/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false
"""


def claude_state(trusted_folder: str) -> str:
    """What Claude Code writes down of a user who has answered its first questions, and trusts all in a folder."""
    return json.dumps(
        {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "99.0.0",
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {trusted_folder: {"hasTrustDialogAccepted": True}},
        }
    )


class Stage:
    """A home, folders of projects, and the plugin, all in one folder, which has to be there and empty."""

    def __init__(self, folder: str, model: Model) -> None:
        self.folder = os.path.realpath(folder)
        self.model = model
        self.home, self.projects, self.market = (self._made(name) for name in ("home", "projects", "market"))
        self._bin, self._tmp, self._run = (self._made(name) for name in ("bin", "tmp", "run"))
        self.command = os.path.join(self._bin, "mailstop")
        _write(self.command, f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m mailstop "$@"\n', mode=0o700)
        plugin_copy.write(self.command, self.market)
        _write(os.path.join(self.home, ".claude.json"), claude_state(self.projects))
        # Codex runs commands in login shells, for which /etc/profile sets PATH anew.
        _write(os.path.join(self.home, ".profile"), f"PATH={shlex.quote(self._bin)}:$PATH\n")

    @property
    def plugin(self) -> str:
        """The folder of the plugin."""
        return os.path.join(self.market, "mailstop")

    @property
    def env(self) -> dict[str, str]:
        """The variables of everything that runs here."""
        source = os.path.dirname(os.path.dirname(os.path.abspath(mailstop.__file__)))
        proxies = {name: _NOWHERE for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
        return {
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "PATH": f"{self._bin}:{_SYSTEM}",
            "PYTHONPATH": source,
            "SHELL": "/bin/sh",
            "TERM": "dumb",
            "TMPDIR": self._tmp,
            "USER": "demo",
            "XDG_RUNTIME_DIR": self._run,
            **proxies,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def claude_env(self, name: str) -> dict[str, str]:
        """The variables of a Claude Code; its model knows it by the name."""
        address = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": f"{self.model.url}/{name}"}
        return {**self.env, **QUIET, **address, "MAILSTOP_SEAT": name}

    def codex_env(self, name: str) -> dict[str, str]:
        """The variables of a Codex."""
        return {**self.env, "SCRIPTED_KEY": KEY, "MAILSTOP_SEAT": name}

    def project(self, name: str) -> str:
        """The folder of a project, which is made."""
        folder = os.path.join(self.projects, name)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder

    def settle_codex(self, program: str) -> None:
        """Configure Codex, let it take the plugin in, and trust its hooks, as a person does. Raises ClientFailed."""
        folder = os.path.join(self.home, ".codex")
        os.makedirs(folder, mode=0o700)
        path = os.path.join(folder, "config.toml")
        _write(path, CODEX_CONFIG.format(model_url=self.model.url))
        for words in (["marketplace", "add", self.market], ["add", "mailstop@mailstop"]):
            if reason := run([program, "plugin", *words], self.env):
                raise errors.ClientFailed(command=f"codex plugin {' '.join(words)}", reason=reason, client="codex")
        with open(path, "a", encoding="utf-8") as config:
            for hook, hashes in trusted(program, self.command).items():
                lines = [f"{name} = {json.dumps(value)}" for name, value in hashes.items()]
                print(f"\n[hooks.state.{json.dumps(hook)}]", *lines, sep="\n", file=config)

    def _made(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        os.mkdir(path, 0o700)
        return path


def _write(path: str, text: str, *, mode: int = 0o600) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
        file.write(text)
