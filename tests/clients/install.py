"""The pinned real clients: where they lie, and how they get there.

Run as a program it installs what is missing into the user's cache folder, with npm, and says nothing when all is
there. Each client is its vendor's native package by exact version and checksum; no script of a package is run.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PLATFORMS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",  # prepared, not tried
}
_TARGETS = {"linux-x64": "x86_64-unknown-linux-musl", "linux-arm64": "aarch64-unknown-linux-musl"}


class NotInstalled(Exception):
    """A client is not there and could not be fetched. The message says why."""


@dataclass(frozen=True, slots=True)
class Client:
    """One client by exact version. In the templates, {platform} is npm's word and {target} the vendor's."""

    title: str
    version: str
    folder: str  # the package's folder under node_modules
    requirement: str  # what package.json asks for under that name
    package: str  # the package's own name
    package_version: str
    program: str  # the native program, in the package's folder
    megabytes: int  # when unpacked
    sha512: dict[str, str]  # by platform, in base64, as the registry states it


CLAUDE = Client(
    title="Claude Code",
    version="2.1.332",
    folder="@anthropic-ai/claude-code-{platform}",
    requirement="2.1.332",
    package="@anthropic-ai/claude-code-{platform}",
    package_version="2.1.332",
    program="claude",
    megabytes=402,
    sha512={
        "linux-x64": "f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw==",
        "linux-arm64": "BlHNEtK38KBPWU31F4lUSS9sHclCyfWbThT1CErvxxH8+XcljYLZlQwdyXBkTD62rw1TgfE1u1a+quMWS0NSJg==",
    },
)
CODEX = Client(
    title="Codex",
    version="0.171.0",
    folder="@openai/codex-{platform}",
    requirement="npm:@openai/codex@0.171.0-{platform}",
    package="@openai/codex",
    package_version="0.171.0-{platform}",
    program="vendor/{target}/bin/codex",
    megabytes=449,
    sha512={
        "linux-x64": "l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
        "linux-arm64": "9z17t4bbUJ9UCIb49O4PoA+ki+45q3rd8nZ8PeH6sYnlKkBld/Xpo/OS3h3Ti954+foshX4o7k5TCU8N7zzqQA==",
    },
)


def cache_folder() -> Path:
    """$MAILSTOP_CLIENTS, else mailstop/clients in the user's cache folder."""
    if chosen := os.environ.get("MAILSTOP_CLIENTS"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mailstop" / "clients"


def binary(client: Client) -> Path:
    """The client's program, which may not be there yet. Raises NotInstalled where there is none for this system."""
    return _home(client) / "node_modules" / _here(client.folder) / _here(client.program)


def install(client: Client) -> None:
    """Fetch the client unless it is there. Raises NotInstalled.

    Two that run at once fetch it once; one that is killed leaves nothing that passes for a client.
    """
    if binary(client).exists():
        return
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / "install.lock"):
        if binary(client).exists():
            return
        for remains in cache.glob("part-*"):
            shutil.rmtree(remains, ignore_errors=True)
        part = cache / f"part-{os.getpid()}"
        part.mkdir()
        try:
            _fetch(client, part)
            part.rename(_home(client))
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _fetch(client: Client, part: Path) -> None:
    """Let npm fetch, check and unpack the package into `part`, and show how far it is."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled(f"npm is not there to fetch {client.title}")
    _write_lock_file(client, part)
    log = part / "npm.log"
    argv = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--fetch-retries=1"]
    with log.open("w") as output:
        npm_run = subprocess.Popen(argv, cwd=part, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _show_progress(client, npm_run, part)
        finally:
            npm_run.kill()
            npm_run.wait()
    if npm_run.returncode:
        raise NotInstalled(f"npm could not fetch {client.title} {client.version}:\n{log.read_text().strip()}")
    program = part / binary(client).relative_to(_home(client))
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60).stdout
    if client.version not in said:
        raise NotInstalled(f"{client.title} says it is {said.strip()!r}, not {client.version}")


def _write_lock_file(client: Client, part: Path) -> None:
    """Write package.json and package-lock.json. npm refuses a package whose checksum is not the one there."""
    folder = _here(client.folder)
    needs = {"dependencies": {folder: _here(client.requirement)}}
    entry = {
        "name": _here(client.package),
        "version": _here(client.package_version),
        "integrity": f"sha512-{client.sha512[_platform()]}",
    }
    packages = {"": needs, f"node_modules/{folder}": entry}
    lock = {"name": "clients", "lockfileVersion": 3, "requires": True, "packages": packages}
    (part / "package.json").write_text(json.dumps(needs))
    (part / "package-lock.json").write_text(json.dumps(lock))


def _show_progress(client: Client, npm_run: subprocess.Popen[bytes], part: Path) -> None:
    """Say every now and then how much is unpacked, until npm is done."""
    what = f"{client.title} {client.version} into {cache_folder()}"
    print(f"fetching {what}: {client.megabytes} MB, once", file=sys.stderr, flush=True)
    on_terminal = sys.stderr.isatty()
    shown = -1
    while npm_run.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            npm_run.wait(0.2)
        done = sum(path.lstat().st_size for path in _files(part)) // 1_000_000
        if done >= shown + (1 if on_terminal else client.megabytes // 4):
            line = f"  {done} of {client.megabytes} MB"
            print(f"\r{line}" if on_terminal else line, end="" if on_terminal else "\n", file=sys.stderr, flush=True)
            shown = done
    if on_terminal:
        print(file=sys.stderr)


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder that is being filled."""
    for base, _, names in os.walk(folder):
        yield from (path for path in (Path(base, name) for name in names) if path.exists())


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the file's lock; whoever dies gives it back."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another run is fetching the clients: waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _home(client: Client) -> Path:
    return cache_folder() / f"{client.title.lower().replace(' ', '-')}-{client.version}-{_platform()}"


def _here(template: str) -> str:
    return template.format(platform=_platform(), target=_TARGETS[_platform()])


def _platform() -> str:
    system = (platform.system(), platform.machine())
    if system not in _PLATFORMS:
        raise NotInstalled(f"the real clients are not run on {' '.join(system)}")
    return _PLATFORMS[system]


def main() -> int:
    """Install both clients and print the folder they are in; 1 if that cannot be done."""
    try:
        for client in (CLAUDE, CODEX):
            install(client)
    except (NotInstalled, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(cache_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main())
