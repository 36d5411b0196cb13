"""The published postbag, pinned, for the tests of both systems side by side: where it lies, how it gets there."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients import install
from tests.clients.world import World

VERSION = "2.3.0"
SHA256 = "ff6a403877a34df1797e47915bfd7e0b86455632e4fbff41fb9957e0c9712498"  # of its wheel, as PyPI states it
RULE = "Bash(postbag:*)"


def commands() -> Path:
    """The folder for PATH in which `postbag` lies. Skips the test where it was not installed, unless it has to be."""
    folder = install.cache_folder() / f"postbag-{VERSION}" / "commands"
    if not (folder / "postbag").exists():
        if os.environ.get("MAILSTOP_REQUIRE_CLIENTS") == "1":
            raise AssertionError(f"{folder} is not there: tests/clients/install.py fetches postbag")
        pytest.skip(f"{folder} is not there")
    return folder


def ledger(world: World) -> list[dict[str, Any]]:
    """The records of the world's default ledger."""
    path = world.home / ".postbag" / "ledger.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def letters(world: World) -> list[tuple[str, str, str]]:
    """From, to and body of all letters in it."""
    return [(each["from"], each["to"], each["body"]) for each in ledger(world) if each["kind"] == "letter"]


def joined(world: World, name: str) -> bool:
    """Whether somebody has joined by that name."""
    return any(each["kind"] == "join" and each["peer"] == name for each in ledger(world))


def fetch() -> None:
    """Put it into the cache unless it is there: its wheel by version and checksum, and nothing else.

    Raises NotInstalled.
    """
    place = install.cache_folder() / f"postbag-{VERSION}"
    if (place / "commands" / "postbag").exists():
        return
    part = place.with_name(f"part-postbag-{os.getpid()}")
    shutil.rmtree(part, ignore_errors=True)
    (part / "commands").mkdir(parents=True)
    try:
        needs = part / "needs.txt"
        needs.write_text(f"postbag=={VERSION} --hash=sha256:{SHA256}\n")
        uv = Path(__file__).parents[2] / ".tools" / "bin" / "uv"
        pip = [str(uv), "pip"] if uv.exists() else [sys.executable, "-m", "pip"]
        words = [
            "install",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--target",
            str(part / "package"),
            "-r",
            str(needs),
        ]
        done = subprocess.run([*pip, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        if done.returncode:
            raise install.NotInstalled(f"postbag {VERSION} could not be fetched:\n{done.stderr.strip()}")
        command = part / "commands" / "postbag"
        start = f"import sys; sys.path.insert(0, {str(place / 'package')!r}); import postbag; sys.exit(postbag.main())"
        # With the first Python of the world's PATH: the cache outlives the environment that filled it.
        command.write_text(f'#!/bin/sh\nexec python3 -I -c {shlex.quote(start)} "$@"\n')
        command.chmod(0o755)
        try:
            part.rename(place)
        except OSError:  # another run was faster
            pass
    finally:
        shutil.rmtree(part, ignore_errors=True)


def main() -> int:
    """Fetch it; 1 if that cannot be done."""
    try:
        fetch()
    except (install.NotInstalled, OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
