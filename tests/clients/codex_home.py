"""A CODEX_HOME: Codex's configuration, threads and daemon."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mailstop.scripted.stage import CODEX_CONFIG, KEY
from tests.clients.app_server import AppServer
from tests.clients.waiting import wait_for

DEFAULT = ".codex"


class CodexHome:
    """One CODEX_HOME folder, made new."""

    def __init__(self, folder: Path, binary: Path, model_url: str) -> None:
        self.folder = folder
        self._binary = binary
        folder.mkdir(mode=0o700)
        self.config.write_text(CODEX_CONFIG.format(model_url=model_url))
        self._lay_out_daemon()

    @property
    def config(self) -> Path:
        """The configuration file, which Codex itself also writes to."""
        return self.folder / "config.toml"

    @property
    def env(self) -> dict[str, str]:
        """What a Codex of this home is given beside the environment of the world.

        As for most people, nothing names the default home, `~/.codex`.
        """
        named = {} if self.folder.name == DEFAULT else {"CODEX_HOME": str(self.folder)}
        return {**named, "SCRIPTED_KEY": KEY}

    def configure(self, toml: str) -> None:
        """Append to the configuration: servers, writable roots and the like."""
        with self.config.open("a") as config:
            config.write(f"\n{toml}\n")

    def trust(self, project: Path) -> None:
        """Answer the question whether the folder is trusted in advance."""
        if str(project) not in tomllib.loads(self.config.read_text()).get("projects", {}):
            self.configure(f'[projects."{project}"]\ntrust_level = "trusted"')

    def write_hooks(self, commands: Mapping[str, str]) -> None:
        """Write the user's hooks: a shell command for each event."""
        hooks = {event: [{"hooks": [{"type": "command", "command": command}]}] for event, command in commands.items()}
        (self.folder / "hooks.json").write_text(json.dumps({"hooks": hooks}))

    def trust_hooks(self, project: Path, env: Mapping[str, str]) -> None:
        """Trust all hooks there are in a project, with the calls by which a window's answer "trust all" does it.

        env: of the world. Raises AssertionError if there is no hook to trust.
        """
        with AppServer(self._binary, {**env, **self.env}, project) as server:
            listed = server.call("hooks/list", {"cwds": [str(project)]})["data"]
            hooks = [hook for entry in listed for hook in entry["hooks"] if hook["trustStatus"] != "trusted"]
            assert hooks, f"no hooks to trust: {listed}"
            value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
            edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
            server.call("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def daemon_pids(self) -> list[int]:
        """The process ids of the daemon and its updater, while they run."""
        pids: list[int] = []
        for path in (self.folder / "app-server-daemon").glob("*.pid"):
            text = path.read_text()
            if text:  # it is empty while a daemon starts
                pids.append(int(json.loads(text)["pid"]))
        return [pid for pid in pids if _is_running(pid)]

    def end_daemon(self) -> None:
        """End the daemon, which outlives its windows, and wait until it is gone."""
        ended = f"the end of the daemon of {self.folder}"
        try:
            self._signal_daemon()
            wait_for(ended, lambda: not self.daemon_pids(), timeout_s=1)
        except TimeoutError:
            # Observed with Codex 0.171.0: at the first SIGTERM it lets a running turn go on, at the second not.
            self._signal_daemon()
            wait_for(ended, lambda: not self.daemon_pids())

    def _signal_daemon(self) -> None:
        for pid in self.daemon_pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _lay_out_daemon(self) -> None:
        """Put the package where the first window would copy it for its daemon: 0.4 GB and 1.5 s less for each home.

        Observed with Codex 0.171.0: hard links with a link `current` are taken as installed, symbolic links refused.
        """
        package = self._binary.parent.parent
        version = json.loads((package / "codex-package.json").read_text())["version"]
        folder = self.folder / "packages" / "app-server-daemon"
        release = folder / "releases" / f"{version}-{package.name}"
        try:
            shutil.copytree(package, release, copy_function=os.link)
        except (OSError, shutil.Error):  # another file system: Codex copies for itself
            shutil.rmtree(folder.parent, ignore_errors=True)
            return
        (release / "codex").symlink_to("bin/codex")
        (folder / "current").symlink_to(release)


def _is_running(pid: int) -> bool:
    """Whether the process lives; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
