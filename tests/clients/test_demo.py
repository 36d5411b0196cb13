"""mailstop demo --clients: it starts the real clients, lets them write to each other, and nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.clients.waiting import wait_for
from tests.clients.world import World


def demo(world: World, *words: str) -> CompletedProcess[str]:
    """Run it as the person of this world would."""
    return world.run("mailstop", "demo", "--clients", *words, timeout_s=150)


def files(world: World) -> dict[str, bytes]:
    """The files of the person's own home."""
    found = [path for path in world.home.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(world.home)): path.read_bytes() for path in found}


def of_the_demo(world: World) -> list[str]:
    """The processes that know the folder of this world's demo; those of other tests may run beside it."""
    found, mark = [], f"{world.directory}/tmp/mailstop-demo-".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark in told:
            found.append(told[:200].decode(errors="replace"))
    return found


def left(world: World) -> list[str]:
    """What lies where temporary files go."""
    return [path.name for path in (world.directory / "tmp").iterdir() if path.name.startswith("mailstop-demo-")]


def test_claude_code_and_codex_write_to_each_other_and_nothing_of_it_stays(world: World) -> None:
    before = files(world)

    done = demo(world, "--claude", str(world.claude_binary), "--codex", str(world.codex_binary))

    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    assert "Claude Code 2.1.332 at seat builder and Codex 0.171.0 at seat reviewer" in told
    assert "queued by codex" in told
    assert told.count("is woken; its model is sent") == 2
    assert "answered: its reader wrote back" in told
    assert "Yes: it returns an empty list" in told.partition("$ mailstop read")[2]
    assert (left(world), of_the_demo(world)) == ([], [])
    assert files(world) == before
    assert world.model.requests == [], "it has a model of its own"


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_where_one_client_is_installed_two_sessions_of_it_write_to_each_other(world: World, client: str) -> None:
    (world.home / ".local/bin").mkdir(parents=True)
    program = world.claude_binary if client == "claude" else world.codex_binary
    (world.home / ".local/bin" / client).symlink_to(program)

    done = demo(world, "--json")

    assert done.returncode == 0, done.stdout + done.stderr
    account = json.loads(done.stdout)
    assert len(set(account["clients"].values())) == 1
    assert account["answered"] > account["asked"]
    assert list(account["versions"]) == [client]
    assert account["sealed"]
    assert (left(world), of_the_demo(world)) == ([], [])


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_one_that_is_ended_halfway_leaves_nothing_and_ends_all_that_it_started(
    world: World, number: int, code: int
) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background without it
    words = ["demo", "--claude", str(world.claude_binary), "--codex", str(world.codex_binary)]
    program = [str(Path(world.path[0]) / "mailstop"), *words]
    output = world.directory / "output"
    with output.open("wb") as file:
        running = subprocess.Popen(program, env=world.env, cwd=world.projects, stdout=file, stderr=file)
    wait_for("sessions at work", lambda: b"The person tells builder" in output.read_bytes(), timeout_s=60)

    running.send_signal(number)

    assert running.wait(60) == code
    wait_for("all of its processes ended", lambda: not of_the_demo(world))
    wait_for("its folder gone", lambda: not left(world))
    assert os.listdir(world.projects) == []
